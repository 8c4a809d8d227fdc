"""The words that `statements` reads: contractions, articles, numbers, spellings, negations.

Data only. What stands here is the same in every sentence; words of which that is not sure ("bike",
"little") are left out, and two statements that differ in them are two.
"""

from __future__ import annotations

from collections.abc import Mapping

ARTICLES = frozenset(("a", "an", "the"))

CONTRACTED: Mapping[str, tuple[str, ...]] = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "let's": ("let", "us"),
    "percent": ("%",),
    "gonna": ("going", "to"),
    "nobody": ("no", "one"),
    "e-mail": ("email",),
    "e-mails": ("emails",),
}

PRONOUNS_OF_IS = frozenset("he she it that there here who what where".split())

_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_SMALL = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen".split()
)
NUMBERS: Mapping[str, str] = {
    **{name: str(number) for number, name in enumerate(_SMALL, 1) if number > 1},
    **{name: str(number) for name, number in _TENS.items()},
    **{
        f"{tens}-{one}": str(number + more)
        for tens, number in _TENS.items()
        for more, one in enumerate(_SMALL[:9], 1)
    },
}
""" "One" is left out: it is a pronoun and an article as well."""

BRITISH: Mapping[str, str] = {
    "grey": "gray",
    "colour": "color",
    "colours": "colors",
    "coloured": "colored",
    "favourite": "favorite",
    "favourites": "favorites",
    "neighbour": "neighbor",
    "neighbours": "neighbors",
    "centre": "center",
    "theatre": "theater",
    "kid": "child",
    "kids": "children",
    "somebody": "someone",
    "everybody": "everyone",
    "anybody": "anyone",
    "persons": "people",
    "okay": "ok",
    "television": "tv",
    "photograph": "photo",
    "photographs": "photos",
    "motorbike": "motorcycle",
    "motorbikes": "motorcycles",
    "sofa": "couch",
    "aeroplane": "airplane",
    "till": "until",
    "mum": "mom",
    "lady": "woman",
    "ladies": "women",
    "rapidly": "quickly",
}
"""Two spellings or two names of the same."""

SINGLE_LETTER_UNITS = frozenset("k am pm st nd rd th of in on at is by to or and".split())
"""What may follow a number in capitals or not."""

NEGATIONS = frozenset(
    """
    no not never none nobody nothing nowhere neither nor without cannot hardly barely
    nicht kein keine keinen keinem keiner keines nie niemals ohne nichts niemand
    nunca jamás sin ningún ninguna ninguno nada nadie tampoco ni
    不 没 沒 别 別 未 无 無 非
    """.split()
)
