"""A total, as a share, behind discrete Laplace noise on a public grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import PureDP
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.public_grid import check_grid, nearest_share, with_levels
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.laplace import discrete_laplace
from peekproof.theory.discrete_noise import discrete_laplace_reach, drawable, laplace
from peekproof.theory.generalization.discrete_laplace import discrete_laplace_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace:
    """(total + N)/(rows·levels) with discrete Laplace N, rounded to `step`, clipped to [0, 1].

    Guarantees: `cost()` for every total that moves by at most `levels` when one record is replaced,
    and `certify(target)` for the population (T-joint-discrete-laplace).
    Proof: Pr[N = z] ∝ e^{−|z|/(bnL)}, L = levels, changes by at most e^{1/(bn)} when z moves by L;
    dividing, rounding to a grid fixed beforehand and clipping are post-processing.
    Public: all fields; `scale` is b, in shares.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "laplace"

    rows: int
    scale: Fraction
    step: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(levels=self.levels)
        drawable(scale=self.scale)
        drawable(scale=self._on_totals)
        check_grid(self.step)

    @property
    def _whole(self) -> int:
        """The total of rows that all contribute the most they can."""
        return self.rows * self.levels

    @property
    def _on_totals(self) -> Fraction:
        return self.scale * self._whole

    def cost(self) -> PureDP:
        return laplace(scale=self._on_totals, sensitivity=Fraction(self.levels))

    def release(self, exact: Exact[int], *, rng: Entropy) -> Fraction:
        noise = discrete_laplace(scale=self._on_totals, rng=Pool(rng))
        return nearest_share(exact.reveal() + noise, rows=self._whole, step=self.step)

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the share of the sample, except with probability β."""
        reach = discrete_laplace_reach(scale=self._on_totals, beta=beta)
        return float_up(Fraction(reach, self._whole) + self.step / 2)

    def certify(self, target: Target) -> Certificate:
        return discrete_laplace_certificate(
            rows=self.rows, scale=self.scale, step=self.step, target=target, levels=self.levels
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {"kind": self.KIND, "scale": str(self.scale), "step": str(self.step)}
        return with_levels(described, self.levels)
