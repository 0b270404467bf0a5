"""Real-valued questions, read from the rows in fixed point."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part, Shape
from peekproof.core.numerics import float_down, float_up
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WidenedShape:
    """The intervals of another shape, a little wider on both sides."""

    inner: Shape
    by: Fraction

    def interval(self, released: Fraction) -> Interval:
        inner = self.inner.interval(released)
        return Interval(
            low=max(0.0, float_down(Fraction(inner.low) - self.by)),
            high=min(1.0, float_up(Fraction(inner.high) + self.by)),
        )


@theorem("T-fixed-point", "peekproof", "The proof in its docstring")
def fixed_point_certificate(certificate: Certificate, *, levels: int) -> Certificate:
    """The certificate of a mean of reals in [0, 1] that were read on a grid of `levels` steps.

        radius + 1/levels, and intervals wider by 1/levels on both sides

    Proof. The session answers q′, which is q read on the grid: |q′(x) − q(x)| ≤ 1/levels for
    every record x, hence also for their means over the population. All that the certificate
    says about q′(P) is true of q(P) up to that. A statistic of all rows is read once, which moves
    it by less.

    Holds when: the grid and the way to read on it do not depend on the rows.
    Rounds: up, and the intervals outward.
    """
    by = Fraction(1, check.positive_integer(levels=levels))
    part = Part(
        theorem="T-fixed-point",
        covers="reading numbers in fixed point",
        radius=float_up(by),
        numbers=(("levels", float(levels)),),
    )
    shape = certificate.shape and WidenedShape(inner=certificate.shape, by=by)
    return replace(certificate, parts=(*certificate.parts, part), shape=shape)
