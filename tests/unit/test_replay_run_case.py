"""One case through all ways: every figure of small made-up sessions is known by hand."""

import json

import pytest

from lifelong.formats import parse
from lifelong.replay.cases import Case
from lifelong.replay.figures import as_json, from_json
from lifelong.replay.policies import NONE, SLICE, NamedPolicy
from lifelong.replay.run_case import SHOWN_MAX, replay_case
from lifelong.replay.ways import ways_of
from lifelong.working.compact import Compact
from lifelong.working.counts import message_tokens
from lifelong.working.plan import Plan
from lifelong.working.trim import TrimTurns

WIDE = 100_000
ALL = NamedPolicy("none", NONE)
CHAT = [
    {"role": "system", "content": "Help."},
    {"role": "user", "content": "My parcel is ZX-4471, it is late."},
    {"role": "assistant", "content": "I look into it."},
    {"role": "user", "content": "Please hurry."},
    {"role": "assistant", "content": "I do."},
    {"role": "user", "content": "So where is my parcel?"},
    {"role": "assistant", "content": "ZX-4471 is in the depot."},
]
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
LOOP = [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Depot 17."},
    {"role": "assistant", "content": "It is there."},
]


def last(count):
    return NamedPolicy(f"last-{count}", SLICE, slice_items=count)


def pipeline(*policies, name="own", summariser=None):
    return NamedPolicy(name, policies=policies, summariser=summariser)


def case(items, format="chat"):
    return Case("one", "made.jsonl", format, tuple(parse(items, format)))


def replayed(items, *policies, window=WIDE, **fields):
    return replay_case(case(items), ways_of(policies, [window]), **fields)


def test_the_case_is_described():
    figures = replayed(CHAT, ALL)
    assert (figures.id, figures.source, figures.format) == ("one", "made.jsonl", "chat")
    assert (figures.messages, figures.turns, figures.is_ended) == (7, 3, True)
    assert [way.policy for way in figures.ways] == ["none"]


def test_the_model_is_asked_at_each_reply():
    [way] = replayed(CHAT, ALL).ways
    assert [asked.turn for asked in way.asked] == [1, 2, 3]
    assert [asked.outcome for asked in way.asked] == ["sent"] * 3
    assert [asked.needed for asked in way.asked] == [0, 0, 1]
    assert [asked.in_history for asked in way.asked] == [0, 0, 1]


def test_tokens_are_those_of_the_messages_sent():
    costs = [message_tokens(message) for message in parse(CHAT, "chat")]
    whole, sliced = replayed(CHAT, ALL, last(2)).ways
    assert [asked.tokens for asked in whole.asked] == [
        sum(costs[:2]),
        sum(costs[:4]),
        sum(costs[:6]),
    ]
    assert [asked.output_tokens for asked in whole.asked] == [costs[2], costs[4], costs[6]]
    # The system text and the last two items.
    assert [asked.tokens for asked in sliced.asked] == [
        costs[0] + costs[1],
        costs[0] + costs[2] + costs[3],
        costs[0] + costs[4] + costs[5],
    ]


def test_exact_tokens_come_from_the_exact_counter():
    def words(text):
        return len(text.split())

    [way] = replayed(CHAT, ALL, count_exact=words).ways
    # Each message costs its words and 4: "Help." 1, then 7, 4, 2, 2 and 5.
    assert [asked.exact_tokens for asked in way.asked] == [16, 30, 45]
    [plain] = replayed(CHAT, ALL).ways
    assert {asked.exact_tokens for asked in plain.asked} == {None}


def test_what_a_slice_loses_and_recall_does_not_find_is_nowhere():
    items = [*CHAT[:5], {"role": "user", "content": "Tell me."}, CHAT[6]]
    [way] = replayed(items, last(2)).ways
    asked = way.asked[2]
    assert (asked.needed, asked.in_history, asked.in_summary, asked.by_recall) == (1, 0, 0, 0)
    [loss] = way.losses
    assert (loss.request, loss.turn, loss.token, loss.turns_ago) == (3, 3, "ZX-4471", 2)
    assert (loss.found_in, loss.said_by) == ("nowhere", "user")
    assert loss.said == "My parcel is ZX-4471, it is late."
    assert loss.used == "ZX-4471 is in the depot."
    assert way.loss_turns == ((2, 1),)


