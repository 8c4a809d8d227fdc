"""Inflection: which other forms of a word a question may mean.

The index stems as English does; other languages are met when a question is asked. A word becomes
one or more stems, and a word of the index that is a stem and an ending of the language is a form
of it. Coarse by intention: two words in one family cost little, a form that is missed costs the
answer. Data, by language, and the few lines that read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lifelong.memory.languages import plain
from lifelong.rows import Beginning

INFLECTED_MIN = 4
"""Letters of a word that other forms are looked for of."""
_STEM_MIN = 3
_OTHER_PART_MIN = 3
PART_MIN = 4
"""Letters of a part of a compound."""

_ENDINGS: Mapping[str, str] = {
    "de": """
        e em en end ende endem enden ender endes er erin erinn erinnen ern ers es est et ete eten
        in inn innen n nen nis nisse nissen s se sen st t te ten test tet ung ungen
    """,
    "es": """
        a aba abamos aban abas acion aciones ad ada adas ado ador adora adoras adores ados al ales
        amiento amientos amos an ancia ancias ando ante antes ar ara aramos aran aras are aremos
        aria ariamos arian arias arl arla arlas arle arles arlo arlos arme arnos aron arse arte as
        asemos aste asteis e emos en encia encias ente entes er era eran eras eremos eres eria
        erias erla erlas erle erles erlo erlos erme ernos ero eros erse erte es eza i ia iamos ian
        ias ible ibles ica icas icion iciones ico icos ida idad idades idas ido idos iendo iera
        ieramos ieran ieras ieron iese imiento imientos imos io ion iones ir ira iran iras ire
        iremos iria irian irla irle irlo irme irnos iros irse irte is ista istas iste isteis ita
        itas ito itos iva ivas ivo ivos mente o os osa osas oso osos s ura uras
    """,
    "fr": """
        a able ables ai aient ais ait ant ante antes ants as assent at ation ations e ee ees ement
        ements emes ent er era erai eraient erait eras erent erez eriez erons eront es eur eurs
        euse euses ez i ie ies iez if ifs ions ique iques ir ira irai irait iras irent iront is
        issa issaient issait issant issent issez issons it ive ives oir ons re s t te tes u ue ues
        us ut x
    """,
    "it": """
        a ai ammo ando anno ano ante anti are aremo arla arlo arono arsi asse aste asti ata ate
        ati ato atore atori ava avamo avano avi avo azione azioni e ei emmo endo eranno ere erebbe
        erei eremo eri ero erono ersi esse esti ete ette eva evamo evano evi evo i ia iamo iano
        ino io ire irono ista iste isti ita ite iti ito iva ivamo ivano ivi ivo mente o ono ua uta
        ute uti uto
    """,
    "pt": """
        a acao acoes ada adas ado ador adora ados am amos ando ao ar ara aram aras arei aria ariam
        armos as asse aste ava avam avas e ei em emos endo er era eram erei eres eria es eu i ia
        iam iamos ias ida idas ido idos imos indo ir ira iram irei iria is ista istas iste iu
        mente o oes ona onas os ou s
    """,
    "nl": """
        d de den e en end ende er eren ers es heden heid in ing ingen je jes s t te ten tje tjes
    """,
}
_ENDING_SETS = {language: frozenset(text.split()) for language, text in _ENDINGS.items()}
_ENDINGS_BY_LENGTH = {
    language: tuple(sorted(endings, key=len, reverse=True))
    for language, endings in _ENDING_SETS.items()
}
_COMPOUNDING = ("de", "nl")
_NOUN_ENDINGS = (
    *("erinnen", "nissen", "innen", "ungen", "nisse", "erin", "ern", "nen", "sen", "ung"),
    *("en", "er", "es", "se", "e", "n", "s"),
)

_CHANGING_STEMS: Mapping[str, str] = {
    "de": """
        beginn begann begonn, bewerb bewirb bewarb beworb, bieg bog, biet bot, bind band bund
        flug, bitt bat bet, bleib blieb, brat briet, brech brich brach broch, brenn brann, bring
        brach bracht, denk dach dacht, empfehl empfiehl empfahl empfohl, erschreck erschrak, ess
        iss ass gess, fahr fuhr fahrt, fall fiel, fang fing, fecht focht, find fand fund, flieg
        flog flug, flieh floh, fliess floss, fress friss frass, frier fror, geb gib gab, geh ging
        gang, gelt gilt galt golt, geniess genoss, gewinn gewann gewonn, giess goss, grab grub,
        greif griff, halt hielt, hang hing, heb hob, heiss hiess, helf hilf half holf, kenn kann
        kannt, kling klang klung, komm kam, lad lud, lass liess, lauf lief, leid litt, leih lieh,
        les lies las, lieg lag leg, lug log, meid mied, mess miss mass, mog moch moech, nehm nimm
        nahm nomm, nenn nann nannt, rat riet, reiss riss, reit ritt, renn rann rannt, riech roch,
        ring rang rung, ruf rief, schein schien, schieb schob, schiess schoss, schlaf schlief,
        schlag schlug, schliess schloss, schmeiss schmiss, schmelz schmilz schmolz, schneid
        schnitt, schreib schrieb, schrei schrie, schweb, schweig schwieg, schwimm schwamm schwomm,
        schwor schwur, seh sieh sah, send sand sandt, sing sang sung, sink sank sunk, sitz sass
        sess, sprech sprich sprach sproch, spring sprang sprung, stech stich stach stoch, steh
        stand, stehl stiehl stahl stohl, steig stieg, sterb stirb starb storb, streich strich,
        streit stritt, trag trug, treff triff traf troff, treib trieb, tret tritt trat, trink
        trank trunk, tu tat, vergess vergiss vergass, verlier verlor, wachs wuchs, wasch wusch,
        weis wies, wend wand wandt, werf wirf warf worf, wieg wog, wiss weiss wuss, zeih zieh,
        zieh zog zug, zwing zwang zwung
    """,
    "es": """
        abr abiert, ca cay, conduc conduj conduzc, da di, dec dic dij dich, escrib escrit, hac hic
        hech, le ley, mor muer mur muert, o oy oig, pon pong pus puest, pod pued pud, quer quier
        quis, romp rot, sab sup, sal salg, ten teng tien tuv, tra traig traj, ven vien vin veng,
        volv vuelv vuelt, ve vist
    """,
}


def _groups(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in text.split(","):
        stems = tuple(group.split())
        for stem in stems:
            found[stem] = (*found.get(stem, ()), *stems)
    return found


_GROUP_OF = {language: _groups(text) for language, text in _CHANGING_STEMS.items()}

_SEPARABLE = (
    *("zusammen", "zuruck", "weiter", "wieder", "nieder", "unter", "durch", "nach", "fest", "uber"),
    *("auf", "aus", "bei", "ein", "her", "hin", "los", "mit", "vor", "weg", "ab", "an", "um", "zu"),
)
_INSEPARABLE = ("miss", "ent", "ver", "zer", "be", "er")
_UMLAUTS = {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue"}
_SPELLED_UMLAUT = re.compile("(?<![aeiouq])([aou])e")

_SPANISH_ENDS = (("qu", "c"), ("c", "qu"), ("z", "c"), ("c", "z"), ("gu", "g"), ("g", "j"))
_SPANISH_VOWELS = (
    *(("ie", ("e", "i")), ("ue", ("o", "u"))),
    *(("e", ("ie", "i")), ("i", ("e",)), ("o", ("ue",))),
)


def stems(word: str, language: str, *, is_capital: bool) -> tuple[str, ...]:
    """Return what the forms of a word begin with, without accents; the first is its own.

    Args:
        word: of a question, folded.
        language: of the question.
        is_capital: whether it was written with a capital letter inside the question: a noun in
            German, a name elsewhere, and a name is not inflected.
    """
    found: dict[str, None] = {}
    if language == "de":
        for spelling in _german_spellings(word):
            found.update(dict.fromkeys(_german(spelling, is_noun=is_capital)))
    elif is_capital:
        found[plain(word)] = None
    else:
        own = _stem(plain(word), language)
        found[own] = None
        if word.endswith("s") and len(word) > _STEM_MIN:
            found[plain(word[:-1])] = None
        found.update(dict.fromkeys(_GROUP_OF.get(language, {}).get(own, ())))
        if language == "es":
            found.update(dict.fromkeys(_spanish_changes(own)))
        elif language == "nl":
            found.update(dict.fromkeys(_dutch_changes(own)))
    return tuple(found)


def _stem(word: str, language: str) -> str:
    """Return the word without its longest ending, or with a known stem where one fits."""
    groups = _GROUP_OF.get(language, {})
    if word in groups:
        return word
    longest = ""
    for ending in _ENDINGS_BY_LENGTH[language]:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            if stem in groups:
                return stem
            if not longest and len(stem) >= _STEM_MIN:
                longest = stem
    return longest or word


def _noun_stem(word: str) -> str:
    """Return a noun of a language that writes words together without its ending."""
    for ending in _NOUN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= PART_MIN:
            return word[: -len(ending)]
    return word


def _german_spellings(word: str) -> Iterator[str]:
    """Yield the word, and with its umlauts spelled out or drawn together."""
    yield plain(word)
    spelled = "".join(_UMLAUTS.get(letter, letter) for letter in word)
    if spelled != word:
        yield plain(spelled)
    together = _SPELLED_UMLAUT.sub(r"\1", word)
    if together != word:
        yield plain(together)


def _german(word: str, *, is_noun: bool) -> Iterator[str]:
    groups = _GROUP_OF["de"]
    own = _noun_stem(word) if is_noun else _stem(word, "de")
    yield own
    yield from groups.get(own, ())
    if is_noun:
        return
    for prefix in (*_SEPARABLE, *_INSEPARABLE, ""):
        if not word.startswith(prefix):
            continue
        root = _stem(_without_ge(word[len(prefix) :]), "de")
        if root in groups:
            variants = groups[root]
        elif len(root) >= _STEM_MIN and prefix not in _INSEPARABLE:
            variants = (root,)
        else:
            continue
        for variant in variants:
            yield prefix + variant
            if prefix not in _INSEPARABLE:
                yield f"{prefix}ge{variant}"
            if prefix in _SEPARABLE:
                yield variant
        return


def _without_ge(word: str) -> str:
    """Return what is left of a participle, or of an infinitive with its "zu" inside."""
    for inner in ("ge", "zu"):
        if word.startswith(inner) and len(word) > len(inner) + _STEM_MIN:
            return word[len(inner) :]
    return word


def _spanish_changes(stem: str) -> Iterator[str]:
    """Yield the stem with what changes in it: contar, cuento; pedir, pido; buscar, busque."""
    for ending, other in _SPANISH_ENDS:
        if stem.endswith(ending):
            yield stem[: -len(ending)] + other
    for inner, others in _SPANISH_VOWELS:
        head, found, tail = stem.rpartition(inner)
        if found and tail and not set(tail) & set("aeiou"):
            yield from (head + other + tail for other in others)
            return


def _dutch_changes(stem: str) -> Iterator[str]:
    """Yield the stem with its last vowel or consonant doubled or single: lopen, loopt."""
    if len(stem) >= 2 and stem[-1] == stem[-2]:
        yield stem[:-1]
    if len(stem) >= 3 and stem[-2] in "aeou":
        yield stem[:-2] + stem[-3] + stem[-1] if stem[-3] == stem[-2] else stem[:-1] + stem[-2:]
    if stem.startswith("ge") and len(stem) > _STEM_MIN + 2:
        yield stem[2:]


def is_form(rest: str, language: str) -> bool:
    """Return whether a word of the index that goes on with `rest` after a stem is a form of it.

    Without a language everything is, which is right for a character of an unspaced script.
    """
    return not language or not rest or rest in _ENDING_SETS[language] or rest == "i"


def is_compounding(language: str) -> bool:
    """Return whether the language writes words together."""
    return language in _COMPOUNDING


def is_compound(rest: str, stem: str, language: str) -> bool:
    """Return whether a stem and what follows it may be a compound."""
    return is_compounding(language) and len(stem) >= PART_MIN and len(rest) >= _OTHER_PART_MIN


def is_tail(term: str, stem: str, language: str) -> bool:
    """Return whether a word of the index may be a compound that ends in a form of the stem."""
    at = term.rfind(stem)
    return (
        is_compounding(language)
        and at >= _OTHER_PART_MIN
        and len(stem) >= PART_MIN
        and is_form(term[at + len(stem) :], language)
    )


def tails(word: str, language: str) -> Iterator[Beginning]:
    """Yield the ends of a word that may be the last part of a compound, the longest first."""
    if is_compounding(language):
        for start in range(PART_MIN, len(word) - PART_MIN + 1):
            tail = word[start:]
            yield Beginning((_noun_stem(tail),), tail, language)


def is_head(term: str, word: str, language: str) -> bool:
    """Return whether a word of the index may be the first part of the compound `word`."""
    shared = _shared(term, word)
    return any(is_form(term[at:], language) for at in range(PART_MIN, shared + 1))


def is_kin(term: str, word: str, language: str) -> bool:
    """Return whether two words may be compounds with one first part, of half of `word` or more."""
    return is_compounding(language) and _shared(term, word) >= max(PART_MIN, len(word) / 2)


def _shared(one: str, other: str) -> int:
    """Return how many letters two words begin with alike."""
    both = min(len(one), len(other))
    return next((at for at in range(both) if one[at] != other[at]), both)
