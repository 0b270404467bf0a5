"""What one release costs, in the notion that describes it best."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.loss import GDP, ZCDP, PureDP
from peekproof.core.theorem import theorem


@theorem("T-laplace", "dwork-roth-2014", "Theorem 3.6")
def laplace(*, scale: Fraction, sensitivity: Fraction) -> PureDP:
    """The loss of Laplace noise of scale b on a value of L1 sensitivity Δ.

        ε = Δ/b

    Holds when: neighbours move the value by at most Δ in L1; also for the discrete Laplace law,
    P(z) ∝ e^{−|z|/b}, on integers.
    Rounds: not at all.
    """
    check.positive_fraction(scale=scale)
    return PureDP(check.positive_fraction(sensitivity=sensitivity) / scale)


@theorem("T-gauss", "dong-roth-su-2022", "The Gaussian mechanism")
def gaussian(*, sigma: Fraction, sensitivity: Fraction) -> GDP:
    """The loss of Gaussian noise σ on a value of L2 sensitivity Δ.

        μ² = (Δ/σ)²

    Holds when: neighbours move the value by at most Δ in L2, and the noise is continuous or an
    exact rounding of continuous noise.
    Rounds: not at all.
    """
    check.positive_fraction(sigma=sigma)
    return GDP((check.positive_fraction(sensitivity=sensitivity) / sigma) ** 2)


@theorem("T-discrete-gauss", "canonne-kamath-steinke-2020", "zCDP of the discrete Gaussian")
def discrete_gaussian(*, sigma: Fraction, sensitivity: Fraction) -> ZCDP:
    """The loss of discrete Gaussian noise, P(z) ∝ e^{−z²/2σ²}, on integers of L2 sensitivity Δ.

        ρ = Δ²/(2σ²)

    Holds when: the value is a vector of integers that neighbours move by at most Δ in L2.
    Rounds: not at all.
    """
    check.positive_fraction(sigma=sigma)
    return ZCDP((check.positive_fraction(sensitivity=sensitivity) / sigma) ** 2 / 2)


@theorem("T-bounded-range", "peekproof", "The proof in its docstring")
def bounded_range(loss: PureDP) -> ZCDP:
    """The zCDP of an exponential mechanism that is ε-private: a quarter of what ε alone gives.

        ρ = ε²/8

    Proof. Between neighbours its loss L takes values in an interval of length ε, wherever that
    lies: scores move by at most Δ, and the normaliser is the same for all outputs. Let
    K(s) = ln E_Q e^{sL}; K(0) = K(1) = 0, and K″ is a variance of L under a tilted law, at most
    ε²/4. So K(s) − s(s−1)ε²/8 is concave and vanishes at 0 and 1, hence is negative beyond 1:
    (a−1)·D_a = K(a) ≤ a(a−1)ε²/8.

    Holds when: the mechanism picks y with probability proportional to e^{ε·score(y)/(2Δ)}.
    Rounds: not at all.
    """
    return ZCDP(loss.epsilon**2 / 8)