def test_what_one_recall_finds_is_counted_there():
    [way] = replayed(CHAT, last(2)).ways
    asked = way.asked[2]
    assert (asked.needed, asked.in_history, asked.in_summary, asked.by_recall) == (1, 0, 0, 1)
    assert [loss.found_in for loss in way.losses] == ["recall"]


def test_without_recall_nobody_looks():
    [way] = replayed(CHAT, last(2), recall=False).ways
    assert way.asked[2].by_recall == 0
    assert [loss.found_in for loss in way.losses] == ["nowhere"]


def test_what_the_appendix_carries_is_in_the_summary():
    trimmed, summed = replayed(
        CHAT, pipeline(TrimTurns(turns=1)), pipeline(TrimTurns(turns=1), Compact(), name="sum")
    ).ways
    assert (trimmed.asked[2].in_history, trimmed.asked[2].in_summary) == (0, 0)
    assert (summed.asked[2].in_history, summed.asked[2].in_summary) == (0, 1)
    assert [loss.found_in for loss in summed.losses] == ["summary"]


def test_a_user_who_names_what_was_said_before_does_not_show_it_by_that():
    items = [
        {"role": "user", "content": "Parcel ZX-4471 is late."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Is ZX-4471 here, or ZX-9000?"},
        {"role": "assistant", "content": "No."},
    ]
    whole, sliced = replayed(items, ALL, last(1), recall=False).ways
    # ZX-9000 is new, so it was not needed.
    assert (whole.asked[1].needed, whole.asked[1].in_history) == (1, 1)
    assert (sliced.asked[1].needed, sliced.asked[1].in_history) == (1, 0)
    assert sliced.losses[0].used == "Is ZX-4471 here, or ZX-9000?"


def test_uses_of_one_side_alone_can_be_counted():
    items = [
        {"role": "user", "content": "Parcel ZX-4471 is late."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Is ZX-4471 here?"},
        {"role": "assistant", "content": "ZX-4471 is not."},
    ]
    for used_by, needed in ((("user",), 1), (("assistant",), 1), (("user", "assistant"), 2)):
        [way] = replayed(items, ALL, used_by=used_by, recall=False).ways
        assert way.asked[1].needed == needed


def test_a_slice_that_begins_with_a_result_is_invalid():
    whole, sliced = replayed(LOOP, ALL, last(1)).ways
    assert [asked.outcome for asked in whole.asked] == ["sent", "sent"]
    assert [asked.outcome for asked in sliced.asked] == ["sent", "invalid"]
    [problem] = sliced.problems
    assert problem.startswith("request 2: items[0] answers no call")
    assert sliced.asked[1].tokens > 0
    assert sliced.asked[1].kept_tokens == 0


def test_a_pipeline_is_not_invalid_where_the_recording_is():
    items = [LOOP[0], LOOP[1], LOOP[3], {"role": "user", "content": "Well?"}, LOOP[3]]
    whole, ours = replayed(items, ALL, pipeline(name="default")).ways
    assert [asked.outcome for asked in whole.asked] == ["sent", "invalid"]
    assert [asked.outcome for asked in ours.asked] == ["sent", "sent"]


def test_all_that_was_said_does_not_fit_a_window_it_exceeds():
    costs = [message_tokens(message) for message in parse(CHAT, "chat")]
    ways = ways_of([ALL], [sum(costs[:4]) + 10], reserve_tokens=10)
    [way] = replay_case(case(CHAT), ways).ways
    assert [asked.outcome for asked in way.asked] == ["sent", "sent", "not_fit"]
    last_asked = way.asked[2]
    assert (last_asked.tokens, last_asked.needed, last_asked.in_history) == (0, 1, 0)
    assert (way.losses, way.loss_turns) == ((), ())
    assert way.problems == (
        f"request 3: {costs[4] + costs[5]} tokens too many for {sum(costs[:4])}",
    )


def test_a_pipeline_that_cannot_make_it_fit_is_counted_as_such():
    long = [{"role": "user", "content": "word " * 4_000}, {"role": "assistant", "content": "Yes."}]
    [way] = replayed(long, pipeline(TrimTurns()), window=3_000).ways
    assert [asked.outcome for asked in way.asked] == ["not_fit"]


class Odd:
    """Raises at a request, and is fine at the others."""

    def __init__(self, error, at):
        self.error = error
        self.at = at

    def starts_at(self, _budget):
        return 0

    def __call__(self, history, _budget):
        if len(history.units) == self.at:
            raise self.error
        return Plan()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ZeroDivisionError("by nought"), "it raised ZeroDivisionError: by nought"),
        (RecursionError(), "it raised RecursionError"),
        (KeyError("a\nkey"), "it raised KeyError: 'a\\nkey'"),
        (ValueError("two\nlines"), "it raised ValueError: two lines"),
    ],
)
def test_a_policy_that_raises_fails_at_that_request_and_the_rest_goes_on(error, words):
    bad, good = replayed(CHAT, pipeline(Odd(error, at=4), name="bad"), ALL).ways
    assert [asked.outcome for asked in bad.asked] == ["sent", "failed", "sent"]
    assert bad.asked[1].tokens == 0
    assert bad.problems == (f"request 2: {words}",)
    assert [asked.outcome for asked in good.asked] == ["sent"] * 3


