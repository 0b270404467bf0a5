"""What Gaussian noise on one value leaves of total variation.

The bounds for mechanisms known only by their loss are in `theory.conversion.to_tv`.
"""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.loss import TV
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem
from peekproof.theory.divergence.gaussian import GaussianPair


@theorem("T-tv-gauss", "peekproof", "The proof in its docstring")
def gaussian_tv(*, sensitivity: Fraction, sigma: Fraction) -> TV:
    """The total variation of a Δ-sensitive value behind Gaussian noise σ, Δ = `sensitivity`.

        TV = 2Φ(Δ/(2σ)) − 1 ≤ Δ/(√(2π)·σ)

    Proof. N(0, σ²) and N(s, σ²) have equal densities at s/2, so P(E) − Q(E) is largest for the
    half-line on one side of it: Φ(s/(2σ)) − Φ(−s/(2σ)), which rises with s ≤ Δ. The inequality is
    φ ≤ 1/√(2π). The seeds' radical covers σ too, which is a misprint.

    Holds when: the value moves by at most Δ when one record is replaced.
    Rounds: up.
    """
    check.amount(sensitivity=sensitivity)
    check.positive_fraction(sigma=sigma)
    if sensitivity == 0:
        return TV(Fraction(0))
    distance = up(GaussianPair(shift=sensitivity, sigma=sigma).total_variation())
    return TV(min(Fraction(1), Fraction(distance)))
