"""The rows that chains of stability need, and how they grow."""

from fractions import Fraction
from math import ceil, pi, sqrt

import pytest

from peekproof.audit.growth import RowsNeeded, growth
from peekproof.core.certificate import OnAverage, OneQuestion, Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.plan import plan
from peekproof.theory.generalization.chains import scale_by_privacy, sigma_by_variation


def needed(questions: int, radius: float = 0.1) -> RowsNeeded:
    target = Target.of(confidence=0.95, questions=questions)
    return growth(target=target, radius=radius)


def test_adding_total_variation_on_average_has_a_closed_form() -> None:
    # k answers drift by k/(√(2π)·nσ) at most; here drift and σ are 0.05.
    for questions in (1, 10, 1000):
        assert needed(questions).average_by_variation == ceil(
            questions / (sqrt(2 * pi) * 0.05 * 0.05)
        )


def test_the_rows_are_enough_and_one_row_less_is_not() -> None:
    found = needed(100)
    half, beta = 0.05, Fraction(1, 20)
    one, average = OneQuestion(radius=half, beta=beta), OnAverage(radius=half)
    target = Target(confidence=1 - beta, questions=100)

    assert None not in found.to_dict().values()
    for rows, noise in (
        (found.one_by_variation, lambda n: sigma_by_variation(one, rows=n, questions=100)),
        (found.one_by_privacy, lambda n: scale_by_privacy(one, rows=n, questions=100) * sqrt(2)),
        (
            found.average_by_privacy,
            lambda n: scale_by_privacy(average, rows=n, questions=100) * sqrt(2),
        ),
    ):
        assert rows is not None
        assert noise(rows) <= half
        assert noise(ceil(rows * 0.999) - 1) > half
    assert found.certified is not None
    assert plan(rows=found.certified, target=target).radius <= 0.1
    assert plan(rows=found.certified - 1, target=target).radius > 0.1


def test_rows_grow_with_the_powers_of_the_questions_that_are_claimed() -> None:
    few, many = needed(100).to_dict(), needed(10_000).to_dict()
    ratios = {}
    for name, before in few.items():
        after = many[name]
        assert before is not None
        assert after is not None
        ratios[name] = after / before

    assert ratios["average_by_variation"] == pytest.approx(100, rel=1e-3)
    assert ratios["average_by_privacy"] == pytest.approx(10, rel=1e-2)
    assert ratios["one_by_variation"] == pytest.approx(100**2, rel=1e-2)
    assert 100 < ratios["one_by_privacy"] < 120  # a logarithm more than k
    assert 10 < ratios["certified"] < 14  # a logarithm more than √k


def test_what_no_one_has_rows_for_is_none() -> None:
    found = needed(1000, radius=1e-6)

    assert found.one_by_variation is None
    assert found.one_by_privacy is None
    assert found.average_by_variation is not None


@pytest.mark.parametrize("radius", [0.0, -0.1, 0.51, float("nan"), float("inf")])
def test_a_radius_that_says_nothing_is_refused(radius: float) -> None:
    with pytest.raises(InvalidInput, match=r"^radius must be"):
        needed(1, radius)
