"""Rounds of a reusable holdout: every interleaving against the definition, and forged records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peekproof
from mechanisms.discrete_laws import Script
from peekproof.core.certificate import Target
from peekproof.core.errors import LedgerDamaged, RoundsExhausted
from peekproof.data.load import in_memory
from peekproof.ledger.entry import Body, Entry, Opening, Settled, follow
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms import sparse
from peekproof.mechanisms.plan import Plan
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.noise.entropy import Seeded
from peekproof.session.local_backend import LocalBackend
from peekproof.session.records import check_record
from peekproof.session.session import Session

ROWS, QUESTIONS = 10, 100
TABLE = in_memory({"x": np.arange(ROWS), "z": np.zeros(ROWS)})


@dataclass(frozen=True)
class Step:
    """Somebody asks about a count; their session may be new, or its write may fail."""

    who: int
    count: int
    guess: Fraction
    compared: int
    added: int
    restarted: bool
    crashes: bool


@dataclass(frozen=True)
class Said:
    share: Fraction
    corrected: bool
    paid: bool


def stated(steps: Sequence[Step], levels: Sequence[int], *, budget: int) -> list[Said | str]:
    """What is said with threshold 2, from the definition: one noisy threshold for each round."""
    said: list[Said | str] = []
    owner, rounds = -1, 0
    for step in steps:
        if step.restarted and owner == step.who:
            owner = -1
        opens = owner != step.who
        if opens and rounds == budget:
            said.append("refused")
            continue
        if step.crashes:  # nothing is told or charged, and the round is given up
            owner = -1 if owner == step.who else owner
            said.append("lost")
            continue
        rounds += opens
        owner = step.who
        near = floor(step.guess * ROWS + Fraction(1, 2))
        above = abs(step.count - near) + step.compared >= 2 + levels[rounds - 1]
        if above:
            owner = -1
        share = min(ROWS, max(0, step.count + step.added)) if above else near
        said.append(Said(Fraction(share, ROWS), above, opens))
    return said


def opened(budget: int) -> tuple[Plan, Ledger]:
    target = Target.of(confidence=0.5, questions=QUESTIONS)
    mechanism = Thresholdout(
        rows=ROWS,
        threshold=2,
        epsilon=Fraction(9 * budget),
        corrections=budget,
        questions=QUESTIONS,
    )  # each round: 8 for comparing, 1 for answering
    plan = Plan(target=target, mechanism=mechanism, certificate=mechanism.certify(target))
    opening = Opening(
        fingerprint=TABLE.fingerprint,
        rows=ROWS,
        confidence=target.confidence,
        questions=QUESTIONS,
        mechanism=mechanism.record(),
        budget=plan.budget,
        entropy=Seeded(0).description,
    )
    return plan, Ledger.create(":memory:", opening)


def played(
    steps: Sequence[Step], levels: Sequence[int], expected: Sequence[Said | str], *, budget: int
) -> list[Said | str]:
    """The same, by sessions on one ledger with their noise handed to them."""
    plan, book = opened(budget)
    drawn = [step for step, told in zip(steps, expected, strict=True) if isinstance(told, Said)]
    said: list[Said | str] = []
    sessions: dict[int, Session] = {}
    with pytest.MonkeyPatch.context() as patch, closing(book):
        Script(
            threshold=(Fraction(1, 4), levels),
            query=(Fraction(1, 2), [step.compared for step in drawn]),
            answer=(Fraction(1), [step.added for step in drawn]),
        ).install(patch, sparse)
        for number, step in enumerate(steps):
            if step.restarted or step.who not in sessions:
                sessions[step.who] = Session(
                    LocalBackend(table=TABLE, plan=plan, ledger=book, rng=Seeded(0))
                )
            said.append(_asked(sessions[step.who], step, number, book))
        assert book.draws() == len(drawn)
        check_record(plan, book)
    return said


def _asked(session: Session, step: Step, number: int, book: Ledger) -> Said | str:
    failures = session.failures
    with pytest.MonkeyPatch.context() as patch:
        if step.crashes:
            patch.setattr(book, "write", _crash)
        try:
            # The second half is never true, and makes each question a new one.
            answer = session.ask(
                f"x < {step.count} or z > {number}",
                guess=step.guess,  # type: ignore[arg-type]
            )
        except OSError:
            assert session.failures == failures
            return "lost"
        except RoundsExhausted:
            assert session.remaining == 0
            return "refused"
    return Said(answer.released, session.failures > failures, bool(answer.cost != answer.cost * 0))


def _crash(*_: object, **__: object) -> None:
    raise OSError


steps = st.builds(
    Step,
    who=st.integers(0, 2),
    count=st.integers(0, ROWS),
    guess=st.fractions(0, 1),
    compared=st.integers(-4, 4),
    added=st.integers(-12, 12),
    restarted=st.sampled_from([False, False, False, True]),
    crashes=st.sampled_from([False, False, False, False, True]),
)


@given(
    asked=st.lists(steps, min_size=1, max_size=12),
    levels=st.lists(st.integers(-2, 8), min_size=4, max_size=4),
    budget=st.integers(1, 4),
)
def test_sessions_on_one_ledger_say_what_the_definition_says(
    asked: list[Step], levels: list[int], budget: int
) -> None:
    expected = stated(asked, levels, budget=budget)
    assert played(asked, levels, expected, budget=budget) == expected


# Forged records -------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a witness, which would notice a forgery before anyone looks at what it says."""
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")


