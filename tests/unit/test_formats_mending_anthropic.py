"""Mending Anthropic's messages: for each rule what is given, and what is made of it by hand."""

import pytest

from lifelong.formats import Rendered
from lifelong.formats.mending import mend
from lifelong.formats.mending.drafts import UNFIT_NAME
from lifelong.formats.validation import problems


def ask(*blocks, text="hi"):
    return {"role": "user", "content": list(blocks) or text}


def say(*blocks, text="ok"):
    return {"role": "assistant", "content": list(blocks) or text}


def text(said="ok", **more):
    return {"type": "text", "text": said, **more}


def use(id="c1", **more):
    return {"type": "tool_use", "id": id, "name": "get", "input": {}, **more}


def result(id="c1", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": "A=3", **more}


THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
OPENING = {"role": "user", "content": [text("(The conversation starts here.)")]}
CONTINUE = {"role": "user", "content": [text("Continue.")]}
SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
SUMMARY = {"type": "compaction", "content": "So far."}
NOT_FOR = "which is not for the role"
GONE = "'assistant', was left out."
MARK = {"cache_control": {"type": "ephemeral"}}

# What is given, what is made of it, and what is told.
RULES = {
    "an empty text block": (
        [ask(text(" "), text())],
        [ask(text())],
        ["items[0].content[0]: an empty text was left out."],
    ),
    "white space at the end of a prefill": (
        [ask(), say(text("a "), text("b \n"))],
        [ask(), say(text("a "), text("b"))],
        ["items[1].content[1]: the white space at the end of the request was left out."],
    ),
    "thinking at the end of a reply": (
        [ask(), say(text("a "), THINKING), say(THINKING), ask(), say(THINKING)],
        [ask(), say(text("a ")), ask()],
        [
            "items[2].content[0]: thinking that led to nothing was left out.",
            "items[1].content[1]: thinking that led to nothing was left out.",
            "items[4].content[0]: thinking that led to nothing was left out.",
            "items[2]: nothing is left in it, so it was left out.",
            "items[4]: nothing is left in it, so it was left out.",
        ],
    ),
    "names that tools cannot have": (
        [ask(), say(use(name="get.it é"), use("c2", name="x" * 129)), ask(result(), result("c2"))],
        [ask(), say(use(name="get_it__"), use("c2", name="x" * 128)), ask(result(), result("c2"))],
        [f"items[1].content[{at}]: the call has {UNFIT_NAME}." for at in (0, 1)],
    ),
    "a blank message": (
        [ask(), say(text="\n"), ask(text="still there?")],
        [ask(), ask(text="still there?")],
        [
            "items[1]: an empty text was left out.",
            "items[1]: nothing is left in it, so it was left out.",
        ],
    ),
    "a message without content": (
        [ask(), {"role": "assistant", "content": None}],
        [ask()],
        ["items[1]: nothing is left in it, so it was left out."],
    ),
    "an empty text in a result": (
        [ask(), say(use()), ask(result(content=[text(""), text("A=3")]))],
        [ask(), say(use()), ask(result(content=[text("A=3")]))],
        ["items[2].content[0]: empty text in it was left out."],
    ),
    "a result of nothing but empty text": (
        [ask(), say(use()), ask(result(content=[text("")]))],
        [ask(), say(use()), ask({"type": "tool_result", "tool_use_id": "c1"})],
        ["items[2].content[0]: empty text in it was left out."],
    ),
    "an id that comes again": (
        [ask(), say(use()), ask(result()), say(use()), ask(result(content="B=4"))],
        [ask(), say(use()), ask(result()), say(use("c1_2")), ask(result("c1_2", content="B=4"))],
        ["items[3].content[0]: the id of the call was changed, and that in its result."],
    ),
    "an id that comes again in one reply": (
        [ask(), say(use(), use()), ask(result(), result(content="B=4"))],
        [ask(), say(use(), use("c1_2")), ask(result(), result("c1_2", content="B=4"))],
        ["items[1].content[1]: the id of the call was changed, and that in its result."],
    ),
    "an id that others allow": (
        [ask(), say(use("get:0")), ask(result("get:0"))],
        [ask(), say(use("get_3a_0")), ask(result("get_3a_0"))],
        ["items[1].content[0]: the id of the call was changed, and that in its result."],
    ),
    "an input that is no mapping": (
        [ask(), say(use(input="{oops")), ask(result())],
        [ask(), say(use(input={"raw_arguments": "{oops"})), ask(result())],
        [
            "items[1].content[0]: the input is no mapping, so it stands under 'raw_arguments'.",
        ],
    ),
    "a call without a name": (
        [ask(), say({**use(), "name": ""}), ask(result())],
        [ask(), say({**use(), "name": "unknown"}), ask(result())],
        ["items[1].content[0]: the call has no name, so it is called 'unknown'."],
    ),
    "a result after text": (
        [ask(), say(use()), ask(text("and?"), result())],
        [ask(), say(use()), ask(result(), text("and?"))],
        ["items[2]: the results were put before all else that the user says."],
    ),
    "a system message between a call and its result": (
        [ask(), say(use()), {"role": "system", "content": "Be brief."}, ask(result())],
        [ask(), say(use()), ask(result(), text("<system>\nBe brief.\n</system>"))],
        [
            "items[2]: the role 'system' is unknown here, so it is a note of the user.",
            "items[2]: the results were put before all else that the user says.",
            "items[3]: nothing is left in it, so it was left out.",
        ],
    ),
    "a result that is not in the next user message": (
        [ask(), say(use("a")), ask(), say(use("b")), ask(result("a"), result("b"))],
        [ask(), say(use("a")), ask(result("a"), text("hi")), say(use("b")), ask(result("b"))],
        ["items[4].content[0]: the result was moved to right after its call."],
    ),
    "a result of no call": (
        [ask(), say(), ask(result(), text())],
        [ask(), say(), ask(text())],
        ["items[2].content[0]: a result of no call before it was left out."],
    ),
    "a call without a result, and the thinking that led to it": (
        [ask(), say(text(), THINKING, use())],
        [ask(), say(text())],
        [
            "items[1].content[2]: a call without a result was left out.",
            "items[1].content[1]: thinking that led to nothing was left out.",
        ],
    ),
    "thinking without a signature": (
        [ask(), say({"type": "thinking", "thinking": "Hm."}, text())],
        [ask(), say(text())],
        ["items[1].content[0]: thinking without its signature was left out."],
    ),
    "thinking that is not first in a running loop": (
        [ask(), say(text(), THINKING, use()), ask(result())],
        [ask(), say(THINKING, text(), use()), ask(result())],
        ["items[1].content[1]: the thinking of a running tool loop was put first."],
    ),
    "blocks of the other role": (
        [ask(text(), THINKING, use("c9")), say(result(), text())],
        [ask(text()), say(text())],
        [
            f"items[0].content[1]: a block of type 'thinking', {NOT_FOR} 'user', was left out.",
            f"items[0].content[2]: a block of type 'tool_use', {NOT_FOR} 'user', was left out.",
            f"items[1].content[0]: a block of type 'tool_result', {NOT_FOR} {GONE}",
        ],
    ),
    "a call of the provider's tool without a result": (
        [ask(), say(SEARCH, text()), ask()],
        [ask(), say(text()), ask()],
        ["items[1].content[0]: a call without a result in its message was left out."],
    ),
    "a result of the provider's tool without a call": (
        [ask(), say(FOUND, text())],
        [ask(), say(text())],
        ["items[1].content[0]: a result of no call in its message was left out."],
    ),
    "a late system message": (
        [ask(), {"role": "system", "content": [text("Be brief.", **MARK), text(" ")]}],
        [ask(), ask(text("<system>\nBe brief.\n</system>"))],
        ["items[1]: the role 'system' is unknown here, so it is a note of the user."],
    ),
    "a role that cannot be a tag": (
        [ask(), {"role": "a critic>", "content": "Hm."}],
        [ask(), ask(text("<note>\nHm.\n</note>"))],
        ["items[1]: the role 'note' is unknown here, so it is a note of the user."],
    ),
    "items before a compaction": (
        [ask(), say(), ask(), say(text(), SUMMARY, text("on")), ask()],
        [say(SUMMARY, text("on")), ask()],
        [
            f"items[{index}]: what stands before the compaction that replaces it was left out."
            for index in range(4)
        ],
    ),
    "a compaction that failed": (
        [ask(), say({"type": "compaction", "content": None}, text()), ask()],
        [ask(), say(text()), ask()],
        ["items[1].content[0]: a compaction that does not come first was left out."],
    ),
    "a result whose call a compaction replaced": (
        [ask(), say(use()), ask(result()), say(SUMMARY), ask(result(), text())],
        [say(SUMMARY), ask(text())],
        [
            *(
                f"items[{index}]: what stands before the compaction that replaces it was left out."
                for index in range(3)
            ),
            "items[4].content[0]: a result of no call before it was left out.",
        ],
    ),
    "a mark that is none": (
        [ask(text(cache_control={"type": "ever"}))],
        [ask(text())],
        ["items[0].content[0]: a cache mark that is none was left out."],
    ),
    "more than four marks": (
        [ask(*(text(said, **MARK) for said in "abcdef"))],
        [ask(text("a"), text("b"), *(text(said, **MARK) for said in "cdef"))],
        [
            f"items[0].content[{place}]: a cache mark was left out, for there were more than four."
            for place in range(2)
        ],
    ),
    "an assistant who speaks first": (
        [say(), ask()],
        [OPENING, say(), ask()],
        ["items[0]: a message of the user was put before it, for the user speaks first."],
    ),
}

SOUND = {
    "consecutive items of one reply": [
        ask(), say(THINKING), say(text()), say(use("a")), say(use("b")),
        ask(result("b")), ask(result("a")), ask(text("go on")),
    ],
    "a paused reply": [ask(), say(SEARCH)],
    "a compaction first": [say(SUMMARY, text()), ask()],
    "an empty result": [ask(), say(use()), ask({"type": "tool_result", "tool_use_id": "c1"})],
    "unknown blocks and keys": [ask({"type": "hologram"}), {**say(), "id": "msg_1", "x": 1}],
    "four marks": [ask(*(text(said, **MARK) for said in "abcd"))],
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_what_is_refused_is_mended(rule):
    given, expected, changes = RULES[rule]
    assert problems(given, "anthropic") or rule == "an id that others allow"

    mended = mend(Rendered(given), "anthropic")

    assert mended.items == expected
    assert list(mended.changes) == changes


@pytest.mark.parametrize("case", SOUND)
def test_what_is_accepted_stays(case):
    mended = mend(Rendered(SOUND[case]), "anthropic")

    assert mended.changes == ()
    assert all(new is old for new, old in zip(mended.items, SOUND[case], strict=True))


@pytest.mark.parametrize(
    "given",
    [
        [say(SUMMARY, THINKING), ask()],
        [ask(), say(text=" a "), ask()],
        [ask(), say(THINKING), say(text()), ask()],
        [ask(), say(text(), SEARCH)],
    ],
)
def test_ends_that_are_accepted_stay(given):
    assert mend(Rendered(given), "anthropic").items == given
    assert problems(given, "anthropic") == []


def test_a_prefill_in_plain_text_loses_its_white_space():
    mended = mend(Rendered([ask(), say(text="So: ")]), "anthropic")

    assert mended.items == [ask(), say(text("So:"))]


def test_newer_models_need_the_user_to_speak_last():
    given = [ask(), say()]

    assert mend(Rendered(given), "anthropic").items == given
    mended = mend(Rendered(given), "anthropic", "no_prefill")

    assert mended.items == [*given, CONTINUE]
    assert mended.changes == (
        "items[1]: a message of the user was put after it, for it must not end a request.",
    )


def test_a_paused_reply_that_must_not_end_a_request_loses_its_open_call():
    mended = mend(Rendered([ask(), say(text(), SEARCH)]), "anthropic", "no_prefill")

    assert mended.items == [ask(), say(text()), CONTINUE]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ("Be brief.", "Be brief."),
        (" ", None),
        ([], None),
        ([text("Be brief."), text("")], [text("Be brief.")]),
        ([text(" "), {"type": "image"}], None),
        ({"parts": []}, None),
    ],
)
def test_a_system_of_nothing_but_text_is_left(given, expected):
    mended = mend(Rendered([ask()], given), "anthropic")

    assert mended.system == expected
    assert bool(mended.changes) == (given != expected)


def test_the_marks_of_the_system_are_the_last_to_go():
    system = [text("a", **MARK), text("b", **MARK), text("c", **MARK)]
    given = Rendered([ask(text("d", **MARK)), say(), ask(text("e", **MARK))], system)

    mended = mend(given, "anthropic")

    assert mended.system == system
    assert mended.items == [ask(text("d")), say(), ask(text("e", **MARK))]


def test_marks_inside_a_result_count_too():
    held = [text(said, **MARK) for said in "abcd"]
    given = [ask(), say(use()), ask(result(content=held), text("e", **MARK))]

    mended = mend(Rendered(given), "anthropic")

    assert mended.items[2]["content"][0]["content"] == [text("a"), *held[1:]]
    assert mended.items[2]["content"][1] == text("e", **MARK)


def test_a_reply_that_starts_with_a_compaction_keeps_it_before_its_thinking():
    given = [say(SUMMARY, text(), THINKING, use()), ask(result())]

    assert mend(Rendered(given), "anthropic").items[0] == say(SUMMARY, THINKING, text(), use())
