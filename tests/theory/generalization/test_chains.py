"""Plans from stability: they reach their goal, and their rows grow with the powers stated."""

from fractions import Fraction
from math import log, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import OnAverage, OneQuestion
from peekproof.core.charge import TV
from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import gaussian_tv
from peekproof.theory.generalization.chains import (
    Goal,
    allowed_distance,
    epsilon_by_privacy,
    rows_by_privacy,
    rows_by_variation,
    scale_by_privacy,
    sigma_by_variation,
    variation_of,
)
from peekproof.theory.generalization.variation import expected_tv, one_question_tv

AVERAGE = OnAverage(radius=0.1)
ONE = OneQuestion(radius=0.1, beta=Fraction(1, 20))


def reached(goal: Goal, distance: Fraction, *, rows: int) -> float:
    if isinstance(goal, OnAverage):
        return expected_tv(TV(distance)).radius
    return one_question_tv(TV(distance), rows=rows, beta=goal.beta).radius


@given(
    radius=st.floats(0.02, 0.5),
    beta=st.fractions(Fraction(1, 100), Fraction(1, 2)),
    rows=st.integers(10**5, 10**9),
    questions=st.integers(1, 10**5),
)
def test_by_variation_the_goal_is_reached_and_not_by_less_noise(
    radius: float, beta: Fraction, rows: int, questions: int
) -> None:
    for goal in (OnAverage(radius=radius), OneQuestion(radius=radius, beta=beta)):
        sigma = sigma_by_variation(goal, rows=rows, questions=questions)
        each = gaussian_tv(sensitivity=Fraction(1, rows), sigma=sigma).distance
        less = gaussian_tv(sensitivity=Fraction(1, rows), sigma=sigma * Fraction(9, 10)).distance

        assert reached(goal, each * questions, rows=rows) <= radius * (1 + 1e-11)
        # The chain's 1/(√(2π)nσ) is loose only where one answer gives much away.
        if each < Fraction(1, 20):
            assert reached(goal, less * questions, rows=rows) > radius


@given(
    radius=st.floats(0.02, 0.5),
    beta=st.fractions(Fraction(1, 100), Fraction(1, 2)),
    rows=st.integers(10**5, 10**9),
    questions=st.integers(1, 10**5),
)
def test_by_privacy_the_goal_is_reached_and_no_slack_does_much_better(
    radius: float, beta: Fraction, rows: int, questions: int
) -> None:
    for goal in (OnAverage(radius=radius), OneQuestion(radius=radius, beta=beta)):
        epsilon = epsilon_by_privacy(goal, rows=rows, questions=questions)
        distance = allowed_distance(goal, rows=rows)
        slacks = [distance / 2**i for i in range(1, 40, 2)]
        by_slack = [
            variation_of(epsilon, questions=questions, slack=slack).distance for slack in slacks
        ]
        more = [
            variation_of(epsilon * Fraction(11, 10), questions=questions, slack=slack).distance
            for slack in slacks
        ]

        assert min(by_slack) <= distance * Fraction(103, 100)
        assert min(more) > distance
        assert reached(goal, distance, rows=rows) <= radius * (1 + 1e-9)
        assert scale_by_privacy(goal, rows=rows, questions=questions) == 1 / (rows * epsilon)


def test_the_allowed_distance_solves_the_one_question_bound() -> None:
    rows, r = 10**6, sqrt(log(40) / (2 * 10**6))
    distance = float(allowed_distance(ONE, rows=rows))

    assert distance == pytest.approx((0.1 - r) / (1 + 2 * rows * r), rel=1e-9)
    assert float(sigma_by_variation(ONE, rows=rows, questions=50)) == pytest.approx(
        50 / (sqrt(2 * pi) * rows * distance), rel=1e-6
    )


@pytest.mark.parametrize(
    ("goal", "by_variation", "by_privacy"), [(AVERAGE, 1.0, 0.5), (ONE, 2.0, 1.0)]
)
def test_rows_grow_with_the_stated_powers_of_the_questions(
    goal: Goal, by_variation: float, by_privacy: float
) -> None:
    noise = Fraction(1, 50)
    few, many = 10**3, 10**5

    def power(rows: tuple[int, int]) -> float:
        return log(rows[1] / rows[0]) / log(many / few)

    variation = power(
        (
            rows_by_variation(goal, questions=few, sigma=noise),
            rows_by_variation(goal, questions=many, sigma=noise),
        )
    )
    privacy = power(
        (
            rows_by_privacy(goal, questions=few, scale=noise),
            rows_by_privacy(goal, questions=many, scale=noise),
        )
    )

    assert variation == pytest.approx(by_variation, abs=0.02)
    assert privacy == pytest.approx(by_privacy, abs=0.12)  # and a logarithm


@pytest.mark.parametrize("goal", [AVERAGE, ONE])
def test_the_rows_are_the_least(goal: Goal) -> None:
    noise = Fraction(1, 50)
    rows = rows_by_variation(goal, questions=100, sigma=noise)

    assert sigma_by_variation(goal, rows=rows, questions=100) <= noise
    assert sigma_by_variation(goal, rows=rows - 1, questions=100) > noise
    rows = rows_by_privacy(goal, questions=100, scale=noise)

    assert scale_by_privacy(goal, rows=rows, questions=100) <= noise
    assert scale_by_privacy(goal, rows=rows - 1, questions=100) > noise


def test_a_goal_out_of_reach_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rows"):
        sigma_by_variation(ONE, rows=100, questions=1)
    with pytest.raises(InvalidInput, match="rows"):
        sigma_by_variation(OnAverage(radius=0.0), rows=100, questions=1)
    with pytest.raises(InvalidInput, match="goal"):
        rows_by_variation(OnAverage(radius=0.0), questions=1, sigma=Fraction(1))
    with pytest.raises(InvalidInput, match="goal"):
        epsilon_by_privacy(OnAverage(radius=1e-280), rows=10, questions=1)
    with pytest.raises(InvalidInput, match="goal"):
        epsilon_by_privacy(OnAverage(radius=1.0), rows=10, questions=1)
