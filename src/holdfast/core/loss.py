"""What an answer costs: exact amounts that add."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from holdfast.core.errors import InvalidInput


@final
@dataclass(frozen=True, slots=True, order=True)
class GaussianLoss:
    """Stability lost to Gaussian noise, as the square of μ in Gaussian differential privacy.

    A Δ-sensitive value behind noise σ loses μ² = (Δ/σ)². Squares add under adaptive
    composition, so exact rationals make the total exact and the order of charges irrelevant.
    """

    mu_squared: Fraction

    def __post_init__(self) -> None:
        amount: object = self.mu_squared  # a float would pass the comparison, NaN included
        if not isinstance(amount, Fraction) or amount < 0:
            raise InvalidInput(
                argument="mu_squared",
                accepted="a Fraction of at least 0",
                given=repr(self.mu_squared),
            )

    def __add__(self, other: "GaussianLoss") -> "GaussianLoss":
        return GaussianLoss(self.mu_squared + other.mu_squared)

    def __mul__(self, count: int) -> "GaussianLoss":
        return GaussianLoss(self.mu_squared * count)


FREE = GaussianLoss(Fraction(0))
