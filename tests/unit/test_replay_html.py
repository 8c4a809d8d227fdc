"""The page of a report: one file, safe to mail, whatever was said in the sessions."""

import base64
import hashlib
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from replayed_reports import LOSS, POLICIES, WINDOWS, a_case, a_report, a_way, asked, with_ways

from lifelong.replay.figures import Asked, CaseFigures, Shown, WayFigures
from lifelong.replay.html import page_of
from lifelong.replay.prices import PriceTable
from lifelong.replay.report import Report, report_of
from lifelong.working.cost import Prices

VOID = {"meta", "path", "rect", "br"}


class Page(HTMLParser):
    """A page, taken apart: its elements with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts, self.unbalanced = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), f"{tag} has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)

    @property
    def shape(self):
        """How often each element with its attributes' names occurs."""
        return Counter((tag, *sorted(attrs)) for tag, attrs in self.elements)

    def values(self, name):
        return [attrs[name] for _, attrs in self.elements if name in attrs]


def require_sound(text):
    """Whatever is in it, the page is balanced, its ids are unique, and all that is named exists."""
    page = Page(text)
    assert page.unbalanced == []
    assert page.open == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    named = [each for name in ("aria-labelledby",) for v in page.values(name) for each in v.split()]
    named += [href.removeprefix("#") for href in page.values("href")]
    assert set(named) <= set(ids)
    for drawing in re.findall(r' (?:d|x|y|viewBox|transform)="([^"]*)"', text):
        assert not re.search("nan|inf", drawing), drawing
    return page


def test_a_page_is_sound_and_says_what_was_found():
    page = require_sound(page_of(a_report()))

    assert "2 sessions with 11 requests, replayed in 6 ways: 3 policies at 2 windows." in page.text
    assert "ticket-4711" in page.text
    assert Counter(tag for tag, _ in page.elements)["h1"] == 1


def test_nothing_is_loaded_or_run_and_the_page_tells_the_browser_so():
    text = page_of(a_report())
    page = Page(text)

    (policy,) = [a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a]
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    tags = {tag for tag, _ in page.elements}
    assert not tags & {
        "script",
        "img",
        "image",
        "iframe",
        "object",
        "embed",
        "link",
        "form",
        "base",
    }
    names = {name for _, attrs in page.elements for name in attrs}
    assert not names & {"src", "style", "srcset", "action", "ping", "background"}
    assert not any(name.startswith("on") for name in names)
    assert all(href.startswith("#") for href in page.values("href"))
    assert "//" not in text.replace("<!--", "")
    assert "@import" not in style
    assert set(re.findall(r"url\((.*?)\)", style)) == {"#hatched"}


HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title></head><body onload=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "<!-- --><svg/onload=alert(1)>",
    "&lt;b&gt;&#60;script&#62;",
    "]]><a href=javascript:alert(1)>x</a>",
    "{{7*7}}${7*7}",
    "<bdi></bdi></dd></dl></li></ol></details></section></main>",
]


def said_by_others(text):
    """Return a report that says `text` wherever somebody else's text can come to stand."""
    loss = replace(LOSS, token=text, said=f"was {text} here", used=text, said_by=text)
    loss = replace(loss, found_in=text)
    ways = tuple(
        replace(
            a_way(policy, window),
            losses=(loss,),
            problems=(text, f"and {text}"),
            shown=(Shown(1, ((text, 2), ("kept", 1))),),
        )
        for policy in (text, f"other {text}")
        for window in WINDOWS
    )
    case = CaseFigures(text, text, text, 3, 2, problem="", notes=(text, text), ways=ways)
    broken = CaseFigures(f"broken {text}", text, text, problem=text)
    return report_of((case, broken), PriceTable(Prices(1.0), currency=text), title=text)


@pytest.mark.parametrize("payload", HOSTILE)
def test_what_was_said_adds_no_element_and_no_attribute(payload):
    harmless = Page(page_of(said_by_others("harmless")))

    page = require_sound(page_of(said_by_others(payload)))

    assert page.shape == harmless.shape
    assert payload in page.text
    for kind in ("class", "href", "id"):
        assert Counter(page.values(kind)) == Counter(harmless.values(kind))


