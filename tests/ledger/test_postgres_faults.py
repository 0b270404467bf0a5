"""Servers that stop, connections that break, databases that forget: nothing lost or doubled."""

from __future__ import annotations

import random
import signal
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from fractions import Fraction

import pytest

from ledger.books import COST, OPENING, answer, at, lose
from ledger.lossy_proxy import Fault, proxy
from ledger.postgres_server import Database, Own
from peekproof.core.charge import GDP
from peekproof.core.errors import LedgerDamaged, LedgerUnavailable
from peekproof.ledger.entry import follow
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.postgres import PostgresStore

FIRST = follow(None, "open", OPENING.to_body())
CUT = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE application_name = 'peekproof' AND datname = current_database()
"""


# What is lost, and then: what was reported, what was charged, what was answered.
FAULTS = [
    (Fault("request", b"BEGIN", 1), (0, 0, 0)),
    (Fault("answer", b"BEGIN", 1), (0, 0, 0)),
    (Fault("request", b"COMMIT\0", 1), (0, 0, 0)),
    (Fault("answer", b"COMMIT\0", 1), (0, 1, 0)),
    (Fault("request", b"BEGIN", 2), (1, 1, 0)),
    (Fault("answer", b"BEGIN", 2), (1, 1, 0)),
    (Fault("request", b"COMMIT\0", 2), (1, 1, 0)),
    (Fault("answer", b"COMMIT\0", 2), (1, 1, 1)),
    (Fault("answer", b"COMMIT\0", 3), (2, 1, 1)),
]


@pytest.mark.parametrize(
    ("fault", "outcome"),
    FAULTS,
    ids=[f"{fault.what} {fault.word[:6].decode()} {fault.nth}" for fault, _ in FAULTS],
)
def test_whatever_is_lost_on_the_way_is_charged_once_or_not_at_all(
    fault: Fault, outcome: tuple[int, int, int], own: Database, own_server: Own
) -> None:
    Ledger.create(own.place("people"), OPENING).close()
    with proxy(own_server.folder) as between:
        through = own.place("people").replace(str(own_server.folder), str(between.folder))
        with (
            closing(Ledger.open(through)) as ledger,
            closing(Ledger.open(own.place("people"))) as other,
        ):
            between.fault = replace(fault)
            reported = 0
            try:
                reserved = lose(ledger, "q")
                reported += 1
                ledger.recover(reserved, {"q": Fraction(1, 2)})
                reported += 1
            except LedgerUnavailable:
                assert between.fault.done
            between.fault = None
            draws, answers = other.draws(), dict(other.answers())
            assert (reported, draws, len(answers)) == outcome
            assert (ledger.draws(), dict(ledger.answers())) == (draws, answers)
            answer(ledger, "q")
            assert other.draws() == (draws if answers else draws + 1)
            assert ledger.verify() == other.verify()


def test_a_lost_connection_is_made_anew(database: Database) -> None:
    with closing(Ledger.create(database.place("people"), OPENING)) as ledger:
        answer(ledger, "p")
        database.execute(CUT)
        with pytest.raises(LedgerUnavailable, match="cannot be used"):
            ledger.spent()
        assert ledger.spent() == COST
        database.execute(CUT)
        with pytest.raises(LedgerUnavailable, match="cannot be used"):
            lose(ledger, "q")
        answer(ledger, "q")
        assert ledger.spent() == COST * 2
        assert ledger.verify() == 5


def test_what_was_begun_on_a_lost_connection_is_not_written_on_another(database: Database) -> None:
    with closing(PostgresStore.create(database.place("people"), FIRST)) as store:
        store.begin(after=1)
        database.execute(CUT)
        with pytest.raises(LedgerUnavailable):
            store.read(after=0, most=1)
        assert store.read(after=0, most=1) == [FIRST]  # connected again, and without the lock
        with pytest.raises(LedgerUnavailable, match="lost its transaction"):
            store.commit([follow(FIRST, "refuse", {"asked": 1})])
        store.rollback()
        assert store.begin(after=1) == []
        store.rollback()


def test_a_database_that_lost_entries_is_refused_when_it_comes_back(database: Database) -> None:
    with closing(Ledger.create(database.place("people"), OPENING)) as ledger:
        answer(ledger, "p")
        database.execute("DELETE FROM peekproof.entry WHERE sequence = 3")
        database.execute(CUT)
        with pytest.raises(LedgerUnavailable):
            ledger.spent()
        for _ in range(2):
            with pytest.raises(LedgerDamaged, match="lost entries that were there before"):
                ledger.spent()
        with pytest.raises(LedgerDamaged, match="lost entries that were there before"):
            lose(ledger, "q")


def test_a_ledger_that_is_gone_when_the_server_comes_back_is_not_made_anew(
    database: Database,
) -> None:
    with closing(Ledger.create(database.place("people"), OPENING)) as ledger:
        answer(ledger, "p")
        database.execute("DROP SCHEMA peekproof CASCADE")
        database.execute(CUT)
        for _ in range(3):
            with pytest.raises(LedgerUnavailable):
                lose(ledger, "q")
        assert not Ledger.exists(database.place("people"))


def test_an_interrupted_writer_leaves_nothing_and_goes_on(database: Database) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with (
        closing(Ledger.create(database.place("people"), OPENING)) as ledger,
        closing(PostgresStore.open(database.place("people"))) as store,
    ):
        store.begin(after=1)
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(KeyboardInterrupt):
                lose(ledger, "q")  # waits for the lock
        finally:
            signal.signal(signal.SIGALRM, before)
        store.rollback()
        answer(ledger, "q")
        assert ledger.spent() == COST
        assert ledger.verify() == 3


def test_a_server_that_may_forget_is_refused(own: Database, own_server: Own) -> None:
    with closing(Ledger.create(own.place("people"), OPENING)) as ledger:
        answer(ledger, "p")
        own_server.stop()
        own_server.settings["fsync"] = "off"
        try:
            own_server.start()
            with pytest.raises(LedgerUnavailable, match="fsync is off"):
                Ledger.open(own.place("people"))
            for _ in range(2):
                with pytest.raises(LedgerUnavailable):
                    lose(ledger, "q")
        finally:
            own_server.stop()
            del own_server.settings["fsync"]
            own_server.start()
        answer(ledger, "q")
        assert ledger.verify() == 5


@dataclass
class Seen:
    """What someone who asks was told."""

    reserved: list[str] = field(default_factory=list)
    settled: dict[str, Fraction] = field(default_factory=dict)
    failures: int = 0


def test_a_server_that_crashes_under_its_users_loses_and_doubles_nothing(
    own: Database, own_server: Own
) -> None:
    budget = GDP(Fraction(10**6))
    opening = replace(OPENING, questions=10**6, budget=budget)
    place, stop = own.place("people"), threading.Event()
    ledger = Ledger.create(place, opening)
    handles = [ledger, ledger, Ledger.open(place), Ledger.open(place)]
    everyone = [Seen() for _ in handles]

    def ask(number: int) -> None:
        count, seen = 0, everyone[number]
        while not stop.is_set():
            count += 1
            name, value = f"{number}-{count}", Fraction(number, count)
            try:
                found = handles[number].lose({name: "x > 1"}, offers=at(COST))
                assert isinstance(found, Written)
                seen.reserved.append(name)
                handles[number].recover(found, {name: value})
                seen.settled[name] = value
            except LedgerUnavailable:
                seen.failures += 1
                time.sleep(0.01)

    users = [threading.Thread(target=ask, args=(number,)) for number in range(len(handles))]
    for user in users:
        user.start()
    chance = random.Random(3)
    for _ in range(2):
        time.sleep(chance.uniform(0.3, 0.5))
        own_server.crash()
        own_server.start()
    time.sleep(0.4)
    stop.set()
    for user in users:
        user.join()

    for each in handles[1:]:
        each.close()
    ledger = Ledger.open(place)
    draws, answers = ledger.draws(), ledger.answers()
    asked = [
        question["digest"]
        for entry in ledger.entries()
        if entry.kind == "lost"
        for question in entry.body["questions"]
    ]
    assert len(asked) == len(set(asked)) == draws
    assert ledger.spent() == COST * draws
    for seen in everyone:
        assert seen.settled
        assert seen.failures
        assert set(seen.reserved) <= set(asked)
        assert all(answers[name].value == value for name, value in seen.settled.items())
    # Each failure may have charged for one question that nobody was told of, and none more.
    told = sum(len(seen.reserved) for seen in everyone)
    assert told <= draws <= told + sum(seen.failures for seen in everyone)
    ledger.verify()
    ledger.close()