def test_a_policy_that_answers_with_no_plan_fails():
    def broken(*_):
        return ["no plan"]

    broken.starts_at = lambda _: 0
    [way] = replayed(CHAT, pipeline(broken)).ways
    assert {asked.outcome for asked in way.asked} == {"failed"}
    assert way.problems == ("request 1: the policy broken returned list and no Plan",)


def test_an_interrupt_is_no_finding():
    with pytest.raises(KeyboardInterrupt):
        replayed(CHAT, pipeline(Odd(KeyboardInterrupt(), at=4)))


def test_the_prefix_is_kept_while_the_session_grows():
    costs = [message_tokens(message) for message in parse(CHAT, "chat")]
    [way] = replayed(CHAT, ALL).ways
    assert [asked.kept_tokens for asked in way.asked] == [0, sum(costs[:2]), sum(costs[:4])]


def test_the_prefix_breaks_where_something_was_taken_out():
    costs = [message_tokens(message) for message in parse(CHAT, "chat")]
    sliced, trimmed = replayed(CHAT, last(2), pipeline(TrimTurns(turns=1))).ways
    assert [asked.kept_tokens for asked in sliced.asked] == [0, costs[0], costs[0]]
    assert [asked.kept_tokens for asked in trimmed.asked] == [0, costs[0], costs[0]]


def test_equal_messages_are_one_prefix_though_they_are_made_anew():
    items = [
        {"role": "user", "content": "Look for order ZX-1."},
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "There."},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "Bye."},
    ]
    twice = [*items[:2], *items[:2], *items]
    [way] = replayed(twice, last(3)).ways
    # From the second request to the third the slice moves by two items that say the same.
    slices = [twice[max(end - 3, 0) : end] for end in (1, 3, 5, 7, 9)]
    costs = [[message_tokens(message) for message in parse(part, "chat")] for part in slices]
    assert slices[1] == slices[2]
    assert way.asked[2].kept_tokens == sum(costs[2])


def test_edits_are_counted_when_they_are_new():
    costs = [message_tokens(message) for message in parse(CHAT, "chat")]
    sliced, trimmed = replayed(CHAT, last(3), pipeline(TrimTurns(turns=1))).ways
    assert [asked.edits for asked in sliced.asked] == [0, 0, 1]
    assert [asked.edited_tokens for asked in sliced.asked] == [0, 0, costs[1] + costs[2]]
    assert [asked.edits for asked in trimmed.asked] == [0, 1, 1]
    assert [asked.edited_tokens for asked in trimmed.asked] == [
        0,
        costs[1] + costs[2],
        costs[3] + costs[4],
    ]


