"""Take out of a text, or of a whole JSON item, what screening found.

A mark that names the rule stands in its place; a mark is never found again. In an item of a
provider's format the bytes of ids, signatures and pictures stay as they are, for the provider
compares them; arguments of a call that are JSON in a text stay JSON. What is found is decided by
the function that is passed in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifelong.writing import Finding

Find = Callable[[str], Sequence[Finding]]

MARK = re.compile(r"\[redacted: [\w/-]{1,64}\]", re.ASCII)

_NO_NAME = re.compile(r"[^\w/-]", re.ASCII)
_SEALED = frozenset(["signature", "encrypted_content", "thoughtSignature", "thought_signature"])
_NAMES = frozenset(["type", "role", "name", "model", "cache_control", "mime_type", "mimeType"])
_IDS = re.compile(r"(?:.+_)?ids?|(?:.+[a-z])?Id", re.ASCII)
_ONE_WORD = re.compile(r"\S{0,512}")
_DATA_URL = re.compile(r"data:[\w.+-]{1,80}/[\w.+-]{1,80}[^,\s]{0,100},", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/_=\r\n-]{64}")
_FREE = frozenset(["arguments", "args", "input", "action", "response", "parameters"])
"""Below these the keys are a tool's own: an ``id`` there is content."""
_PLAIN = frozenset(["content", "text", "thinking", "input", "output", "arguments", "summary"])
"""Names that say nothing of what they hold."""


def mark(rule: str) -> str:
    """Return what stands in the place of what a rule found."""
    return f"[redacted: {_NO_NAME.sub('-', rule)[:64] or 'rule'}]"


def redact(text: str, findings: Iterable[Finding]) -> str:
    """Return the text with a mark in the place of each finding; overlapping ones get one mark."""
    pieces, at = [], 0
    for found in sorted(findings, key=lambda each: (each.start, -each.end)):
        if found.start >= at:
            pieces += [text[at : found.start], mark(found.rule)]
        at = max(at, found.end)
    return "".join([*pieces, text[at:]]) if pieces else text


def is_only_marks(text: str) -> bool:
    """Whether nothing that can be read is left beside marks."""
    rest = MARK.sub("", text)
    return rest != text and not any(map(str.isalnum, rest))


def redact_json(value: Any, find: Find) -> tuple[Any, tuple[Finding, ...]]:
    """Redact every text in a JSON value: an item of a format, metadata, a state.

    Names of keys are context: the 1234 in ``{"pin": "1234"}`` is found as in ``pin: "1234"``.
    Reasoning that had to be changed loses its signature, which no longer fits.

    Args:
        value: of any depth. It is not changed.
        find: what is to be taken out of a text.

    Returns:
        The value, the same object when nothing was found, and the findings with their places in
        their own texts.
    """
    root = _Node(None, "", [value], is_free=False)
    found: list[Finding] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = []
        for key, child in _children(node.value):
            if isinstance(child, Mapping | list | tuple):
                children.append(_Node(node, key, child, is_free=node.is_free or key in _FREE))
            elif not _must_stay(key, child, node):
                changed, findings = _leaf(key, child, find)
                found += findings
                if findings:
                    node.set(key, changed)
            if isinstance(key, str) and (findings := find(key)):
                found += findings
                node.rename(key, redact(key, findings))
        waiting += reversed(children)
    return (root.finished() if found else value), tuple(found)


class _Node:
    """One mapping or list of the value, with the copy that has its changes, if any."""

    __slots__ = ("copied", "copy", "is_free", "key", "names", "parent", "value")

    def __init__(self, parent: _Node | None, key: Any, value: Any, *, is_free: bool) -> None:
        self.parent, self.key, self.value, self.is_free = parent, key, value, is_free
        self.copy: Any = None
        self.copied: list[_Node] = [] if parent is None else parent.copied
        self.names: dict[str, str] = {}

    def set(self, key: Any, child: Any) -> None:
        """Change a child in the copy, and the copies of all that is around it."""
        node, at, new = self, key, child
        while True:
            is_new = node.copy is None
            if is_new:
                node.copy = (dict if isinstance(node.value, Mapping) else list)(node.value)
                node.copied.append(node)
            node.copy[at] = new
            if not is_new or node.parent is None:
                return
            node, at, new = node.parent, node.key, node.copy

    def rename(self, key: str, name: str) -> None:
        """Give a key another name, once all is known that changes below it."""
        self.names[key] = name
        self.set(key, self.value[key] if self.copy is None else self.copy[key])

    def finished(self) -> Any:
        """Return the changed value: keys get their new names, and signatures that broke go."""
        for node in self.copied:
            if isinstance(node.copy, dict):
                if node.copy.get("type") == "thinking":
                    node.copy.pop("signature", None)
                if node.names:
                    node.put_names()
        return self.copy[0]

    def put_names(self) -> None:
        """Give the keys their new names; two that fall together are kept apart."""
        items = list(self.copy.items())
        self.copy.clear()
        taken = {key for key, _ in items} - self.names.keys()
        for key, child in items:
            name = self.names.get(key, key)
            while name != key and name in taken:
                name += "'"
            taken.add(name)
            self.copy[name] = child


def _children(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items()) if isinstance(value, Mapping) else enumerate(value)


def _must_stay(key: Any, child: Any, node: _Node) -> bool:
    """Whether a provider compares these bytes: an id, a signature, a picture."""
    if not isinstance(child, str):
        return not node.is_free or isinstance(child, bool | float) or child is None
    if _DATA_URL.match(child):
        return True
    if not isinstance(key, str):
        return False
    if key in _SEALED:
        return True
    if key == "data":
        return _BASE64.match(child) is not None
    if node.is_free or not _ONE_WORD.fullmatch(child):
        return False
    return key in _NAMES or _IDS.fullmatch(key) is not None


def _leaf(key: Any, leaf: Any, find: Find) -> tuple[Any, Sequence[Finding]]:
    text = leaf if isinstance(leaf, str) else str(leaf)
    if text[:1] in ("{", "["):
        changed, inside = _json_text(text, find)
        if inside:
            return changed, inside
    found = _beside(key, text, find) or find(text)
    return (redact(text, found) if found else leaf), found


def _beside(key: Any, text: str, find: Find) -> list[Finding]:
    """Find in a text with the name of its key before it."""
    if not isinstance(key, str) or key in _PLAIN:
        return []
    before = f'{key}: "' if '"' not in text else f"{key}: "
    found = find(f'{before}{text}"' if '"' not in text else before + text)
    shifted = [(each, each.start - len(before), each.end - len(before)) for each in found]
    return [
        Finding(each.kind, each.rule, max(0, start), min(end, len(text)))
        for each, start, end in shifted
        if end > 0 and start < len(text)
    ]


def _json_text(text: str, find: Find) -> tuple[str, tuple[Finding, ...]]:
    """Redact inside JSON that is itself a text, so that it stays JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or too deep for the parser: it is plain text
        return text, ()
    # In a list of its own, so that its keys are a tool's and a lone text has a place.
    changed, found = redact_json([{"arguments": value}], find)
    if not found:
        return text, ()
    separators = (", ", ": ") if '": ' in text else (",", ":")
    kept = changed[0]["arguments"]
    return json.dumps(kept, ensure_ascii=text.isascii(), separators=separators), found
