"""Find personal data whose form can be checked: addresses of mail and machines, numbers with proof.

By choice of the caller; nothing here is on by default. Names and places have no form that could be
checked: `lifelong.providers.presidio` finds them with a model. Telephone numbers are found by their
form and the words before them; `lifelong.providers.phones` knows the numbering plans instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from lifelong.errors import InvalidValue
from lifelong.screening import identifiers
from lifelong.writing import PERSONAL, Finding

PERSONAL_KINDS = ("email", "iban", "card", "ssn", "national-id", "ip", "phone")
"""What can be looked for, in the order in which one place is given to the first that claims it."""
Found = Iterator[tuple[int, int, str]]

_BEFORE = 60
_EMAIL = re.compile(
    r"(?<![A-Za-zÀ-ɏ0-9_.+%-])[A-Za-zÀ-ɏ0-9_][A-Za-zÀ-ɏ0-9_.+%'-]{0,63}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,6}[^\W\d_]{2,24}(?![\w-])"
)
_IBAN = re.compile(r"(?<![^\W_])[A-Za-z]{2}\d\d(?=[ -]?[A-Za-z0-9])", re.ASCII)
_DIGIT_GROUPS = re.compile(r"(?<![\w.,+-])\d(?:[ -]?\d){11,18}(?![\w-]|[.,]\d)", re.ASCII)
_SSN = re.compile(
    r"(?<![\w.-])(?!000|666|9)\d{3}([ -]?)(?!00)\d\d\1(?!0000)\d{4}(?![\w-]|\.\d)", re.ASCII
)
_IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)", re.ASCII)
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9a-f]{0,4}:)[0-9a-f:]{3,39}(?:\.\d{1,3}){0,3}(?![\w:])", re.IGNORECASE
)
_NATIONAL = re.compile(
    r"(?<![\w.,+-])(?:\d{17}[\dXx]|[XYZ]?\d{7,8}-?[A-Z]|\d(?:[ ]?\d){14}|\d(?:[ ]?\d){9,10})"
    r"(?![\w-]|[.,]\d)",
    re.ASCII,
)
_PHONE = re.compile(
    r"(?<![\w.,:/#$€£+-])(?P<plus>\+|00[1-9])?"
    r"(?:\(\+?\d{1,4}\)|\d)(?:[ ./-]{0,2}(?:\(\d{1,4}\)|\d)){5,16}"
    r"(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?(?![\w/-]|[.,:]\d|%)",
    re.ASCII | re.IGNORECASE,
)
_NORTH_AMERICAN = re.compile(
    r"(?:\+?1[ .-]?|001-)?(?:\([2-9]\d\d\)[ .-]?|[2-9]\d\d[.-])[2-9]?\d\d[.-]\d{4}"
    r"(?:\s?(?:x|ext\.?)\s?\d{1,6})?",
    re.IGNORECASE,
)
_NO_PHONE = re.compile(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:\s\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d{2}(?:\s\d{1,2})?"
    r"|\d+\.\d+|(?:19|20)\d\d\s?[-–/]\s?(?:19|20)\d\d|\d{3}-\d\d-\d{4}|(?:\d{1,3}\.){3}\d{1,3}"
)
_PHONE_WORDS = re.compile(
    r"(?:\b(?:tele|telé)?(?:phone|fon|fono|fone|foon|phoned|phoning)s?\b|\b(?:tel|telf|tél|tlf|mobile?|mob|cell|cellular"
    r"|handy|fax|desk|sms|whatsapp|signal|telegram|landline|hotline|extension|móvil|portable)\b"
    r"|\bcall(?:s|ed|ing|back)?\b|\b(?:dial|ring|reach|text|contact|answer)(?:s|ed|ing|ning)?\b"
    r"|\bmessages? (?:to|from|on|at)\b"
    r"|\b(?:my|his|her|our|your|their|new|old|this|following) numbers?\b"
    r"|\b(?:ruf|rufe|anruf\w*|erreich\w*|rückruf|llam\w+|appel\w+|joindre)\b"
    r"|电话|電話|手机|手機|전화|телефон)",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(
    r"\b(?:order|account|invoice|ticket|case|tracking|serial|card|customer|id|isbn|part|model|room|flight|version|passport|licen[cs]e|member|policy|employee|student|pin|code)\b"
    r"[^.\n]{0,20}$",
    re.IGNORECASE,
)
_CARD_WORDS = re.compile(
    r"\b(?:cards?|cc|visa|master ?card|maestro|amex|american express|diners|jcb|discover|credit"
    r"|debit|karte\w*|kreditkarte\w*|tarjeta|carte|carta)\b|卡",
    re.IGNORECASE,
)
_SSN_WORDS = re.compile(
    r"\b(?:ssn|social security|soc\.? ?sec|social|itin|tax ?payer)\b", re.IGNORECASE
)
_VERSION_WORDS = re.compile(
    r"(?:\bv|version|release|section|chapter|§|build|kapitel)\s{0,2}$", re.IGNORECASE
)
_GERMAN_WORDS = re.compile(r"\b(?:steuer\w*|idnr|tax|tin)\b", re.IGNORECASE)
_NHS_WORDS = re.compile(r"\bnhs\b", re.IGNORECASE)
_TRUNK_ZERO = frozenset(
    "AT AU BE CH CN DE FI FR GB HR HU ID IE IL IN JP KR MY NL NZ PH PK RO RS SE SI SK TH TR TW UA"
    " VN ZA".split()
)
"""Where a number without its country's code begins with 0."""
_SEPARATORS = str.maketrans("", "", " -")


