"""Numbers that carry their own proof: payment cards, IBANs, national ids.

Each function says whether characters, without spaces and hyphens, are such a number. Sums only;
where in a text to look is `personal`'s concern.
"""

from __future__ import annotations

from collections import Counter
from itertools import cycle

IBAN_LENGTHS = {
    **dict.fromkeys(["NO"], 15),
    **dict.fromkeys(["BE"], 16),
    **dict.fromkeys(["DK", "FI", "FK", "FO", "GL", "NL", "SD"], 18),
    **dict.fromkeys(["MK", "SI"], 19),
    **dict.fromkeys(["AT", "BA", "EE", "KZ", "LT", "LU", "MN", "XK"], 20),
    **dict.fromkeys(["CH", "HR", "LI", "LV"], 21),
    **dict.fromkeys(["BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA"], 22),
    **dict.fromkeys(["AE", "GI", "IL", "IQ", "OM", "SO", "TL"], 23),
    **dict.fromkeys(["AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"], 24),
    **dict.fromkeys(["LY", "PT", "ST"], 25),
    **dict.fromkeys(["IS", "TR"], 26),
    **dict.fromkeys(["BI", "DJ", "FR", "GR", "IT", "MC", "MR", "SM"], 27),
    **dict.fromkeys(["AL", "AZ", "BY", "CY", "DO", "GT", "HN", "HU", "LB", "NI", "PL", "SV"], 28),
    **dict.fromkeys(["BR", "EG", "PS", "QA", "UA"], 29),
    **dict.fromkeys(["JO", "KW", "MU", "YE"], 30),
    **dict.fromkeys(["MT", "SC"], 31),
    **dict.fromkeys(["LC"], 32),
    **dict.fromkeys(["RU"], 33),
}
"""Characters of an IBAN by country (the SWIFT registry)."""

_CARDS = (
    # first digits from, to; how many digits the card has
    (4, 4, (13, 16, 19)),
    (51, 55, (16,)),
    (2221, 2720, (16,)),
    (34, 34, (15,)),
    (37, 37, (15,)),
    (300, 305, (14, 16, 19)),
    (3095, 3095, (14, 16, 19)),
    (36, 36, (14, 16, 19)),
    (38, 39, (14, 16, 19)),
    (3528, 3589, (16, 17, 18, 19)),
    (2131, 2131, (15,)),
    (1800, 1800, (15,)),
    (6011, 6011, (16, 19)),
    (644, 659, (16, 17, 18, 19)),
    (62, 62, (16, 17, 18, 19)),
    (50, 50, (12, 13, 14, 15, 16, 17, 18, 19)),
    (56, 58, (12, 13, 14, 15, 16, 17, 18, 19)),
    (6, 6, (12, 13, 14, 15, 16, 17, 18, 19)),
)
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_NHS_WEIGHTS = range(10, 1, -1)
_CHINESE_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def is_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    total = 0
    for digit, is_doubled in zip(reversed(digits), cycle((False, True)), strict=False):
        doubled = int(digit) * 2 if is_doubled else int(digit)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """Whether it is the number of a payment card: a known prefix, its length, its check digit."""
    return (
        any(
            len(digits) in lengths and first <= int(digits[: len(str(first))]) <= last
            for first, last, lengths in _CARDS
        )
        and len(set(digits)) > 1
        and is_luhn(digits)
    )


def is_iban(characters: str) -> bool:
    """Whether it is an IBAN: the length of its country, and 1 modulo 97."""
    upper = characters.upper()
    if len(upper) != IBAN_LENGTHS.get(upper[:2]) or not upper.isascii() or not upper.isalnum():
        return False
    return upper[2:4].isdecimal() and _modulo_97(upper[4:] + upper[:4]) == 1


def _modulo_97(characters: str) -> int:
    return int("".join(str(int(each, 36)) for each in characters)) % 97


def is_german_tax_id(digits: str) -> bool:
    """Whether it is a German tax id: of the first ten digits one comes twice or three times."""
    counts = Counter(digits[:10]).values()
    if len(digits) != 11 or digits[0] == "0" or max(counts) not in (2, 3):
        return False
    if sum(count > 1 for count in counts) != 1:
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_spanish_dni(characters: str) -> bool:
    """Whether it is a Spanish DNI or NIE: its letter is that of the number modulo 23."""
    number = characters[:-1].translate(str.maketrans("XYZ", "012"))
    return (
        len(characters) == 9
        and number.isdecimal()
        and characters[1:-1].isdecimal()
        and _DNI_LETTERS[int(number) % 23] == characters[-1]
    )


def is_chinese_id(characters: str) -> bool:
    """Whether it is a Chinese resident id: a date of birth, and ISO 7064's check character."""
    digits, check = characters[:17], characters[17:].upper()
    if len(characters) != 18 or not digits.isdecimal():
        return False
    year, month, day = int(digits[6:10]), int(digits[10:12]), int(digits[12:14])
    if not (1900 <= year <= 2099 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(digits, _CHINESE_WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == check


def is_french_nir(digits: str) -> bool:
    """Whether it is a French social security number: its key is 97 less the number modulo 97."""
    return (
        len(digits) == 15 and digits[0] in "12" and 97 - int(digits[:13]) % 97 == int(digits[13:])
    )


def is_nhs_number(digits: str) -> bool:
    """Whether it is a number of the British NHS: weighted from 10 to 2, modulo 11."""
    if len(digits) != 10 or len(set(digits)) == 1:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(digits[:9], _NHS_WEIGHTS, strict=True))
    return (11 - total % 11) % 11 == int(digits[9])
