"""Whole games: a checker that holds the records, an analyst who means ill, and the guesses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor

import numpy as np
import pytest

from peekproof.core.errors import InvalidInput
from peekproof.guess.median.constraint import Holder
from peekproof.guess.median.exact import ExactHolder
from peekproof.guess.median.guesser import MedianMechanism, MedianParameters
from peekproof.guess.median.limit import LimitHolder
from peekproof.guess.median.sampled import SampledHolder
from peekproof.theory.median import most_failures, subsample_size

CELLS = 3
QUESTIONS = 30
TOLERANCE = Fraction(2, 5)
SIZE = subsample_size(questions=QUESTIONS, tolerance=TOLERANCE / 4)
Vector = list[Fraction]
Analyst = Callable[[MedianMechanism, list[Fraction]], Vector]


def exact(cells: int, size: int) -> Holder:
    return ExactHolder(cells=cells, size=size)


def sampled(cells: int, size: int) -> Holder:
    return SampledHolder(cells=cells, size=size, seed=11, chains=64, sweeps=1)


def limit(cells: int, size: int) -> Holder:
    return LimitHolder(cells=cells)


def mechanism(
    hold: Callable[[int, int], Holder], tolerance: Fraction = TOLERANCE
) -> MedianMechanism:
    parameters = MedianParameters(
        rows=1000,
        questions=QUESTIONS,
        domain_size=CELLS,
        tolerance=tolerance,
        size=SIZE,
        failures=most_failures(size=SIZE, domain=CELLS),
    )
    return MedianMechanism(holder=hold(CELLS, SIZE), parameters=parameters)


def value(values: Vector, law: list[Fraction]) -> Fraction:
    return sum((q * p for q, p in zip(values, law, strict=True)), Fraction(0))


def checked(guess: Fraction, truth: Fraction, tolerance: Fraction) -> Fraction | None:
    """None if the guess passes, otherwise the middle of the truth's bin of width η/2."""
    if abs(guess - truth) <= tolerance:
        return None
    bins = ceil(2 / tolerance)
    index = min(bins - 1, floor(truth * 2 / tolerance))
    return min(Fraction(1), (2 * index + 1) * tolerance / 4)


def random_analyst(seed: int) -> Analyst:
    rng = np.random.default_rng(seed)

    def ask(found: MedianMechanism, law: list[Fraction]) -> Vector:
        return [Fraction(int(each), 8) for each in rng.integers(0, 9, CELLS)]

    return ask


def adversary(found: MedianMechanism, law: list[Fraction]) -> Vector:
    """Knows the records, and asks what the guess misses by most."""
    choices = [[Fraction(each, 2) for each in values] for values in product(range(3), repeat=CELLS)]
    return max(choices, key=lambda values: abs(found.guess(values) - value(values, law)))


def play(found: MedianMechanism, law: list[Fraction], ask: Analyst, *, rounds: int) -> list[int]:
    """Plays on; returns log₂ of what an exact holder has left after each failure, rounded down."""
    tolerance = found.parameters.tolerance
    left = []
    for _ in range(rounds):
        values = ask(found, law)
        truth = value(values, law)
        answer = checked(found.guess(values), truth, tolerance)
        if answer is None:
            continue
        assert abs(answer - truth) <= tolerance / 4
        before = found.holder.count() if isinstance(found.holder, ExactHolder) else 0
        found.learn(values, answer, within=found.parameters.within)
        if isinstance(found.holder, ExactHolder):
            assert found.holder.count() >= 1
            assert 2 * found.holder.count() <= before
            left.append(floor(found.holder.log2_count()))
    return left


