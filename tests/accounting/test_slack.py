from fractions import Fraction

import pytest

from peekproof.accounting.calibration import best_slack, gaussian_sigma
from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import advanced_sharp

TARGET = ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**6))


@pytest.mark.parametrize("count", [2, 30, 1000])
def test_the_choice_meets_the_target_and_beats_its_neighbours(count: int) -> None:
    best = best_slack(TARGET, sensitivity=Fraction(1), count=count)
    total = advanced_sharp(best.each, count=count, slack=best.slack)

    assert total.epsilon <= TARGET.epsilon
    assert total.delta <= TARGET.delta
    for part in (Fraction(1, 100), Fraction(99, 100)):
        slack = TARGET.delta * part
        delta = (TARGET.delta - slack) / count
        # The same ε as the best choice has needs more noise, or does not fit.
        each = ApproxDP(epsilon=best.each.epsilon, delta=delta)
        fits = advanced_sharp(each, count=count, slack=slack).epsilon <= TARGET.epsilon
        assert not fits or gaussian_sigma(each, sensitivity=Fraction(1)) > best.sigma


def test_exact_composition_needs_less_noise_than_any_slack() -> None:
    best = best_slack(TARGET, sensitivity=Fraction(1), count=100)

    assert best.sigma > 3 * gaussian_sigma(TARGET, sensitivity=Fraction(1), count=100)


def test_one_answer_needs_no_slack() -> None:
    best = best_slack(TARGET, sensitivity=Fraction(1), count=1)

    assert (best.slack, best.each) == (Fraction(0), TARGET)


def test_a_target_without_delta_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        best_slack(
            ApproxDP(epsilon=Fraction(1), delta=Fraction(0)), sensitivity=Fraction(1), count=5
        )
