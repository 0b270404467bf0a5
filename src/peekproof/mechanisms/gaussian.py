"""A total, as a share, behind Gaussian noise on a public grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.numerics import up
from peekproof.core.secret import Exact
from peekproof.mechanisms.public_grid import check_grid, with_levels
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.gaussian import rounded_gaussian
from peekproof.theory.generalization.drift import rounding_radius
from peekproof.theory.generalization.gaussian import own_certificate, session_certificate
from peekproof.theory.generalization.noise import gaussian_accuracy


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """total/(rows·levels) + N(0, sigma²), rounded to a multiple of `step`, clipped to [0, 1].

    Guarantees: `cost()` for every total that moves by at most `levels` when one record is
    replaced: a count (levels = 1), or a sum of contributions in fixed point.
    Proof: the share moves by at most 1/n, so the unrounded answer loses μ² = 1/(nσ)²;
    rounding (exact, on a grid fixed beforehand) and clipping are post-processing. The Gaussian
    is the continuous one, so theorems about it apply without a gap.
    Public: all fields.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "gaussian"

    rows: int
    sigma: Fraction
    step: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(levels=self.levels)
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(step=self.step)
        check_grid(self.step)

    def cost(self) -> GDP:
        return GDP(1 / (self.rows * self.sigma) ** 2)

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:
        points = self.step.denominator
        centre = Fraction(total.reveal() * points, self.rows * self.levels)
        drawn = rounded_gaussian(centre=centre, scale=self.sigma * points, rng=Pool(rng))
        return Fraction(min(points, max(0, drawn)), points)

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the share of the sample, except with probability β."""
        noise = gaussian_accuracy(sigma=self.sigma, count=1, beta=beta)
        return up(noise.radius + rounding_radius(self.step))

    def certify(self, target: Target) -> Certificate:
        return session_certificate(rows=self.rows, sigma=self.sigma, step=self.step, target=target)

    def certify_own(self, target: Target, *, budget: GDP) -> Certificate:
        """The certificate of an answer whose noise is not that of its session's plan."""
        return own_certificate(
            rows=self.rows, sigma=self.sigma, step=self.step, budget=budget, target=target
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {"kind": self.KIND, "sigma": str(self.sigma), "step": str(self.step)}
        return with_levels(described, self.levels)
