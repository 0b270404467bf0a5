"""Conformance tests for ledger stores: laws of every store, to run against your own.

    for law in (*LAWS, *TAMPERING, *LASTING):
        law(Engine(name="mine", place=…, forge=…, newer=…))

Each raises `Violation` with what it saw. They need no test runner. An `Engine` is a kind of store
under test, and there are small ledgers to keep in it. `TAMPERING` has the laws that what someone
with an editor did to a store does not go unnoticed. `LASTING` has those of stores whose ledgers
outlive the process and are shared by several; what is only in memory keeps all but these.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from peekproof.core.charge import GDP, Offer
from peekproof.core.errors import (
    LedgerClosed,
    LedgerDamaged,
    LedgerError,
    LedgerTooNew,
    LedgerUnavailable,
)
from peekproof.ledger.entry import FORMAT, Entry, Opening, follow
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.places import create_store, has_store, open_store
from peekproof.ledger.snapshot import taken
from peekproof.ledger.state import OverLimit
from peekproof.ledger.store import Snapshot, Store
from peekproof.testing.statistics import Violation, require

AFFORDABLE = 10
COST = GDP(Fraction(1, 3))  # a third: no sum of floats would be exact
BUDGET = COST * AFFORDABLE


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A kind of store.

    name     what messages call it
    place    where nothing is yet; another one each time
    create   a store with this first entry; if there is one already, that one
    open     the store at an existing place
    exists   whether there is one
    forge    puts these entries into an open store, behind its back, for all that it has
    newer    marks a place as one that a newer version wrote; None in memory
    """

    name: str
    place: Callable[[], str]
    forge: Callable[[Store, Sequence[Entry]], None]
    create: Callable[[str, Entry], Store] = create_store
    open: Callable[[str], Store] = open_store
    exists: Callable[[str], bool] = has_store
    newer: Callable[[str], None] | None = None

    @contextmanager
    def made(self) -> Iterator[tuple[Store, Ledger]]:
        """A new store, and a ledger on it."""
        place = self.place()
        store = self.create(place, first_entry(place))
        try:
            yield store, Ledger(store)
        finally:
            store.close()

    @contextmanager
    def opened(self, place: str) -> Iterator[tuple[Store, Ledger]]:
        """The store at an existing place, and a ledger on it."""
        store = self.open(place)
        try:
            yield store, Ledger(store)
        finally:
            store.close()


def opening(place: str) -> Opening:
    """A promise of ten questions about data that belongs to this place."""
    return Opening(
        fingerprint=f"pp1-{hashlib.sha256(place.encode()).hexdigest()[:32]}",
        key=hashlib.sha256(f"the key of {place}".encode()).hexdigest(),  # of nobody's data
        rows=1000,
        confidence=Fraction(19, 20),
        questions=AFFORDABLE,
        mechanism={"kind": "gaussian", "sigma": "1/100", "step": "1/8192"},
        budget=BUDGET,
        entropy="system",
    )


def first_entry(place: str) -> Entry:
    return follow(None, "open", opening(place).to_body())


def asked(ledger: Ledger, *names: str, analyst: str = "") -> Written | OverLimit:
    """What comes of asking for these questions; the answers are 1/2, 1/3, …"""
    values = {name: Fraction(1, index + 2) for index, name in enumerate(names)}
    return ledger.write(
        {name: f"{name} > 1" for name in names},
        offers=_offers,
        release=lambda digests: [values[each] for each in digests],
        analyst=analyst,
    )


def _offers(digests: Sequence[str]) -> list[Offer]:
    return [Offer(cost=COST)] * len(digests)


def answer(ledger: Ledger, *names: str, analyst: str = "") -> Written:
    """Questions that there is a budget for."""
    found = asked(ledger, *names, analyst=analyst)
    if isinstance(found, OverLimit):
        raise Violation(f"{ledger.place} refused {names} although there is budget left")
    return found


