"""A count, as a share, behind discrete Gaussian noise on a public grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.charge import ZCDP
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import nearest_share
from peekproof.noise.discrete_gaussian import discrete_gaussian
from peekproof.noise.entropy import Entropy, Pool
from peekproof.theory import discrete_noise as price
from peekproof.theory.discrete_noise import discrete_gaussian_reach


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian:
    """(count + N)/rows with discrete Gaussian N of parameter σ·rows, rounded to `step`, clipped.

    Guarantees: `cost()` for every count that moves by at most 1 when one record is replaced.
    Proof: Canonne, Kamath and Steinke (2020) show ρ = 1/(2(nσ)²) for the noisy count; dividing by
    n, rounding to a grid fixed beforehand and clipping are post-processing.
    Public: all fields; `sigma` is in shares.  Secret: the count given to `release`.

    It is for accounting in zCDP. Sessions draw the exact rounding of a continuous Gaussian instead
    (`peekproof.mechanisms.gaussian`): T-drift-gauss is about continuous noise and holds for its
    roundings without a gap, but not for this law, which is no rounding of a Gaussian.
    """

    kind: ClassVar[str] = "discrete-gaussian"

    rows: int
    sigma: Fraction
    step: Fraction

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.drawable(sigma=self.sigma)
        check.drawable(sigma=self.sigma * self.rows)
        check.grid(self.step)

    def cost(self) -> ZCDP:
        return price.discrete_gaussian(sigma=self.sigma * self.rows, sensitivity=Fraction(1))

    def release(self, exact: Exact[int], *, rng: Entropy) -> Fraction:
        noise = discrete_gaussian(sigma=self.sigma * self.rows, rng=Pool(rng))
        return nearest_share(exact.reveal() + noise, rows=self.rows, step=self.step)

    def radius(self, *, beta: Fraction) -> float:
        """How far the release lies from count/rows, except with probability β. Rounds: up."""
        reach = discrete_gaussian_reach(sigma=self.sigma * self.rows, beta=beta)
        return float_up(Fraction(reach, self.rows) + self.step / 2)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {"kind": self.kind, "sigma": str(self.sigma), "step": str(self.step)}
