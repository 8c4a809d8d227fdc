"""Languages: which one a question is in, the words that say nothing in it, and where words end.

Data, and the few lines that read it. A language is told by its function words alone, so that a
word is dropped only in the language in which it says nothing: "die" and "war" stay in an English
question, "come" and "sin" in any but an Italian or a Spanish one. Texts are never classed, only
questions: what is stored is the same whatever language somebody asks in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

ENGLISH = "en"

STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with what when where who whom which why how did do does"
    " has have had i you he she we me my your his her its our from about s t".split()
)
"""63 English words that say nothing about a topic (larger lists measured worse)."""

FIRST_PERSON = frozenset(
    """
    i me my mine we us our ours
    ich mir mich mein meine meinem meinen meiner meins wir uns unser unsere unserem unseren
    yo mi mí mis mío mía conmigo nosotros nosotras nuestro nuestra nuestros nuestras
    je moi mon ma mes nous notre nos io mio mia miei noi nostro nostra
    eu meu minha meus minhas nós nosso nossa ik mij mijn wij ons onze
    """.split()
)
"""Words by which people speak of themselves, in the languages that have stop words here."""

UNSPACED_FIRST_PERSON = frozenset("我咱俺私僕")

_FUNCTION_WORDS: Mapping[str, str] = {
    "de": """
        ab aber alle allem allen aller alles als also am an ans auch auf aus bei beim bevor bin
        bis bisher bist da dabei dadurch dafuer dafur dagegen daher damals damit danach dann daran
        darauf daraus darf darfst darin daruber darueber darum das dass davon davor dazu dein
        deine deinem deinen deiner deines dem den denen denn der deren des dessen dich die dies
        diese diesem diesen dieser dieses dir doch dort du duerfen durch durfen durfte durften ein
        eine einem einen einer eines einmal er es etwas euch euer eure eurem euren eurer fuer fur
        gab geben gegangen gegen gehen geht gekommen gemacht gerade gern gerne gewesen geworden
        gibt ging habe haben habt halt hast hat hatte hatten hattest her hier hin hinter ich ihm
        ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in ins irgendein irgendwas ist ja jede
        jedem jeden jeder jedes jetzt kam kann kannst kein keine keinem keinen keiner koennen
        koennte konnen konnte konnten lassen lasst laut lies liess mal man mehr mein meine meinem
        meinen meiner meines mich mir mit mochte muessen muss musst musste mussten nach nachdem
        neben nein nicht nichts noch nochmal nun nur ob oder ohne schon sehr sei seid sein seine
        seinem seinen seiner seines seit selbst sich sie siehst sind so sogar soll sollen sollst
        sollte sollten sondern uber ueber um und uns unser unsere unserem unseren unserer unter
        viel viele vom von vor waehrend wahrend wann war waren warst warum was weil welche welchem
        welchen welcher welches wem wen wenn wer werde werden wessen wie wieder wieso wieviel will
        wir wird wirst wo wobei wofuer wofur wogegen woher wohin womit woran worauf woraus worden
        woruber worueber worum wovon wovor wozu wuerde wurde wurden zu zum zur zwar zwischen
    """,
    "es": """
        a acerca al algo alguien algun alguna algunas alguno algunos ante antes aquel aquella
        aquello aqui asi aun aunque bajo cada como con contra cual cuales cuando cuanta cuantas
        cuanto cuantos de debe debia debo del desde despues donde dos durante e el ella ellas ello
        ellos en entre era eran eres es esa esas ese eso esos esta estaba estaban estado estamos
        estan estar estas este esto estos estoy estuve estuvo fue fuera fueron fui fuimos ha habia
        habiamos habian habias hace hacen hacer hacia haciamos hago han has hasta hay he hemos
        hice hicieron hicimos hizo iba ibamos iban ir la las le les lo los mas me mi mia mias mio
        mios mis muy nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra
        otras otro otros para pero poco podemos podia por porque pude pudo puede pueden puedo pues
        que quien quienes quiere quiero se sea segun ser si sido siempre sin sino sobre sois solo
        somos son soy su sus suya suyo tal tambien tampoco tan tanto te tendra tenemos tener tenga
        tengo tenia teniamos tenian tiene tienen tienes toda todas todo todos tras tu tus tuve
        tuvimos tuvo tuya tuyo un una unas uno unos usted ustedes va vamos van vas vosotros voy
        vuestra vuestro y ya yo
    """,
    "fr": """
        a afin ai alors apres as au aucun aucune aussi autre autres aux avaient avais avait avant
        avec avez avoir avons c ca ce cela celle celles celui ces cet cette ceux chaque chez
        combien comme comment d dans de depuis des dois doit donc dont du elle elles en encore
        entre es est et etaient etais etait ete etes etre eu eux faire fait faut il ils j je jusqu
        l la laquelle le lequel les lesquels leur leurs lors lui m ma mais me meme mes moi moins
        mon n ne ni nos notre nous on ont ou par parce pas peu peut peux plus pour pourquoi pres
        qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si soit sommes son
        sont sous suis sur t ta te tes toi ton tous tout toute toutes tres tu un une va vais vas
        vers veut veux voici voila vont vos votre vous y
    """,
    "it": """
        a abbiamo ad agli ai al alcun alcuni alla alle allo allora anche ancora aveva avevamo
        avevano avevo avuto c che chi ci cio coi col come con contro cosa cui d da dagli dai dal
        dalla dalle dallo degli dei del della delle dello di dopo dov dove due e ed era erano eri
        ero essere fa fare fatto fino fra fu fuori gia gli ha hai hanno ho i il in io l la le lei
        li lo loro lui ma me mentre mi mia mie miei mio molto ne negli nei nel nella nelle nello
        noi non nostra nostre nostri nostro o ogni per perche pero piu poi prima puo quale quali
        quando quanta quante quanti quanto quei quel quella quelle quelli quello questa queste
        questi questo qui s se sei sempre senza si sia siamo siete sono sopra sotto sta stai stata
        stato sto su sua sue sui sul sulla sulle suo suoi te ti tra tu tua tue tuo tuoi tutta
        tutte tutti tutto un una uno va vai vi voi vostra vostro
    """,
    "pt": """
        a ainda algum alguma ao aos apos aquela aquele aquilo as ate cada com como contra cuja da
        das de dela dele deles depois desde dessa desse desta deste do dos e ela elas ele eles em
        entao entre era eram essa essas esse esses esta estao estar estas estava estavam este
        estes estou eu fez foi fomos for foram fui ha isso isto ja la lhe lhes mais mas me mesmo
        meu meus mim minha minhas muito na nao nas nem nessa nesse nesta neste no nos nossa nossas
        nosso nossos num numa o onde os ou para pela pelas pelo pelos perante pode por porque pra
        quais qual quando quanta quantas quanto quantos que quem se sem sempre ser seu seus sido
        so sob sobre somos sou sua suas tambem te tem temos tenho ter teu teve tinha tinham tive
        tu tua tudo um uma umas uns vai vamos vao voce voces vou
    """,
    "nl": """
        aan al alle alles als altijd ben bent bij daar daarna dan dat de der deze die dit doe doen
        doet door dus een eens en er ga gaan gaat ge geen geweest geworden gij haar had hadden heb
        hebben hebt heeft hem hen het hier hij hoe hoeveel hun iemand iets ik in is ja je jij jou
        jouw jullie kan kon konden kun kunnen maar me meer men met mij mijn mijne moest moet
        moeten na naar nee niet niets nog nu of om omdat ons onze ook op over sinds te tegen
        tijdens toch toen tot u uit uw van veel voor waar waarin waarmee waarom wanneer want waren
        was wat we wel welk welke werd werden wie wij wil worden wordt zal ze zich zij zijn zo
        zonder zou zouden zullen
    """,
}

_ENGLISH_WORDS = frozenset(
    "am been being can could did had him may me more must off or our out over shall she should so"
    " some than them those too up us were while would".split()
)
"""With `STOP_WORDS`, what an English question is known by."""

_ENGLISH_TOO = frozenset(
    "alle art bald bin bis car chez come con dance dare dear dell des die dies do dos due eras"
    " ere fin fine for fur gab gang gern halt hat hem hen her here hers hier hoe hut in is it kind"
    " la las lies lo los mal man mans mas me men mes mine mode mon nag no nun of on or os over pa"
    " para pas per plus pour pu sage san sans se sea sei ser si sin so sobre sole son sons sont"
    " sous sur ten toe ton tot tout tu une va van vas via voter war waren was we wet wie will wilt"
    " wo worden".split()
)
"""Function words of other languages that may stand in an English question as names or content."""

_NEEDED = 1.0
_SHARED = 0.4
"""A function word of one language alone says which language this is; one of two does not."""

_MARKS: Mapping[str, str] = {
    "\u00df": "de",
    "\u00bf": "es",
    "\u00a1": "es",
    "\u00f1": "es",
    "\u00e3": "pt",
    "\u00f5": "pt",
}
_OWN_MARK = 1.0

_STOP_WORDS_OF: Mapping[str, frozenset[str]] = {
    ENGLISH: STOP_WORDS,
    **{language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()},
}


def _languages_of_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in [*_STOP_WORDS_OF.items(), (ENGLISH, _ENGLISH_WORDS)]:
        for word in words:
            found[word] = (*found.get(word, ()), language)
    return found


_LANGUAGES_OF = _languages_of_words()


def plain(word: str) -> str:
    """Return a folded word as the index's own tokenizer leaves it: without accents."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def language_of(words: Iterable[str], text: str) -> str:
    """Return the language that a question is in, English unless another one is told clearly.

    Args:
        words: of the question, `plain`.
        text: the question itself, whose letters and marks tell too.
    """
    scores = dict.fromkeys(_STOP_WORDS_OF, 0.0)
    for word in words:
        languages = _LANGUAGES_OF.get(word, ())
        is_clear = len(languages) == 1 and word not in _ENGLISH_TOO
        for language in languages:
            scores[language] += 1.0 if is_clear else _SHARED
    if not text.isascii():
        for language in {_MARKS[mark] for mark in _MARKS.keys() & set(text)}:
            scores[language] += _OWN_MARK
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] >= _NEEDED else ENGLISH


def stop_words(language: str) -> frozenset[str]:
    """Return the words, `plain`, that say nothing about a topic in `language`."""
    return _STOP_WORDS_OF[language]