def find_personal(
    text: str,
    *,
    kinds: Collection[str] | None = None,
    region: str | None = None,
) -> tuple[Finding, ...]:
    """Return where personal data stand in `text`, in order; no two overlap.

    Args:
        text: any text.
        kinds: which of `PERSONAL_KINDS`; None for all.
        region: a country, as "DE", whose own way to write telephone numbers needs no word beside
            it to be found.

    Raises:
        InvalidValue: there is no such kind.
    """
    unknown = set(kinds or ()) - set(PERSONAL_KINDS)
    if unknown:
        names = ", ".join(PERSONAL_KINDS)
        raise InvalidValue(f"{min(unknown)!r} is no kind of personal data: {names}")
    if "@" not in text and not any(map(str.isdecimal, text)):
        return ()
    taken: list[tuple[int, int, str]] = []
    for kind in PERSONAL_KINDS:
        # Each kind is looked for, wanted or not: a card that may stay is no telephone number.
        taken = _with(taken, _FINDERS[kind](text) if kind != "phone" else _phones(text, region))
    return tuple(
        Finding(PERSONAL, rule, start, end)
        for start, end, rule in taken
        if kinds is None or rule in kinds or (rule not in PERSONAL_KINDS and "national-id" in kinds)
    )


def _with(taken: list[tuple[int, int, str]], found: Found) -> list[tuple[int, int, str]]:
    """Return both in order, without what reaches into a place that is taken."""
    kept, at = [], 0
    for span in found:
        while at < len(taken) and taken[at][1] <= span[0]:
            at += 1
        if at == len(taken) or taken[at][0] >= span[1]:
            kept.append(span)
    return sorted([*taken, *kept])


def _before(text: str, at: int) -> str:
    return text[max(0, at - _BEFORE) : at]


def _emails(text: str) -> Found:
    for match in _EMAIL.finditer(text) if "@" in text else ():
        yield (*match.span(), "email")