def lost(ledger: Ledger, *names: str) -> Written:
    """Questions that are paid for, and not answered yet."""
    found = ledger.lose({name: f"{name} > 1" for name in names}, offers=_offers)
    if isinstance(found, OverLimit):
        raise Violation(f"{ledger.place} refused {names} although there is budget left")
    return found


def eventful(ledger: Ledger) -> None:
    """Everything that can be in a ledger, but for its end."""
    answer(ledger, "p", "q")
    asked(ledger, *(f"too many {number}" for number in range(AFFORDABLE)))
    lost(ledger, "r")
    ledger.recover(lost(ledger, "t", "u"), {"t": Fraction(1, 5)})
    ledger.set_aside({"ann": Fraction(1, 2)})
    answer(ledger, "s", analyst="ann")
    ledger.override(reason="the disk broke", against="a copy")


def said(ledger: Ledger) -> dict[str, object]:
    """All that a ledger says, with what other handles wrote."""
    state = ledger.look()
    return {
        "opening": state.opening,
        "last": state.last,
        "spent": state.spent,
        "draws": state.draws,
        "unanswered": {entry: dict(each) for entry, each in state.unanswered.items()},
        "answers": dict(state.answers.items()),
        "offers": set(state.offers),
        "shares": dict(state.accounts.shares),
        "accounts": dict(state.accounts.by_name),
        "overrides": list(state.overrides),
        "closed": state.closed,
    }


def following(last: Entry, count: int) -> list[Entry]:
    """So many entries that continue the chain; for stores, which need not know what they mean."""
    found = [last]
    for number in range(count):
        found.append(follow(found[-1], "share", {"format": 2, "asked": number, "text": "ü\0"}))
    return found[1:]


def save(store: Store, ledger: Ledger) -> Entry:
    """Save a snapshot as a ledger does when one is due; the entry it stands on."""
    state = ledger.look()
    snapshot = taken(state)
    store.save(snapshot, state.unindexed)
    if state.last is None:
        raise Violation("a ledger without entries")
    return state.last


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
            answer(other, f"other {number}")
            repeated = answer(other, f"one {number}").digests
            require(not repeated, f"{engine.name} charges again for another handle's answer")
        require(one.spent() == COST * 6, f"{engine.name} charged {one.spent()} for six questions")
        require(one.verify() == other.verify() == 7, f"{engine.name} lost an entry")


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


def a_changed_entry_is_noticed(engine: Engine) -> None:
    """In its kind, its body or its digest, wherever it is."""

    def changes(entries: Sequence[Entry]) -> dict[str, Sequence[Entry]]:
        made: dict[str, Sequence[Entry]] = {}
        for index, entry in enumerate(entries):
            flipped = bytes([entry.digest[0] ^ 1]) + entry.digest[1:]
            for bent in (
                replace(entry, kind=f"{entry.kind}x"),
                replace(entry, text=entry.text.replace("1", "2", 1)),
                replace(entry, text=f"{entry.text} "),
                replace(entry, digest=flipped),
            ):
                made[f"entry {index + 1} as {bent}"] = [
                    *entries[:index],
                    bent,
                    *entries[index + 1 :],
                ]
        return made

    _noticed(engine, changes)


def lost_doubled_and_exchanged_entries_are_noticed(engine: Engine) -> None:
    """Also the last one, by whoever has seen it."""

    def changes(entries: Sequence[Entry]) -> dict[str, Sequence[Entry]]:
        made: dict[str, Sequence[Entry]] = {"no entries": []}
        for index, entry in enumerate(entries):
            without = [*entries[:index], *entries[index + 1 :]]
            made[f"no entry {index + 1}"] = without
            closed_up = [replace(each, sequence=n) for n, each in enumerate(without, start=1)]
            made[f"no entry {index + 1}, and new numbers"] = closed_up
            again = replace(entry, sequence=len(entries) + 1)
            made[f"entry {index + 1} once more"] = [*entries, again]
        for index in range(len(entries) - 1):
            one, two = entries[index : index + 2]
            swapped = [replace(two, sequence=one.sequence), replace(one, sequence=two.sequence)]
            made[f"entry {index + 2} first"] = [*entries[:index], *swapped, *entries[index + 2 :]]
        return made

    _noticed(engine, changes)


