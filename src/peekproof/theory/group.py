"""What a guarantee for one replaced record says about several."""

from fractions import Fraction
from math import exp, expm1

from peekproof.core import check
from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem

_MOST_GROWTH = 700  # e^700 is about 1e304
_LEAST_EPSILON = Fraction(1, 10**100)


@theorem("T-group-pure", "dwork-roth-2014", "Theorem 2.2")
def group_pure(loss: PureDP, *, records: int) -> PureDP:
    """The pure loss when K = `records` records are replaced.

        ε_K = K·ε

    Holds when: always.
    Rounds: not at all.
    """
    return PureDP(loss.epsilon * check.positive_integer(records=records))


@theorem("T-group", "dwork-roth-2014", "Theorem 2.2; proof in the docstring")
def group_approx(loss: ApproxDP, *, records: int) -> ApproxDP:
    """The (ε, δ) loss when K = `records` records are replaced.

        ε_K = K·ε,    δ_K = δ·(e^{Kε} − 1)/(e^ε − 1) = δ·Σ_{j<K} e^{jε}

    Proof. Replace the records one by one: p_j ≤ e^ε·p_{j+1} + δ for j < K, and substitute.

    Holds when: always.
    Rounds: up. As e^{(K−1)ε}·(1 − e^{−Kε})/(1 − e^{−ε}), and 1 where that overflows.
    """
    k, eps = check.positive_integer(records=records), loss.epsilon
    growth = (k - 1) * eps
    if growth > _MOST_GROWTH:
        return ApproxDP(epsilon=k * eps, delta=Fraction(1 if loss.delta else 0))
    factor = Fraction(up(exp(float(growth)))) if growth else Fraction(1)
    if eps < _LEAST_EPSILON:  # then the K terms are equal, or each is at most the last
        factor *= k
    else:
        factor *= Fraction(up(expm1(-float(k * eps)) / expm1(-float(eps))))
    return ApproxDP(epsilon=k * eps, delta=min(Fraction(1), loss.delta * factor))


@theorem("T-group-zcdp", "bun-steinke-2016", "Proposition 1.9")
def group_zcdp(loss: ZCDP, *, records: int) -> ZCDP:
    """The zCDP when K = `records` records are replaced.

        ρ_K = K²·ρ

    Holds when: always.
    Rounds: not at all.
    """
    return ZCDP(loss.rho * check.positive_integer(records=records) ** 2)


@theorem("T-group-gdp", "dong-roth-su-2022", "Group privacy")
def group_gdp(loss: GDP, *, records: int) -> GDP:
    """The Gaussian loss when K = `records` records are replaced.

        μ_K = K·μ

    Holds when: always.
    Rounds: not at all.
    """
    return GDP(loss.mu_squared * check.positive_integer(records=records) ** 2)
