"""Strategies for items that a provider may refuse, and that are well-paired all the same.

`nasty(format)` makes conversations out of turns whose calls have their results, with everything
else that has been seen in logs: empty texts, roles of other providers, marks, ids that come again.
`wild(format)` makes lists of mappings from the words of a format, with no regard to what belongs
together.
"""

from hypothesis import strategies as st

TEXTS = st.sampled_from(
    ["", " ", "\n\t", "hi", "hi ", "Grüße, 東京 🗼", "<tool_response>x</tool_response>"]
)
ROLES = st.sampled_from(
    ["user", "assistant", "system", "developer", "tool", "function", "critic", "a b", None, 5]
)
SCALARS = st.sampled_from([None, True, 0, 1.5, "", " ", "x", "c1"])
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
MARKS = st.sampled_from(
    [
        *(
            {"type": "ephemeral"},
            {"type": "ephemeral", "ttl": "1h"},
            {"type": "ephemeral", "ttl": 5},
        ),
        *({"type": "ever"}, "yes", None),
    ]
)
NAMES = st.sampled_from(["get", "", "mcp.get é", "x" * 65, "x" * 129])
LONG = "functions_get_a_value_out_of_a_place_with_a_long_name"
IDS = st.sampled_from(["c1", "c2", "c1_2", "functions.get:0", "ü"])


def flat(lists):
    return [each for inner in lists for each in inner]


def optional(strategy):
    """Nothing mostly, and sometimes a list of one."""
    return st.one_of(st.just([]), st.just([]), strategy.map(lambda each: [each]))


def keyed(**strategies):
    """A mapping that has each of some keys or not."""
    return st.fixed_dictionaries({}, optional=strategies)


# Anthropic

ANTHROPIC_TEXT = st.builds(
    lambda text, more: {"type": "text", "text": text, **more}, TEXTS, keyed(cache_control=MARKS)
)
ANTHROPIC_OTHER = st.sampled_from(
    [
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        {"type": "hologram", "data": 1},
        {"type": "document", "content": [{"type": "text", "text": ""}], "cache_control": {}},
        {"type": "thinking", "thinking": "Hm."},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "tool_result", "tool_use_id": "nobody"},
    ]
)
ANTHROPIC_THINKING = st.sampled_from(
    [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "thinking", "thinking": "Hm.", "signature": ""},
        {"type": "redacted_thinking", "data": "x"},
    ]
)
ANTHROPIC_INPUTS = st.sampled_from([{}, {"k": "v"}, None, "text", [1]])


@st.composite
def anthropic_steps(draw):
    """One reply, in one item or several, and the results of its calls."""
    ids = draw(st.lists(IDS, max_size=3, unique=True))
    calls = [
        {"type": "tool_use", "id": id, "name": draw(NAMES), "input": given}
        for id in ids
        if (given := draw(ANTHROPIC_INPUTS)) is not ...
    ]
    said = flat(
        draw(
            st.tuples(
                optional(ANTHROPIC_THINKING), optional(ANTHROPIC_TEXT), optional(ANTHROPIC_OTHER)
            )
        )
    )
    blocks = draw(st.permutations([*said, *calls])) if draw(st.booleans()) else [*said, *calls]
    cut = draw(st.integers(0, len(blocks)))
    items = [
        {"role": "assistant", "content": part} for part in (blocks[:cut], blocks[cut:]) if part
    ]
    contents = st.one_of(TEXTS, st.lists(ANTHROPIC_TEXT, max_size=2))
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": draw(contents)}
        for id in draw(st.permutations(ids))
    ]
    if not results:
        return items
    beside = flat(draw(st.tuples(optional(ANTHROPIC_TEXT), optional(ANTHROPIC_TEXT))))
    content = draw(st.permutations([*results, *beside]))
    late = draw(optional(st.builds(lambda text: {"role": "system", "content": text}, TEXTS)))
    return [*items, *late, {"role": "user", "content": content}]


ANTHROPIC_SAID = st.builds(
    lambda role, content: {"role": role, "content": content},
    ROLES,
    st.one_of(TEXTS, st.none(), st.lists(st.one_of(ANTHROPIC_TEXT, ANTHROPIC_OTHER), max_size=3)),
)
ANTHROPIC_ASKED = st.builds(lambda text: {"role": "user", "content": text}, TEXTS)
COMPACTED = st.builds(
    lambda content, more: {
        "role": "assistant",
        "content": [{"type": "compaction", "content": content}, *more],
    },
    st.sampled_from(["So far.", None]),
    st.lists(ANTHROPIC_TEXT, max_size=1),
)


# Chat

