"""Ledgers in memory: one at a time for the same rows, remembered once something was asked."""

from __future__ import annotations

import os
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import peekproof
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.fight import fight
from peekproof.audit.opponents.sessions import Planned
from peekproof.core.errors import BudgetElsewhere, InvalidInput, LedgerUnavailable
from peekproof.ledger.witness import simulation
from peekproof.session.custody import UNWATCHED

pytestmark = pytest.mark.one_budget

TABLE = {"age": np.random.default_rng(1).normal(size=2_000)}
HERE = f"memory of process {os.getpid()}"


def test_rows_that_are_open_already_are_not_opened_again() -> None:
    session = peekproof.open(TABLE, questions=5)
    with pytest.raises(BudgetElsewhere) as caught:
        peekproof.open(TABLE, questions=5)
    assert (caught.value.place, caught.value.entries) == (HERE, 1)
    for piece in ("Keep using the session", 'ledger="…"', 'override="…"'):
        assert piece in str(caught.value)
    assert session.ask("age > 0").radius < 1


def test_what_asked_nothing_blocks_nothing(witness_folder: Path) -> None:
    peekproof.open(TABLE, questions=5).close()
    session = peekproof.open(TABLE, questions=5)
    session.ledger.set_aside({})
    del session  # not even closed
    peekproof.Holdout(None, [0, 1] * 200, questions=1).close()
    peekproof.open(TABLE, questions=5).close()
    assert list(witness_folder.iterdir()) == []


def test_what_was_refused_blocks_nothing(witness_folder: Path) -> None:
    with (
        peekproof.open(TABLE, questions=1) as session,
        pytest.raises(peekproof.BudgetExhausted),
    ):
        session.ask_many(["age > 0", "age > 1"])
    peekproof.open(TABLE, questions=1).close()
    assert list(witness_folder.iterdir()) == []


def test_a_question_leaves_a_record_before_it_is_answered(witness_folder: Path) -> None:
    with peekproof.open(TABLE, questions=5) as session:
        session.ask("age > 0")
        (record,) = witness_folder.glob("*.json")
        assert HERE in record.read_text()
    with pytest.raises(BudgetElsewhere, match=HERE):
        peekproof.open(TABLE, questions=5)


def test_a_second_budget_is_recorded_with_its_reason() -> None:
    first = peekproof.open(TABLE, questions=5)
    second = peekproof.open(TABLE, questions=5, override="the first is for practice")
    said = second.ask("age > 0").certificate.assumptions
    assert "the budget was overridden: the first is for practice" in said
    assert HERE in str(second.ledger.overrides[0]["against"])
    with pytest.raises(BudgetElsewhere):
        first.ask("age > 0")
    second.close()
    third = peekproof.open(TABLE, questions=5, override="once more")
    assert "the budget was overridden: once more" in third.ask("age > 0").certificate.assumptions


def test_a_second_budget_promises_what_the_one_that_is_open_does() -> None:
    first = peekproof.open(TABLE, questions=5, confidence=0.9)
    with peekproof.open(TABLE, override="the first is for practice") as second:
        assert second.plan.target == first.plan.target


def test_a_part_of_rows_that_are_open_is_refused(tmp_path: Path) -> None:
    whole = peekproof.open(TABLE, questions=5)
    parts = peekproof.split(peekproof.load(TABLE), {"a": 0.5, "b": 0.5})
    with pytest.raises(BudgetElsewhere):
        peekproof.open(parts["a"], questions=5)
    whole.ask("age > 0")
    place = tmp_path / "a.peekproof"
    with peekproof.open(parts["a"], questions=5, ledger=place, override="I looked") as session:
        assert [each["reason"] for each in session.ledger.overrides] == ["I looked"]


def test_nothing_to_override_in_memory() -> None:
    with pytest.raises(InvalidInput, match="nothing to override"):
        peekproof.open(TABLE, questions=5, override="a reason")


def test_threads_that_open_the_same_rows_at_once_have_one_budget() -> None:
    opened, refused, start = [], [], threading.Barrier(8)

    def run() -> None:
        start.wait()
        try:
            opened.append(peekproof.open(TABLE, questions=5))
        except BudgetElsewhere as error:
            refused.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (len(opened), len(refused)) == (1, 7)


def test_without_a_witness_certificates_say_so(
    monkeypatch: pytest.MonkeyPatch, witness_folder: Path
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    for _ in range(2):
        with peekproof.open(TABLE, questions=5) as session:
            assert UNWATCHED in session.ask("age > 0").certificate.assumptions
    assert not witness_folder.exists()


def test_without_a_witness_rows_that_are_open_already_are_not_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    first = peekproof.open(TABLE, questions=5, confidence=0.9)
    parts = peekproof.split(peekproof.load(TABLE), {"a": 0.5, "b": 0.5})
    for again in (TABLE, parts["a"]):
        with pytest.raises(BudgetElsewhere, match=HERE):
            peekproof.open(again, questions=5)
    with peekproof.open(TABLE, override="the first is for practice") as second:
        assert second.plan.target == first.plan.target
        said = second.ask("age > 0").certificate.assumptions
        assert {UNWATCHED, "the budget was overridden: the first is for practice"} <= set(said)
        assert HERE in str(second.ledger.overrides[0]["against"])
    first.close()
    with pytest.raises(InvalidInput, match="nothing to override"):
        peekproof.open(TABLE, questions=5, override="a reason")


def test_a_simulation_opens_the_same_rows_as_often_as_it_likes() -> None:
    with simulation():
        opened = [peekproof.open(TABLE, questions=5) for _ in range(3)]
    assert not any(each.ask("age > 0").replayed for each in opened)
    peekproof.open(TABLE, questions=5).close()


def test_a_simulation_leaves_no_records_and_says_so(witness_folder: Path) -> None:
    for _ in range(2):
        with simulation(), peekproof.open(TABLE, questions=5) as session:
            assert UNWATCHED in session.ask("age > 0").certificate.assumptions
    assert not witness_folder.exists()
    peekproof.open(TABLE, questions=5).close()


def test_an_attack_on_made_up_rows_leaves_no_records_and_can_be_repeated(
    witness_folder: Path,
) -> None:
    analyst = Correlation(rows=2_000, features=3)
    for _ in range(2):
        assert fight(Planned(), analyst, confidence=Fraction(9, 10), seed=1).refusal is None
    assert not witness_folder.exists()


def test_no_error_of_a_ledger_recommends_memory() -> None:
    assert "memory" not in str(LedgerUnavailable(ledger="a.peekproof", problem="is locked"))
