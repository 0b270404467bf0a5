"""To zero-concentrated differential privacy."""

from holdfast.core.loss import GDP, ZCDP, PureDP
from holdfast.core.theorem import theorem


@theorem("T-pure-zcdp", "bun-steinke-2016", "Proposition 1.4")
def pure_to_zcdp(loss: PureDP) -> ZCDP:
    """The zCDP that every ε-DP mechanism has.

        ρ = ε²/2

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.epsilon**2 / 2)


@theorem("T-gdp-zcdp", "dong-roth-su-2022", "Theorem 2.10 (arXiv v3); proof in the docstring")
def gdp_to_zcdp(loss: GDP) -> ZCDP:
    """The zCDP that every μ-GDP mechanism has.

        ρ = μ²/2

    Proof. By Blackwell's theorem both output laws are one randomised function of N(0,1) and of
    N(μ,1). That function cannot raise a divergence, and D_a(N(0,1) ‖ N(μ,1)) = aμ²/2.

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.mu_squared / 2)
