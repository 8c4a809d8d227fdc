"""Secrets are found in prose and code; plain text, placeholders and ids never are."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.screening.redact import redact
from lifelong.screening.rules import rule_set
from lifelong.screening.secrets import RULES_VERSION, find_secrets
from lifelong.writing import SECRET

# Put together at run time: as one literal each would be taken for a leaked key.
GITHUB = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
GITLAB = "glpat-" + "aB3dE5gH7jK9mN1pQ3sT"
AWS_ID = "AKIA" + "J4XKQ7ZN2M5PR3TV"
AWS_SECRET = "Zk8vQ2/mN4pR7tVwX1+" + "yB3cD5eF6gH9jK0lM2"
OPENAI = "sk-" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k"
ANTHROPIC = "sk-ant-" + "api03-" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE"
SLACK = "xoxb-" + "123456789012-123456789013-aB3dE5gH7jK9mN1pQ3sT5vW7"
STRIPE = "sk_" + "live_" + "aB3dE5gH7jK9mN1pQ3sT5vW7"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC"
HUGGING = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
SOURCES = "8f14e45fceea167a5a36dedd4bea2543"
PEM = (
    "-----BEGIN " + "RSA PRIVATE KEY-----\n" + "MIIEow" + "IBAAKCAQEA7" * 8 + "\n"
    "-----END " + "RSA PRIVATE KEY-----"
)


def found(text):
    return [text[each.start : each.end] for each in find_secrets(text)]


@pytest.mark.parametrize(
    "key", [GITHUB, GITLAB, AWS_ID, OPENAI, ANTHROPIC, SLACK, STRIPE, JWT, HUGGING]
)
@pytest.mark.parametrize(
    "sentence",
    [
        "{}",
        "My token is {}, please keep it.",
        "I pasted it ({}) here",
        'he wrote "{}".',
        "here: {}🙂 ok",
        "令牌是{}。",
        "`{}`;",
        "it is **{}**!",
        "a line\\n{}\\nand the next",
    ],
)
def test_a_key_of_a_provider_is_found_whatever_stands_around_it(key, sentence):
    text = sentence.replace("{}", key)
    assert found(text) == [key]
    assert {each.kind for each in find_secrets(text)} == {SECRET}


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my wifi password is plum-Tiger-88", "plum-Tiger-88"),
        ("The password for the router in the hall is sunshine.", "sunshine"),
        ("the vpn password would be Kolibri-77", "Kolibri-77"),
        ("password: hunter2", "hunter2"),
        ('{"password": "two words"}', "two words"),
        ("DB_PASSWORD=plum!88", "plum!88"),
        ("log in as bob with password hunter2, please", "hunter2"),
        ("I reset the password to Blue!Whale7 yesterday", "Blue!Whale7"),
        ("use plum-88-x as the password.", "plum-88-x"),
        (
            "my passphrase is correct horse battery staple and I like it",
            "correct horse battery staple",
        ),
        ("The passcode is 90210 now", "90210"),
        ("bank PIN 9921", "9921"),
        ("PIN code is 4471", "4471"),
        ("the cvv is 123", "123"),
        ("admin login is root/Winter-99", "Winter-99"),
        ("login: root, pass: Kolibri77", "Kolibri77"),
        ("my backup code: 8f3k-22ll", "8f3k-22ll"),
        ("Das WLAN-Passwort lautet Sommer2024!", "Sommer2024!"),
        ("la contraseña es Perro2020.", "Perro2020"),
        ("le mot de passe du wifi est Bonjour123", "Bonjour123"),
        ("我的密码是hunter2，谢谢", "hunter2"),
        ("パスワードは Sakura2024 です", "Sakura2024"),
        ("Пароль: Kolibri77", "Kolibri77"),
    ],
)
def test_a_spoken_password_is_found(text, secret):
    assert found(text) == [secret]


def test_a_seed_phrase_is_found_whole():
    words = "ripple oak candle tiger window lamp river garden silver copper planet bridge"
    assert found(f"my recovery phrase: {words}") == [words]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"the AWS secret access key is {AWS_SECRET}, ok", AWS_SECRET),
        (f"use {AWS_SECRET} as the AWS secret access key", AWS_SECRET),
        (f"my Datadog API key is {SOURCES}", SOURCES),
        (f"X-Api-Key: {SOURCES}", SOURCES),
        (
            "our heroku key: 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
            "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
        ),
        ("postgres://app:s3cr3tPass@db.internal:5432/shop", "s3cr3tPass"),
        ("redis://:Kolibri77@cache:6379/0", "Kolibri77"),
        ("curl -u bob:h0pkins21 https://api.test", "h0pkins21"),
        (f"Authorization: Bearer {SOURCES}", SOURCES),
        (PEM, PEM),
        (f"it said {PEM.replace(chr(10), chr(92) + 'n')} there", PEM.replace("\n", "\\n")),
    ],
)
def test_a_secret_beside_its_name_is_found(text, secret):
    assert found(text) == [secret]


def test_a_private_key_that_breaks_off_is_found_as_far_as_it_goes():
    text = PEM[:90]
    assert found(f"{text} and then") == [text]


def test_what_was_pasted_in_staging_is_found():
    key = "sk-" + "test-9a8b7c6d5e4f3a2b1c0d"
    text = f"For staging the db password is plum-Tiger-88 and the key is {key}"
    assert found(text) == ["plum-Tiger-88", key]
    assert redact(text, find_secrets(text)) == (
        "For staging the db password is [redacted: password] and the key is [redacted: sk-key]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Gate code is 4471",
        "door code 9",
        "The garage PIN is 4471",
        "GPIO pin: 1234",
        "PIN code: 560001",
        "the access code for the building is 7788",
        "password is required",
        "I forgot my password",
        "The password is wrong.",
        "password is case-sensitive",
        "The password is 12 characters long",
        "passwords must have 8-16 characters",
        "password is stored in 1Password",
        "My password manager is Bitwarden",
        "the password policy was changed in 2024",
        "we hash the password with argon2id",
        "password: ${DB_PASSWORD}",
        "password: <password>",
        "password = os.environ['DB_PASSWORD']",
        "password = config.db.password",
        "password: string",
        "API_KEY=your-api-key-here-12345678",
        "api_key: xxxxxxxxxxxxxxxxxxxxxxxx1",
        "The key is under the mat",
        "The key to success is patience",
        "the token limit for gpt-4o-2024-08-06 is 128k",
        "token usage: 12345 tokens",
        "The secret is in the sauce",
        "AWS documents " + "AKIA" + "IOSFODNN7EXAMPLE for this",
        "curl -u username:password https://api.test",
        "see https://user:${PASS}@host/path",
        "pass the salt to 4B",
    ],
)
def test_what_only_speaks_of_secrets_is_left_alone(text):
    assert found(text) == []


UUID = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"


@pytest.mark.parametrize(
    "lookalike",
    [
        UUID,
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha256:" + "e3b0c44298fc1c149afbf4c8996fb924" * 2,
        SOURCES,
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "PAY-88213",
        "mem_" + SOURCES,
        "call_" + "aB3dE5gH7jK9mN1pQ3sT5vW7",
        "toolu_" + "01aB3dE5gH7jK9mN1pQ3sT5v",
        "msg_" + "01aB3dE5gH7jK9mN1pQ3sT5v",
        "2026-11-30T12:00:00Z",
    ],
)
@pytest.mark.parametrize(
    "sentence", ["Compare {} with it.", "the primary key is {}", "The key {} came twice", "({})"]
)
def test_a_lookalike_is_no_secret(lookalike, sentence):
    assert found(sentence.replace("{}", lookalike)) == []


def test_an_own_id_is_no_secret_even_where_it_is_called_a_token():
    assert found("the token is mem_" + SOURCES) == []


PLAIN = """
I moved to Oslo in 2021 and my dog is called Bello.
Prefers tea without milk; allergic to peanuts since childhood.
The meeting with Jürgen Müller-Lüdenscheidt is on 12.05.2026 at 14:30.
Bitte ruf mich morgen um acht an, der Schlüssel liegt unter der Matte.
Der Schlüssel zum Erfolg ist Geduld, und das Passwort habe ich vergessen.
Meine Lieblingsfarbe ist Donaudampfschifffahrtsgesellschaftsblau.
La clave es la paciencia, y la contraseña hay que cambiarla cada mes.
Necesito renovar el pasaporte antes del 3 de marzo.
Le mot de passe est trop court, il faut le changer.
J'habite au 14 rue des Lilas, au troisième étage.
O segredo é a alma do negócio.
La parola d'ordine è la pazienza.
我住在上海，喜欢喝绿茶。密码忘记了，需要重置。
パスワードを忘れました。明日は会議があります。
비밀번호를 잊어버렸어요. 내일 회의가 있습니다.
Я забыл пароль и не могу войти.
نسيت كلمة المرور وأريد تغييرها
मैं पासवर्ड भूल गया हूँ
שכחתי את הסיסמה שלי
Şifremi unuttum, lütfen sıfırlayın.
Mật khẩu của tôi đã hết hạn.
Zapomniałem hasła do komputera.
Ich habe das WLAN-Passwort geändert und es Anna gesagt.
She has the keys, I have the tokens for the washing machine.
Version 3.11.7 of Python, gpt-4o-mini and claude-3-5-sonnet-20241022 were compared.
See https://docs.example.org/guide/getting-started/index.html?lang=en#install for more.
The function get_user_by_email_address(user_id) raises a KeyError in src/app/models/user.py.
Order 4471-22 weighs 12.5 kg and costs 1,299.00 euros; the flight is LH1234.
We use OAuth2 with PKCE, and tokens expire after 3600 seconds.
The authorisation endpoint is documented, the author is Anne Example.
""".strip().splitlines()


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_of_any_language_is_left_alone(text):
    assert found(text) == []


FRAGMENTS = st.sampled_from(
    [
        *("password is ", "my wifi password: ", "the key ", "token=", "PIN ", "set the secret to "),
        *("login is bob/", "passphrase is ", " and ", ", ", ". ", "\n", '"', "(", ")", ":", "="),
        *(
            "[redacted: password]",
            "[redacted: ",
            "]",
            "hunter2",
            "plum-Tiger-88",
            "4471",
            "sunshine",
        ),
        *(GITHUB, AWS_ID, AWS_SECRET, JWT, SOURCES, UUID, "correct horse battery staple", " as "),
        *(
            "postgres://a:",
            "@host/x ",
            "Bearer ",
            "curl -u a:",
            "İstanbul ",
            "密码是",
            "🙂",
            "datadog ",
        ),
    ]
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=6), max_size=14).map("".join)


@given(TEXTS)
def test_findings_are_in_order_and_apart_and_within_the_text(text):
    spans = [(each.start, each.end) for each in find_secrets(text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@given(TEXTS)
def test_in_what_was_redacted_nothing_is_found(text):
    assert found(redact(text, find_secrets(text))) == []


def test_a_letter_whose_lower_case_is_longer_moves_nothing():
    assert found("İİİİ password is hunter2") == ["hunter2"]


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "key ",
            "key=",
            "password is ",
            "password for a a a a a a ",
            'password "',
            "a@",
            "://",
            "::",
        ),
        *(
            "-----BEGIN " + "PRIVATE KEY-----\n",
            "-----BEGIN " + "PRIVATE KEY-----",
            "sk-",
            "-a",
            "1 ",
        ),
        *("eyJhbGciOiJIUzI1NiJ9.", "curl -u ", "xoxb-1", "passphrase is ", "[redacted: key] ", "M"),
        *(
            "password: hunter2x, ",
            "use a1b2c3d4 as the password ",
            "http://a:",
            "(",
            "recovery code 1a",
        ),
    ],
)
def test_a_long_text_of_one_thing_is_done_with(unit):
    text = unit * (100_000 // len(unit))
    spans = find_secrets(text)
    assert all(each.end - each.start < 200 for each in spans) or len(spans) == 1


def test_a_million_characters_are_done_with():
    text = "The key to the house (see https://example.org/a/b-1) is under the mat. " * 14_000
    assert found(text + "The wifi password is hunter2") == ["hunter2"]


def test_every_noun_has_a_hint_that_calls_for_it():
    near, far = rule_set().nouns
    listed = [noun for _, nouns in (*near, *far) for noun in nouns]
    assert len(listed) > 100
    assert all(hint.isascii() for hint, _ in near)
    assert all(hint in noun.word for hint, nouns in (*near, *far) for noun in nouns)


def test_the_version_of_the_rules_is_a_short_word():
    assert len(RULES_VERSION) == 12
    assert RULES_VERSION.isalnum()
