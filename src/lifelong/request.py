"""A request: what is sent to a provider, made of a history, a budget and what is shown beside it.

Here the pure parts meet: repair, policies, assembling, rendering, mending. It needs no store: a
session brings its own history, and `fit` takes a provider's list as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypedDict, Unpack

from lifelong.errors import BudgetTooSmall, InvalidValue, UnknownFormat
from lifelong.formats import FORMATS, render
from lifelong.formats.caching import marked
from lifelong.formats.mending import PROFILES, Mended, mend
from lifelong.formats.rendered import Rendered
from lifelong.formats.validation import problems
from lifelong.log import parse_items
from lifelong.memory.entry import require_known
from lifelong.messages import Message
from lifelong.working.assemble import Block, Extras, assemble
from lifelong.working.budget import Budget
from lifelong.working.clear import ClearReasoning
from lifelong.working.counts import Calibration, message_tokens, tools_tokens
from lifelong.working.history import SYSTEM_TEXT, CountMessage, History
from lifelong.working.pipeline import DEFAULT, Fitted, Settled
from lifelong.working.pipeline import fit as fit_history
from lifelong.working.plan import Plan, Policy
from lifelong.working.repair import build
from lifelong.working.tokens import TokenCounter, estimate_tokens

ADDED_TOKENS = 24
"""Kept free for what a provider may want added: a first or a last message of the user."""

WARNING_TOKENS = 80
"""Kept free for the warning, where it is asked for."""

EVEN_PARTS = 64
"""The room for messages is a whole number of such parts of the window."""

_TAKES_LATE_SYSTEM = {"chat": ("openai", "deepseek", "ollama"), "responses": ("openai",)}
_REPLAYS_REASONING = {("chat", "deepseek")}
_KEY_OF_ITEMS = {
    "anthropic": "messages",
    "chat": "messages",
    "gemini": "contents",
    "responses": "input",
}


class FitFields(TypedDict, total=False):
    """What can be said of a request.

    Attributes:
        profile: which of the providers that speak the format; see `lifelong.formats.mending`.
        policies: what is done when the history does not fit, in order.
        system: text that stands before the history's own system text.
        tools: the schemas that go with the request; they are counted.
        pinned: ids of messages that stay.
        protected_tools: names of tools whose calls and results stay.
        count_tokens: an exact counter, from text to tokens; the estimate by default.
        calibration: how far the count is from what the provider reports.
        warn: tell the model when old tool results are about to be cleared.
        cache_marks: set Anthropic's cache marks where the items have none; True by default.
    """

    profile: str | None
    policies: Sequence[Policy] | None
    system: str
    tools: Sequence[Any]
    pinned: Collection[str]
    protected_tools: Collection[str]
    count_tokens: TokenCounter | None
    calibration: Calibration | None
    warn: bool
    cache_marks: bool


@dataclass(frozen=True)
class Request:
    """What is ready to be sent, and how it was made to fit.

    Attributes:
        format: the name of the format.
        profile: of the provider.
        messages: what is sent, in order.
        plan: the edits, each with its reason.
        blocks: the parts of the request, in order, with what they cost.
        tools_tokens: what the schemas of tools cost.
        cache_marks: whether Anthropic's cache marks are set.
    """

    format: str
    profile: str
    messages: tuple[Message, ...]
    plan: Plan
    blocks: tuple[Block, ...]
    tools_tokens: int = 0
    cache_marks: bool = True

    @property
    def tokens(self) -> int:
        """What the request costs, tools included."""
        return sum(block.tokens for block in self.blocks) + self.tools_tokens

    @cached_property
    def payload(self) -> dict[str, Any]:
        """The arguments for the provider's client: ``client…create(model=…, **request.payload)``.

        `messages` for chat; `messages` and perhaps `system` for anthropic; `input` for responses;
        `contents` and perhaps `config` with the system instruction for gemini.
        """
        _, made = self._made
        items, system = made.items, made.system
        if self.format == "anthropic" and self.cache_marks:
            items, system = marked(items, system)
        payload: dict[str, Any] = {_KEY_OF_ITEMS[self.format]: items}
        if system is not None and self.format == "anthropic":
            payload["system"] = system
        elif system is not None:
            payload["config"] = {"system_instruction": system}
        return payload

    @property
    def items(self) -> list[dict[str, Any]]:
        """The provider's items, without the system text that stands beside them."""
        items: list[dict[str, Any]] = self.payload[_KEY_OF_ITEMS[self.format]]
        return items

    @property
    def changes(self) -> tuple[str, ...]:
        """One sentence for each thing that the format cannot carry or a provider would refuse."""
        rendered, made = self._made
        return (*rendered.dropped, *made.changes)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the provider would refuse it, says the format's validator; empty if it would not."""
        is_whole = self.format in ("anthropic", "gemini")
        return tuple(problems(self.payload if is_whole else self.items, self.format, self.profile))

    @cached_property
    def _made(self) -> tuple[Rendered, Mended]:
        rendered = render(self.messages, self.format)
        return rendered, mend(rendered, self.format, self.profile)