def _ibans(text: str) -> Found:
    for match in _IBAN.finditer(text):
        wanted = identifiers.IBAN_LENGTHS.get(match[0][:2].upper(), 0)
        at, characters = match.start(), ""
        while len(characters) < wanted and at < len(text):
            is_gap = text[at] in " -" and characters and text[at - 1] not in " -"
            if not is_gap and not (text[at].isascii() and text[at].isalnum()):
                break
            characters += "" if is_gap else text[at]
            at += 1
        if not text[at : at + 1].isalnum() and identifiers.is_iban(characters):
            yield (match.start(), at, "iban")


def _cards(text: str) -> Found:
    for match in _DIGIT_GROUPS.finditer(text):
        digits = match[0].translate(_SEPARATORS)
        # Short numbers, and those of no known issuer, are cards where something says so.
        is_known = len(digits) >= 15 and identifiers.is_card(digits)
        is_called = identifiers.is_luhn(digits) and _CARD_WORDS.search(_before(text, match.start()))
        if is_known or is_called:
            yield (*match.span(), "card")


def _ssns(text: str) -> Found:
    for match in _SSN.finditer(text):
        if match[1] == "-" or _SSN_WORDS.search(_before(text, match.start())):
            yield (*match.span(), "ssn")


def _addresses(text: str) -> Found:
    for match in _IPV4.finditer(text):
        if _is_address(IPv4Address, match[0]) and not _VERSION_WORDS.search(
            _before(text, match.start())
        ):
            yield (*match.span(), "ip")


def _long_addresses(text: str) -> Found:
    for match in _IPV6.finditer(text) if text.count(":") > 1 else ():
        groups = [each for each in match[0].split(":") if each]
        is_long = len(groups) > 2 or ("::" in match[0] and len(groups) == 2)
        has_digit = any(map(str.isdigit, match[0]))
        if is_long and has_digit and _is_address(IPv6Address, match[0]):
            yield (*match.span(), "ip")


def _all_addresses(text: str) -> Found:
    return iter(sorted([*_addresses(text), *_long_addresses(text)]))


def _is_address(kind: type[IPv4Address | IPv6Address], text: str) -> bool:
    """Whether it is an address, and not that of every machine itself."""
    try:
        address = kind(text)
    except AddressValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _national_ids(text: str) -> Found:
    for match in _NATIONAL.finditer(text):
        plain, before = match[0].translate(_SEPARATORS), _before(text, match.start())
        for rule, is_one, words in _NATIONAL_IDS:
            if (words is None or words.search(before)) and is_one(plain):
                yield (*match.span(), rule)
                break


_NATIONAL_IDS: tuple[tuple[str, Callable[[str], bool], re.Pattern[str] | None], ...] = (
    ("cn-id", identifiers.is_chinese_id, None),
    ("es-dni", identifiers.is_spanish_dni, None),
    ("fr-nir", identifiers.is_french_nir, None),
    ("de-tax-id", identifiers.is_german_tax_id, _GERMAN_WORDS),
    ("uk-nhs", identifiers.is_nhs_number, _NHS_WORDS),
)


def _phones(text: str, region: str | None) -> Found:
    for match in _PHONE.finditer(text):
        size = sum(map(str.isdigit, match[0]))
        if _NO_PHONE.fullmatch(match[0]) or not 7 <= size <= 20:
            continue
        before = _before(text, match.start())
        if (
            match["plus"]
            or _NORTH_AMERICAN.fullmatch(match[0])
            or _is_of_region(match[0], size, region)
            or (_PHONE_WORDS.search(before) and not _NUMBER_OF.search(before))
        ):
            yield (*match.span(), "phone")


def _is_of_region(number: str, size: int, region: str | None) -> bool:
    if region in _TRUNK_ZERO:
        return number.lstrip("(").startswith("0") and 9 <= size <= 12
    return region in ("CA", "US") and size == 10 and number.lstrip("(")[0] in "23456789"


_FINDERS: dict[str, Callable[[str], Found]] = {
    "email": _emails,
    "iban": _ibans,
    "card": _cards,
    "ssn": _ssns,
    "national-id": _national_ids,
    "ip": _all_addresses,
}
