"""What is left of a Chinese or a Japanese question without its grammar."""

import pytest

from lifelong.memory.unspaced import content_of, single_characters


@pytest.mark.parametrize(
    ("run", "pieces"),
    [
        ("仓库钥匙", ["仓库钥匙"]),
        ("我的钥匙在仓库吗", ["钥匙在仓库"]),
        ("小雅的生日是什么时候", ["小雅", "生日"]),
        ("他的目的是了解吉他", ["目的", "了解吉他"]),
        ("你們什麼時候去成都", ["去成都"]),
        ("什么时候", []),
        ("母の誕生日はいつですか", ["母", "誕生日"]),
        ("かばんを買ったのはどこ", ["かばん", "買っ"]),
        ("食べられないもの", ["食べ"]),
        ("ビルドのエラー", ["ビルド", "エラー"]),
        ("引っ越しの荷物", ["引っ越", "荷物"]),
        ("いつですか", []),
        ("서울에서", ["서울에서"]),
        ("ขอบคุณครับ", ["ขอบคุณครับ"]),
    ],
)
def test_the_content_of_a_run(run, pieces):
    assert content_of(run) == pieces


def test_characters_that_are_words():
    assert single_characters(["母", "買っ", "誕生日", "食べ物", "かばん", "母"]) == [
        "母",
        "買",
        "食",
    ]