@dataclass(frozen=True, slots=True)
class Target:
    """To whom a request goes, and how it is counted."""

    format: str
    profile: str
    count: CountMessage

    @property
    def takes_late_system(self) -> bool:
        """Whether a system message may stand after others."""
        return self.profile in _TAKES_LATE_SYSTEM.get(self.format, ())


def target_of(format: str, fields: Mapping[str, Any]) -> Target:
    """Return the target that a format and the fields of a request name.

    Raises:
        UnknownFormat: there is no such format.
        InvalidValue: the format has no such profile.
    """
    if format not in FORMATS:
        raise UnknownFormat(f"{format!r} is not one of {', '.join(FORMATS)}")
    counter = fields.get("count_tokens")
    if counter is not None and not (callable(counter) and isinstance(counter, Hashable)):
        raise InvalidValue(f"count_tokens is a {type(counter).__name__}, and no function")
    profile = fields.get("profile") or PROFILES[format][0]
    if profile not in PROFILES[format]:
        raise InvalidValue(f"{profile!r} is no profile of {format}: {', '.join(PROFILES[format])}")
    return Target(format, profile, counting(fields.get("count_tokens") or estimate_tokens))


@lru_cache(maxsize=16)
def counting(count: TokenCounter) -> CountMessage:
    """Return what counts a message with a counter of text: the same one for the same counter."""
    return lambda message: message_tokens(message, count)


def fit(items: Any, budget: Budget, format: str = "chat", **fields: Unpack[FitFields]) -> Request:
    """Return a request for a provider's list, without an engine and without storage.

    Args:
        items: the provider's list, or what else the format allows, or `Message` values. It is not
            changed.
        budget: what the request may cost.
        format: of the items, and of the request.
        **fields: what else can be said; see `FitFields`.

    Raises:
        BudgetTooSmall: what has to stay does not fit.
        FormatError: the items do not have the shape of the format.
        InputError: a field cannot be used, or there is nothing to send.
    """
    require_known(fields, FitFields.__annotations__, "fit")
    require_budget(budget)
    target = target_of(format, fields)
    messages = parse_items(items, format).messages
    history = build(
        messages, format, count=target.count, takes_late_system=target.takes_late_system
    )
    extras = Extras(system=fields.get("system") or "")
    return plan_request(history, budget, target=target, fields=fields, extras=extras).request(
        extras
    )


def require_budget(budget: object) -> None:
    """Refuse what is no budget.

    Raises:
        InvalidValue: it is something else, a number of tokens perhaps.
    """
    if not isinstance(budget, Budget):
        raise InvalidValue(f"budget is a {type(budget).__name__}; pass a lifelong.Budget")


@dataclass(frozen=True)
class Planned:
    """A request before it is put together."""

    target: Target
    compaction_budget: Budget
    fitted: Fitted
    tools_tokens: int
    is_warning: bool
    has_cache_marks: bool

    def request(self, extras: Extras) -> Request:
        """Return the request, with what is shown beside the history."""
        warning = self.fitted.plan.warning if self.is_warning else None
        made = assemble(self.fitted.history, extras, "" if warning is None else warning.text)
        return Request(
            self.target.format,
            self.target.profile,
            made.messages,
            self.fitted.plan,
            made.blocks,
            self.tools_tokens,
            self.has_cache_marks,
        )


