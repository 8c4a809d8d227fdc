"""What the page's plots draw: ticks, lines, labels, frontiers and strips, by hand."""

import re
from dataclasses import replace
from itertools import combinations

import pytest
from replayed_reports import a_case, a_report, a_way, asked

from lifelong.replay.figures import Asked, CaseFigures, Shown, WayFigures
from lifelong.replay.html import labels, plots, series, strip
from lifelong.replay.html.axes import axis, counting_axis
from lifelong.replay.html.colours import look
from lifelong.replay.html.frontier import frontier_plot
from lifelong.replay.html.lengths import lengths_section
from lifelong.replay.html.series import Line
from lifelong.replay.lengths import Expected, Lengths
from lifelong.replay.report import Report, report_of
from lifelong.replay.totals import WayTotals
from lifelong.working.cost import GoingOn


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 9_400, (0, 2_000, 4_000, 6_000, 8_000, 10_000)),
        (0, 10, (0, 2, 4, 6, 8, 10)),
        (0, 0.3, (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)),
        (93.2, 100, (93, 94, 95, 96, 97, 98, 99, 100)),
        (0, 0, (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (5, 5, (5, 6, 7, 8, 9, 10)),
        (0, float("inf"), (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (float("nan"), 1, (0, 0.2, 0.4, 0.6, 0.8, 1)),
    ],
)
def test_ticks_are_round_and_hold_all(low, high, ticks):
    assert axis(low, high, start=0, end=100).ticks == ticks


def test_a_figure_is_where_its_share_of_the_axis_is():
    up = axis(0, 10, start=200, end=0)
    assert [up.at(0), up.at(2.5), up.at(10), up.at(11), up.at(-1)] == [200, 150, 0, 0, 200]


def test_requests_are_counted_from_one_to_the_last():
    across = counting_axis(1, 152, start=0, end=151)
    assert (across.low, across.high, across.ticks) == (1, 152, (20, 40, 60, 80, 100, 120, 140))
    assert counting_axis(1, 1, start=0, end=10).ticks == (1, 2)


def test_no_two_of_56_policies_look_the_same():
    assert len({look(number) for number in range(56)}) == 56
    assert len({(each.ink, each.dash) for each in map(look, range(8))}) == 8
    assert len({each.mark for each in map(look, range(7))}) == 7


def boxes(placed, marks):
    letters = [(p.x, p.y - 9.5, p.x + len(p.words) * 6.4, p.y + 2.5) for p in placed if p]
    return letters + [(x - 6, y - 6, x + 6, y + 6) for x, y in marks]


@pytest.mark.parametrize(
    "marks",
    [
        [(50, 50)],
        [(50, 50), (58, 50), (54, 58)],
        [(100 + 3 * n, 100 - 2 * n) for n in range(12)],
        [(0, 0), (300, 0), (0, 200), (300, 200)],
    ],
)
def test_labels_cover_neither_each_other_nor_a_mark(marks):
    placed = labels.place(marks, ["16k"] * len(marks), (0, 0, 300, 200))

    assert any(placed)
    everything = boxes(placed, [])
    for a, b in combinations(everything, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)
    for a in everything:
        assert min(a) >= 0
        assert (a[2], a[3]) <= (300, 200)
        for x, y in marks:
            assert a[2] <= x - 6 or a[0] >= x + 6 or a[3] <= y - 6 or a[1] >= y + 6


def test_a_label_without_a_free_place_is_left_out_rather_than_laid_over_another():
    placed = labels.place([(20, 20)] * 2, ["a long label", "b"], (0, 0, 40, 40))
    assert placed[0] is None


def test_a_label_that_stands_apart_has_a_leader():
    # Given: a ring of marks so near that the label of the one in the middle must go further
    marks = [(100, 100), (115, 100), (85, 100), (100, 112), (100, 88), (113, 91), (87, 91)]
    placed = labels.place([*marks, (113, 110), (87, 110)], ["16k"] * 9, (0, 0, 200, 200))
    assert placed[0].leader is not None


def served(policy, tokens, survival, **fields):
    known = {"requests": 1, "sent": 1, "needed": 100, "survival": survival, **fields}
    return WayTotals(policy, 16_384, tokens=tokens, **known)


def drawn_frontier(*ways):
    report = Report(policies=tuple(way.policy for way in ways), totals=ways)
    return frontier_plot(report, ways, id="f", title="Survival")


def test_the_frontier_goes_through_what_nothing_beats():
    ways = [served("a", 1_000, 0.9), served("b", 2_000, 1.0), served("c", 1_500, 0.85)]
    drawn = drawn_frontier(*ways)

    # 0 to 2,000 tokens is from 58 to 376, and 84 to 100 % from 280 up to 26
    assert 'class="frontier" d="M217 184.8H376V26H376V26"' in drawn
    assert "On the frontier, the cheapest first: a at 16,384 90.0 %; b at 16,384 100.0 %." in drawn
    assert len(re.findall('class="mark k[012]"', drawn)) == 3
    assert drawn.count(">16k<") == 3


def test_a_way_that_did_not_serve_every_request_is_hollow_and_not_on_the_frontier():
    drawn = drawn_frontier(served("a", 1_000, 0.9), served("b", 500, 1.0, requests=2, invalid=1))
    assert 'class="mark k1 hollow"' in drawn
    assert "the cheapest first: a at 16,384 90.0 %." in drawn


def test_without_a_served_way_there_is_no_frontier():
    drawn = drawn_frontier(served("a", 1_000, 0.9, requests=2))
    assert "there is no frontier" in drawn
    assert 'class="frontier"' not in drawn
    assert "No way has both" in drawn_frontier(served("a", 1_000, None))


def test_the_curve_of_lengths_goes_down_at_each_turn_and_is_dashed_where_few_tell():
    points = (GoingOn(1, 0.75, 8), GoingOn(2, 0.5, 5), GoingOn(4, 0.25, 2))
    lengths = Lengths(8, 1, points, (Expected(1, 2.5, 2, 8, is_known=True),))

    drawn = lengths_section(lengths)

    # 0 to 4 turns is from 58 to 388, and 0 to 100 % from 220 up to 26
    assert '<path class="curve" d="M58 26H140.5V74.5H223V123"/>' in drawn
    assert '<path class="curve" d="M223 123H388V171.5" stroke-dasharray="4 3"/>' in drawn
    assert "Of the sessions go on: 75.0 % after 1 turn; 50.0 % after 2 turns." in drawn
    assert "by 8 sessions of which 1 may go on" in drawn


def test_without_sessions_nothing_is_known_of_lengths():
    assert "No session tells" in lengths_section(None)


def one_way(*requests):
    return WayFigures("trim", 8_192, requests)


def lines_of(*ways):
    cases = [CaseFigures(f"c{n}", "f", ways=(way,)) for n, way in enumerate(ways)]
    return report_of(cases)


def all_lines(report):
    measure = series.tokens_of
    return series.case_lines(report, report.cases[0], window_tokens=8_192, measure=measure)


def test_a_line_has_a_gap_where_nothing_was_sent_and_a_cross_where_it_was_refused():
    way = one_way(
        asked(1, 100),
        asked(1, 0, outcome="not_fit"),
        asked(1, 300, outcome="invalid"),
        asked(2, 0, outcome="failed"),
        asked(2, 500),
    )
    report = lines_of(way)

    (line,) = all_lines(report)

    pieces = (((1, 100),), ((3, 300),), ((5, 500),))
    assert line == Line(0, pieces, crosses=((3, 300),), is_hollow=True)
    assert series.turn_starts(report.cases[0]) == (4,)


def test_a_mean_is_over_the_cases_that_got_so_far():
    report = lines_of(one_way(asked(1, 100), asked(1, 200)), one_way(asked(1, 300)))
    (line,) = series.mean_lines(report, 8_192, series.tokens_of)
    assert line.pieces == (((1, 200), (2, 200)),)


def test_a_mean_ends_where_less_than_a_tenth_of_the_cases_go_on():
    short, long = one_way(asked(1, 100)), one_way(asked(1, 100), asked(1, 900))
    (line,) = series.mean_lines(lines_of(*[short] * 10, long), 8_192, series.tokens_of)
    assert line.pieces == (((1, 100),),)
    (line,) = series.mean_lines(lines_of(*[short] * 9, long), 8_192, series.tokens_of)
    assert line.pieces == (((1, 100), (2, 900)),)


def test_a_mean_of_which_the_large_requests_are_missing_is_not_shown():
    small, missing = one_way(asked(1, 100)), one_way(asked(1, 0, outcome="not_fit"))
    (line,) = series.mean_lines(lines_of(*[small] * 8, missing), 8_192, series.tokens_of)
    assert line.pieces == ()
    (line,) = series.mean_lines(lines_of(*[small] * 9, missing), 8_192, series.tokens_of)
    assert line.pieces == (((1, 100),),)


def test_a_sum_runs_over_all_cases():
    report = lines_of(one_way(asked(1, 100), asked(1, 200)), one_way(asked(1, 300)))
    (line,) = series.sum_lines(report, 8_192, series.tokens_of)
    assert line.pieces == (((1, 400), (2, 600)),)


def test_a_long_line_is_thinned_and_keeps_its_peaks_and_ends():
    tokens = [10] * 5_000
    tokens[1_234], tokens[4_000] = 99, 1
    report = lines_of(one_way(*(asked(1, each) for each in tokens)))

    (line,) = all_lines(report)

    (piece,) = line.pieces
    assert len(piece) <= series.POINTS_MAX + 4
    assert {(1, 10), (1_235, 99), (4_001, 1), (5_000, 10)} <= set(piece)
    assert list(piece) == sorted(piece)


def test_the_longest_case_is_the_first_with_the_most_requests():
    report = report_of([a_case("a", 2), a_case("b", 5), a_case("c", 5)])
    assert series.longest(report).id == "b"
    assert series.longest(report_of([CaseFigures("a", "f")])) is None


def test_a_plot_of_lines_says_where_each_ends():
    panel = plots.Panel(
        *("t0", "Tokens", "none 300", "request", "tokens"),
        (Line(0, (((1, 100), (2, 300)),)), Line(1, (((1, 50),),))),
    )
    drawn = plots.line_plot(panel)

    assert '<title id="t0-t">Tokens</title><desc id="t0-d">none 300</desc>' in drawn
    # 400 wide with 58 and 12 at the sides; 260 high with 26 and 40 above and below
    assert f'd="M58 {220 - 100 / 300 * 194:g}L388 26"'.replace("155.333", "155.3") in drawn
    assert drawn.count('class="line"') == 2


def test_a_plot_without_a_point_says_so():
    panel = plots.Panel("t0", "Tokens", "", "request", "tokens", (Line(0, ()),))
    assert plots.line_plot(panel) == '<p class="empty">Nothing was sent here.</p>'


def painted(grid):
    """Return the grid as its rectangles paint it; none may be painted twice."""
    again = [[""] * len(row) for row in grid]
    for each in strip.rectangles(grid):
        for row in range(each.row, each.row_end):
            for column in range(each.column, each.column_end):
                assert again[row][column] == ""
                again[row][column] = each.state
    return again


@pytest.mark.parametrize(
    "rows",
    ["kkk/kkk", "kkd/k d/  s", "kdkd/dkdk", "   / k /   ", "k", "kkks/kkss/ksss", ""],
)
def test_rectangles_cover_a_strip_once(rows):
    grid = [[each.strip() for each in row] for row in rows.split("/")]
    assert painted(grid) == grid


def test_stretches_that_stay_are_one_rectangle():
    grid = [["kept"] * 3, ["kept"] * 3, ["", "kept", "kept"]]
    assert strip.rectangles(grid) == [
        strip.Rectangle("kept", 0, 3, 0, 2),
        strip.Rectangle("kept", 1, 3, 2, 3),
    ]


def test_a_line_that_stands_for_several_messages_has_the_state_of_most():
    shown = [Shown(1, (("kept", 3), ("cleared", 1))), Shown(2, (("dropped", 2), ("kept", 4)))]
    assert strip.grid_of(shown, 6, 3) == [
        ["kept", "dropped"],
        ["cleared", "kept"],  # one of each: what is lost counts
        ["", "kept"],
    ]
    assert strip.grid_of(shown, 6, 6)[3:] == [["cleared", "kept"], ["", "kept"], ["", "kept"]]


def test_a_strip_is_told_in_words():
    way = replace(
        a_way("trim", 8_192),
        shown=(
            Shown(1, (("kept", 3),)),
            Shown(4, (("dropped", 2), ("kept", 1), ("cleared", 1), ("kept", 1))),
        ),
    )
    assert strip.in_words(way) == (
        "At request 4, of 5 messages: 2 kept, 1 cleared, 0 summarised, 2 dropped. "
        "First cleared by request 4; first dropped by request 4."
    )
    assert strip.in_words(WayFigures("trim", 1)) == "No request was made."


def test_a_strip_is_drawn_from_the_oldest_at_the_top_left():
    way = replace(a_way("trim", 8_192), shown=(Shown(1, (("dropped", 1), ("kept", 1))),))
    drawn = strip.strip(way, "s", "trim")
    assert '<path class="dropped" d="M0 0h4000v600h-4000z"/>' in drawn
    assert '<path class="kept" d="M0 600h4000v600h-4000z"/>' in drawn


def test_a_strip_that_is_too_fine_is_drawn_coarser_to_the_last_request():
    shown = tuple(
        Shown(
            n,
            tuple(
                ("kept" if (n * n * 7 + m * m * 3 + n * m) % 5 < 2 else "dropped", 1)
                for m in range(300)
            ),
        )
        for n in range(1, 121)
    )
    drawn = strip.strip(WayFigures("trim", 1, (Asked(1, "sent"),), shown=shown), "s", "trim")
    assert 100 < drawn.count("z") <= strip.RECTANGLES_MAX + 10
    assert max(int(x) for x in re.findall(r"M(\d+) ", drawn)) < 4_000


def test_every_policy_of_a_report_is_in_the_legend_of_its_plots():
    report = a_report()
    assert [line.policy for line in series.mean_lines(report, 8_192, series.tokens_of)] == [0, 1, 2]
