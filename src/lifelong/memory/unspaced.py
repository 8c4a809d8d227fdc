"""Chinese and Japanese questions: the words of grammar in them, and what is left without.

The index holds pairs of characters. A pair of grammar, or one that lies half in a word of grammar,
says nothing about a topic, yet in a small log it counts as a rare word. Data, and the few lines
that read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_OTHER_SCRIPTS = re.compile("[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\uac00-\ud7af]")

_CHINESE_KEPT = "目的 了解 其他 吉他 是否 成都 首都 京都 都市"
"""Words with a character in them that is grammar elsewhere."""

_CHINESE = """
    什么时候 什麼時候 什么地方 什麼地方 什么样 什麼樣 什么 什麼 为什么 為什麼 为啥 怎么样 怎麼樣
    怎么 怎麼 怎样 怎樣 哪里 哪裡 哪儿 哪兒 哪个 哪個 哪些 哪一 哪天 哪年 哪位 哪种 哪種 哪 谁 誰
    多少 多久 几个 幾個 几点 幾點 几号 幾號 几月 幾月 几次 幾次 几 幾 是不是 有没有 有沒有 能不能
    会不会 會不會 可不可以 可以 我们 我們 你们 你們 他们 他們 她们 她們 咱们 咱們 自己 我 你 您 他
    她 它 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 这次 這次 那次 这 這 那 的 了 吗
    嗎 呢 吧 啊 呀 嘛 是 跟 与 與 把 被 就 都 也 还 還 很 已经 已經 曾经 曾經 正在 一下 告诉 告訴
    记得 記得 说过 說過 关于 關於 现在 現在 时候 時候 之前 之后 之後 以前 以后 以後 呗 啥 咋 一共
    总共 總共 各
"""

_JAPANESE_KEPT = "いちご はがき はさみ かばん うどん ものさし"

_JAPANESE = """
    何時 何日 何月 何曜日 何年 何歳 何人 何個 何回 何円 何分 何行目 何 誰 どのくらい どれくらい
    どのような どのように どういう どうやって どうして どうした どんな どこ どちら どっち どの
    どれ どう いつ いくつ いくら だれ なぜ なに なん それぞれ それ これ あれ その この あの そこ
    ここ あそこ そう こう でしょうか でしたか でした ですか です ましたか ました ませんか ません
    ますか ます ください くれました くれた くれる くれて もらった もらう もらえる もらって もらい
    あげた ようにしている ことになった ことに ことが こと もの ところ ために ため ように ような
    よう について に関して における によって によると によれば にとって として という といった
    って っけ だっけ だった だろう だ なかった ない ながら ならば なら たら しました しています
    していた していて している しない してた してる したい した して する すれば し されました
    された されて される させて させた ていました ています ていた ていて ている てた てる てもらう
    ておく てしまった てしまう いました います いて いた いる ありました あります あった ある
    おります なりました なります なった なって なる できます できる できた 言って 言った 言う
    言われた 教えて 教え くらい ぐらい ごろ 頃 ほど だけ しか まで から より ので のに けど けれど
    ときに とき 一番 私 僕 俺 君 彼女 彼
"""
"""So much of a Japanese question is grammar that a mistake here costs less than the list gains."""

_PARTICLES = "はがをにへとでもやのか"
_HIRAGANA = "\u3041-\u3096"
_PARTICLE = f"(?<![{_HIRAGANA}])[{_PARTICLES}]|[{_PARTICLES}ねよな](?![{_HIRAGANA}])"

_ENDING = re.compile(f"(?<=[\u4e00-\u9fff][{_HIRAGANA}])[{_HIRAGANA}]+")
"""What is left of a Japanese verb or adjective after the first sound that shows which it is."""

_INFLECTED = re.compile(f"(?<![\u4e00-\u9fff])([\u4e00-\u9fff])[{_HIRAGANA}]")


@cache
def _grammar(kept: str, words: str, more: str = "") -> re.Pattern[str]:
    """Return the pattern of grammar, made when first asked for: it takes milliseconds."""
    longest_first = sorted(set(words.split()), key=len, reverse=True)
    alternatives = "|".join([*longest_first, more] if more else longest_first)
    return re.compile(f"({'|'.join(kept.split())})|{alternatives}")


def content_of(run: str) -> list[str]:
    """Return the pieces of a run without spaces that are not grammar; none when all of it is."""
    if _OTHER_SCRIPTS.search(run):
        return [run]
    if _KANA.search(run):
        grammar = _grammar(_JAPANESE_KEPT, _JAPANESE, _PARTICLE)
    else:
        grammar = _grammar(_CHINESE_KEPT, _CHINESE)
    content = grammar.sub(lambda found: found.group(1) or " ", run)
    return _ENDING.sub(" ", content).split()


def single_characters(pieces: Iterable[str]) -> list[str]:
    """Return the characters that are a word by themselves, or with a Japanese ending."""
    found: dict[str, None] = {}
    for piece in pieces:
        if len(piece) == 1:
            found[piece] = None
        found.update(dict.fromkeys(_INFLECTED.findall(piece)))
    return list(found)