def a_false_snapshot_is_noticed(engine: Engine) -> None:
    """It has a sound digest, and yet says what the entries do not."""
    falsehoods: tuple[tuple[dict[str, str], dict[str, int]], ...] = (
        ({"spent": "1/9"}, {"p": 2}),
        ({}, {"p": 2, "ghost": 2}),
        ({}, {"p": 1}),
        ({}, {}),
    )
    for changed, index in falsehoods:
        with engine.made() as (store, ledger):
            answer(ledger, "p")
            (last,) = store.read(after=1, most=1)
            body = json.loads(taken(ledger.look()).text) | changed
            text = json.dumps(body, sort_keys=True, separators=(",", ":"))
            digest = hashlib.sha256(last.digest + text.encode()).digest()
            store.save(Snapshot(last.sequence, text, digest), index.items())
            try:
                Ledger(store).verify()
            except LedgerDamaged:
                continue
            raise Violation(f"{engine.name} verifies with a false snapshot")


def a_newer_entry_is_refused(engine: Engine) -> None:
    """The first, and any other."""
    for index in (0, 2):
        with engine.made() as (store, ledger):
            eventful(ledger)
            bodies = [(each.kind, each.body) for each in ledger.entries()]
            kind, body = bodies[index]
            bodies[index] = kind, {**body, "format": FORMAT + 1}
            engine.forge(store, chained(bodies))
            try:
                Ledger(store)
            except LedgerTooNew:
                continue
            raise Violation(f"{engine.name} reads an entry that a newer version wrote")


TAMPERING: tuple[Callable[[Engine], None], ...] = (
    a_changed_entry_is_noticed,
    lost_doubled_and_exchanged_entries_are_noticed,
    a_false_snapshot_is_noticed,
    a_newer_entry_is_refused,
)


def chained(bodies: Sequence[tuple[str, dict[str, object]]]) -> list[Entry]:
    """Entries with a sound chain, whatever they say."""
    found: list[Entry] = []
    for kind, body in bodies:
        found.append(follow(found[-1] if found else None, kind, body))
    return found


def _noticed(
    engine: Engine, changes: Callable[[Sequence[Entry]], dict[str, Sequence[Entry]]]
) -> None:
    """Whoever has the ledger open notices each change when it verifies, and none when undone."""
    with engine.made() as (store, ledger):
        eventful(ledger)
        entries = ledger.entries()
        for change, bent in changes(entries).items():
            if list(bent) == entries:
                continue
            engine.forge(store, bent)
            try:
                ledger.verify()
            except LedgerError:
                continue
            raise Violation(f"{engine.name} verifies with {change}")
        engine.forge(store, entries)
        require(ledger.verify() == len(entries), f"{engine.name} finds fault with what is sound")


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
        require(ledger.verify() == 2, f"{engine.name} kept what was rolled back")


def charges_are_exact(engine: Engine) -> None:
    """Thirds add up to the whole budget, and not one more question fits."""
    with engine.made() as (_, ledger):
        for number in range(AFFORDABLE):
            spent = ledger.spent()
            require(not number or spent == COST * number, f"{engine.name}: {number} cost {spent}")
            answer(ledger, f"q{number}")
        require(ledger.spent() == BUDGET, f"{engine.name} charged {ledger.spent()} for {BUDGET}")
        refused = isinstance(asked(ledger, "one more"), OverLimit)
        require(refused, f"{engine.name} overspends")
        require(ledger.verify() == AFFORDABLE + 1, f"{engine.name} has entries too many")


