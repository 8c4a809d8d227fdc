"""Made-up secrets in prose, from a seed: keys of providers, spoken passwords, and look-alikes.

No key here was ever one: each is its format's prefix and noise from SHA-256. The sentences around
them are how people paste and say such things; what follows a key is a comma, a dot, a bracket, a
quote or an emoji, which rules for source code stumble over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, hexdigits

_HEX = hexdigits[:16]
_LETTERS_DIGITS = ascii_letters + digits
_UPPER_DIGITS = ascii_uppercase + digits
_URL_SAFE = _LETTERS_DIGITS + "-_"
_BASE64 = _LETTERS_DIGITS + "+/"
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with a secret in it: its first place, and what kind it is."""

    kind: str
    text: str
    secret: str

    @property
    def span(self) -> tuple[int, int]:
        """Where the secret stands."""
        start = self.text.index(self.secret)
        return start, start + len(self.secret)


class Noise:
    """Random choices that a seed repeats."""

    def __init__(self, seed: str) -> None:
        self._seed, self._count = seed, 0

    def number(self, below: int) -> int:
        """Return a number from 0 to just below `below`."""
        self._count += 1
        digest = hashlib.sha256(f"{self._seed}/{self._count}".encode()).digest()
        return int.from_bytes(digest[:8]) % below

    def of(self, alphabet: str, size: int) -> str:
        """Return `size` characters of an alphabet."""
        return "".join(alphabet[self.number(len(alphabet))] for _ in range(size))

    def one(self, choices: tuple[str, ...]) -> str:
        """Return one of the choices."""
        return choices[self.number(len(choices))]


Make = Callable[[Noise], str]


def _after(prefix: str, alphabet: str, size: int, suffix: str = "") -> Make:
    return lambda noise: prefix + noise.of(alphabet, size) + suffix


def _uuid(noise: Noise) -> str:
    return "-".join(noise.of(_HEX, size) for size in (8, 4, 4, 4, 12))


def _jwt(noise: Noise) -> str:
    return ".".join(
        ["eyJhbGciOiJIUzI1NiJ9", "eyJ" + noise.of(_URL_SAFE, 60), noise.of(_URL_SAFE, 43)]
    )


def _pem(noise: Noise) -> str:
    body = "\n".join(noise.of(_BASE64, 64) for _ in range(6))
    dashes = "-" * 5
    return f"{dashes}BEGIN PRIVATE KEY{dashes}\n{body}\n{dashes}END PRIVATE KEY{dashes}"