RNG = np.random.default_rng(1)
DATA = {"x": RNG.random(50_000)}


def recorded(place: Path) -> None:
    """Stands, is corrected, stands thrice in a second round; then another session opens a third."""
    arguments = {"ledger": place, "entropy": Seeded(1)}
    with peekproof.open(
        DATA,
        questions=50,
        mechanisms=[peekproof.Thresholdout],
        **arguments,  # type: ignore[arg-type]
    ) as session:
        session.ask("x > 0.4", guess=0.6)
        session.ask("x > 0.3", guess=0.1)
        session.ask("x > 0.2", guess=0.8)
        session.ask("x > 0.25", guess=0.75)
        session.ask("x > 0.26", guess=0.74)
    with peekproof.open(DATA, **arguments) as session:  # type: ignore[arg-type]
        session.ask("x > 0.5", guess=0.5)
        assert session.failures == 1
        assert session.remaining_rounds == 7


def rewritten(place: Path, change: Callable[[list[tuple[str, Body]]], None]) -> None:
    """Change the entries, add the charges up again, and chain them anew."""
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        rows = connection.execute("SELECT kind, body FROM entry ORDER BY sequence").fetchall()
        entries = [(kind, json.loads(text)) for kind, text in rows]
        change(entries)
        connection.execute("DELETE FROM entry")
        last: Entry | None = None
        spent = Fraction(0)
        for kind, body in entries:
            if kind in ("answer", "lost"):
                spent += Fraction(body["cost"])
                body["spent"] = str(spent)
            last = follow(last, kind, body)
            connection.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?)",
                (last.sequence, last.kind, last.text, last.digest),
            )


Change = Callable[[list[tuple[str, Body]]], None]


def reserves(entries: list[tuple[str, Body]]) -> list[Body]:
    return [body for kind, body in entries if kind in ("answer", "lost")]


def pays(body: Body, amount: Fraction | int) -> None:
    """In the charge and in the terms, so that they agree."""
    body["cost"] = body["terms"]["price"] = str(amount)


def _after_its_correction(entries: list[tuple[str, Body]]) -> None:
    third = reserves(entries)[2]
    pays(third, 0)
    third["terms"]["round"] = "0"
    for later in reserves(entries)[3:]:
        later["terms"]["round"] = str(int(later["terms"]["round"]) - 1)


def _never_paid(entries: list[tuple[str, Body]]) -> None:
    pays(reserves(entries)[0], 0)


def _half_paid(entries: list[tuple[str, Body]]) -> None:
    first = reserves(entries)[0]
    pays(first, Fraction(first["cost"]) / 2)


def _partly_paid_within_a_round(entries: list[tuple[str, Body]]) -> None:
    pays(reserves(entries)[3], Fraction(reserves(entries)[0]["cost"]) / 2)


