"""Shares and means of some rows, and within cells, in real sessions."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.core.errors import BudgetExhausted, InvalidInput, QuestionError
from peekproof.noise.entropy import Seeded
from session.people import noise_of

ROWS = 40_000
GAUSSIAN = (peekproof.Gaussian,)
CARRIERS = ("AA", "UA", "DL")
BY = "by carrier ('AA', 'UA', 'DL')"


def flights(seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    delay = rng.gamma(2.0, 20.0, ROWS) - 15
    return pl.DataFrame(
        {
            "delay": pl.Series(np.where(rng.random(ROWS) < 0.03, np.nan, delay)).fill_nan(None),
            "carrier": rng.choice([*CARRIERS, "WN"], ROWS, p=[0.4, 0.3, 0.2, 0.1]),
            "hour": rng.integers(0, 24, ROWS),
        }
    )


FRAME = flights()


def opened(**arguments: object) -> peekproof.Session:
    arguments = {"questions": 400, "mechanisms": GAUSSIAN, "entropy": Seeded(3), **arguments}
    return peekproof.open(FRAME, **arguments)  # type: ignore[arg-type]


def used(session: peekproof.Session) -> Fraction:
    return session.ledger.spent().amount / noise_of(session).cost().amount


def inside(carrier: str) -> pl.DataFrame:
    return FRAME.filter(pl.col("carrier") == carrier)


def late(rows: pl.DataFrame) -> float:
    return float((rows["delay"] > 30).sum()) / rows.height


def minutes(rows: pl.DataFrame, low: float, high: float, missing: float) -> float:
    return float(rows["delay"].clip(low, high).fill_null(missing).mean())  # type: ignore[arg-type]


# Given ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["given", "where", "GIVEN"])
def test_a_share_of_some_is_a_quotient_of_two_answers(word: str) -> None:
    session = opened()
    answer = session.conditional(f"delay > 30 {word} carrier = 'UA'")
    assert late(inside("UA")) in answer
    both, some = session.ask("delay > 30 and carrier = 'UA'"), session.ask("carrier = 'UA'")
    assert (both.replayed, some.replayed) == (True, True)
    assert (answer.over.released, answer.under.released) == (both.released, some.released)
    assert answer.low <= both.low / some.high
    assert both.high / some.low <= answer.high
    assert used(session) == 2
    assert answer.confidence == some.confidence


def test_a_mean_of_some_counts_missing_values_as_stated() -> None:
    session = opened()
    text = "mean(delay, -20, 120, 50) given carrier = 'AA'"
    answer = session.conditional(text)
    truth = minutes(inside("AA"), -20, 120, 50)
    assert truth in answer
    assert -20 <= answer.low < answer.high <= 120
    # The quotient of what was released, in exact numbers.
    share = (answer.over.released + 20) / 140 / answer.under.released
    assert answer.found.released == pytest.approx(140 * share - 20)
    assert session.conditional(text).replayed


def test_the_interval_would_miss_if_only_the_numerator_had_one() -> None:
    """Wrong variant: dividing the ends of the numerator by the released denominator."""
    answer = opened().conditional("delay > 30 given carrier = 'UA'")
    under = answer.under.value
    assert answer.low < answer.over.low / under
    assert answer.over.high / under < answer.high


def test_a_condition_is_paid_for_once_on_the_way_down() -> None:
    session = opened()
    session.conditional("delay > 30 given carrier = 'UA'")
    before = session.remaining
    again = session.conditional("delay > 60 given carrier = 'UA'")
    assert session.remaining == before - 1
    assert again.cost.amount == noise_of(session).cost().amount
    assert not again.replayed


def test_the_price_of_a_quotient_is_that_of_its_parts() -> None:
    session = opened()
    price = session.price_of("delay > 30 given carrier = 'UA'")
    assert price.questions == 2
    assert price.affordable(session.remaining) == session.remaining // 2
    finer = session.price_of("delay > 30 given carrier = 'UA'", radius=0.07)
    assert finer.questions > 2
    answer = session.conditional("delay > 30 given carrier = 'UA'", radius=0.07)
    assert answer.over.radius <= 0.07
    assert used(session) == finer.questions


def test_both_parts_fit_or_none_is_asked() -> None:
    session = opened(questions=3)
    session.ask_many(["hour > 3", "hour > 4"])
    with pytest.raises(BudgetExhausted):
        session.conditional("delay > 30 given carrier = 'UA'")
    assert session.remaining == 1


@pytest.mark.parametrize("kind", [peekproof.Truncation, peekproof.Laplace, peekproof.FreshRows])
def test_any_session_answers_quotients(kind: type[peekproof.Laplace]) -> None:
    session = opened(questions=4, mechanisms=[kind])
    answer = session.conditional("delay > 30 given hour < 12")
    assert late(FRAME.filter(pl.col("hour") < 12)) in answer


def test_guesses_answer_both_parts() -> None:
    session = opened(
        mechanisms=[peekproof.Checking],
        guesser=peekproof.Training(flights(seed=6)),
        entropy=None,
    )
    answer = session.conditional("delay > 30 given hour < 12")
    assert late(FRAME.filter(pl.col("hour") < 12)) in answer
    again = session.conditional("delay > 30 given hour < 12")
    assert again.replayed
    # Later questions teach and recount what was asked in parts.
    session.ask("hour < 6")
    assert session.failures == 0


def test_a_condition_that_nothing_satisfies_is_refused_before_it_costs() -> None:
    session = opened()
    for text in ("delay > 30 given hour < 3 and hour > 5", "hour < 3 given hour > 5"):
        with pytest.raises(QuestionError):
            session.conditional(text)
    assert session.remaining == 400


def test_a_condition_that_may_be_empty_bounds_nothing() -> None:
    answer = opened().conditional("delay > 30 given carrier = 'no such'")
    assert (answer.low, answer.high) == (0.0, 1.0)


# By -------------------------------------------------------------------------------------------


def test_rates_within_cells_come_from_one_draw() -> None:
    session = opened()
    answer = session.grouped(f"delay > 30 {BY}")
    assert answer.labels == tuple(f"carrier = '{each}'" for each in CARRIERS)
    for carrier, cell, size in zip(CARRIERS, answer.cells, answer.sizes, strict=True):
        assert late(inside(carrier)) in cell
        assert inside(carrier).height / ROWS in size
    assert used(session) == pytest.approx(float(4 * (1 - Fraction(1, 6))), rel=1e-5)
    assert session.grouped(f"share(delay > 30) {BY}").replayed


def test_means_within_cells() -> None:
    session = opened()
    answer = session.grouped(f"mean(delay, -20, 120, 0) {BY}")
    for carrier, cell in zip(CARRIERS, answer.cells, strict=True):
        assert minutes(inside(carrier), -20, 120, 0) in cell
    # What counts and what does not add up to the cell.
    for place, carrier in enumerate(CARRIERS):
        parts = answer.drawn[place].released + answer.drawn[place + 3].released
        assert float(parts) == pytest.approx(inside(carrier).height / ROWS, abs=0.05)


def test_cells_can_be_ranges_and_declared() -> None:
    session = opened(categories={"carrier": list(CARRIERS)})
    ranges = session.grouped("delay > 30 by hour (6, 12, 18)")
    assert ranges.labels == ("hour < 6", "6 <= hour < 12", "12 <= hour < 18", "hour >= 18")
    declared = session.grouped("delay > 30 by carrier")
    assert declared.labels == tuple(f"carrier = '{each}'" for each in CARRIERS)
    assert session.grouped(f"delay > 30 {BY}").replayed
    assert session.histogram("histogram(carrier)").labels == declared.labels
    with pytest.raises(QuestionError, match="carrier"):
        opened().grouped("delay > 30 by carrier")


@pytest.mark.parametrize(
    "categories",
    [{"hour": ["1"]}, {"nobody": ["a"]}, {"carrier": "AA"}, {"carrier": []}, {"carrier": [1]},
     {"carrier": ["AA", "AA"]}],
)  # fmt: skip
def test_categories_are_different_texts_of_a_text_column(categories: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="categories must be"):
        opened(categories=categories)


def test_the_radius_of_groups_is_that_of_what_is_drawn() -> None:
    session = opened()
    answer = session.grouped(f"delay > 30 {BY}", radius=0.1)
    assert max(cell.radius for cell in answer.drawn) <= 0.1
    assert session.price_of(f"delay > 60 {BY}", radius=0.1).questions == used(session)


# Together -------------------------------------------------------------------------------------


def test_questions_of_all_forms_are_one_charge_and_survive_a_restart(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    texts = [
        "hour < 12",
        "delay > 30 given hour < 12",
        f"delay > 30 {BY}",
        "histogram(hour, (6, 12))",
        "mean(delay, -20, 120) given hour < 12",
    ]
    with opened(ledger=place) as session:
        first = session.respond(texts)
        entries = [entry.kind for entry in session.ledger.entries()]
    assert entries == ["open", "answer"]
    with opened(ledger=place) as session:
        again = session.respond(texts)
        assert all(each.replayed for each in again)
        session.ledger.verify()
    for one, other in zip(first, again, strict=True):
        plain, replayed = one.to_dict(), other.to_dict()
        for key in ("value", "low", "high", "cells", "confidence", "theorems"):
            assert plain.get(key) == replayed.get(key)
        json.dumps(plain)
        assert str(one)


@pytest.mark.parametrize(
    ("call", "text", "hint"),
    [
        ("ask", f"delay > 30 {BY}", "session.grouped"),
        ("grouped", "delay > 30", "session.ask"),
        ("grouped", "delay > 30 given hour < 12", "session.ask"),
        ("conditional", "histogram(hour, (6, 12))", "session.histogram"),
        ("histogram", f"delay > 30 {BY}", "session.grouped"),
    ],
)
def test_each_call_says_which_one_takes_the_question(call: str, text: str, hint: str) -> None:
    session = opened()
    with pytest.raises(InvalidInput, match=hint):
        getattr(session, call)(text)
    assert session.remaining == 400


def test_notebooks_show_quotients_and_groups() -> None:
    session = opened()
    assert "<svg" in session.conditional("delay > 30 given hour < 12")._repr_html_()
    shown = session.grouped(f"delay > 30 {BY}")._repr_html_()
    assert all(carrier in shown for carrier in CARRIERS)
