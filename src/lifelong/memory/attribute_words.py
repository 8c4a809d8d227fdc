"""The words that `frames` and `supersede` read: what ends, changes, denies, and holds one value.

Data only, by language where that is cheap; characters of Chinese stand apart, as `wording` cuts
them. An attribute is listed when it has one value at a time: who gets a new phone number mostly
drops the old one, who likes tea may like coffee too.
"""

from __future__ import annotations

from collections.abc import Mapping


def _phrases(*lines: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for line in lines for phrase in line.split(","))


ENDED = _phrases(
    "no longer,not any longer,not anymore,used to,stopped,quit,gave up,has stopped,has quit",
    "nicht mehr,nicht länger,kein mehr",
    "ya no,dejó de,dejé de",
    "不 再,不 再 是,已 经 不,再 也 不",
)
ENDS_A_DENIAL = _phrases("anymore,any more,any longer", "mehr", "más", "了")
"""What makes of a denial an end: "does not smoke any more"."""

DENIED = _phrases(
    "not,never,no",
    "nicht,kein,keine,keinen,keinem,keiner,nie,niemals",
    "no,nunca,jamás",
    "不,不 是,没,没 有,不 会,沒,沒 有",
)
CHANGED = _phrases(
    "now,currently,recently,lately,these days,nowadays,instead,as of now,as of today,meanwhile",
    "jetzt,nun,inzwischen,mittlerweile,neuerdings,aktuell,derzeit,stattdessen",
    "ahora,actualmente,últimamente,hoy en día,en su lugar",
    "现 在,目 前,如 今,現 在,最 近",
)
ADDED = _phrases(
    "also,too,as well,another,additionally,besides,as well as,in addition,again",
    "auch,außerdem,zusätzlich,noch ein,noch eine",
    "también,además,otro,otra",
    "也,还,還,又",
)
"""One more is no other one."""

SAYING_LITTLE = _phrases(
    "still,already,just,actually,finally,really,usually,approximately,roughly,around,circa,ca",
    "schon,noch,gerade,wirklich,etwa,ungefähr,rund",
    "todavía,aún,realmente,aproximadamente,unos,unas",
    "已 经,已 經,大 约,大 概",
)
RENEWED = frozenset(
    "new updated latest current revised neue neuer neues aktuelle aktueller nueva nuevo actual"
    " 新".split()
)
"""Before an attribute, these say that it has another value than before."""

CHANGE_VERBS = frozenset(
    """
    adjusted bumped changed corrected cut decreased delayed downgraded dropped extended fallen fell
    grew grown improved increased lowered migrated moved postponed pushed raised reduced relocated
    renamed rescheduled revised risen rose set shifted shortened switched transferred updated
    upgraded went
    """.split()
)
AUXILIARIES = frozenset("has have had been was were is are got being recently slightly".split())
TURNED_INTO = _phrases(
    "se mudó a,me mudé a,cambió a,se cambió a,cambió al",
    "pasó a,subió a,bajó a,se movió al,se pospuso al,ahora es",
    "搬 到 了,搬 到,搬 去,改 成,改 到,改 为,变 成,变 为",
    "涨 到,降 到,推 迟 到,移 到,换 成,调 整 为,增 加 到",
)
COPULAS = frozenset("is are am ist sind bin es está son 是 为 為".split())
CONNECTED_BY = frozenset("in at on by from for to of im am bei um bis en al el a las 在".split())

SELF_WORDS = frozenset("i user ich yo 我".split())
MY_WORDS = frozenset("my user's mein meine meiner mi mis".split())
UNKNOWN_WORDS = frozenset("he she they it this that er sie es él ella 他 她 它".split())
"""Who that is stands in another text."""

