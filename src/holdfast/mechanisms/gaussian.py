"""A count, as a share, behind Gaussian noise on a public grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from holdfast.core import check
from holdfast.core.certificate import Certificate
from holdfast.core.errors import InvalidInput
from holdfast.core.loss import GDP
from holdfast.core.secret import Exact
from holdfast.core.target import Target
from holdfast.noise.entropy import Entropy, Pool
from holdfast.noise.gaussian import rounded_gaussian
from holdfast.theory.generalization.drift_variance import own_certificate, session_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """count/rows + N(0, sigma²), rounded to the nearest multiple of `step`, clipped to [0, 1].

    Guarantees: `cost()` for every count that moves by at most 1 when one record is replaced.
    Proof: the share moves by at most 1/n, so the unrounded answer loses μ² = 1/(nσ)²;
    rounding (exact, on a grid fixed beforehand) and clipping are post-processing.
    Public: all fields.  Secret: the count given to `release`.
    """

    KIND: ClassVar[str] = "gaussian"

    rows: int
    sigma: Fraction
    step: Fraction

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(step=self.step)
        if self.step.numerator != 1:
            raise InvalidInput(
                argument="step",
                accepted="one over an integer, so that 0 and 1 are on the grid",
                given=str(self.step),
            )

    def cost(self) -> GDP:
        return GDP(1 / (self.rows * self.sigma) ** 2)

    def release(self, count: Exact[int], *, rng: Entropy) -> Fraction:
        cells = self.step.denominator
        centre = Fraction(count.reveal() * cells, self.rows)
        drawn = rounded_gaussian(centre=centre, scale=self.sigma * cells, rng=Pool(rng))
        return Fraction(min(cells, max(0, drawn)), cells)

    def certify(self, target: Target) -> Certificate:
        return session_certificate(rows=self.rows, sigma=self.sigma, step=self.step, target=target)

    def certify_own(self, target: Target, *, budget: GDP) -> Certificate:
        """The certificate of an answer whose noise is not that of its session's plan."""
        return own_certificate(
            rows=self.rows, sigma=self.sigma, step=self.step, budget=budget, target=target
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {"kind": self.KIND, "sigma": str(self.sigma), "step": str(self.step)}
