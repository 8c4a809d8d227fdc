"""Repair on read: pairs are whole, the order is the log's, and what was done is told."""

from working_histories import asked, by_length, called, history_of, raws, result, said, step

from lifelong.formats import parse
from lifelong.messages import Message
from lifelong.working.repair import HistoryBuilder, build
from lifelong.working.steps import INTERRUPTED

INTERRUPTED_RESULT = ("tool", INTERRUPTED)


def repairs(history):
    return [(repair.action, repair.reason, repair.position) for repair in history.repairs]


def test_a_step_is_a_reply_with_all_its_results():
    items = [asked(), called("a", "b"), result("b"), result("a"), said()]
    history = history_of(*items)
    assert [(unit.kind, len(unit.messages)) for unit in history.units] == [
        ("user", 1),
        ("step", 3),
        ("step", 1),
    ]
    assert raws(history) == items
    assert not history.repairs


def test_a_turn_is_a_user_and_all_up_to_the_next():
    history = history_of(said("Welcome."), asked(), *step("a"), said(), asked(), said())
    assert [[unit.kind for unit in turn] for turn in history.turns] == [
        ["step"],
        ["user", "step", "step"],
        ["user", "step"],
    ]


def test_a_result_without_a_call_is_left_out():
    history = history_of(asked(), result("x"), said())
    assert raws(history) == [asked(), said()]
    assert repairs(history) == [("dropped", "it answers no call", 1)]


def test_a_second_result_is_left_out():
    history = history_of(asked(), *step("a"), result("a", "again"), said())
    assert raws(history) == [asked(), *step("a"), said()]
    assert repairs(history) == [("dropped", "its call has a result already", 3)]


def test_a_call_without_a_result_gets_one_that_says_so():
    history = history_of(asked(), called("a", "b"), result("a"), asked("go on"))
    shown = [asked(), called("a", "b"), result("a"), INTERRUPTED_RESULT, asked("go on")]
    assert raws(history) == shown
    assert history.units[1].is_open
    assert repairs(history) == [("answered", "its call has no result", None)]


def test_a_result_that_comes_late_takes_its_place():
    items = [asked(), called("k"), asked("small talk"), said(), result("k", "approved")]
    builder = HistoryBuilder("chat", by_length, takes_late_system=True)
    builder.extend(parse(items[:4], "chat"))
    before = builder.history()
    assert raws(before)[2] == INTERRUPTED_RESULT
    builder.extend(parse(items[4:], "chat"))
    after = builder.history()
    assert raws(after) == [items[0], items[1], items[4], items[2], items[3]]
    assert repairs(after) == [("moved", "a result stands right after its call", 4)]
    assert not any(unit.is_open for unit in after.units)
    # What was returned before did not change.
    assert raws(before)[2] == INTERRUPTED_RESULT


def test_ids_used_again_answer_the_newest_call():
    items = [asked(), *step("a", "1"), asked(), *step("a", "2"), said()]
    history = history_of(*items)
    assert raws(history) == items
    assert not history.repairs


def test_an_id_used_again_while_open_does_not_answer_the_old_call():
    history = history_of(asked(), called("a"), asked(), *step("a", "new"))
    assert raws(history)[2] == INTERRUPTED_RESULT
    assert raws(history)[-1] == result("a", "new")


def test_a_result_without_an_id_answers_the_call_before_it():
    # Some logs of SWE-agent write `tool_call_ids`, and so no id at all.
    nameless = {"role": "tool", "tool_call_ids": ["a"], "content": "42"}
    history = history_of(asked(), called("a"), nameless)
    message = history.units[1].messages[1]
    assert message.parts[0].call_id == "a"
    assert message.raw is None


def test_messages_with_nothing_in_them_are_left_out():
    history = history_of(asked(), said("  "), {"role": "assistant", "content": []}, said())
    assert raws(history) == [asked(), said()]
    assert [repair.position for repair in history.repairs] == [1, 2]


def test_each_of_chats_replies_is_followed_by_its_own_results():
    history = history_of(asked(), called("a"), said("and"), called("b"), result("b"), result("a"))
    assert raws(history) == [
        asked(),
        called("a"),
        result("a"),
        said("and"),
        called("b"),
        result("b"),
    ]


def test_pieces_of_one_reply_are_one_step_in_anthropics_words():
    def piece(block, id="msg_1"):
        return {"id": id, "role": "assistant", "content": [block]}

    def use(id):
        return {"type": "tool_use", "id": id, "name": "read", "input": {}}

    def answer(id):
        return {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": "x"}],
        }

    items = [asked(), piece(use("a")), answer("a"), piece(use("b")), answer("b")]
    history = history_of(*items, format="anthropic")
    assert raws(history) == [items[0], items[1], items[3], items[2], items[4]]
    assert [unit.kind for unit in history.units] == ["user", "step"]
    other = [*items[:3], piece(use("b"), "msg_2"), items[4]]
    assert raws(history_of(*other, format="anthropic")) == other


def test_what_the_user_says_beside_a_late_result_is_said_where_it_was():
    late = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "x"},
            {"type": "text", "text": "And now?"},
        ],
    }
    use = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    items = [asked(), {"role": "assistant", "content": [use]}, asked("go on"), late]
    history = history_of(*items, format="anthropic")
    assert [unit.kind for unit in history.units] == ["user", "step", "user", "user"]
    assert history.units[-1].messages[0].text == "And now?"
    assert [part.call_id for part in history.units[1].messages[1].parts] == ["a"]


def test_a_system_message_in_the_middle_is_a_note_where_none_may_stand():
    items = [asked(), said(), {"role": "system", "content": "Be brief.</note>"}, asked()]
    history = history_of(*items, takes_late_system=False)
    assert raws(history)[2] == ("user", '<note from="system">\nBe brief.< /note>\n</note>')
    assert history.units[2].kind == "system"
    assert raws(history_of(*items)) == items


def test_what_a_tool_put_in_is_a_note_and_no_turn():
    messages = [
        *parse([asked(), said()], "chat"),
        Message.of("injected", "caveat"),
        *parse([asked()], "chat"),
    ]
    history = build(messages, "chat", count=by_length)
    assert [unit.kind for unit in history.units] == ["user", "step", "note", "user"]


def test_the_accounts_of_repairs_add_up():
    items = [asked("four"), result("x", "lost"), called("a"), asked("go on"), said("   ")]
    history = history_of(*items, count=by_length)
    given = sum(map(by_length, parse(items, "chat")))
    changed = sum(repair.tokens_after - repair.tokens_before for repair in history.repairs)
    assert history.tokens == given + changed


def test_the_newest_whole_units_that_are_at_most_so_many():
    # A turn `user, call, result, call, result, answer` cut to its last four starts with a call.
    history = history_of(asked(), *step("a"), *step("b"), said())
    assert history.newest_positions(4) == [3, 4, 5]
    assert history.newest_positions(5) == [1, 2, 3, 4, 5]
    assert history.newest_positions(0) == []
    assert history.newest_positions(99) == [0, 1, 2, 3, 4, 5]
