"""The budget of one request: how many tokens there are for what the model is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lifelong.errors import InvalidValue

RESERVE_TOKENS = 1_500
MARGIN = 0.15


@dataclass(frozen=True, slots=True)
class Budget:
    """What a request may hold: ``(window - reserve) * (1 - margin)`` tokens.

    Attributes:
        window_tokens: the model's context window.
        reserve_tokens: kept free for the answer, and for the reasoning before it.
        margin: share, 0 to below 1, kept free since an estimate is no count. With an exact counter
            a few hundredths will do.
        fixed_tokens: what else goes with each request, such as the schemas of tools.

    Raises:
        InvalidValue: a number is out of its range, or nothing is left.
    """

    window_tokens: int
    reserve_tokens: int = RESERVE_TOKENS
    margin: float = MARGIN
    fixed_tokens: int = 0

    def __post_init__(self) -> None:
        for name in ("window_tokens", "reserve_tokens", "fixed_tokens"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise InvalidValue(f"{name} is {value!r}, and must be a whole number of tokens")
            if value < 0:
                raise InvalidValue(f"{name} is {value}, and must not be negative")
        if isinstance(self.margin, bool) or not isinstance(self.margin, int | float):
            raise InvalidValue(f"margin is {self.margin!r}, and must be a number")
        if not 0 <= self.margin < 1:
            raise InvalidValue(f"margin is {self.margin}, and must be at least 0 and below 1")
        if self.window_tokens <= self.reserve_tokens:
            raise InvalidValue(
                f"window_tokens is {self.window_tokens}, which leaves nothing beside "
                f"reserve_tokens of {self.reserve_tokens}"
            )

    @property
    def available_tokens(self) -> int:
        """Tokens for messages; it is below 0 when what is fixed alone does not fit."""
        shared = (self.window_tokens - self.reserve_tokens) * (1 - self.margin)
        # The product of the docstring's example is 5688.2; a whole number may be a hair below one.
        return int(shared + 1e-9) - self.fixed_tokens

    def less(self, tokens: int) -> Budget:
        """Return the budget when `tokens` more are taken by something fixed."""
        return replace(self, fixed_tokens=self.fixed_tokens + tokens)
