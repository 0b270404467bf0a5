"""Laws of every store of ledgers, to run against your own.

    for law in (*LAWS, *TAMPERING, *LASTING):
        law(Engine(name="mine", place=…, forge=…, newer=…))

Each raises `Violation` with what it saw. They need no test runner. What is only in memory keeps
all but `LASTING`.
"""

import threading
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction

from peekproof.core.charge import Refused
from peekproof.core.errors import InvalidInput, LedgerClosed
from peekproof.ledger.ledger import Ledger, Reservation
from peekproof.testing.engine import (
    AFFORDABLE,
    BUDGET,
    COST,
    Engine,
    answer,
    asked,
    eventful,
    first_entry,
    following,
    opening,
    reserved,
    said,
    save,
)
from peekproof.testing.lasting import LASTING
from peekproof.testing.tampering import TAMPERING
from peekproof.testing.violation import Violation, require

__all__ = ["LASTING", "LAWS", "TAMPERING", "Law"]

Law = Callable[[Engine], None]

_TAKERS = 16


def a_new_ledger_has_all_of_its_budget(engine: Engine) -> None:
    """One entry, and nothing spent."""
    place = engine.place()
    with closing(Ledger(engine.create(place, first_entry(place)))) as ledger:
        require(ledger.opening == opening(place), f"{engine.name} opened something else")
        untouched = not ledger.draws() and not ledger.answers() and ledger.verify() == 1
        require(untouched, f"{engine.name} starts with {said(ledger)}")


def entries_come_back_as_they_were_written(engine: Engine) -> None:
    """In order, from any point on, as many as are wanted."""
    with engine.made() as (store, _):
        whole = [*store.read(after=0, most=9)]
        for size in (1, 3, 2):
            news = following(whole[-1], size)
            require(store.begin(after=len(whole)) == [], f"{engine.name} has entries too many")
            store.commit(news)
            whole += news
        for after in range(len(whole)):
            for most in (1, 2, 100):
                found = store.read(after=after, most=most)
                right = found == whole[after : after + most]
                require(right, f"{engine.name} reads {found} after {after}")
            news = store.begin(after=after) if after else whole
            if after:
                store.rollback()
            require(news == whole[after:], f"{engine.name} begins with {news} after {after}")
        require(store.read(after=len(whole), most=9) == [], f"{engine.name} reads past its end")


def what_is_rolled_back_is_gone(engine: Engine) -> None:
    """And others can write at once."""
    with engine.made() as (store, ledger):
        store.begin(after=1)
        inside = store.read(after=0, most=9)
        require(len(inside) == 1, f"{engine.name} does not read within a transaction")
        for _ in range(2):  # the second has nothing to do
            store.rollback()
        answer(ledger, "p")
        require(ledger.verify() == 3, f"{engine.name} kept what was rolled back")


def charges_are_exact(engine: Engine) -> None:
    """Thirds add up to the whole budget, and not one more question fits."""
    with engine.made() as (_, ledger):
        for number in range(AFFORDABLE):
            spent = ledger.spent()
            require(not number or spent == COST * number, f"{engine.name}: {number} cost {spent}")
            reserved(ledger, f"q{number}")
        require(ledger.spent() == BUDGET, f"{engine.name} charged {ledger.spent()} for {BUDGET}")
        refused = isinstance(asked(ledger, "one more"), Refused)
        require(refused, f"{engine.name} overspends")
        require(ledger.verify() == AFFORDABLE + 2, f"{engine.name} has entries too many")


def a_refusal_charges_nothing_and_is_recorded(engine: Engine) -> None:
    """All of a batch, or none of it."""
    with engine.made() as (_, ledger):
        answer(ledger, "p")
        before = ledger.spent(), ledger.draws()
        many = [f"q{number}" for number in range(AFFORDABLE)]
        require(isinstance(asked(ledger, *many), Refused), f"{engine.name} overspends")
        require((ledger.spent(), ledger.draws()) == before, f"{engine.name} charges for a refusal")
        kinds = [each.kind for each in ledger.entries()]
        require(kinds[-1] == "refuse", f"{engine.name} does not record a refusal: {kinds}")
        require(ledger.look().accounts.of("").refusals == 1, f"{engine.name} forgot a refusal")


