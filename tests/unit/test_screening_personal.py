"""Personal data with a form that can be checked, and what only looks like it."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue, MissingExtra
from lifelong.providers.phones import PhoneFinder
from lifelong.providers.presidio import PresidioFinder
from lifelong.screening import identifiers
from lifelong.screening.personal import PERSONAL_KINDS, find_personal
from lifelong.writing import PERSONAL, Finding


def found(text, **options):
    return [(each.rule, text[each.start : each.end]) for each in find_personal(text, **options)]


# Numbers from documentation: test cards, example IBANs, 555 telephones, addresses for examples.
@pytest.mark.parametrize(
    ("text", "rule", "value"),
    [
        ("write to ana.lopez+news@example.co.uk, please", "email", "ana.lopez+news@example.co.uk"),
        ("邮箱是ana@example.com。", "email", "ana@example.com"),
        ("mail 'o.brien@example.org'.", "email", "o.brien@example.org"),
        ("card 4111 1111 1111 1111 expires", "card", "4111 1111 1111 1111"),
        ("5555-5555-5555-4444", "card", "5555-5555-5555-4444"),
        ("amex: 378282246310005.", "card", "378282246310005"),
        ("my old visa 4222222222222", "card", "4222222222222"),
        ("IBAN DE89 3704 0044 0532 0130 00, ok", "iban", "DE89 3704 0044 0532 0130 00"),
        ("gb82west12345698765432", "iban", "gb82west12345698765432"),
        ("NO9386011117947.", "iban", "NO9386011117947"),
        ("SSN 219-09-9999", "ssn", "219-09-9999"),
        ("social security number 219 09 9999", "ssn", "219 09 9999"),
        ("from 203.0.113.7:8080? no: 203.0.113.7", "ip", "203.0.113.7"),
        ("host 2001:db8::8a2e:370:7334 is down", "ip", "2001:db8::8a2e:370:7334"),
        ("call me at 555-0199", "phone", "555-0199"),
        ("(212) 555-0187 is hers", "phone", "(212) 555-0187"),
        ("+44 20 7946 0958.", "phone", "+44 20 7946 0958"),
        ("Tel.: 030 23125 014", "phone", "030 23125 014"),
        ("meine Handynummer, ruf an: 0151 23456789", "phone", "0151 23456789"),
        ("mi teléfono es 612 34 56 78", "phone", "612 34 56 78"),
        ("电话：010 5550 1234", "phone", "010 5550 1234"),
        ("fax 212.555.0100x459", "phone", "212.555.0100x459"),
        ("Steuer-ID 86 095 742 719", "de-tax-id", "86 095 742 719"),
        ("DNI 12345678Z", "es-dni", "12345678Z"),
        ("NIE X1234567L", "es-dni", "X1234567L"),
        ("身份证 11010519491231002X", "cn-id", "11010519491231002X"),
        ("NHS number 943 476 5919", "uk-nhs", "943 476 5919"),
        ("sécu 2 55 08 14 168 025 38", "fr-nir", "2 55 08 14 168 025 38"),
    ],
)
def test_personal_data_are_found(text, rule, value):
    assert (rule, value) in found(text)
    assert {each.kind for each in find_personal(text)} == {PERSONAL}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no digits at all",
        "@ana said hi, see a@b",
        "4111 1111 1111 1112 is no card",
        "order 4222222222222 came",
        "1733000000 seconds, 1733000000000 milliseconds",
        "DE89 3704 0044 0532 0130 01 has a wrong digit",
        "the flight LH1234 on 2026-11-30 at 12:30:45",
        "from 01.12.2026 to 24.12.2026, 2019-2024",
        "000-12-3456 and 666-12-3456 and 900-12-3456",
        "version 1.2.3.4 of it, v10.20.30.40",
        "999.1.1.1 and 1.2.3.4.5",
        "127.0.0.1 and ::1 and 0.0.0.0",
        "std::vector and a::b and 00:1A:2B:3C:4D:5E",
        "pi is 3.14159265 and the total 1234567.89",
        "account 12345678 and invoice 87654321",
        "call ticket 12345678",
        "it weighs 1 200 000 kg",
        "my driver's license number is 6940579",
        "the NHS has 9434765918 of them",
        "12345678A is no DNI",
        "11010519491231002Y",
        "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text):
    assert found(text) == []


def test_kinds_choose_what_is_looked_for():
    text = "ana@example.com, 203.0.113.7, DNI 12345678Z, 4111 1111 1111 1111"
    assert found(text, kinds=["email"]) == [("email", "ana@example.com")]
    assert found(text, kinds=("national-id", "ip")) == [
        ("ip", "203.0.113.7"),
        ("es-dni", "12345678Z"),
    ]
    assert found(text, kinds=[]) == []


def test_a_card_that_may_stay_is_no_telephone_number():
    assert found("call the card 4111 1111 1111 1111", kinds=["phone"]) == []


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidValue, match="'name' is no kind"):
        find_personal("x", kinds=["name"])


def test_the_region_knows_its_own_way_to_write_numbers():
    text = "0151 23456789 is Ana, 212 555 0187 is Bob"
    assert found(text) == []
    assert found(text, region="DE") == [("phone", "0151 23456789")]
    assert found(text, region="US") == [("phone", "212 555 0187")]


@given(st.text(alphabet="0123456789 -.:@+()xaDE", max_size=60))
def test_findings_are_in_order_and_apart_and_within_the_text(text):
    at = 0
    for each in find_personal(text):
        assert at <= each.start < each.end <= len(text)
        at = each.end


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "a@", "a.", "::", "a:", "+1 ", "(1", "DE12 ", "1.1.", "1-"]
)
def test_a_long_text_of_one_thing_is_done_with(unit):
    assert isinstance(find_personal(unit * (100_000 // len(unit))), tuple)


def test_a_check_digit_that_is_wrong_is_seen():
    assert identifiers.is_luhn("4111111111111111")
    assert not identifiers.is_luhn("4111111111111112")
    assert not identifiers.is_card("0" * 16)
    assert not identifiers.is_german_tax_id("86095742710")
    assert not identifiers.is_german_tax_id("12345678903")  # no digit comes twice
    assert not identifiers.is_french_nir("255081416802539")
    assert not identifiers.is_chinese_id("110105194913310021")  # the 13th month
    assert not identifiers.is_nhs_number("1" * 10)
    assert not identifiers.is_iban("XX00")


def test_phone_finder_without_its_package_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "phonenumbers", None)
    with pytest.raises(MissingExtra, match=r"lifelong\[personal\]"):
        PhoneFinder()


def test_presidio_finder_without_its_package_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(MissingExtra, match=r"lifelong\[presidio\]"):
        PresidioFinder()


class Result:
    def __init__(self, entity_type, start, end, score):
        self.entity_type, self.start, self.end, self.score = entity_type, start, end, score


class FakeAnalyzer:
    def __init__(self, *results):
        self.results, self.asked = results, []

    def analyze(self, **asked):
        self.asked.append(asked)
        return list(self.results)


def test_presidio_finder_keeps_the_surer_of_two_that_overlap():
    analyzer = FakeAnalyzer(
        Result("URL", 15, 26, 0.5),
        Result("EMAIL_ADDRESS", 11, 26, 1.0),
        Result("PERSON", 0, 3, 0.85),
    )
    finder = PresidioFinder(analyzer, language="de", entities=["PERSON"], score_min=0.4)
    assert finder("Ana writes ana@example.com") == (
        Finding(PERSONAL, "person", 0, 3),
        Finding(PERSONAL, "email-address", 11, 26),
    )
    assert analyzer.asked == [
        {
            "text": "Ana writes ana@example.com",
            "language": "de",
            "entities": ["PERSON"],
            "score_threshold": 0.4,
        }
    ]


def test_presidio_finders_that_look_for_other_things_have_other_names():
    names = {
        PresidioFinder(FakeAnalyzer(), **options).name
        for options in ({}, {"language": "de"}, {"entities": ["PERSON"]}, {"score_min": 0.9})
    }
    assert len(names) == 4


def test_a_score_out_of_range_is_refused():
    with pytest.raises(InvalidValue, match="score_min"):
        PresidioFinder(FakeAnalyzer(), score_min=2)


def test_the_kinds_are_named():
    assert set(PERSONAL_KINDS) == {"email", "iban", "card", "ssn", "national-id", "ip", "phone"}