FUNCTIONAL = frozenset(
    """
    address phone number email mail birthday name nickname username password pin deadline budget
    rent salary price cost fee rate limit quota timeout version port host url status state priority
    owner manager boss landlord wife husband spouse partner girlfriend boyfriend capital
    headquarters office hometown job title role position employer occupation major size weight
    height age target goal total average score grade balance temperature latency speed venue
    location room seat gate timezone theme count capacity threshold ratio interest mileage password
    codename currency due release launch wedding expiry expiration duration
    adresse telefonnummer handynummer nummer geburtstag passwort frist budget miete gehalt preis
    lieblingsfarbe lieblingsessen lieblingsbuch lieblingsfilm chef chefin büro wohnort beruf
    dirección teléfono número correo cumpleaños nombre contraseña plazo presupuesto alquiler sueldo
    salario precio jefe jefa oficina trabajo
    """.split()
)
FUNCTIONAL_HAN = tuple(
    "地址 电话 號碼 号码 生日 名字 密码 截止日期 预算 房租 工资 价格 最喜欢 老板 办公室 工作 版本"
    " 职业".split()
)
ONE_OF_A_KIND = frozenset(
    "favorite default primary main preferred top lieblings favorito favorita favoritos".split()
)
RECURRENT = frozenset(
    "appointment meeting call lunch dinner flight session visit interview class lesson party game"
    " match trip termin treffen cita reunión".split()
)
"""There may be two of these, so another date alone says nothing of the first."""

STATES: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "open closed shut",
        "on off",
        "enabled disabled",
        "active inactive",
        "married single divorced engaged widowed",
        "alive dead",
        "full empty",
        "done pending finished unfinished complete incomplete completed",
        "online offline",
        "passing failing green red",
        "available unavailable",
        "up down",
        "paid unpaid",
        "employed unemployed retired",
        "approved rejected",
        "verheiratet ledig geschieden",
        "offen geschlossen",
        "casado soltero divorciado casada soltera divorciada",
        "abierto cerrado abierta cerrada",
    )
)
HOLDING_ANY = _phrases(
    "live in,live at,reside in,is based in,is located in,is headquartered in,is married to",
    "is engaged to,is dating,report to,is called",
    "is named,work as,work at,work for,is employed by",
    "is due on,is due,is scheduled for,is planned for,take place on,take place in,is set to",
    "wohnt in,wohne in,lebt in,lebe in,arbeitet bei,arbeite bei,arbeitet als,heißt",
    "ist verheiratet mit,vive en,vivo en,trabaja en,trabajo en,trabaja para,se llama",
    "住 在,叫,名 叫",
)
"""Verbs of which a subject has one object at a time."""

PLACES = _phrases(
    "live in,live at,reside in,is based in,is located in,is headquartered in,is in,is at",
    "wohnt in,wohne in,lebt in,lebe in,ist in,vive en,vivo en,está en,住 在,在,is 在",
)
HOLDING_AMOUNTS = frozenset(
    """
    average charge close contain cost earn end expire has have hold include last measure need open
    own pay run start take use weigh want kostet hat wiegt dauert beträgt cuesta tiene pesa dura
    """.split()
)
"""Verbs whose amount is one at a time."""

CHOSEN = frozenset(
    """
    choose drink drive eat follow play prefer read ride run study support take use watch wear work
    nutzt benutzt fährt trinkt spielt usa conduce bebe juega prefiere 用 喝 吃 开
    """.split()
)
"""With "now", another object is mostly another choice."""

PAST = frozenset(
    """
    ate became began bought brought broke built came caught chose did drank drove felt flew fought
    found gave got grew had heard held kept knew left lost made met paid ran said sat saw sent
    slept sold spent spoke spoken stayed taught told took traveled visited went won wrote was were
    ging war hatte kaufte traf besuchte fue compró visitó 了 过 過
    """.split()
)
NOT_PAST = frozenset(
    "married based located named called scheduled planned used allowed limited interested engaged"
    " required needed expected employed red bed feed need speed supposed unpaid".split()
)

LARGE_PLACES = frozenset(
    """
    germany france spain italy england scotland wales ireland uk britain usa us america canada
    mexico brazil argentina chile peru colombia portugal netherlands belgium switzerland austria
    poland sweden norway denmark finland iceland greece turkey russia ukraine china japan korea
    india pakistan thailand vietnam indonesia philippines australia zealand egypt nigeria kenya
    morocco israel iran iraq europe asia africa california texas florida bavaria deutschland
    frankreich spanien italien österreich schweiz europa españa francia alemania méxico 中 国 日 本
    德 国 法 国 美 国
    """.split()
)
"""A town in one of these is no other place than it."""

UNITS: Mapping[str, frozenset[str]] = {
    "calendar": frozenset(
        "january february march april may june july august september october november december jan"
        " feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday"
        " saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag januar"
        " februar märz mai juni juli oktober dezember lunes martes miércoles jueves viernes sábado"
        " domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
        " diciembre".split()
    ),
    "clock": frozenset(("am", "pm", "uhr", "noon", "midnight", "o'clock")),
}