HIDDEN = [
    *("\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\x9b", "\xad", "\u061c", "\u180e"),
    *("\u200b", "\u200d", "\u200e", "\u202e", "\u2028", "\u2066", "\u2069", "\u206a", "\u3164"),
    *("\ufe0f", "\ufeff", "\ufff9", "\uffff", "\ud800", "\udfff", "\U000e0041", "\U000e0100"),
]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_hidden_or_turns_the_direction_is_shown(hidden):
    text = page_of(said_by_others(f"safe{hidden}name"))

    assert f"safe⟨U+{ord(hidden[0]):04X}⟩" in Page(text).text
    assert hidden[0] not in text
    text.encode("utf-8")
    assert not {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs"}} - {"\n"}


def test_a_pile_of_marks_on_a_letter_is_cut():
    text = page_of(said_by_others("z" + "\u0301" * 500))

    assert "z\u0301\u0301\u0301" in text
    assert "\u0301" * 4 not in text


def test_very_long_texts_are_cut():
    text = page_of(said_by_others("W" * 100_000))

    require_sound(text)
    assert "W" * 1_000 not in text
    assert len(text) < 200_000


def test_two_pages_of_one_report_are_the_same_in_every_process():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from replayed_reports import a_report\n"
        "from lifelong.replay.html import page_of\n"
        "import hashlib; print(hashlib.sha256(page_of(a_report()).encode()).hexdigest())"
    )
    folder = __file__.rpartition("/")[0]
    told = {
        subprocess.run(
            [sys.executable, "-c", code, folder],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {hashlib.sha256(page_of(a_report()).encode()).hexdigest()}


def one_request(**fields):
    return CaseFigures(
        "only",
        "file",
        messages=2,
        turns=1,
        ways=(WayFigures("trim", 8_192, (asked(1, 10),), **fields),),
    )


STRANGE = {
    "nothing": Report(),
    "a case without ways": report_of((CaseFigures("a", "b", problem="truncated"),)),
    "a case without requests": report_of((CaseFigures("a", "b", ways=(WayFigures("t", 1),)),)),
    "one request": report_of((one_request(),)),
    "one request, shown": report_of((one_request(shown=(Shown(1, (("kept", 1),)),)),)),
    "nothing shown": report_of((with_ways(a_case(), shown=(Shown(1, ()),)),)),
    "nothing needed": report_of(
        (replace(one_request(), ways=(WayFigures("t", 9, (Asked(1, "sent", 5),)),)),)
    ),
    "nothing made": report_of(
        (replace(one_request(), ways=(WayFigures("t", 9, (Asked(1, "failed"),) * 9),)),)
    ),
    "other ways in each case": report_of(
        (
            replace(one_request(), ways=(a_way("a", 1), a_way("b", 2))),
            replace(one_request(), id="c", ways=(a_way("b", 2), a_way("c", 3))),
        )
    ),
    "an unknown state": report_of((with_ways(a_case(), shown=(Shown(1, (("odd", 3),)),)),)),
    "many policies": report_of(
        (replace(one_request(), ways=tuple(a_way(f"p{n}", 100) for n in range(60))),)
    ),
    "many windows": report_of(
        (replace(one_request(), ways=tuple(a_way("p", n) for n in range(1, 40))),)
    ),
    "huge numbers": report_of(
        (
            replace(
                one_request(),
                messages=10**18,
                turns=9,
                ways=(
                    WayFigures(
                        "t",
                        10**18,
                        (Asked(10**15, "sent", 10**18, 10**18, 10**18, needed=10**18),) * 3,
                        losses=(replace(LOSS, turns_ago=10**18, request=10**18),),
                        loss_turns=((10**18, 10**18),),
                        shown=(Shown(10**18, (("kept", 10**15), ("dropped", 10**15))),),
                    ),
                ),
            ),
        )
    ),
}


@pytest.mark.parametrize("report", STRANGE.values(), ids=STRANGE)
def test_a_strange_report_makes_a_sound_page(report):
    page = require_sound(page_of(report))
    assert "nan" not in page.text.lower().split()


def test_a_page_of_nothing_says_so():
    text = Page(page_of(Report())).text
    assert "Nothing could be replayed: no session has a request." in text
    assert "0 sessions with 0 requests" in text


def checkered(number, columns=120, messages=160):
    """Return a way in whose strip no two neighbours are alike: the worst there is to draw."""
    states = ("kept", "cleared", "summarised", "dropped")
    shown = tuple(
        Shown(
            column,
            tuple((states[(row * 7 + column * 5 + number) % 4], 1) for row in range(messages)),
        )
        for column in range(1, columns + 1)
    )
    return a_way(f"policy {number}", 8_192, requests=columns, shown=shown)


def test_a_page_stays_small_whatever_the_strips():
    ways = tuple(checkered(number) for number in range(7))
    cases = [replace(a_case(f"case {n}", requests=120), ways=ways) for n in range(12)]

    assert len(page_of(report_of(cases)).encode()) < 3_000_000


def test_a_page_stays_small_with_many_cases():
    case = with_ways(a_case(requests=60), losses=(LOSS,) * 20)
    cases = [replace(case, id=f"case {number}") for number in range(2_000)]

    assert len(page_of(report_of(cases)).encode()) < 3_000_000


def test_a_page_stays_small_with_many_policies_and_windows():
    ways = [a_way(f"p{n}", w, requests=90) for n in range(60) for w in range(1_000, 13_000, 1_000)]
    page = page_of(report_of([replace(a_case(requests=90), ways=tuple(ways))]))

    assert len(page.encode()) < 3_000_000
    assert "Only the first 16 policies are drawn as lines." in Page(page).text


def test_every_table_has_a_caption_and_heads_that_say_what_they_head():
    page = Page(page_of(a_report()))
    kinds = Counter(tag for tag, _ in page.elements)

    assert kinds["table"] == kinds["caption"] > 0
    assert {attrs.get("scope") for tag, attrs in page.elements if tag == "th"} == {"col", "row"}


def test_every_picture_has_words_and_may_be_reached_or_says_nothing():
    page = Page(page_of(a_report()))
    kinds = Counter(tag for tag, _ in page.elements)
    pictures = [attrs for tag, attrs in page.elements if tag == "svg"]
    told = [each for each in pictures if each.get("role") == "img"]

    assert {each["tabindex"] for each in told} == {"0"}
    assert len({each["aria-labelledby"] for each in told}) == len(told)
    assert {each.get("aria-hidden") for each in pictures if each not in told} == {"true"}
    assert kinds["title"] == len(told) + 1
    assert kinds["desc"] == len(told) > 0


def test_every_policy_is_named():
    text = Page(page_of(a_report())).text
    assert {policy for policy in POLICIES if policy not in text} == set()