def a_refusal_charges_nothing(engine: Engine) -> None:
    """All of a batch, or none of it; what is refused is not drawn, and not written down."""
    with engine.made() as (_, ledger):
        answer(ledger, "p")
        before = said(ledger)
        many = {f"q{number}": "?" for number in range(AFFORDABLE)}
        drawn: list[tuple[str, ...]] = []

        def release(digests: tuple[str, ...]) -> list[Fraction]:
            drawn.append(digests)
            return [Fraction(1, 2) for _ in digests]

        refused = isinstance(ledger.write(many, offers=_offers, release=release), OverLimit)
        require(refused and isinstance(ledger.lose(many, offers=_offers), OverLimit), "overspends")
        require(not drawn, f"{engine.name} draws what does not fit")
        require(said(ledger) == before, f"{engine.name} writes a refusal down")


def a_question_is_answered_once(engine: Engine) -> None:
    """An answered question is free and stays as it is, also if it was paid for before that."""
    with engine.made() as (_, ledger):
        paid = lost(ledger, "p", "q")
        answer(ledger, "p")
        ledger.recover(paid, {"p": Fraction(1, 3), "q": Fraction(1, 4)})
        ledger.recover(paid, {"q": Fraction(1, 5)})
        values = {name: each.value for name, each in ledger.answers().items()}
        once = values == {"p": Fraction(1, 2), "q": Fraction(1, 4)}
        require(once, f"{engine.name} changed an answer: {values}")
        require(answer(ledger, "p", "q").digests == (), f"{engine.name} charges for a repeat")
        require(list(ledger.look().unanswered) == [paid.sequence], f"{engine.name} forgot a charge")
        require(ledger.spent() == COST * 3, f"{engine.name} charged {ledger.spent()}")
        require(ledger.verify() == 4, f"{engine.name} records what did not happen")


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
        require(index == {"first": 2, "second": 3}, f"{engine.name} indexes {index}")
        found_in = [store.settled(name) for name in ("first", "second", "p")]
        require(found_in == [2, 3, None], f"{engine.name} finds answers in {found_in}")


def shares_are_kept(engine: Engine) -> None:
    """An analyst has their part, and whoever has none the rest."""
    with engine.made() as (store, ledger):
        ledger.set_aside({"ann": Fraction(3, 10)})
        for handle in (ledger, Ledger(store)):
            within = isinstance(asked(handle, *"abcd", analyst="ann"), OverLimit)
            require(within, f"{engine.name} lets an analyst have more than their share")
            rest = isinstance(asked(handle, *"abcdefgh", analyst="bob"), OverLimit)
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
            require(answer(handle, "p").digests == (), f"{engine.name} forgot an answer")
            try:
                asked(handle, "q")
            except LedgerClosed:
                continue
            raise Violation(f"{engine.name} answers although it is closed")
        require(ledger.verify() == 3, f"{engine.name} records what did not happen")


def threads_share_what_is_affordable(engine: Engine) -> None:
    """Many takers at once, and exactly as many served as there is budget for."""
    with engine.made() as (_, ledger):
        start, got = threading.Barrier(_TAKERS), list[bool]()

        def take(name: str) -> None:
            start.wait()
            got.append(isinstance(asked(ledger, name), Written))

        takers = [threading.Thread(target=take, args=(f"q{n}",)) for n in range(_TAKERS)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        require(sum(got) == AFFORDABLE, f"{engine.name} served {sum(got)} of {AFFORDABLE}")
        require(ledger.verify() == 1 + AFFORDABLE, f"{engine.name} lost the record of someone")


LAWS: tuple[Law, ...] = (
    a_new_ledger_has_all_of_its_budget,
    entries_come_back_as_they_were_written,
    what_is_rolled_back_is_gone,
    charges_are_exact,
    a_refusal_charges_nothing,
    a_question_is_answered_once,
    replay_gives_the_same_state,
    a_snapshot_gives_the_same_state,
    shares_are_kept,
    a_retired_ledger_only_repeats,
    threads_share_what_is_affordable,
)
