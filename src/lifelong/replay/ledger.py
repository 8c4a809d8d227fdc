"""What one way did in a case, entered request by request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from lifelong.messages import Message
from lifelong.replay.figures import (
    HISTORY,
    INVALID,
    NOWHERE,
    RECALL,
    SENT,
    SUMMARY,
    Asked,
    Loss,
    Shown,
    WayFigures,
)
from lifelong.replay.judging import Cards, Judge
from lifelong.replay.moments import Moment
from lifelong.replay.needed import Need, around, shown_text
from lifelong.replay.ways import Run, Way

LOSSES_MAX = 20
"""So many losses are told with their text."""

PROBLEMS_MAX = 20
_CANDIDATES_MAX = 10 * LOSSES_MAX
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


@dataclass(frozen=True, slots=True)
class _Lost:
    request: int
    turn: int
    need: Need
    found_in: str

    @property
    def rank(self) -> tuple[bool, int, int, str]:
        """The worst first, and the same order in every run."""
        return self.found_in != NOWHERE, -self.turns_ago, self.request, self.need.token

    @property
    def turns_ago(self) -> int:
        return max(self.turn - self.need.turn, 0)


class Ledger:
    """The figures of one way in one case.

    Args:
        way: the policy at its window.
        run: the way through this case.
    """

    def __init__(self, way: Way, run: Run) -> None:
        self._way = way
        self._run = run
        self._asked: list[Asked] = []
        self._losses: dict[str, _Lost] = {}
        self._loss_turns: Counter[int] = Counter()
        self._shown: list[Shown] = []
        self._problems: dict[str, str] = {}
        self._before: tuple[Message, ...] = ()

    def ask(
        self,
        moment: Moment,
        needs: Sequence[Need],
        *,
        judge: Judge,
        cards: Cards,
        output_tokens: int,
    ) -> None:
        """Make the request of a moment, and enter what becomes of it."""
        answer = self._run.answer(moment)
        outcome, kept, places = answer.outcome, 0, Counter[str]()
        self._note(moment.number, filter(None, (*answer.summed.problems, answer.problem)))
        if outcome == SENT:
            places = self._placed(moment, needs, judge.places(answer))
            refused = judge.problems(answer)
            if refused:
                outcome = INVALID
                self._note(moment.number, refused)
            else:
                kept = cards.prefix_tokens(self._before, answer.messages)
                self._before = answer.messages
        self._asked.append(
            Asked(
                moment.turn,
                outcome,
                tokens=answer.tokens,
                exact_tokens=cards.exact_tokens(answer.messages),
                kept_tokens=kept,
                output_tokens=output_tokens,
                edits=answer.edits,
                edited_tokens=answer.edited_tokens,
                needed=len(needs),
                in_history=places[HISTORY],
                in_summary=places[SUMMARY],
                by_recall=places[RECALL],
                summaries=answer.summed.segments,
                summed_tokens=answer.summed.tokens_before,
                summary_tokens=answer.summed.tokens_after,
                summary_input_tokens=answer.summed.input_tokens,
                summary_output_tokens=answer.summed.output_tokens,
            )
        )

    def show(self, moment: Moment) -> None:
        """Enter what became of each message in the request that was asked for last."""
        states = self._run.states(moment)
        runs = tuple((state, sum(1 for _ in run)) for state, run in groupby(states))
        self._shown.append(Shown(moment.number, runs))

    def figures(self, messages: Sequence[Message]) -> WayFigures:
        """Return what was entered.

        Args:
            messages: of the case.
        """
        worst = sorted(self._losses.values(), key=lambda lost: lost.rank)[:LOSSES_MAX]
        return WayFigures(
            self._way.name,
            self._way.window_tokens,
            tuple(self._asked),
            tuple(_loss(lost, messages) for lost in worst),
            tuple(sorted(self._loss_turns.items())),
            tuple(self._shown),
            tuple(self._problems.values()),
        )

    def _placed(self, moment: Moment, needs: Sequence[Need], places: Sequence[str]) -> Counter[str]:
        for need, place in zip(needs, places, strict=True):
            if place == HISTORY:
                continue
            lost = _Lost(moment.number, moment.turn, need, place)
            self._loss_turns[lost.turns_ago] += 1
            known = self._losses.get(need.token)
            if known is None or lost.rank < known.rank:
                self._losses[need.token] = lost
        if len(self._losses) > _CANDIDATES_MAX:
            worst = sorted(self._losses.values(), key=lambda lost: lost.rank)[:LOSSES_MAX]
            self._losses = {lost.need.token: lost for lost in worst}
        return Counter(places)

    def _note(self, request: int, problems: Iterable[str]) -> None:
        for problem in problems:
            # The same in another place is not told again.
            kind = _VARYING.sub("", problem)
            if kind not in self._problems and len(self._problems) < PROBLEMS_MAX:
                self._problems[kind] = f"request {request}: {problem}"


def _loss(lost: _Lost, messages: Sequence[Message]) -> Loss:
    need = lost.need
    said = messages[need.position]
    return Loss(
        lost.request,
        lost.turn,
        need.token,
        lost.found_in,
        lost.turns_ago,
        said.role,
        around(need.token, shown_text(said)),
        around(need.token, shown_text(messages[need.used_at])),
    )