def test_a_strip_shows_what_became_of_each_message():
    sliced, trimmed, summed = replayed(
        CHAT,
        last(2),
        pipeline(TrimTurns(turns=1)),
        pipeline(TrimTurns(turns=1), Compact(), name="sum"),
    ).ways
    assert [shown.request for shown in sliced.shown] == [1, 2, 3]
    assert sliced.shown[2].states == (("kept", 1), ("dropped", 3), ("kept", 2))
    assert trimmed.shown[2].states == (("kept", 1), ("dropped", 4), ("kept", 1))
    assert summed.shown[2].states == (("kept", 1), ("summarised", 4), ("kept", 1))


def test_a_strip_has_at_most_so_many_requests_evenly():
    items = [
        item
        for number in range(SHOWN_MAX + 1)
        for item in (
            {"role": "user", "content": f"Question {number}?"},
            {"role": "assistant", "content": "Yes."},
        )
    ]
    [way] = replayed(items, ALL, recall=False).ways
    assert len(way.asked) == SHOWN_MAX + 1
    assert [shown.request for shown in way.shown] == list(range(1, SHOWN_MAX + 2, 2))


def test_the_worst_losses_come_first_and_each_token_once():
    said = " ".join(f"ZX-{number}" for number in range(1000, 1030))
    items = [
        {"role": "user", "content": f"Older: AB-1111. Then: {said}."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Newer: CD-2222."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "I begin with CD-2222 and AB-1111."},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": f"AB-1111, and {said}."},
    ]
    [way] = replayed(items, last(1), recall=False).ways
    tokens = [loss.token for loss in way.losses]
    assert len(tokens) == len(set(tokens)) == 20
    assert (way.losses[0].turns_ago, way.losses[0].token) == (3, "ZX-1000")
    assert sum(count for _, count in way.loss_turns) == 2 + 31
    assert "CD-2222" not in tokens


def test_a_reply_that_is_written_as_several_items_is_asked_for_once():
    def part(block):
        return {"role": "assistant", "id": "msg_1", "content": [block]}

    def result(name):
        block = {"type": "tool_result", "tool_use_id": name, "content": "Depot 17."}
        return {"role": "user", "content": [block]}

    def call(name):
        return {"type": "tool_use", "id": name, "name": "look", "input": {}}

    items = [
        {"role": "user", "content": "Look twice."},
        part(call("c1")),
        result("c1"),
        part(call("c2")),
        result("c2"),
        {"role": "assistant", "id": "msg_2", "content": "Twice in depot 17."},
    ]
    figures = replay_case(case(items, "anthropic"), ways_of([pipeline()], [WIDE]))
    [way] = figures.ways
    assert [asked.outcome for asked in way.asked] == ["sent", "sent"]
    assert figures.turns == 1


@pytest.mark.parametrize(
    "items",
    [
        [{"role": "user", "content": "Hello?"}],
        [{"role": "assistant", "content": "Welcome."}],
        [{"role": "system", "content": "Help."}, {"role": "assistant", "content": "Welcome."}],
        [{"role": "user", "content": " "}, {"role": "assistant", "content": "Yes?"}],
        [
            {"role": "tool", "tool_call_id": "x", "content": "?"},
            {"role": "assistant", "content": "Y"},
        ],
    ],
)
def test_where_nobody_was_asked_there_is_no_request(items):
    figures = replayed(items, ALL, last(2), pipeline())
    assert [way.asked for way in figures.ways] == [(), (), ()]


def test_an_unknown_format_is_the_problem_of_its_case():
    figures = replay_case(
        Case("one", "x", "morse", tuple(parse(CHAT, "chat"))), ways_of([ALL], [WIDE])
    )
    assert "morse" in figures.problem
    assert figures.ways == ()


def test_two_runs_give_the_same_json_and_it_reads_back():
    policies = [ALL, last(2), pipeline(TrimTurns(turns=1), Compact()), pipeline(name="default")]
    first, second = replayed(CHAT, *policies), replayed(CHAT, *policies)
    text = json.dumps(as_json(first))
    assert text == json.dumps(as_json(second))
    assert from_json(json.loads(text)) == first


def test_ways_can_be_used_again():
    ways = ways_of([last(2), pipeline(TrimTurns(turns=1))], [WIDE])
    assert replay_case(case(CHAT), ways) == replay_case(case(CHAT), ways)
