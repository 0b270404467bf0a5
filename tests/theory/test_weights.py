from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mpf, workdps

from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import lookup
from peekproof.theory.weights import LARGEST_STEP, most_updates

UNIT = st.fractions(Fraction(1, 10**6), 1 - Fraction(1, 10**6))


@given(cells=st.integers(2, 2**40), error=st.fractions(Fraction(1, 10**9), 1))
def test_the_number_of_updates_is_the_quotient_rounded_down(cells: int, error: Fraction) -> None:
    with workdps(60):
        exact = log(cells) / (2 * (mpf(error.numerator) / error.denominator) ** 2)
        found = most_updates(cells=cells, error=error)

        assert exact - 1 < found <= exact * (1 + mpf(2) ** -39)


@pytest.mark.parametrize(
    ("cells", "error", "most"),
    # ln 2/(2·0.01) = 34.66, ln 2²⁰/(2·0.0025) = 2772.6, ln 3/2 = 0.55
    [(2, "1/10", 34), (2**20, "1/20", 2772), (3, "1", 0), (1, "1/1000", 0)],
)
def test_known_numbers(cells: int, error: str, most: int) -> None:
    assert most_updates(cells=cells, error=Fraction(error)) == most


@settings(max_examples=30)
@given(cells=st.integers(2, 2**24), error=st.fractions(Fraction(1, 1000), Fraction(1, 2)))
def test_it_is_below_the_bound_of_the_literature(cells: int, error: Fraction) -> None:
    assert most_updates(cells=cells, error=error) <= 1 + 4 * math.log(cells) / float(error) ** 2


@settings(max_examples=50)
@given(guess=UNIT, aim=UNIT, beyond=st.fractions(0, 1), value=st.fractions(0, 1))
def test_the_steps_of_the_proof_hold(
    guess: Fraction, aim: Fraction, beyond: Fraction, value: Fraction
) -> None:
    """Concavity in q, the slope of the logit, and the drop at the step that is used."""
    with workdps(50):
        g, t, q = (mpf(each.numerator) / each.denominator for each in (guess, aim, value))
        full = log(t / (1 - t)) - log(g / (1 - g))
        rho = max(-mpf(LARGEST_STEP), min(mpf(LARGEST_STEP), full))
        end = 1 if t > g else 0
        truth = t + (end - t) * mpf(beyond.numerator) / beyond.denominator
        tiny = mpf(10) ** -45
        factor = exp(rho)

        assert abs(full) >= 4 * abs(t - g) - tiny
        assert log(1 + (factor - 1) * q) >= rho * q - tiny
        assert rho * truth - log(1 + (factor - 1) * g) >= 2 * (t - g) ** 2 - tiny


def test_too_small_a_limit_would_not_do() -> None:
    """From a guess of 1/2 to an aim of 1 the drop has to be 1/2."""

    def drop(step: float, *, guess: float) -> float:
        return step - math.log(1 + math.expm1(step) * guess)

    middle = 0.5
    assert drop(LARGEST_STEP, guess=middle) >= 2 * (1 - middle) ** 2
    assert drop(0.6, guess=middle) < 2 * (1 - middle) ** 2


def test_the_theorem_is_registered_with_its_conditions() -> None:
    assert "|a − q(D)| ≤ w" in lookup("T-mw").holds_when


@pytest.mark.parametrize(
    ("cells", "error", "argument"),
    [
        (0, Fraction(1, 2), "cells"),
        (-3, Fraction(1, 2), "cells"),
        (True, Fraction(1, 2), "cells"),
        (2.0, Fraction(1, 2), "cells"),
        (2, Fraction(0), "error"),
        (2, Fraction(-1, 2), "error"),
        (2, 0.5, "error"),
        (2, math.nan, "error"),
    ],
)
def test_absurd_parameters_are_refused(cells: Any, error: Any, argument: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        most_updates(cells=cells, error=error)

    assert caught.value.argument == argument
