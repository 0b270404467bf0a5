"""To Rényi differential privacy of one order."""

from fractions import Fraction
from math import cosh, exp, log1p, sinh

from peekproof.core import check
from peekproof.core.loss import GDP, RDP, ZCDP, PureDP
from peekproof.core.numerics import MARGIN, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion.outward import amount_above, float_above
from peekproof.theory.conversion.to_zcdp import gdp_to_zcdp
from peekproof.theory.divergence.laplace import LaplacePair

_FINEST = Fraction(1, 10**100)  # nearer to 1, or further out, no float tells orders apart
_LARGE = 300  # hyperbolic functions of half of this are floats


@theorem("T-zcdp-rdp", "bun-steinke-2016", "Definition 1.1")
def zcdp_to_rdp(loss: ZCDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that ρ-zCDP allows: its definition.

        ε_a = ρ·a

    Holds when: order a > 1.
    Rounds: not at all.
    """
    check.above_one(order=order)
    return RDP(order=order, epsilon=loss.rho * order)


@theorem("T-gdp-rdp", "dong-roth-su-2022", "Blackwell's theorem, with the proof of T-gdp-zcdp")
def gdp_to_rdp(loss: GDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that μ-GDP allows; the Gaussian mechanism attains it.

        ε_a = a·μ²/2

    Holds when: order a > 1.
    Rounds: not at all.
    """
    return zcdp_to_rdp(gdp_to_zcdp(loss), order=order)


@theorem("T-pure-rdp", "kairouz-oh-viswanath-2015", "Randomised response is the worst case")
def pure_to_rdp(loss: PureDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that ε-DP allows; randomised response attains it.

        ε_a = ln( cosh((a−½)ε) / cosh(ε/2) ) / (a−1)

    Proof. Every ε-DP pair of laws is a function of the pair (p, 1−p), (1−p, p) with odds e^ε,
    and a function cannot raise a divergence. For that pair
    e^{(a−1)D_a} = (e^{aε} + e^{(1−a)ε})/(1 + e^ε) = cosh((a−½)ε)/cosh(ε/2).

    Holds when: order a > 1.
    Rounds: up. The quotient is 1 + 2·sinh(aε/2)·sinh((a−1)ε/2)/cosh(ε/2), and beyond the floats
    e^{(a−1)ε}·(1 + e^{−(2a−1)ε})/(1 + e^{−ε}): neither cancels.
    """
    check.above_one(order=order)
    eps = float_above(epsilon=loss.epsilon)
    if order > 1 / _FINEST:
        return RDP(order=order, epsilon=loss.epsilon)
    a = max(order, 1 + _FINEST)  # divergences rise with their order
    less = float_up(a - 1)
    if a * loss.epsilon < _LARGE:
        half = float(a * loss.epsilon / 2), float((a - 1) * loss.epsilon / 2)
        bound = log1p(2 * sinh(half[0]) * sinh(half[1]) / cosh(eps / 2)) / less * (1 + MARGIN)
    else:
        bound = eps - log1p(exp(-eps)) / less * (1 - MARGIN) + exp(-_LARGE)
    plain = min(loss.epsilon, order * loss.epsilon**2 / 2)
    return RDP(order=order, epsilon=min(plain, amount_above(up(bound), argument="epsilon")))


@theorem("T-laplace-rdp", "mironov-2017", "The Laplace mechanism")
def laplace_to_rdp(loss: PureDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order of Laplace noise that is ε-private.

        ε_a = ln( a/(2a−1)·e^{(a−1)ε} + (a−1)/(2a−1)·e^{−aε} ) / (a−1)

    Holds when: order a > 1, and the noise has the Laplace law.
    Rounds: up.
    """
    check.above_one(order=order)
    if not loss.epsilon:
        return RDP(order=order, epsilon=Fraction(0))
    exact = LaplacePair(shift=loss.epsilon, scale=1).renyi(order=order)
    return RDP(order=order, epsilon=min(loss.epsilon, amount_above(up(exact), argument="epsilon")))
