"""The best of many in a session that checks guesses: told with its interval, and counted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import BudgetExhausted, InvalidInput, LedgerDamaged
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import recorded_draw
from peekproof.mechanisms.checking import BestChecked
from peekproof.query.question import parse_question
from peekproof.session.receipt import receipts
from peekproof.session.records import check_record
from peekproof.session.replay import replay
from peekproof.session.session import Session

ROWS = 6_000
RNG = np.random.default_rng(7)
LABEL = RNG.random(ROWS) < 0.5
DATA = {
    "label": LABEL,
    "pay": RNG.random(ROWS) * 100,
    **{f"m{i}": np.where(RNG.random(ROWS) < 0.5 + i / 50, LABEL, ~LABEL) for i in range(12)},
}
MODELS = [f"m{i} = label" for i in range(12)]
SHARES = [float(np.mean(DATA[f"m{i}"] == LABEL)) for i in range(12)]


def opened(ledger: str = ":memory:", questions: int = 100) -> Session:
    return peekproof.open(DATA, ledger=ledger, questions=questions, mechanisms=[peekproof.Checking])


def test_the_best_of_the_sample_is_told_with_its_interval() -> None:
    with opened() as session:
        choice = session.best(MODELS)
        winner = choice.winner

        assert choice.index == int(np.argmax(SHARES)) == 11
        assert choice.chosen == parse_question(MODELS[11], session.schema).text
        assert winner is not None
        assert winner.question == choice.chosen
        assert abs(winner.value - SHARES[11]) < 0.01
        assert winner.low < 0.5 + 11 / 50 < winner.high
        assert choice.gap == pytest.approx(winner.high - winner.low)
        assert choice.gap < 0.1
        assert choice.certificate.verify() == choice.certificate
        assert {"T-check-choice", "T-check-failed"} <= set(choice.certificate.theorems)
        assert session.remaining == 99


def test_a_choice_is_shown_with_its_value() -> None:
    with opened() as session:
        choice = session.best(MODELS)
        assert choice.winner is not None
        told = {"value": choice.winner.value, "low": choice.winner.low, "high": choice.winner.high}

        assert told.items() <= choice.to_dict().items()
        assert told.items() <= choice.to_dicts()[0].items()
        assert f"{choice.winner.value:.4f}" in str(choice)
        assert f"{choice.winner.value:.4f}" in choice._repr_html_()
        (row,) = session.answers().to_dicts()
        assert told.items() <= row.items()
        assert row["gap"] == choice.gap
        assert f"[{choice.winner.low:.3f}"[:5] in session.answers()._repr_html_()
        (receipt,) = receipts(session.ledger)
        said = " ".join(receipt.text().split())
        assert "below the best" not in said  # which would be twice the radius
        assert "The interval of the best reaches at most" in said
        assert f"{choice.winner.value:.4f}; in the population from" in said


def test_a_choice_counts_as_a_failure_that_says_one_of_all_it_can_say() -> None:
    with opened() as session:
        before = session.price_of("label", guess=0.5).certificate.radius
        session.best(MODELS)
        (settled,) = session.ledger.answers().values()
        past = session.past.transcript

        assert (past.questions, past.failures) == (1, 1)
        assert past.values == 12 * int(settled.terms["bins"])
        assert session.price_of("label", guess=0.5).certificate.radius > 1.1 * before
        session.ask("label", guess=0.5, tolerance=0.1)
        session.best(MODELS[:3])
        check_record(session.plan, session.ledger)
        assert session.failures == 2


def test_the_same_choice_again_is_free_also_by_questions_that_were_read() -> None:
    with opened() as session:
        first = session.best(MODELS)
        again = session.best([parse_question(each, session.schema) for each in MODELS])

        assert again.replayed
        assert (again.index, again.winner and again.winner.released) == (
            first.index,
            first.winner and first.winner.released,
        )
        assert session.remaining == 99


def test_the_best_mean_is_told_in_its_units() -> None:
    with opened() as session:
        choice = session.best(["mean(pay, 0, 100, 0)", "mean(pay - 20, 0, 100, 0)"])

        assert choice.index == 0
        assert choice.winner is not None
        assert choice.winner.low < 50 < choice.winner.high
        assert choice.gap == pytest.approx(choice.winner.high - choice.winner.low)
        assert choice.gap < 10
        assert "T-fixed-point" in choice.certificate.theorems
        check_record(session.plan, session.ledger)


def test_its_price_is_known_beforehand() -> None:
    with opened(questions=1) as session:
        price = session.price_of_best(MODELS)
        choice = session.best(MODELS)

        assert isinstance(price.draw, BestChecked)
        assert price.questions == 1
        assert price.certificate.radius == choice.certificate.radius
        for refused in (session.price_of_best, session.best):
            with pytest.raises(BudgetExhausted):
                refused(MODELS[:4])


def test_a_loss_is_refused_and_so_are_other_promises() -> None:
    with opened() as session, pytest.raises(InvalidInput, match=r"^loss must be"):
        session.best(MODELS, loss=0.1)
    for options in (
        {"mechanisms": [peekproof.LimitedChecking], "failures": 3},
        {"mechanisms": [peekproof.Thresholdout]},
    ):
        with (
            peekproof.open(DATA, ledger=":memory:", questions=50, **options) as session,
            pytest.raises(InvalidInput),
        ):
            session.best(MODELS)


def test_a_recorded_choice_replays(tmp_path: Path) -> None:
    place = str(tmp_path / "a.peekproof")
    with opened(place) as session:
        session.ask("label", guess=0.5, tolerance=0.1)
        first = session.best(MODELS)
        assert replay(session.ledger).to_dict()
    with opened(place) as session:
        again = session.best(MODELS)
        assert again.replayed
        assert again.gap == first.gap
        assert session.failures == 1


def test_a_choice_that_was_not_made_after_the_past_it_names_is_damage() -> None:
    with opened() as session:
        session.ask("label", guess=0.5, tolerance=0.1)
        past = session.past
        session.best(MODELS)
        terms = list(session.ledger.answers().values())[1].terms

        promise, rows = session.plan.mechanism, session.plan.rows
        recorded_draw(terms, rows=rows).check(promise, past)
        for changed in ({"failures": "1"}, {"questions": "0"}, {"questions": "2"}):
            with pytest.raises(ValueError, match="another past"):
                recorded_draw({**terms, **changed}, rows=rows).check(promise, past)
        for impossible in ({"candidates": "0"}, {"bins": "0"}, {"levels": "-1"}):
            with pytest.raises(ValueError, match="must be"):
                recorded_draw({**terms, **impossible}, rows=rows).check(promise, past)


def test_a_choice_among_fewer_than_it_lists_is_damage() -> None:
    with opened() as session:
        session.best(MODELS[::-1])  # the first of them is the best
        check_record(session.plan, session.ledger)
        entries = session.ledger.entries()
        forged = [
            replace(each, text=each.text.replace('"candidates":"12"', '"candidates":"11"'))
            for each in entries
        ]
        assert forged != entries
        with (
            mock.patch.object(Ledger, "entries", return_value=forged),
            pytest.raises(LedgerDamaged, match="something else than its text asks for"),
        ):
            check_record(session.plan, session.ledger)


def test_what_no_choice_says_is_damage(tmp_path: Path) -> None:
    place = tmp_path / "a.peekproof"
    with opened(str(place)) as session:
        session.best(MODELS)
        digest = next(iter(session.ledger.answers()))
        settled = session.ledger.seen.answers[digest]
        for value in (
            Fraction(3),
            (Fraction(12), settled.value[1]),  # type: ignore[index]
            (Fraction(3), Fraction(1, 3)),
            (Fraction(1, 2), settled.value[1]),  # type: ignore[index]
        ):
            session.ledger.seen.answers[digest] = type(settled)(settled.text, value, settled.terms)
            with pytest.raises(LedgerDamaged):
                session.best(MODELS)
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (2,)
