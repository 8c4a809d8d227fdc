"""Ways, moments and what is judged of them, each alone."""

import pytest

from lifelong.errors import InvalidValue
from lifelong.formats import parse
from lifelong.messages import Message
from lifelong.replay.foreign import words_of
from lifelong.replay.judging import Cards, Judge
from lifelong.replay.moments import Moment, cuts_of, is_asked, moments_of, turns_of
from lifelong.replay.needed import AROUND_CHARACTERS, Need, Needs, around, shown_text
from lifelong.replay.policies import NONE, SLICE, NamedPolicy
from lifelong.replay.recalling import (
    LOOP_MESSAGES,
    QUESTION_CHARACTERS,
    Recaller,
    question_at,
)
from lifelong.replay.remembering import Remembering
from lifelong.replay.ways import Answer, ways_of
from lifelong.request import target_of
from lifelong.working.budget import Budget
from lifelong.working.clear import ClearReasoning, ClearToolResults
from lifelong.working.repair import HistoryBuilder, build
from lifelong.working.trim import TrimTurns

TARGET = target_of("chat", {})


def said(role, text):
    return Message.of(role, text)


def moment(messages, number=1):
    history = build(messages, "chat", count=TARGET.count)
    return Moment(number, 1, messages, len(messages), history)


def call(name, arguments="{}"):
    function = {"name": "look", "arguments": arguments}
    tool_calls = [{"id": name, "type": "function", "function": function}]
    return parse([{"role": "assistant", "content": None, "tool_calls": tool_calls}], "chat")[0]


def result(name, text="There."):
    return parse([{"role": "tool", "tool_call_id": name, "content": text}], "chat")[0]


class TestWays:
    def test_policies_in_order_and_windows_within_them(self):
        ways = ways_of([NamedPolicy("a"), NamedPolicy("b", NONE)], [4_096, 2_048])
        assert [(way.name, way.window_tokens) for way in ways] == [
            ("a", 4_096),
            ("a", 2_048),
            ("b", 4_096),
            ("b", 2_048),
        ]

    @pytest.mark.parametrize(
        ("policy", "window"),
        [
            (NamedPolicy("x", "magic"), 8_192),
            (NamedPolicy("x", SLICE), 8_192),
            (NamedPolicy("x", SLICE, slice_items=-1), 8_192),
            (NamedPolicy("x"), 1_500),
            (NamedPolicy("x", NONE), 0),
        ],
    )
    def test_what_can_be_no_way_is_refused(self, policy, window):
        with pytest.raises(InvalidValue):
            ways_of([policy], [window])

    def test_reserve_and_margin_are_those_of_the_budget(self):
        [way] = ways_of([NamedPolicy("x")], [2_000], reserve_tokens=100, margin=0)
        assert way.budget == Budget(2_000, 100, 0)

    @pytest.mark.parametrize(
        ("count", "shown"), [(1, [0, 1, 5]), (4, [0, 1, 2, 3, 4, 5]), (99, [0, 1, 2, 3, 4, 5])]
    )
    def test_a_slice_has_the_system_text_and_the_last_items(self, count, shown):
        messages = [said("system", "A."), said("developer", "B.")]
        messages += [said("user", "C"), said("assistant", "D"), said("system", "E")]
        messages.append(said("user", "F"))
        [way] = ways_of([NamedPolicy("x", SLICE, slice_items=count)], [8_192])
        run = way.begin(TARGET)
        at = moment(messages)
        assert list(run.answer(at).messages) == [messages[place] for place in shown]
        states = ["kept" if place in shown else "dropped" for place in range(6)]
        assert run.states(at) == states

    def test_what_does_not_fit_shows_nothing(self):
        messages = [said("user", "word " * 3_000)]
        for policy in (NamedPolicy("x", NONE), NamedPolicy("y", policies=(TrimTurns(),))):
            [way] = ways_of([policy], [2_000])
            run = way.begin(TARGET)
            assert run.answer(moment(messages)).outcome == "not_fit"
            assert run.states(moment(messages)) == ["dropped"]

    def test_a_result_that_was_cleared_is_shown_as_such(self):
        messages = [said("user", "Look."), call("c1"), result("c1", "far " * 99), call("c2")]
        messages += [result("c2"), said("assistant", "Done."), said("user", "Well?")]
        policy = NamedPolicy("x", policies=(ClearToolResults(trigger_tokens=10, keep=1),))
        [way] = ways_of([policy], [8_192])
        run = way.begin(TARGET)
        assert run.answer(moment(messages)).edits == 1
        assert run.states(moment(messages)) == ["kept"] * 2 + ["cleared"] + ["kept"] * 4

    def test_words_of_an_error_are_one_line_without_an_end(self):
        assert words_of(ValueError("x" * 9_999)) == "it raised ValueError: " + "x" * 160
        assert words_of(InvalidValue("a\nb")) == "a b"