def a_question_is_settled_once(engine: Engine) -> None:
    """A second settlement is refused, and an answered question is free."""
    with engine.made() as (_, ledger):
        paid = reserved(ledger, "p")
        ledger.settle(paid, {"p": Fraction(1, 2)})
        try:
            ledger.settle(paid, {"p": Fraction(1, 3)})
        except InvalidInput:
            pass
        else:
            raise Violation(f"{engine.name} settles a question twice")
        require(ledger.answers()["p"].value == Fraction(1, 2), f"{engine.name} changed an answer")
        require(reserved(ledger, "p") == Reservation(0, ()), f"{engine.name} charges for a repeat")
        require(ledger.verify() == 3, f"{engine.name} records what did not happen")


def replay_gives_the_same_state(engine: Engine) -> None:
    """Whoever reads the entries knows what whoever wrote them knows."""
    with engine.made() as (store, ledger):
        eventful(ledger)
        require(said(Ledger(store)) == said(ledger), f"{engine.name} says something else on replay")


def a_snapshot_gives_the_same_state(engine: Engine) -> None:
    """Whether one was saved, and when, shows in nothing."""
    with engine.made() as (store, ledger):
        for name in ("first", "second"):
            answer(ledger, name)
            last = save(store, ledger)
            found = store.snapshot()
            latest = found is not None and found.sequence == last.sequence
            require(latest, f"{engine.name} keeps {found} for the snapshot at {last}")
            restored = Ledger(store)
            require(said(restored) == said(ledger), f"{engine.name} restores something else")
            require(restored.verify() == last.sequence, f"{engine.name} lost entries")
        eventful(ledger)
        require(said(Ledger(store)) == said(ledger), f"{engine.name} restores something else")
        index = dict(store.index())
        require(index == {"first": 3, "second": 5}, f"{engine.name} indexes {index}")
        found_in = [store.settled(name) for name in ("first", "second", "p")]
        require(found_in == [3, 5, None], f"{engine.name} finds answers in {found_in}")


def shares_are_kept(engine: Engine) -> None:
    """An analyst has their part, and whoever has none the rest."""
    with engine.made() as (store, ledger):
        ledger.set_aside({"ann": Fraction(3, 10)})
        for handle in (ledger, Ledger(store)):
            within = isinstance(asked(handle, *"abcd", analyst="ann"), Refused)
            require(within, f"{engine.name} lets an analyst have more than their share")
            rest = isinstance(asked(handle, *"abcdefgh", analyst="bob"), Refused)
            require(rest, f"{engine.name} lets others have a share")
        answer(ledger, *"abc", analyst="ann")
        answer(ledger, *"defghij", analyst="bob")
        require(ledger.spent() == BUDGET, f"{engine.name} does not hand out the whole budget")
        Ledger(store).verify()


def a_retired_ledger_only_repeats(engine: Engine) -> None:
    """What was answered stays free, and nothing new is answered."""
    with engine.made() as (store, ledger):
        answer(ledger, "p")
        ledger.retire()
        for handle in (ledger, Ledger(store)):
            require(reserved(handle, "p").digests == (), f"{engine.name} forgot an answer")
            try:
                asked(handle, "q")
            except LedgerClosed:
                continue
            raise Violation(f"{engine.name} answers although it is closed")
        require(ledger.verify() == 4, f"{engine.name} records what did not happen")


def threads_share_what_is_affordable(engine: Engine) -> None:
    """Many takers at once, and exactly as many served as there is budget for."""
    with engine.made() as (_, ledger):
        start, got = threading.Barrier(_TAKERS), list[bool]()

        def take(name: str) -> None:
            start.wait()
            got.append(isinstance(asked(ledger, name), Reservation))

        takers = [threading.Thread(target=take, args=(f"q{n}",)) for n in range(_TAKERS)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        require(sum(got) == AFFORDABLE, f"{engine.name} served {sum(got)} of {AFFORDABLE}")
        require(ledger.verify() == 1 + _TAKERS, f"{engine.name} lost the record of someone")


LAWS: tuple[Law, ...] = (
    a_new_ledger_has_all_of_its_budget,
    entries_come_back_as_they_were_written,
    what_is_rolled_back_is_gone,
    charges_are_exact,
    a_refusal_charges_nothing_and_is_recorded,
    a_question_is_settled_once,
    replay_gives_the_same_state,
    a_snapshot_gives_the_same_state,
    shares_are_kept,
    a_retired_ledger_only_repeats,
    threads_share_what_is_affordable,
)
