"""Which plain letter a character is read as: the tables that views of a text are made with.

A text that hides a word writes it with letters of another script, with small capitals, with marks
stacked on letters, or in one of the many alphabets that Unicode has for mathematics. `fold` undoes
what Unicode itself knows (compatibility forms, case, marks), so that texts in any script keep their
letters; `plain_letters` also reads what merely looks like a Latin letter as one, which is right for
a disguised word and wrong for Russian: who searches needs both. Each character is read on its own,
so that the cost is linear whatever marks are stacked (normalising a whole text is not).
"""

from __future__ import annotations

import re
import unicodedata

CACHED_MAX = 8192
"""Characters that a table remembers. A text of every character there is must not fill memory."""

HIDDEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What nobody sees, as a class of a pattern: controls, zero width, direction, fillers, tags."""

_READ_AS = {
    "a": "АаΑαᴀɑᎪꓮ∀ⱥд🅐🅰🇦",
    "b": "ВвьΒβϐᏴʙɓꓐƀ🅑🅱🇧",
    "c": "СсϲᴄᏟꓚƈȼ©🅒🅲🇨",
    "d": "ԁᴅɗđɖꓓᎠԀð🅓🅳🇩",
    "e": "ЕеєэΕεᴇɛəᎬꓰɇ€🅔🅴🇪",
    "f": "ϝꜰƒꓝғ🅕🅵🇫",
    "g": "ɡԌցɢɠǥᏀꓖ🅖🅶🇬",
    "h": "НнһΗհʜħᎻꓧ🅗🅷🇭",
    "i": "ІіΙιıɪᎥꓲɨ¡🅘🅸🇮",
    "j": "ЈјϳᴊʝɉꓙᎫ🅙🅹🇯",
    "k": "КкΚκᴋƙᏦꓗҝ🅚🅺🇰",
    "l": "ӏʟłƚᏞꓡן🅛🅻🇱",
    "m": "МмΜᴍɱᎷꓟϻ🅜🅼🇲",
    "n": "ΝηпиոռɴŋɳꓠƞИ🅝🅽🇳",
    "o": "ОоΟοσօᴏøɵꓳᎾө🅞🅾🇴",
    "p": "РрΡρᴘƥþᏢꓑ🅟🅿🇵",
    "q": "Ԛԛգզɋꞯ🅠🆀🇶",
    "r": "ЯяʀɾɍгᎡꓣɼ®🅡🆁🇷",
    "s": "ЅѕꜱʂᏚꓢ§🅢🆂🇸",
    "t": "ТтΤτᴛŧƭᎢꓔ🅣🆃🇹",
    "u": "υսᴜʋʉꓴцμ🅤🆄🇺",
    "v": "νѵᴠᏙꓦ🅥🆅🇻",
    "w": "ԜԝωᴡաɯѡшᎳꓪ🅦🆆🇼",
    "x": "ХхΧχҳꓫ×🅧🆇🇽",
    "y": "УуΥγҮүʏყꓬч¥🅨🆈🇾",
    "z": "Ζᴢʐƶɀꓜ🅩🆉🇿",
}
_LIKE_LATIN = {character: plain for plain, shapes in _READ_AS.items() for character in shapes}
_TURNED = str.maketrans("ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz", "abcdefghijklmnopqrstuvwxyz")
_BLANKS = "\u2800\u1680\u180e"
_HIDDEN = re.compile(f"[{HIDDEN}]")


class _Table(dict[int, str]):
    """What each character is replaced with, worked out when it is first met."""

    def __init__(self, like_latin: dict[str, str]) -> None:
        super().__init__()
        self._like_latin = like_latin

    def __missing__(self, code: int) -> str:
        read = _read(chr(code), self._like_latin)
        if len(self) < CACHED_MAX:
            self[code] = read
        return read


def fold(text: str) -> str:
    """Return `text` without case, marks, hidden characters and compatibility forms."""
    if text.isascii():
        return _HIDDEN.sub("", text).lower()
    return text.translate(_FOLDED)


def plain_letters(text: str) -> str:
    """Return `text` folded, and with what looks like a Latin letter read as that letter."""
    return fold(text) if text.isascii() else text.translate(_PLAIN)


def turned(text: str) -> str:
    """Return `text` as it reads upside down: letters turned, and from the other end."""
    return text.casefold().translate(_TURNED)[::-1]


def _read(character: str, like_latin: dict[str, str]) -> str:
    if character in like_latin:
        return like_latin[character]
    if _HIDDEN.match(character):
        return ""
    if character in _BLANKS:
        return " "
    # Two ligatures of whole Arabic phrases would make a text eighteen times as long.
    decomposed = unicodedata.normalize("NFKD", character)[:4]
    bare = "".join(c for c in decomposed if unicodedata.category(c) not in _MARKS)
    if like_latin:
        bare = "".join(like_latin.get(c, c) for c in bare)
    return bare.casefold()


_MARKS = ("Mn", "Me")
_FOLDED, _PLAIN = _Table({}), _Table(_LIKE_LATIN)
