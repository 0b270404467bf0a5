"""To zero-concentrated differential privacy."""

from fractions import Fraction
from math import tanh

from peekproof.core.loss import GDP, ZCDP, PureDP
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion.outward import float_above


@theorem("T-pure-zcdp", "bun-steinke-2016", "Proposition 1.4")
def pure_to_zcdp(loss: PureDP) -> ZCDP:
    """The zCDP that every ε-DP mechanism has.

        ρ = ε²/2

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.epsilon**2 / 2)


@theorem("T-pure-zcdp-sharp", "peekproof", "The proof in its docstring")
def pure_to_zcdp_sharp(loss: PureDP) -> ZCDP:
    """The least zCDP that every ε-DP mechanism has; randomised response attains it.

        ρ = ε·tanh(ε/2)

    Proof. By T-pure-rdp it is enough that f(a) = ln cosh((a−½)ε) − ln cosh(ε/2) − a(a−1)ρ is
    not positive for a > 1. f(1) = 0, and f′(a)/ε = tanh((2a−1)ε/2) − (2a−1)·tanh(ε/2) ≤ 0, for
    tanh is concave on [0, ∞) and 0 at 0. As a → 1, D_a is ρ itself.

    Holds when: always; below ε²/2, by half for ε = 3.8.
    Rounds: up.
    """
    if not loss.epsilon:
        return ZCDP(Fraction(0))
    eps = float_above(epsilon=loss.epsilon)
    return min(pure_to_zcdp(loss), ZCDP(Fraction(up(eps * tanh(eps / 2)))))


@theorem("T-gdp-zcdp", "dong-roth-su-2022", "Blackwell's theorem; proof in the docstring")
def gdp_to_zcdp(loss: GDP) -> ZCDP:
    """The zCDP that every μ-GDP mechanism has.

        ρ = μ²/2

    Proof. By Blackwell's theorem both output laws are one randomised function of N(0,1) and of
    N(μ,1). That function cannot raise a divergence, and D_a(N(0,1) ‖ N(μ,1)) = aμ²/2.

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.mu_squared / 2)
