"""The two comparisons of noise, against simulation-free formulas."""

from fractions import Fraction
from math import sqrt

import pytest

from peekproof.accounting.calibration import gaussian_sigma, noise_for_many, vector_accuracy
from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput

TARGET = ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**6))


def test_errors_in_many_dimensions_are_root_sums_of_variances() -> None:
    found = vector_accuracy(rows=500, dimensions=49, target=TARGET)
    # Variance 2b² in each of K coordinates with b = K/(nε); σ² each with σ = √K/(nμ).
    sigma = float(gaussian_sigma(TARGET, sensitivity=Fraction(7, 500)))

    assert found.laplace == pytest.approx(sqrt(49 * 2 * (49 / 500) ** 2), rel=1e-9)
    assert found.gaussian == pytest.approx(sqrt(49) * sigma, rel=1e-9)


def test_many_answers_need_less_by_better_theorems() -> None:
    one, many = (noise_for_many(count=count, target=TARGET) for count in (1, 5000))

    assert one.basic == one.advanced == pytest.approx(sqrt(2), rel=1e-9)
    assert many.basic == pytest.approx(5000 * sqrt(2), rel=1e-9)
    assert many.basic > 10 * many.advanced > 10 * many.optimal > 10 * many.gaussian


def test_absurd_sizes_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^dimensions must be"):
        vector_accuracy(rows=10, dimensions=0, target=TARGET)
    with pytest.raises(InvalidInput, match=r"^count must be"):
        noise_for_many(count=0, target=TARGET)
