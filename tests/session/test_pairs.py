"""Means over pairs of rows, asked for by guesses: checked as if there were half as many rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.core.errors import InvalidInput, LedgerDamaged
from peekproof.data import statistic as counting
from peekproof.data.statistic import PairStatistic
from peekproof.ledger.entry import Body
from peekproof.mechanisms import checking as planning
from peekproof.mechanisms.base import Ask, Past, recorded_draw
from peekproof.mechanisms.checking import CheckedGuess
from peekproof.session.queries import any_pairs
from peekproof.session.receipt import receipts
from peekproof.session.records import Certifier, check_record
from peekproof.session.replay import replay
from peekproof.session.session import Session
from peekproof.theory.generalization import pairs as theory
from peekproof.theory.generalization.pairs import pair_levels
from session.forging import forged

ROWS = 6_001
DATA = {"x": np.random.default_rng(1).random(ROWS) < 0.9}
ONES = int(DATA["x"].sum())
SHARE = ONES * (ONES - 1) / (ROWS * (ROWS - 1))


def ones(frame: pl.DataFrame) -> int:
    """Twice the number of pairs of which both rows are true."""
    count = int(frame["x"].sum())
    return count * (count - 1)


BOTH = PairStatistic(name="both", function=ones)


LIMITED: dict[str, Any] = {"mechanisms": [peekproof.LimitedChecking], "failures": 3}


def opened(ledger: Path | str = ":memory:", **given: Any) -> Session:
    said = {"questions": 100, "mechanisms": [peekproof.Checking], **given}
    return peekproof.open(DATA, ledger=str(ledger), **said)


def test_a_guess_that_the_pairs_confirm_is_the_answer() -> None:
    with opened() as session:
        answer = session.ask(BOTH, guess=0.81, tolerance=0.06)
        again = session.ask(BOTH, guess=0.1)

        assert (answer.value, again.value, again.replayed) == (0.81, 0.81, True)
        assert answer.question == "pairs: both"
        assert SHARE in answer
        assert session.failures == 0
        assert {"T-pairs", "T-check-accept"} <= set(answer.certificate.theorems)
        assert "T-fixed-point" not in answer.certificate.theorems  # pairs are counted exactly
        assert answer.certificate.rows == ROWS
        assert answer.certificate.verify() == answer.certificate
        assert session.remaining == 99


def test_a_guess_that_fails_is_told_to_a_bin_and_counted() -> None:
    with opened() as session:
        answer = session.ask(BOTH, guess=0.5, tolerance=0.1)

        assert abs(answer.value - SHARE) < 0.01
        assert SHARE in answer
        assert session.failures == 1
        assert {"T-pairs", "T-check-failed"} <= set(answer.certificate.theorems)
        assert answer.certificate.verify() == answer.certificate


@pytest.mark.parametrize("rows", [50, 51])
def test_the_check_is_that_of_half_as_many_rows(rows: int) -> None:
    session = peekproof.open(
        {"x": [True] * rows}, questions=10, mechanisms=[peekproof.Checking], confidence=0.5
    )
    session.ask(BOTH, guess=1, tolerance=0.99)
    terms = next(iter(session.ledger.answers().values())).terms
    draw = recorded_draw(terms, rows=rows)
    assert isinstance(draw, CheckedGuess)
    check = draw.law

    assert draw.pairs
    assert check.rows == rows // 2
    assert check.rows * check.levels == rows * (rows - 1)
    assert check.high == rows * (rows - 1)


def test_a_guess_from_other_rows_is_worth_their_pairs() -> None:
    """The mutant: as many guessing rows as there are, which are too many for pairs."""
    with opened() as session:
        session.ask(BOTH, guess=0.81, trained_on=4_000)
        terms = next(iter(session.ledger.answers().values())).terms
        past = Past(target=session.plan.target)
        offers = [
            session.plan.mechanism.offer(
                Ask(what=any_pairs(ROWS), guess=0.81, trained_on=rows), past
            ).record()
            for rows in (4_000, 8_000)
        ]
    assert [each["tolerance"] == terms["tolerance"] for each in offers] == [True, False]


# By all samples -------------------------------------------------------------------------------

COINS, BIAS, BETA = 120, Fraction(9, 10), Fraction(1, 10**6)


def missed() -> Fraction:
    """The probability that the interval of a pass or a failure misses what pairs are expected to.

    The guess is such that a pass says that the population is just below what it is.
    """
    chance, truth = Fraction(0), BIAS**2
    for count in range(COINS + 1):
        rows = {"x": [True] * count + [False] * (COINS - count)}
        with peekproof.open(
            rows, questions=1, mechanisms=[peekproof.Checking], confidence=float(1 - BETA)
        ) as session:
            answer = session.ask(BOTH, guess=0.2, tolerance=0.6099)
        if not answer.low <= truth <= answer.high:
            chance += comb(COINS, count) * BIAS**count * (1 - BIAS) ** (COINS - count)
    return chance


def test_the_interval_misses_no_more_samples_than_promised() -> None:
    assert 0 < missed() <= BETA


def test_a_check_on_as_many_rows_as_there_are_misses_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: n in place of ⌊n/2⌋, wherever it is."""
    for module in (theory, planning, counting):
        monkeypatch.setattr(module, "pairs_apart", lambda rows: rows)
    assert missed() > 10 * BETA


# The record -----------------------------------------------------------------------------------