class TestMoments:
    def test_only_what_the_user_says_begins_a_turn(self):
        blank, both = said("user", " "), result("c1")
        of_user = parse(
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]}],
            "anthropic",
        )
        messages = [said("system", "A"), blank, said("user", "B"), both, *of_user]
        assert [is_asked(message) for message in messages] == [False, False, True, False, False]
        assert turns_of(messages) == 1

    def test_replies_in_a_row_are_one(self):
        messages = [said("user", "A"), said("assistant", "B"), call("c1"), result("c1")]
        messages += [said("assistant", "C"), said("user", "D"), said("assistant", "E")]
        cuts = cuts_of(messages)
        assert [cut.position for cut in cuts] == [1, 4, 6]
        assert [cut.replies for cut in cuts] == [(1, 2), (4,), (6,)]
        assert [cut.turn for cut in cuts] == [1, 1, 2]

    def test_a_greeting_is_not_asked_for(self):
        messages = [said("system", "A"), said("assistant", "Hi"), said("user", "B")]
        messages.append(said("assistant", "C"))
        builder = HistoryBuilder("chat", TARGET.count, takes_late_system=True)
        [(cut, at)] = moments_of(messages, cuts_of(messages), builder)
        assert (cut.position, at.number, at.turn, at.position) == (3, 1, 1, 3)
        assert len(at.history.units) == 3


class TestNeeds:
    def needs(self, messages, used_by=("user", "assistant")):
        found = Needs(messages, used_by)
        return [found.at(cut) for cut in cuts_of(messages)]

    def test_what_is_new_is_not_needed(self):
        messages = [said("user", "Hello."), said("assistant", "Take ZX-4471.")]
        assert self.needs(messages) == [[]]

    def test_the_last_who_said_it_counts(self):
        messages = [said("user", "ZX-4471."), said("assistant", "ZX-4471?"), said("user", "Yes.")]
        messages.append(said("assistant", "ZX-4471 it is."))
        first, second = self.needs(messages)
        assert first == [Need("ZX-4471", 0, 1, 1)]
        assert second == [Need("ZX-4471", 1, 1, 3)]

    def test_a_token_is_needed_once_by_each_who_uses_it(self):
        messages = [said("user", "ZX-4471."), said("assistant", "Yes."), said("user", "ZX-4471?")]
        messages += [said("assistant", "ZX-4471, ZX-4471."), said("assistant", "ZX-4471!")]
        assert self.needs(messages)[1] == [Need("ZX-4471", 0, 1, 2), Need("ZX-4471", 2, 2, 3)]

    def test_arguments_are_used_and_results_only_say(self):
        messages = [said("user", "Go."), call("c1"), result("c1", "It is /srv/old/list.txt, 4471.")]
        messages += [call("c2", '{"path": "/srv/old/list.txt"}'), result("c2", "Is 4471.")]
        messages.append(said("assistant", "Done."))
        assert self.needs(messages) == [[], [Need("/srv/old/list.txt", 2, 1, 3)], []]

    def test_quoted_code_in_arguments_is_no_name(self):
        messages = [said("user", 'He said: "the old depot" to me.'), said("assistant", "Yes.")]
        code = call("c1", '{"text": "x: \\"the old depot\\" "}')
        assert self.needs([*messages, said("user", "Go."), code])[1] == []
        spoken = said("assistant", 'You said: "the old depot" then.')
        assert [need.token for need in self.needs([*messages, said("user", "Go."), spoken])[1]] == [
            "the old depot"
        ]

    def test_reasoning_says_something_and_is_not_shown(self):
        item = {"role": "assistant", "reasoning_content": "ZX-4471", "content": "Hm."}
        [message] = parse([item], "chat")
        assert shown_text(message) == "Hm."
        messages = [
            said("user", "Go."),
            message,
            said("user", "And?"),
            said("assistant", "ZX-4471"),
        ]
        assert [need.token for need in self.needs(messages)[1]] == ["ZX-4471"]

    def test_a_text_is_cut_around_its_token(self):
        text = "a" * 500 + " ZX-4471 " + "b" * 500
        cut = around("ZX-4471", text)
        assert "ZX-4471" in cut
        assert cut.startswith("\u2026a")
        assert cut.endswith("b\u2026")
        assert len(cut) <= AROUND_CHARACTERS + 2
        assert around("x", "a\n x \nb") == "a x b"
        assert around("none", "short") == "short"


class Stub:
    """A recaller that brings back what it is given, and counts how often it is asked."""

    def __init__(self, *found):
        self.found = list(found)
        self.asked = 0

    def recalled(self, _):
        self.asked += 1
        return self.found


