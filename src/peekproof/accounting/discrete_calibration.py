"""The smallest discrete Gaussian noise that keeps a target, by zCDP."""

from fractions import Fraction

from peekproof.accounting.calibration import largest_amount, root_up
from peekproof.core import check
from peekproof.core.charge import ZCDP, ApproxDP
from peekproof.theory.conversion import failure, zcdp_to_approx_at


def zcdp_within(target: ApproxDP) -> ZCDP:
    """The largest ρ, to 1 in 2⁴⁰, that meets (ε, δ) by T-zcdp-dp-at."""
    check.positive_fraction(epsilon=target.epsilon)
    failure(delta=target.delta)

    def fits(rho: Fraction) -> bool:
        return zcdp_to_approx_at(ZCDP(rho), epsilon=target.epsilon).delta <= target.delta

    return ZCDP(largest_amount(fits))


def discrete_gaussian_sigma(target: ZCDP, *, sensitivity: Fraction, count: int = 1) -> Fraction:
    """The smallest discrete Gaussian noise with which `count` answers are ρ-zCDP: √(kΔ²/2ρ)."""
    check.positive_fraction(rho=target.rho)
    check.positive_fraction(sensitivity=sensitivity)
    return root_up(check.positive_integer(count=count) * sensitivity**2 / (2 * target.rho))