def test_a_ledger_is_replayed_and_its_receipts_name_the_theorem(tmp_path: Path) -> None:
    place = tmp_path / "a.peekproof"
    with opened(place) as session:
        told = [
            session.ask(BOTH, guess=0.81, tolerance=0.06),
            session.ask("x", guess=0.9),
            session.ask(PairStatistic(name="other", function=ones), guess=0.3),
        ]
    with opened(place) as session:
        check_record(session.plan, session.ledger)
        assert replay(session.ledger).certificates == 3
        assert [each.found.to_dict()["low"] for each in session.answers()] == [
            each.low for each in told
        ]
        for receipt, answer in zip(receipts(session.ledger), told, strict=True):
            assert receipt.certificate == answer.certificate
        text = next(iter(receipts(session.ledger))).text()
        assert "T-pairs" in text
        assert "6,001 rows" in text
        assert session.ask(BOTH, guess=0.1).replayed


def test_a_check_in_other_units_than_pairs_have_is_damage() -> None:
    with opened() as session:
        past = session.past
        session.ask(BOTH, guess=0.81, tolerance=0.06)
        settled = next(iter(session.ledger.answers().values()))
        recorded_draw(settled.terms, rows=ROWS).check(session.plan.mechanism, past)
        other = replace(settled, terms={**settled.terms, "levels": "1"})
        with pytest.raises(LedgerDamaged, match="counted in other units"):
            Certifier(session.plan, ledger="a").certificate(other)


@pytest.mark.parametrize("change", [{"levels": "7"}, {"pairs": None}])
def test_a_record_of_pairs_that_cannot_be_is_damage(
    change: dict[str, str | None], tmp_path: Path
) -> None:
    place = tmp_path / "a.peekproof"
    with opened(place) as session:
        session.ask(BOTH, guess=0.3)

    def changed(kind: str, body: Body) -> None:
        if kind in ("answer", "lost"):
            terms = {**body["terms"], **change}
            body["terms"] = {name: each for name, each in terms.items() if each is not None}

    forged(place, changed)
    with pytest.raises(LedgerDamaged), opened(place) as session:
        replay(session.ledger)


def test_pairs_in_a_ledger_of_another_promise_are_damage() -> None:
    with opened() as session:
        session.ask(BOTH, guess=0.81, tolerance=0.06)
        settled = next(iter(session.ledger.answers().values()))
    with opened(**LIMITED) as limited, pytest.raises(LedgerDamaged):
        Certifier(limited.plan, ledger="a").certificate(settled)


# What is refused, for nothing -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "guess must be"),
        ({"guess": 1.5}, "guess must be from 0 to 1"),
        ({"guess": -0.1}, "guess must be from 0 to 1"),
        ({"guess": float("nan")}, "guess must be"),
        ({"guess": 0.8, "tolerance": 0}, "tolerance must be"),
        ({"guess": 0.8, "tolerance": 1e-4}, "tolerance must be at least"),
        ({"guess": 0.8, "tolerance": 0.1, "trained_on": 10}, "in place of a tolerance"),
        ({"guess": 0.8, "radius": 0.1}, "radius must be left out"),
    ],
)
def test_what_is_no_guess_is_refused(said: dict[str, float], told: str) -> None:
    with opened() as session:
        with pytest.raises(InvalidInput, match=told):
            session.ask(BOTH, **said)  # type: ignore[arg-type]
        assert session.remaining == 100


@pytest.mark.parametrize("given", [LIMITED, {"mechanisms": [peekproof.Gaussian]}])
def test_sessions_by_other_promises_take_no_pairs(given: dict[str, Any]) -> None:
    with opened(**given) as session:
        before = session.remaining
        with pytest.raises(InvalidInput, match=r"sessions by peekproof\.Checking"):
            session.ask(BOTH, guess=0.8)
        assert session.remaining == before


def test_an_engine_that_does_not_number_its_rows_takes_no_pairs(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    pl.DataFrame(DATA).write_parquet(tmp_path / "rows" / "a.parquet")
    source = peekproof.load(tmp_path / "rows")
    with peekproof.open(source, questions=9, mechanisms=[peekproof.Checking]) as session:
        with pytest.raises(InvalidInput, match="rows in memory"):
            session.ask(BOTH, guess=0.8)
        assert session.remaining == 9


def test_a_row_by_itself_has_no_pairs() -> None:
    with pytest.raises(InvalidInput, match="rows must be at least 2"):
        Ask(what=any_pairs(1)).what.levels  # noqa: B018


@pytest.mark.parametrize("rows", [2, 3, 10, 11])
def test_pairs_are_counted_exactly(rows: int) -> None:
    assert pair_levels(rows) * (rows // 2) == rows * (rows - 1)


@pytest.mark.parametrize("function", [lambda _: 1 / 0, lambda _: "a", lambda _: -5])
def test_a_function_that_fails_says_nothing(function: object) -> None:
    broken = PairStatistic(name="broken", function=function)  # type: ignore[arg-type]
    with opened() as session:
        assert session.ask(broken, guess=0, tolerance=0.05).value == 0
        assert session.failures == 0


def test_a_count_beyond_all_pairs_is_all_of_them() -> None:
    wild = PairStatistic(name="wild", function=lambda _: 10**30)
    with opened() as session:
        assert session.ask(wild, guess=1, tolerance=0.05).value == 1


@pytest.mark.parametrize(("name", "function"), [("", ones), (3, ones), ("a", "ones")])
def test_what_is_no_statistic_of_pairs_is_refused(name: object, function: object) -> None:
    with pytest.raises(InvalidInput, match="must be"):
        PairStatistic(name=name, function=function)  # type: ignore[arg-type]


def test_the_name_alone_makes_it_the_same_statistic() -> None:
    assert PairStatistic(name="both", function=lambda _: 0).digest == BOTH.digest
    assert PairStatistic(name="both ", function=ones).digest != BOTH.digest