FORMATS: dict[str, Make] = {
    "GitHub token": _after("ghp" + "_", _LETTERS_DIGITS, 36),
    "GitHub fine-grained token": lambda noise: (
        f"github{'_pat_'}{noise.of(_LETTERS_DIGITS, 22)}_{noise.of(_LETTERS_DIGITS, 59)}"
    ),
    "GitLab token": _after("glpat" + "-", _LETTERS_DIGITS, 20),
    "AWS access key id": _after("AKIA", _UPPER_DIGITS[:26] + "234567", 16),
    "AWS secret access key": _after("", _BASE64, 40),
    "Google API key": _after("AIza", _URL_SAFE, 35),
    "Google client secret": _after("GOCSPX" + "-", _URL_SAFE, 28),
    "OpenAI key": lambda noise: (
        f"sk-proj-{noise.of(_URL_SAFE, 74)}T3BlbkFJ{noise.of(_URL_SAFE, 74)}"
    ),
    "OpenAI legacy key": _after("sk" + "-", _LETTERS_DIGITS, 48),
    "Anthropic key": _after("sk-ant" + "-api03-", _URL_SAFE, 93, "AA"),
    "Groq key": _after("gsk" + "_", _LETTERS_DIGITS, 52),
    "Hugging Face token": _after("hf" + "_", ascii_letters, 34),
    "Replicate token": _after("r8" + "_", _LETTERS_DIGITS, 37),
    "Slack bot token": lambda noise: (
        f"xoxb-{noise.of(digits[1:], 12)}-{noise.of(digits[1:], 12)}"
        f"-{noise.of(_LETTERS_DIGITS, 24)}"
    ),
    "Slack webhook": lambda noise: (
        "https://hooks.slack" + f".com/services/T{noise.of(_UPPER_DIGITS, 8)}/"
        f"B{noise.of(_UPPER_DIGITS, 8)}/{noise.of(_LETTERS_DIGITS, 24)}"
    ),
    "Stripe key": _after("sk" + "_live_", _LETTERS_DIGITS, 24),
    "Twilio API key": _after("SK", _HEX, 32),
    "SendGrid key": lambda noise: f"SG.{noise.of(_URL_SAFE, 22)}.{noise.of(_URL_SAFE, 43)}",
    "npm token": _after("npm" + "_", _LETTERS_DIGITS, 36),
    "PyPI token": _after("pypi" + "-AgEIcHlwaS5vcmc", _URL_SAFE, 130),
    "DigitalOcean token": _after("dop" + "_v1_", _HEX, 64),
    "Shopify token": _after("shpat" + "_", _HEX, 32),
    "Databricks token": _after("dapi", _HEX, 32),
    "Postman key": lambda noise: f"PMAK-{noise.of(_HEX, 24)}-{noise.of(_HEX, 34)}",
    "Notion token": lambda noise: f"ntn_{noise.of(digits, 11)}{noise.of(_LETTERS_DIGITS, 35)}",
    "Linear key": _after("lin" + "_api_", _LETTERS_DIGITS, 40),
    "Telegram bot token": lambda noise: f"{noise.of(digits[1:], 10)}:AA{noise.of(_URL_SAFE, 33)}",
    "Discord bot token": lambda noise: (
        f"M{noise.of(_URL_SAFE, 25)}.{noise.of(_URL_SAFE, 6)}.{noise.of(_URL_SAFE, 38)}"
    ),
    "Azure client secret": lambda noise: (
        f"{noise.of(_LETTERS_DIGITS, 3)}8Q~{noise.of(_LETTERS_DIGITS, 34)}"
    ),
    "Mailgun key": _after("key" + "-", _HEX, 32),
    "Mailchimp key": _after("", _HEX, 32, "-us14"),
    "Datadog API key": _after("", _HEX, 32),
    "Heroku API key": _uuid,
    "Cloudflare API token": _after("", _URL_SAFE, 40),
    "Figma token": _after("figd" + "_", _URL_SAFE, 40),
    "Vault token": _after("hvs" + ".", _URL_SAFE, 95),
    "session JWT": _jwt,
    "private key": _pem,
    "database URL": lambda noise: (
        f"postgres://app:{noise.of(_LETTERS_DIGITS, 14)}@db.internal:5432/shop"
    ),
}
"""By name: how a key of that format looks. The password alone is what must go from a URL."""

_SENTENCES = (
    "The {name} is {key}{end}",
    "My {name} is {key}{end}",
    "Here is the {name}: {key}{end}",
    "please remember my {name} {key}{end}",
    "I set the {name} to {key}{end}",
    "For staging we use the {name} ({key}){end}",
    'Our {name} "{key}"{end}',
    "{name}={key}{end}",
    "{name}: `{key}`{end}",
    "Use {key} as the {name}{end}",
)
_ENDS = (
    *(", please", ".", ")", '"', " 🙂", "🔑", "; keep it safe", "!", "", " and tell no one"),
    *("。", "\n", "?", " — thanks", "…"),
)


def provider_secrets(of_each: int) -> Iterator[Planted]:
    """Yield texts with a key of each format, `of_each` of each."""
    for name, make in FORMATS.items():
        noise = Noise(name)
        for _ in range(of_each):
            key = make(noise)
            text = noise.one(_SENTENCES).format(name=name, key=key, end=noise.one(_ENDS))
            secret = key.split(":")[2].split("@")[0] if name == "database URL" else key
            yield Planted(name, text, secret)


_WORDS = tuple(
    "plum tiger lamp river copper maple window garden rocket silver pepper harbor candle planet"
    " summer falcon bridge cactus violet thunder".split()
)


