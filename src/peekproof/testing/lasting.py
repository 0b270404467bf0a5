"""Laws of every store whose ledgers outlive the process, and are shared by several."""

import threading
from collections.abc import Callable
from contextlib import closing

from peekproof.core.errors import LedgerTooNew, LedgerUnavailable
from peekproof.ledger.entry import Entry
from peekproof.ledger.ledger import Ledger
from peekproof.testing.engine import (
    COST,
    Engine,
    answer,
    eventful,
    first_entry,
    following,
    reserved,
    said,
    save,
)
from peekproof.testing.violation import Violation, require

_SOON, _LATE = 0.2, 20.0  # seconds


def a_place_is_there_once_it_is_made(engine: Engine) -> None:
    """Not before, and making it again changes nothing."""
    place = engine.place()
    require(not engine.exists(place), f"{engine.name} says that {place} exists")
    try:
        engine.open(place).close()
    except LedgerUnavailable:
        pass
    else:
        raise Violation(f"{engine.name} opens what is not there")
    for number in range(2):
        with closing(Ledger(engine.create(place, first_entry(place)))) as ledger:
            require(engine.exists(place), f"{engine.name} does not find what it made")
            require(ledger.draws() == number, f"{engine.name} made a second budget at {place}")
            answer(ledger, f"q{number}")


def what_was_written_lasts(engine: Engine) -> None:
    """A ledger that is opened again says what it said."""
    place = engine.place()
    with closing(Ledger(engine.create(place, first_entry(place)))) as ledger:
        eventful(ledger)
        before = said(ledger)
    with engine.opened(place) as (store, ledger):
        require(said(ledger) == before, f"{engine.name} says something else when opened again")
        save(store, ledger)
    with engine.opened(place) as (_, ledger):
        require(said(ledger) == before, f"{engine.name} lost its snapshot, or something with it")
        ledger.verify()
    try:
        ledger.spent()
    except LedgerUnavailable:
        return
    raise Violation(f"{engine.name} answers although its store was closed")


def two_handles_see_each_other(engine: Engine) -> None:
    """What one wrote, the other knows when it looks and before it writes."""
    place = engine.place()
    engine.create(place, first_entry(place)).close()
    with engine.opened(place) as (_, one), engine.opened(place) as (_, other):
        for number in range(3):
            answer(one, f"one {number}")
            require(said(other) == said(one), f"{engine.name}: a handle does not see the other")
            reserved(other, f"other {number}")
            repeated = reserved(other, f"one {number}").digests
            require(not repeated, f"{engine.name} charges again for another handle's answer")
        require(one.spent() == COST * 6, f"{engine.name} charged {one.spent()} for six questions")
        require(one.verify() == other.verify() == 10, f"{engine.name} lost an entry")


def a_writer_keeps_others_out(engine: Engine) -> None:
    """Who begins waits for who has begun, and then sees what they wrote."""
    place = engine.place()
    engine.create(place, first_entry(place)).close()
    with engine.opened(place) as (one, _), engine.opened(place) as (other, _):
        seen, begun = list[Entry](), threading.Event()

        def begin() -> None:
            seen.extend(other.begin(after=1))
            begun.set()
            other.rollback()

        one.begin(after=1)
        waiting = threading.Thread(target=begin, daemon=True)
        waiting.start()
        early = begun.wait(_SOON)
        news = following(first_entry(place), 1)
        one.commit(news)
        waiting.join(_LATE)
        require(not early, f"{engine.name} lets two write at once")
        require(seen == news, f"{engine.name} let the second begin with {seen}")


def a_newer_place_is_refused(engine: Engine) -> None:
    """What a newer version wrote is not read, and not made anew."""
    if engine.newer is None:
        raise Violation(f"the case of {engine.name} does not say how a newer place looks")
    place = engine.place()
    engine.create(place, first_entry(place)).close()
    engine.newer(place)
    for use in (engine.open, lambda place: engine.create(place, first_entry(place))):
        try:
            use(place).close()
        except LedgerTooNew:
            continue
        raise Violation(f"{engine.name} opens what a newer version wrote")


LASTING: tuple[Callable[[Engine], None], ...] = (
    a_place_is_there_once_it_is_made,
    what_was_written_lasts,
    two_handles_see_each_other,
    a_writer_keeps_others_out,
    a_newer_place_is_refused,
)