CHAT_PARTS = st.lists(
    st.one_of(
        st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
        st.just({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
        st.just("text"),
    ),
    max_size=2,
)
CHAT_CONTENT = st.one_of(TEXTS, st.none(), CHAT_PARTS)
CHAT_MORE = keyed(
    name=st.sampled_from(["ana", "Ana María", "", None, 5]),
    reasoning_content=TEXTS,
    refusal=st.sampled_from([None, "No."]),
    tool_calls=st.just([]),
)
CHAT_SAID = st.builds(
    lambda role, content, more: {"role": role, "content": content, **more},
    ROLES.filter(lambda role: role != "tool"),
    CHAT_CONTENT,
    CHAT_MORE,
)
CHAT_ASKED = st.builds(lambda text: {"role": "user", "content": text}, TEXTS)


@st.composite
def chat_calls(draw, id):
    name = draw(NAMES)
    arguments = draw(st.sampled_from(["{}", '{"k": 1}', "", "{oops", "[1]", "NaN", {}, None, 5]))
    return draw(
        st.sampled_from(
            [
                {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}},
                {"id": id, "type": "custom", "custom": {"name": name, "input": "free text"}},
                {"id": id, "type": "odd", "function": {"name": name}},
                {"id": id, "name": name, "arguments": arguments},
            ]
        )
    )


@st.composite
def chat_steps(draw):
    """A reply of one or two items, each with its results right after it."""
    items = []
    for _ in range(draw(st.integers(1, 2))):
        ids = draw(st.lists(st.sampled_from(["c1", "c2", "c1_2", "", LONG, LONG[:40]]), max_size=3))
        calls = [draw(chat_calls(id)) for id in ids]
        more = draw(CHAT_MORE)
        item = {"role": "assistant", "content": draw(CHAT_CONTENT), **more}
        items.append({**item, "tool_calls": calls} if calls else item)
        items += [
            {"role": "tool", "tool_call_id": id, "content": draw(CHAT_CONTENT)}
            for id in draw(st.permutations(ids))
        ]
    return items


# Gemini

GEMINI_TEXT = st.builds(
    lambda text, more: {"text": text, **more},
    TEXTS,
    keyed(thought=st.just(True), thoughtSignature=st.sampled_from(["s", "", None])),
)
GEMINI_OTHER = st.sampled_from(
    [
        *({}, {"thought": True}, {"text": None}, {"thoughtSignature": "s"}),
        *({"inlineData": {"mimeType": "image/png", "data": "AA=="}}, {"hologram": 1}),
        {"functionResponse": {"name": "nobody", "response": {}}},
    ]
)
GEMINI_SIGNATURES = st.sampled_from(
    [{}, {}, {"thoughtSignature": "s"}, {"thought_signature": "s"}, {"thoughtSignature": ""}]
)
GEMINI_ARGS = st.sampled_from([{}, {"k": "v"}, None, "text", [1]])


@st.composite
def gemini_steps(draw):
    """A reply of one content or two, and the responses in one content or two."""
    names = draw(st.lists(st.sampled_from(["get", "put", ""]), max_size=3))
    has_ids = draw(st.booleans())
    is_snake = draw(st.booleans())
    call_key, response_key = (
        ("function_call", "function_response") if is_snake else ("functionCall", "functionResponse")
    )
    calls, responses = [], []
    for number, name in enumerate(names):
        id_field = {"id": f"c{number}"} if has_ids else {}
        call = {**id_field, "name": name, "args": draw(GEMINI_ARGS)}
        calls.append({call_key: call, **draw(GEMINI_SIGNATURES)})
        answer = {**id_field, "name": name, "response": {"output": draw(TEXTS)}}
        responses.append({response_key: answer})
    said = flat(draw(st.tuples(optional(GEMINI_TEXT), optional(GEMINI_OTHER))))
    parts = draw(st.permutations([*said, *calls]))
    cut = draw(st.integers(0, len(parts)))
    items = [{"role": "model", "parts": part} for part in (parts[:cut], parts[cut:]) if part]
    items += draw(optional(GEMINI_SAID))
    cut = draw(st.sampled_from([0, 0, 1]))
    items += [
        {"role": "user", "parts": part} for part in (responses[:cut], responses[cut:]) if part
    ]
    return items


GEMINI_SAID = st.builds(
    lambda role, parts: {"role": role, "parts": parts},
    st.sampled_from(["user", "model", "system", "function", "critic", None, 5]),
    st.one_of(st.none(), st.lists(st.one_of(GEMINI_TEXT, GEMINI_OTHER), max_size=3)),
)
GEMINI_ASKED = st.builds(lambda text: {"role": "user", "parts": [{"text": text}]}, TEXTS)


# Responses

RESPONSES_IDS = keyed(id=st.sampled_from(["msg_1", "rs_1", "rs_2", "fc_1", "c1", "__fake_id__"]))
RESPONSES_PARTS = st.lists(
    st.one_of(
        st.builds(
            lambda kind, text: {"type": kind, "text": text},
            st.sampled_from(["input_text", "output_text", "text"]),
            TEXTS,
        ),
        st.just({"type": "refusal", "refusal": "No."}),
        st.just({"type": "input_image", "image_url": "https://example.org/a.png"}),
    ),
    max_size=3,
)
RESPONSES_SAID = st.builds(
    lambda role, content, more: {"role": role, "content": content, **more},
    ROLES,
    st.one_of(TEXTS, st.none(), RESPONSES_PARTS),
    RESPONSES_IDS,
)
RESPONSES_ASKED = st.builds(lambda text: {"role": "user", "content": text}, TEXTS)
RESPONSES_OTHER = st.sampled_from(
    [
        *({}, {"id": "i1"}, {"type": "item_reference", "id": "i2"}, {"type": "hologram"}),
        *({"type": "web_search_call", "id": "i3"}, {"type": "tool_search_call"}),
        {"type": "mcp_approval_request", "id": "i4"},
        {"type": "mcp_approval_response", "approval_request_id": "i4"},
        {"type": "compaction", "encrypted_content": "x"},
        {"type": "compaction_trigger"},
        {"type": "program", "call_id": "p1"},
    ]
)
RESPONSES_KINDS = st.sampled_from(
    [
        ("function_call", "function_call_output"),
        ("custom_tool_call", "custom_tool_call_output"),
        ("local_shell_call", "local_shell_call_output"),
    ]
)


@st.composite
def responses_steps(draw):
    """Reasoning, a message and calls, and the outputs of the calls."""
    items = [
        {"type": "reasoning", "summary": [], **draw(RESPONSES_IDS)}
        for _ in range(draw(st.integers(0, 2)))
    ]
    items += draw(optional(RESPONSES_SAID))
    outputs = []
    for id in draw(st.lists(st.sampled_from(["c1", "c2", "c1_2", LONG * 2]), max_size=3)):
        call, output = draw(RESPONSES_KINDS)
        items.append({"type": call, "call_id": id, "name": draw(NAMES), **draw(RESPONSES_IDS)})
        is_shell = output == "local_shell_call_output"
        keys = draw(
            st.sampled_from([["id"], ["call_id"], ["id", "call_id"]] if is_shell else [["call_id"]])
        )
        outputs.append({"type": output, **dict.fromkeys(keys, id), "output": draw(TEXTS)})
    between = draw(optional(st.one_of(RESPONSES_SAID, RESPONSES_OTHER)))
    return [*items, *between, *draw(st.permutations(outputs))]


# Conversations

_TURNS = {
    "anthropic": (ANTHROPIC_ASKED, anthropic_steps(), ANTHROPIC_SAID | COMPACTED),
    "chat": (CHAT_ASKED, chat_steps(), CHAT_SAID),
    "gemini": (GEMINI_ASKED, gemini_steps(), GEMINI_SAID),
    "responses": (RESPONSES_ASKED, responses_steps(), RESPONSES_SAID | RESPONSES_OTHER),
}


def nasty(format):
    """Conversations of up to three turns, well-paired."""
    asked, step, other = _TURNS[format]
    turn = st.tuples(optional(asked), step, optional(other)).map(flat)
    return st.lists(turn, max_size=3).map(flat)


_KEYS = {
    "anthropic": "role content type id name input tool_use_id text cache_control signature",
    "chat": "role content tool_calls id type function name arguments tool_call_id text custom",
    "gemini": "role parts text functionCall functionResponse id name args thoughtSignature",
    "responses": "role content type id call_id text output approval_request_id",
}
_WORDS = {
    "anthropic": "user assistant system text tool_use tool_result thinking compaction "
    "server_tool_use x_tool_result ephemeral c1",
    "chat": "user assistant system developer tool function custom text c1 get",
    "gemini": "user model system c1 get",
    "responses": "user assistant message reasoning function_call function_call_output program "
    "local_shell_call_output local_shell_call compaction compaction_trigger item_reference "
    "tool_search_call tool_search_output input_text output_text refusal c1",
}


def wild(format):
    """Lists of mappings out of the words of a format, nested anyhow."""
    keys = st.sampled_from(_KEYS[format].split())
    words = SCALARS | st.sampled_from(_WORDS[format].split())
    values = st.recursive(
        words,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=12,
    )
    return st.lists(st.dictionaries(keys, values, max_size=4), max_size=5)