def _password(noise: Noise) -> str:
    one, two, three = (noise.one(_WORDS) for _ in range(3))
    number = str(10 + noise.number(90))
    return noise.one(
        (
            f"{one}-{two.title()}-{number}",
            f"{one.title()}{number}!",
            f"{one}{two}{number}",
            f"{one.title()}_{two.title()}_{number}",
            one.replace("a", "4").replace("e", "3").replace("i", "1") + noise.of(digits, 3),
            noise.of(_LETTERS_DIGITS, 9) + number,
            noise.of(ascii_lowercase, 5) + "$" + noise.of(ascii_letters, 4) + number,
            f"{one}-{two}-{three}",
            f"{one.title()}{two.title()}",
            noise.of(digits, 8),
            f"{one.title()}{two}2024",
            one,
        )
    )


SPOKEN = {
    "en": (
        "my wifi password is {}",
        "The password for the staging db is {}.",
        "For staging the db password is {} and the port is 5432",
        "the password's {}, don't forget it",
        "wifi: guest network, password: {}",
        "Our Netflix password is now {}, please remember",
        "username bob, password = {}",
        "I changed my password to {} yesterday",
        "the router's pw is {}",
        "please note that the admin password was {} until May",
        "Password for the NAS in the hall is {}",
        "DB_PASSWORD={}",
        '"password": "{}"',
        "the passcode is {} 🙂",
        "I always use {} as my password",
        "My password (for the bank) is {}!",
        'My password is "{}".',
    ),
    "de": (
        "Mein WLAN-Passwort ist {}.",
        "Das Passwort lautet {}, bitte merken",
        "Passwort: {}",
        "Kennwort für den Server: {}",
    ),
    "es": ("la contraseña es {}", "Mi contraseña del wifi es {}.", "contraseña: {}"),
    "fr": ("le mot de passe est {}", "Mot de passe du wifi : {}", "mdp: {}"),
    "zh": ("密码是{}", "我的WiFi密码：{}，请记住", "登录密码为 {}。"),
}
"""By language: how a password is said."""


def spoken_passwords(of_each: int) -> Iterator[Planted]:
    """Yield sentences that say a password, `of_each` of each sentence."""
    for language, sentences in SPOKEN.items():
        for sentence in sentences:
            noise = Noise(sentence)
            for _ in range(of_each):
                secret = _password(noise)
                yield Planted(language, sentence.format(secret), secret)


_LOOKALIKES: dict[str, Make] = {
    "UUID": _uuid,
    "SHA-1": _after("", _HEX, 40),
    "SHA-256": _after("sha256:", _HEX, 64),
    "short hash": _after("", _HEX, 8),
    "ULID": lambda noise: "01" + noise.of(_CROCKFORD, 24),
    "ticket": lambda noise: f"{noise.one(('OPS', 'PAY', 'WEB'))}-{noise.of(digits[1:], 5)}",
    "order": _after("", digits[1:], 9),
    "memory": _after("mem_", _HEX, 32),
    "call": _after("call_", _LETTERS_DIGITS, 24),
    "toolu": _after("toolu_01", _LETTERS_DIGITS, 22),
    "message": _after("msg_", _LETTERS_DIGITS, 24),
    "model": lambda noise: noise.one(("gpt-4o-2024-08-06", "claude-3-5-sonnet-20241022")),
    "version": lambda noise: f"v{noise.of(digits[1:], 1)}.{noise.of(digits[1:], 2)}.0-rc1",
}
_PLAIN = (
    "I looked at {} this morning.",
    "The build of {} failed, see the log",
    "Compare {}, please, with the one before",
    "It is filed under {} (since May).",
    "The primary key is {}.",
    "Deployed {} to staging",
    "the idempotency key {} was used twice",
    "Link: https://tracker.test/items/{}",
    "Two tests of {} test passwords and tokens.",
)


def lookalikes(of_each: int) -> Iterator[str]:
    """Yield sentences with an id, a hash or a version and no secret, `of_each` of each."""
    for name, make in _LOOKALIKES.items():
        noise = Noise(f"lookalike {name}")
        for _ in range(of_each):
            yield noise.one(_PLAIN).format(make(noise))
