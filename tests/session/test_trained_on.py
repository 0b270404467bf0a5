"""Guesses that say of how many other rows they are the mean, in place of a tolerance."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.checking import honest_room
from peekproof.session.session import Session
from peekproof.theory.generalization.checking import Transcript

RNG = np.random.default_rng(6)
ROWS = 8_000
DATA = {"x": RNG.random(ROWS)}
TRAINING = RNG.random(2_000)


def opened(**options: object) -> Session:
    return peekproof.open(DATA, ledger=":memory:", questions=500, **options)  # type: ignore[arg-type]


def test_an_honest_guess_passes_within_the_room_for_it() -> None:
    with opened(mechanisms=[peekproof.Checking]) as session:
        for number in range(1, 10):
            guess = float(np.mean(number / 10 < TRAINING))
            answer = session.ask(f"x > 0.{number}", guess=guess, trained_on=2_000)
            assert answer.value == guess
            assert Fraction(answer.certificate.radius) == honest_room(
                rows=ROWS,
                guess=Fraction(guess),
                guessing_rows=2_000,
                past=Transcript(questions=number - 1),
                target=session.plan.target,
                levels=1,
            )
        wide = session.ask("x > 0.55", guess=0.45)
        assert answer.radius < wide.radius  # twice what the sample needs
        mean = session.ask("mean(x, 0, 2, 0)", guess=0.5, trained_on=2_000)
        assert session.failures == 0
        assert 0 < mean.radius < 0.14  # of a width of 2


def test_the_room_grows_as_the_past_does() -> None:
    with opened(mechanisms=[peekproof.Checking]) as session:
        first = session.ask("x > 0.5", guess=0.5, trained_on=2_000)
        for number in range(5):
            session.ask(f"x > 0.1{number}", guess=0.5, trained_on=2_000)  # fails
        later = session.ask("x > 0.51", guess=0.5, trained_on=2_000)

        assert session.failures == 5
        assert later.radius > 1.2 * first.radius


def test_it_takes_the_place_of_a_tolerance_and_of_nothing_else() -> None:
    with opened(
        mechanisms=[peekproof.Checking], guesser=peekproof.Training({"x": TRAINING})
    ) as data:
        for said in (
            {"guess": 0.5, "tolerance": 0.1, "trained_on": 100},
            {"trained_on": 100},
            {"guess": 0.5, "trained_on": 0},
            {"guess": 0.5, "trained_on": 2.5},
        ):
            with pytest.raises(InvalidInput, match=r"^trained_on must be"):
                data.ask("x > 0.5", **said)
        assert data.remaining == 500


def test_sessions_of_one_tolerance_or_none_refuse_it() -> None:
    for options in (
        {"mechanisms": [peekproof.LimitedChecking], "failures": 3},
        {"mechanisms": [peekproof.Thresholdout], "failures": 3},
        {"mechanisms": [peekproof.Gaussian]},
    ):
        with opened(**options) as session, pytest.raises(InvalidInput):
            session.ask("x > 0.5", guess=0.5, trained_on=100)