class TestJudge:
    messages = (said("user", "ZX-4471."), said("assistant", "Yes."), said("user", "ZX-4471?"))
    need = Need("ZX-4471", 0, 1, 2)

    def places(self, messages, blocks=(), recaller=None, needs=None):
        at = moment(list(self.messages))
        cards = Cards(TARGET, None)
        judge = Judge(at, needs or [self.need], cards=cards, recaller=recaller)
        return judge.places(Answer("sent", tuple(messages), blocks=tuple(blocks)))

    def test_each_is_at_the_first_place_that_has_it(self):
        block = said("user", "<summary>ZX-4471</summary>")
        recaller = Stub((0, "It was ZX-4471."))
        assert self.places(self.messages, recaller=recaller) == ["history"]
        assert self.places([block, self.messages[2]], [block], recaller) == ["summary"]
        assert recaller.asked == 0
        assert self.places([self.messages[2]], recaller=recaller) == ["recall"]
        assert self.places([self.messages[2]]) == ["nowhere"]

    def test_what_uses_a_token_does_not_bring_it_back(self):
        assert self.places([self.messages[2]], recaller=Stub((2, "ZX-4471?"))) == ["nowhere"]

    def test_it_is_asked_once_at_a_moment(self):
        recaller = Stub()
        needs = [self.need, Need("AB-1", 0, 1, 2)]
        cards = Cards(TARGET, None)
        judge = Judge(moment(list(self.messages)), needs, cards=cards, recaller=recaller)
        for messages in ((), self.messages[1:2], self.messages[2:]):
            assert judge.places(Answer("sent", tuple(messages)))[0] == "nowhere"
        assert recaller.asked == 1

    def test_arguments_that_are_no_json_are_a_problem_and_no_error(self):
        message = Message("assistant", (call("c1").parts[0],))
        broken = Message("assistant", (type(message.parts[0])("c1", "look", {"a": {1}}),))
        judge = Judge(moment([broken]), [], cards=Cards(TARGET, None), recaller=None)
        [problem] = judge.problems(Answer("sent", (broken,)))
        assert "c1" in problem


class TestQuestion:
    def test_it_is_what_the_user_said_last(self):
        messages = [said("user", "Old?"), said("user", "New?"), call("c1"), result("c1", "17")]
        assert question_at(moment(messages)) == "New?"

    def test_in_a_long_loop_it_is_what_came_last(self):
        messages = [said("user", "Look.")]
        for number in range(LOOP_MESSAGES):
            messages += [call(f"c{number}"), result(f"c{number}", f"Depot\n{number}")]
        assert question_at(moment(messages)) == f"Depot {LOOP_MESSAGES - 1}"

    def test_it_is_never_long_and_may_be_nothing(self):
        assert len(question_at(moment([said("user", "word " * 9_999)]))) <= QUESTION_CHARACTERS
        assert question_at(moment([said("user", " ")])) == ""

    def test_messages_that_no_store_takes_are_passed_over(self):
        messages = [said("user", "The depot is ZX-4471."), said("assistant", "x" * 9_000_000)]
        messages.append(said("user", "Which depot?"))
        with Recaller() as recaller:
            found = recaller.recalled(moment(messages))
        assert 0 in [position for position, _ in found]

    def test_ids_that_come_twice_hide_nothing(self):
        messages = [Message.of("user", "The depot is ZX-4471.", id="same")]
        messages += [Message.of("assistant", "The mill is AB-77.", id="same")]
        messages.append(said("user", "Which depot, and which mill?"))
        with Recaller() as recaller:
            found = recaller.recalled(moment(messages))
        assert {0, 1} <= {position for position, _ in found}


class TestRemembering:
    messages = (
        *(said("user", "Look."), call("c1"), result("c1", "far " * 99), call("c2")),
        *(result("c2", "near " * 99), said("assistant", "Done."), said("user", "Well?")),
    )

    @pytest.mark.parametrize(
        "policy",
        [
            ClearToolResults(trigger_tokens=1, keep=0),
            ClearToolResults(trigger_tokens=1, keep=1, placeholder="gone", clear_inputs=True),
            ClearToolResults(keep=0),
            ClearReasoning(trigger_tokens=1),
        ],
    )
    def test_plans_are_the_same(self, policy):
        kept = Remembering()
        for count in (3, 5, 7):
            history = build(self.messages[:count], "chat", count=TARGET.count)
            [ours] = kept.of([policy])
            assert ours(history, Budget(8_192)) == policy(history, Budget(8_192))
            assert ours.starts_at(Budget(8_192)) == policy.starts_at(Budget(8_192))

    def test_what_was_cleared_stays_the_same_message(self):
        kept = Remembering()
        history = build(self.messages, "chat", count=TARGET.count)
        policy = ClearToolResults(trigger_tokens=1, keep=0)
        first, second = (
            kept.of([policy])[0](history, Budget(8_192)).edits[0].replacement for _ in range(2)
        )
        assert first[0] is second[0]

    def test_a_policy_of_the_callers_own_is_left_alone(self):
        class Other(ClearToolResults):
            pass

        for policy in (Other(), TrimTurns(), len):
            assert Remembering().of([policy]) == (policy,)
            assert Remembering().of([policy])[0] is policy
