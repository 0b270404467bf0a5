"""To Rényi differential privacy of one order."""

from fractions import Fraction

from holdfast.core import check
from holdfast.core.loss import GDP, RDP, ZCDP
from holdfast.core.theorem import theorem
from holdfast.theory.conversion.to_zcdp import gdp_to_zcdp


@theorem("T-zcdp-rdp", "bun-steinke-2016", "Definition 1.1")
def zcdp_to_rdp(loss: ZCDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that ρ-zCDP allows: its definition.

        ε_a = ρ·a

    Holds when: order a > 1.
    Rounds: not at all.
    """
    check.above_one(order=order)
    return RDP(order=order, epsilon=loss.rho * order)


@theorem("T-gdp-rdp", "dong-roth-su-2022", "Theorem 2.10 (arXiv v3), with the proof of T-gdp-zcdp")
def gdp_to_rdp(loss: GDP, *, order: Fraction) -> RDP:
    """The Rényi loss of one order that μ-GDP allows; the Gaussian mechanism attains it.

        ε_a = a·μ²/2

    Holds when: order a > 1.
    Rounds: not at all.
    """
    return zcdp_to_rdp(gdp_to_zcdp(loss), order=order)
