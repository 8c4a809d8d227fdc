"""Irregular English: words whose forms no ending makes, so that the index cannot stem them.

"When did she go" is answered by "I went". A line is one word in its forms; what ends as a stem
does ("goes" is no exception for the index, "went" is) is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping

_FORMS = """
    become became
    begin began begun
    bite bit bitten
    blow blew blown
    break broke broken
    bring brought
    build built
    buy bought
    catch caught
    choose chose chosen
    come came
    deal dealt
    dig dug
    draw drew drawn
    dream dreamt
    drink drank drunk
    drive drove driven
    eat ate eaten
    fall fell fallen
    feed fed
    feel felt
    fight fought
    find found
    fly flew flown
    forget forgot forgotten
    forgive forgave forgiven
    freeze froze frozen
    get got gotten
    give gave given
    go goes went gone
    grow grew grown
    hang hung
    hear heard
    hide hid hidden
    hold held
    keep kept
    know knew known
    lay laid
    lead led
    leave left
    lend lent
    lie lay lain
    lose lost
    make made
    mean meant
    meet met
    pay paid
    ride rode ridden
    ring rang rung
    rise rose risen
    run ran
    say said
    see saw seen
    sell sold
    send sent
    sew sewn
    shake shook shaken
    shine shone
    shoot shot
    show shown
    sing sang sung
    sink sank sunk
    sit sat
    sleep slept
    speak spoke spoken
    spend spent
    stand stood
    steal stole stolen
    stick stuck
    strike struck
    swear swore sworn
    swim swam swum
    swing swung
    take took taken
    teach taught
    tear tore torn
    tell told
    think thought
    throw threw thrown
    understand understood
    wake woke woken
    wear wore worn
    win won
    write wrote written
    child children
    person people
    man men
    woman women
    foot feet
    tooth teeth
    mouse mice
    wife wives
    life lives
    knife knives
    leaf leaves
    shelf shelves
    half halves
    good better best
    bad worse worst
"""


def _by_form() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _FORMS.strip().splitlines():
        forms = line.split()
        for form in forms:
            found[form] = (form, *(other for other in forms if other != form))
    return found


FORMS: Mapping[str, tuple[str, ...]] = _by_form()
"""All forms of a word, by each of them, which stands first."""
