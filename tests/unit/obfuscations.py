"""Ways to write a sentence that a reader understands and a search does not: one function each."""

import base64
import codecs
import html
import string
from collections.abc import Callable

Obfuscator = Callable[[str], str]

_LETTERS = string.ascii_lowercase
_CYRILLIC = str.maketrans("aceiopsxyjh", "асеіорѕхујһ")
_GREEK = str.maketrans("aeoiuvnptk", "αεοιυνηρτκ")
_SMALL_CAPITALS = str.maketrans("abcdefghijklmnoprtuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢ")
_LEET = str.maketrans("aeiost", "431057")
_UPSIDE_DOWN = str.maketrans(_LETTERS, "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz")


def _shifted(first: int) -> Obfuscator:
    """Return a function that moves a to z to where an alphabet of Unicode begins."""
    table = {ord(letter): chr(first + place) for place, letter in enumerate(_LETTERS)}
    return lambda text: text.lower().translate(table)


def _between(filler: str) -> Obfuscator:
    """Return a function that puts `filler` between the letters of each word."""
    return lambda text: " ".join(filler.join(word) for word in text.split())


def _lowered(table: dict[int, int]) -> Obfuscator:
    return lambda text: text.lower().translate(table)


def tags(text: str) -> str:
    return "See the notes." + "".join(chr(0xE0000 + ord(letter)) for letter in text)


def variation_selectors(text: str) -> str:
    codes = (chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in text.encode())
    return "A smile 😊" + "".join(codes)


def zero_width_bits(text: str) -> str:
    bits = "".join(f"{octet:08b}" for octet in text.encode())
    return "Nothing here" + bits.replace("0", "\u200b").replace("1", "\u200c") + "."


def bidi_override(text: str) -> str:
    return f"\u202e{text[::-1]}\u202c"


def zalgo(text: str) -> str:
    marks = "\u0300\u0316\u0334\u0489\u035c"
    return "".join(letter + marks if letter.isalpha() else letter for letter in text)


def accented(text: str) -> str:
    return "".join(letter + "\u0301" if letter in "aeiou" else letter for letter in text)


def html_entities(text: str) -> str:
    return "".join(f"&#{ord(letter)};" for letter in text)


def html_hex_twice(text: str) -> str:
    return html.escape("".join(f"&#x{ord(letter):x};" for letter in text))


def percent(text: str) -> str:
    return "".join(f"%{octet:02X}" for octet in text.encode())


def unicode_escapes(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def base64_of_base64(text: str) -> str:
    return base64.b64encode(base64.b64encode(text.encode())).decode()


def letter_spaced(text: str) -> str:
    return "  ".join(" ".join(word) for word in text.split())


def bits(text: str) -> str:
    return " ".join(f"{octet:08b}" for octet in text.encode())


OBFUSCATIONS: dict[str, Obfuscator] = {
    "zero width space": _between("\u200b"),
    "zero width instead of blanks": lambda text: text.replace(" ", "\u200b"),
    "soft hyphens": _between("\u00ad"),
    "word joiners": _between("\u2060"),
    "tags": tags,
    "variation selectors": variation_selectors,
    "zero width bits": zero_width_bits,
    "bidi override": bidi_override,
    "reversed": lambda text: text[::-1],
    "Cyrillic": _lowered(_CYRILLIC),
    "Greek": _lowered(_GREEK),
    "full width": lambda text: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text
    ),
    "mathematical bold": _shifted(0x1D41A),
    "mathematical script": _shifted(0x1D4EA),
    "circled": _shifted(0x24D0),
    "squared": _shifted(0x1F130),
    "negative squared": _shifted(0x1F170),
    "regional indicators": lambda text: " ".join(
        "\u200a".join(_shifted(0x1F1E6)(word)) for word in text.split()
    ),
    "small capitals": _lowered(_SMALL_CAPITALS),
    "combining accents": accented,
    "zalgo": zalgo,
    "upside down": lambda text: text.lower()[::-1].translate(_UPSIDE_DOWN),
    "HTML entities": html_entities,
    "HTML entities twice": html_hex_twice,
    "percent": percent,
    "unicode escapes": unicode_escapes,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 twice": base64_of_base64,
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "hex spaced": lambda text: text.encode().hex(" "),
    "binary": bits,
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "letter spaced": letter_spaced,
    "letter spaced evenly": lambda text: " ".join(text.replace(" ", "")),
    "dots between letters": _between("."),
    "dashes between letters": _between("-"),
    "underscores between words": lambda text: text.replace(" ", "_"),
    "asterisks": _between("*"),
    "emoji between words": lambda text: text.replace(" ", "🔥"),
    "newlines between words": lambda text: text.replace(" ", "\n"),
    "newlines between letters": lambda text: "\n\n".join("\n".join(w) for w in text.split()),
    "leet": _lowered(_LEET),
    "alternating case": lambda text: "".join(
        c.upper() if place % 2 else c.lower() for place, c in enumerate(text)
    ),
}
