"""A loss with finitely many values, by hand."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.theory.loss_law import LossLaw

LAW = LossLaw(losses=np.array([2.0, 1.0, -1.0]), weights=np.array([0.25, 0.5, 0.25]), beyond=0.125)


@given(st.floats(0, 3))
def test_delta_is_the_mean_of_what_exceeds_epsilon(epsilon: float) -> None:
    exact = 0.125 + 0.25 * max(0, 1 - exp(epsilon - 2)) + 0.5 * max(0, 1 - exp(epsilon - 1))

    assert exact < LAW.delta_at(epsilon) <= exact * (1 + 1e-11)


def test_epsilon_is_where_delta_is_met() -> None:
    # Between 1 and 2 only the largest loss counts: 1/8 + (1 − e^{ε−2})/4 = 1/4.
    exact = 2 + log(1 / 2)
    assert exact <= LAW.epsilon_at(0.25) <= exact * (1 + 1e-11)
    assert LAW.epsilon_at(0.9) == 0


def test_what_lies_beyond_cannot_be_bought_off() -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be within reach"):
        LAW.epsilon_at(0.125)


@given(st.floats(0, 3), st.floats(0, 1))
def test_a_law_shortened_for_the_search_is_never_smaller(epsilon: float, mass: float) -> None:
    shortened = LAW._shortened(mass)

    assert shortened.delta_at(epsilon) >= LAW.delta_at(epsilon)
    assert len(shortened.losses) == 3 - (mass > 0.25) - (mass > 0.75)


def test_a_law_without_losses_costs_nothing() -> None:
    law = LossLaw(losses=np.zeros(1), weights=np.ones(1), beyond=0.0)

    assert law.delta_at(0.0) == 0
    assert law.epsilon_at(1e-300) == Fraction(0)