def _charged_less_than_its_terms_say(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[0]["cost"] = "0"


def _charged_more_than_its_terms_say(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[3]["cost"] = str(Fraction(reserves(entries)[0]["cost"]) / 2)


def _counted_twice(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[0]["draws"] = 2


def _of_an_older_round(entries: list[tuple[str, Body]]) -> None:
    last = reserves(entries)[-1]
    pays(last, 0)
    last["terms"]["round"] = "0"


def _of_a_round_to_come(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[1]["terms"]["round"] = "1"


def _of_a_number_skipped(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[-1]["terms"]["round"] = "5"


def _off_the_rows(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[1]["terms"]["guess"] = "1/3"


def _with_other_terms(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[1]["terms"]["levels"] = "4"


def _of_another_kind(entries: list[tuple[str, Body]]) -> None:
    reserves(entries)[1]["terms"]["kind"] = "laplace"


def _without_terms(entries: list[tuple[str, Body]]) -> None:
    del reserves(entries)[1]["terms"]


def _told_as_standing(entries: list[tuple[str, Body]]) -> None:
    value = entries[2][1]["questions"][0]["value"]
    assert value[1] == "1"
    value[1] = "0"


def _standing_at_another_share(entries: list[tuple[str, Body]]) -> None:
    entries[1][1]["questions"][0]["value"][0] = "1/2"


def _of_another_shape(entries: list[tuple[str, Body]]) -> None:
    entries[1][1]["questions"][0]["value"] = "3/5"


def _dropped(entries: list[tuple[str, Body]], index: int) -> None:
    kind, body = entries[index]
    assert kind == "answer"
    for each in body["questions"]:
        del each["value"]
    entries[index] = "lost", body


def _after_a_first_that_was_never_answered(entries: list[tuple[str, Body]]) -> None:
    _dropped(entries, 1)


def _after_a_later_that_was_never_answered(entries: list[tuple[str, Body]]) -> None:
    _dropped(entries, 4)


def _for_another_number_of_questions(entries: list[tuple[str, Body]]) -> None:
    entries[0][1]["questions"] = 51


def _with_another_budget(entries: list[tuple[str, Body]]) -> None:
    entries[0][1]["budget"] = str(2 * Fraction(entries[0][1]["budget"]))


def _without_a_threshold(entries: list[tuple[str, Body]]) -> None:
    del entries[0][1]["mechanism"]["threshold"]


@pytest.mark.parametrize(
    "change",
    [
        _after_its_correction,
        _never_paid,
        _half_paid,
        _partly_paid_within_a_round,
        _charged_less_than_its_terms_say,
        _charged_more_than_its_terms_say,
        _counted_twice,
        _of_an_older_round,
        _of_a_round_to_come,
        _of_a_number_skipped,
        _off_the_rows,
        _with_other_terms,
        _of_another_kind,
        _without_terms,
        _told_as_standing,
        _standing_at_another_share,
        _of_another_shape,
        _after_a_first_that_was_never_answered,
        _after_a_later_that_was_never_answered,
        _for_another_number_of_questions,
        _with_another_budget,
        _without_a_threshold,
    ],
)
def test_a_record_that_cannot_be_is_damage(tmp_path: Path, change: Change) -> None:
    place = tmp_path / "l.peekproof"
    recorded(place)
    rewritten(place, change)
    with pytest.raises(LedgerDamaged):
        peekproof.open(DATA, ledger=place, entropy=Seeded(1))


@pytest.mark.parametrize("lost", [None, 2, 5, 6])
def test_a_record_of_what_can_be_is_none(tmp_path: Path, lost: int | None) -> None:
    """Otherwise the test above rejects everything. The last of a round may never be answered."""
    place = tmp_path / "l.peekproof"
    recorded(place)
    rewritten(place, lambda entries: None if lost is None else _dropped(entries, lost))
    with peekproof.open(DATA, ledger=place, entropy=Seeded(1)) as session:
        session.ask("x > 0.4").certificate.verify()


def test_a_forgery_behind_an_open_session_does_not_verify(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    recorded(place)
    with peekproof.open(DATA, ledger=place, entropy=Seeded(1)) as session:
        answer = session.ask("x > 0.4")
    rewritten(place, _of_a_number_skipped)
    with pytest.raises(LedgerDamaged):
        answer.certificate.verify()
    other = session.certificate(_corrected(place))
    rewritten(place, lambda entries: reserves(entries)[-1]["terms"].update(round="2"))
    answer.certificate.verify()
    with pytest.raises(LedgerDamaged):  # its guess stood
        other.verify()


def _corrected(place: Path) -> Settled:
    """The first answer as if its guess had been corrected."""
    with closing(Ledger.open(str(place))) as book:
        first = next(iter(book.answers().values()))
    assert isinstance(first.value, tuple)
    return replace(first, value=(first.value[0], Fraction(1)))


def test_who_writes_late_opens_a_round_of_their_own(tmp_path: Path) -> None:
    """One session is slow to write; meanwhile another opens a round, and goes on after it."""
    place = tmp_path / "l.peekproof"
    arguments = {"ledger": place, "entropy": Seeded(1)}
    with (
        peekproof.open(
            DATA,
            questions=50,
            mechanisms=[peekproof.Thresholdout],
            **arguments,  # type: ignore[arg-type]
        ) as slow,
        peekproof.open(DATA, **arguments) as quick,  # type: ignore[arg-type]
    ):
        write = slow.ledger.write

        def later(*given: Any, **named: Any) -> object:
            quick.ask("x > 0.3", guess=0.7)
            quick.ask("x > 0.2", guess=0.8)
            return write(*given, **named)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(slow.ledger, "write", later)
            slow.ask("x > 0.4", guess=0.6)
        slow.ask("x > 0.5", guess=0.5)
        quick.ask("x > 0.1", guess=0.9)
        slow.ask("x > 0.6", guess=0.4)
        assert quick.failures == 0
    with peekproof.open(DATA, ledger=place, entropy=Seeded(1)) as session:
        session.ask("x > 0.4").certificate.verify()
        paid = [entry.body for entry in session.ledger.entries()[1:]]
        assert [body["terms"]["round"] for body in paid] == ["0", "0", "1", "1", "2", "3"]
        assert [body["cost"] != "0" for body in paid] == [True, False, True, False, True, True]
