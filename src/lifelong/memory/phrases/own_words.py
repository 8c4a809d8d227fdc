"""What of a message is its author's own words: the rest is blanked, place for place.

A block that a request brought along, a quoted line, code and pasted text were written by somebody
else. They become line ends, so that what is found in the rest stands at the same place in the
message itself.
"""

from __future__ import annotations

import re

from lifelong.messages import Message, ToolResultPart

QUOTED = "\ufffc"
"""Stands for each character of a quotation inside a sentence."""

_BLOCKS = (
    "recalled|known|rules|summary|warning|untrusted|transcript|system-reminder|system"
    "|function_results|tool_result|search_results|documents?|context|file|paste|quote|example"
    "|instructions?|memory|memories|attachment"
)
_BLOCK = re.compile(
    rf"<(?P<name>{_BLOCKS})\b[^<>\n]{{0,200}}>.*?(?:</\s*(?P=name)\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|)[^\n]*", re.MULTILINE)
_MACHINE_LINE = re.compile(
    r"^(?:(?:\t| {4,})\S|[ \t]*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d|[$%] |>>> |at [\w.$]+\("
    r"|(?:From|To|Subject|Cc|Date|Sent|Von|An|Betreff|De|Para|Asunto): "
    r"|(?:user|assistant|human|ai|system|bot|chatgpt|claude|customer|agent|interviewer)\s*:))"
    r"[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
"""Indented code, logs, shells, heads of mails, lines of another conversation."""

_QUOTATION = re.compile(
    '[\u201c\u201d\u201e"][^\u201c\u201d\u201e"\n]{1,1000}[\u201c\u201d"]'
    "|\u00ab[^\u00ab\u00bb\n]{1,1000}\u00bb|\u00bb[^\u00ab\u00bb\n]{1,1000}\u00ab"
    "|\u300c[^\u300c\u300d\n]{1,1000}\u300d|\u300e[^\u300e\u300f\n]{1,1000}\u300f"
)
_NAME_WORDS_MAX = 3
_NAME_CHARACTERS_MAX = 24


def spoken_text(message: Message) -> str:
    """Return the text of a message without what others wrote; nothing where a tool speaks too.

    Every character that is left stands where it stands in `message.text`.
    """
    if any(isinstance(part, ToolResultPart) for part in message.parts):
        return ""
    return own_words(message.text)


def own_words(text: str) -> str:
    """Return `text` with blocks, code, quoted lines and lines of machines as line ends."""
    for pattern in (_BLOCK, _CODE, _QUOTED_LINE, _MACHINE_LINE):
        text = pattern.sub(_line_ends, text)
    return text


def without_quotations(text: str) -> str:
    """Return `text` with what is quoted inside it made unreadable; a quoted name stays."""
    return _QUOTATION.sub(_unreadable, text)


def without_pasted(text: str, announced: re.Pattern[str]) -> str:
    """Return `text` up to the end of the words that announce something pasted."""
    found = announced.search(text)
    return text[: found.end()] if found else text


def _line_ends(match: re.Match[str]) -> str:
    return "\n" * len(match[0])


def _unreadable(match: re.Match[str]) -> str:
    inside = match[0][1:-1]
    if len(inside.split()) <= _NAME_WORDS_MAX and len(inside) <= _NAME_CHARACTERS_MAX:
        return match[0]
    return f"{match[0][0]}{QUOTED * len(inside)}{match[0][-1]}"