def plan_request(
    history: History,
    budget: Budget,
    *,
    target: Target,
    fields: FitFields,
    extras: Extras,
    reserve_tokens: int = 0,
    settled: Settled | None = None,
) -> Planned:
    """Return the plan of a request.

    Args:
        history: of the session, repaired.
        budget: what the request may cost.
        target: to whom it goes.
        fields: what else can be said.
        extras: what stands beside the history and is known already.
        reserve_tokens: kept free for what is not.
        settled: of the request before this one.

    Raises:
        BudgetTooSmall: what has to stay does not fit.
        InputError: a field cannot be used, or there is nothing to send.
    """
    _check(fields)
    counter = fields.get("count_tokens") or estimate_tokens
    tools = tools_tokens(fields.get("tools") or (), counter)
    pinned = _names(fields.get("pinned"), "pinned")
    history = history.keeping(pinned, _names(fields.get("protected_tools"), "protected_tools"))
    if not any(unit.messages for unit in history.units if unit.kind != SYSTEM_TEXT):
        raise InvalidValue("there is nothing to send: append a message of the user first")
    fixed = extras.tokens(target.count) + tools + ADDED_TOKENS + reserve_tokens
    fixed += WARNING_TOKENS if fields.get("warn") else 0
    room = _calibrated(budget, fields.get("calibration")).less(fixed)
    if room.available_tokens <= 0:
        shown = "system text, tools and what is shown from memory"
        beside = f" and {budget.fixed_tokens} that the budget calls fixed"
        raise BudgetTooSmall(
            f"{room.available_tokens + fixed} tokens are available, and {fixed} of {shown}"
            f"{beside if budget.fixed_tokens else ''} leave no room"
        )
    unadded = room.less(-ADDED_TOKENS)  # a compaction is not there for what a format adds
    room = _evened(room)
    given = fields.get("policies")
    policies = default_policies(target) if given is None else checked_policies(given)
    fitted = fit_history(history, room, policies=policies, settled=settled)
    return Planned(
        target, unadded, fitted, tools, fields.get("warn", False), fields.get("cache_marks", True)
    )


def checked_policies(given: object) -> tuple[Policy, ...]:
    """Return policies.

    Raises:
        InvalidValue: it is no list of callables.
    """
    if not isinstance(given, Sequence) or not all(map(callable, given)):
        raise InvalidValue("policies is no list of policies")
    return tuple(given)


def _names(given: Collection[str] | None, what: str) -> frozenset[str]:
    if isinstance(given, str):
        raise InvalidValue(f"{what} is one text; pass a list of them")
    names = frozenset(given or ())
    if not all(isinstance(name, str) for name in names):
        raise InvalidValue(f"{what} holds something that is no text")
    return names


def default_policies(target: Target) -> tuple[Policy, ...]:
    """Return the default pipeline; without clearing reasoning where it has to be sent back."""
    if (target.format, target.profile) not in _REPLAYS_REASONING:
        return DEFAULT
    return tuple(policy for policy in DEFAULT if not isinstance(policy, ClearReasoning))


def _calibrated(budget: Budget, calibration: Calibration | None) -> Budget:
    """Return the budget in the tokens of the count, of which the provider's are a multiple."""
    if calibration is None:
        return budget
    available = budget.available_tokens
    if available <= 0:
        return budget
    counted = available * available // max(calibration.scaled(available), 1)
    return Budget(max(counted, 1), reserve_tokens=0, margin=0)


def _evened(room: Budget) -> Budget:
    """Return a budget of an even size, so that a small change of it does not move what is cut."""
    return room.less(room.available_tokens % max(room.window_tokens // EVEN_PARTS, 1))


def _check(fields: FitFields) -> None:
    """Refuse what is no value of its field.

    Raises:
        InvalidValue: one of them is not.
    """
    calibration = fields.get("calibration")
    tools, system = fields.get("tools") or (), fields.get("system")
    wrong = {
        "calibration": calibration is not None and not isinstance(calibration, Calibration),
        "tools": isinstance(tools, str | bytes) or not isinstance(tools, Sequence),
        "system": system is not None and not isinstance(system, str),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise InvalidValue(f"{name} is a {type(fields.get(name)).__name__}")