LAWS = [
    [Fraction(1), Fraction(0), Fraction(0)],
    [Fraction(1, 10), Fraction(9, 10), Fraction(0)],
    [Fraction(0), Fraction(1, 20), Fraction(19, 20)],
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("ask", [adversary, random_analyst(1)])
def test_failures_halve_and_the_subsample_stays(law: list[Fraction], ask: Analyst) -> None:
    found = mechanism(exact)
    assert found.parameters.suffice
    left = play(found, law, ask, rounds=8)

    assert found.failures == len(left) <= found.parameters.failures
    assert left == sorted(left, reverse=True)
    if ask is adversary:
        assert left  # so the game was played


@pytest.mark.parametrize("hold", [exact, sampled, limit])
def test_an_adversary_runs_out_of_failures(hold: Callable[[int, int], Holder]) -> None:
    tolerance = Fraction(1, 5)
    for law in LAWS[:2]:
        found = mechanism(hold, tolerance)
        play(found, law, adversary, rounds=6)
        # In three cells there is not much to learn: two directions, each to a tolerance.
        assert 1 <= found.failures <= 5
        settled = found.failures
        play(found, law, adversary, rounds=1)
        assert found.failures == settled


def test_guesses_are_replayed_from_the_transcript() -> None:
    first, second = mechanism(sampled), mechanism(sampled)
    play(first, LAWS[1], random_analyst(3), rounds=20)
    play(second, LAWS[1], random_analyst(3), rounds=20)
    values = [Fraction(1), Fraction(1, 3), Fraction(0)]

    assert first.guess(values) == second.guess(values)
    assert first.describe() == second.describe()


@pytest.mark.parametrize("hold", [exact, limit])
def test_without_a_consistent_data_set_it_guesses_a_half_and_stops_learning(
    hold: Callable[[int, int], Holder],
) -> None:
    found = mechanism(hold)
    yes = [Fraction(1), Fraction(0), Fraction(0)]
    found.learn(yes, Fraction(1), within=Fraction(1, 10))
    assert found.guess(yes) >= Fraction(9, 10) - Fraction(1, 10**8)
    found.learn(yes, Fraction(0), within=Fraction(1, 10))  # contradicts it
    assert not found.holder.consistent
    for values in ([Fraction(1)] * 3, yes):
        assert found.guess(values) == Fraction(1, 2)
    found.learn(yes, Fraction(0), within=Fraction(1, 10))
    assert found.guess(yes) == Fraction(1, 2)
    assert found.failures == 3


def test_the_textbook_mechanism_guesses() -> None:
    found = MedianMechanism.from_lecture(rows=10**5, questions=10**6, domain_size=100)
    assert found.parameters == MedianParameters.lecture(
        rows=10**5, questions=10**6, domain_size=100
    )
    assert found.parameters.vacuous
    values = np.arange(100) % 2
    assert found.guess(values) == pytest.approx(0.5)
    found.learn(values, Fraction(9, 10), within=found.parameters.within)
    assert found.guess(values) == pytest.approx(0.9 - float(found.parameters.within))

    small = MedianMechanism.from_lecture(rows=4, questions=1, domain_size=2, hold=exact)
    assert small.describe() == {
        "kind": "median",
        "held": "exact",
        "cells": "2",
        "size": str(small.parameters.size),
        "rows": "4",
        "questions": "1",
        "domain_size": "2",
        "tolerance": str(small.parameters.tolerance),
        "failures": str(small.parameters.failures),
    }


def test_absurd_input_is_refused_and_changes_nothing() -> None:
    found = mechanism(limit)
    yes = [Fraction(1), Fraction(0), Fraction(0)]
    before = found.guess(yes)
    for values, answer, within in (
        (yes, Fraction(11, 10), TOLERANCE),
        (yes, Fraction(-1, 10), TOLERANCE),
        (yes, Fraction(1, 2), Fraction(-1, 10)),
        (yes[:2], Fraction(1), TOLERANCE),
        ([Fraction(2), *yes[1:]], Fraction(1), TOLERANCE),
    ):
        with pytest.raises(InvalidInput):
            found.learn(values, answer, within=within)
    assert found.guess(yes) == before
    assert found.failures == 0
    with pytest.raises(InvalidInput, match=r"^holder must be one of 3 cells, got one of 4$"):
        MedianMechanism(holder=LimitHolder(cells=4), parameters=found.parameters)
