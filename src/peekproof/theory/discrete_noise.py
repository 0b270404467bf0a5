"""Privacy losses of noisy releases, and how far discrete Laplace and Gaussian noise reaches.

The loss of one release is given in the notion that describes it best. How far noise on integers
reaches is bounded in probability, and for the discrete Laplace law on average over bad events too.
"""

from fractions import Fraction
from math import ceil, exp, expm1, log1p, sqrt

from peekproof.core import check
from peekproof.core.charge import GDP, ZCDP, PureDP
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.noise import gaussian_accuracy


def _laplace_reach(scale: Fraction, level: Fraction) -> int:
    """The smallest r ≥ 0 with 2p^{r+1}/(1+p) ≤ `level` < 1, p = e^{−1/scale}, or one above it.

    r + 1 = t·(ln(1/level) + ln(2/(1+p))): both are positive, so nothing cancels.
    """
    t = float_up(scale)
    return max(0, ceil(up(t * (log_of(1 / level) - log1p(expm1(-1 / t) / 2)))) - 1)


@theorem("T-accuracy-discrete-laplace", "peekproof", "The proof in its docstring")
def discrete_laplace_reach(*, scale: Fraction, beta: Fraction) -> int:
    """How far discrete Laplace noise of scale t on an integer reaches, except with probability β.

        Pr[|N| > r] = 2p^{r+1}/(1 + p) ≤ β            p = e^{−1/t}

    Proof. Pr[N = z] = p^{|z|}·(1 − p)/(1 + p); sum the geometric series beyond r on both sides.

    Holds when: N is an integer with probability proportional to e^{−|N|/t}.
    Rounds: up, to the next integer.
    """
    check.drawable(scale=scale)
    return _laplace_reach(scale, check.probability(beta=beta))


@theorem(
    "T-noise-discrete-laplace", "rockafellar-uryasev-2000", "Theorem 1; proof in the docstring"
)
def discrete_laplace_shortfall(*, scale: Fraction, beta: Fraction, count: int) -> float:
    """A bound on ES_β(max_{j≤k} |N_j|), the mean of the worst β-fraction of the largest noise.

        ES_β(max |N_j|) ≤ c + (k/β)·p^c/sinh(1/t)      for every integer c ≥ 0, p = e^{−1/t}

    for discrete Laplace noise of scale t and k = `count`, at the smallest c with
    k·Pr[|N| > c] ≤ β, where it is least; it is at most t·(1 + ln(k/β)), what continuous noise has
    (T-noise-laplace). Any event that is decided by the transcript π and has probability at least β
    satisfies E[ max_j |E[N_j | π]| | event ] ≤ ES_β(max |N_j|); so max_j |E[N_j | π]| exceeds that
    with probability at most β.

    Proof. max_j |E[N_j|π]| ≤ E[max_j |N_j| | π], and its mean over an event of probability
    w ≥ β is at most ES_w ≤ ES_β; were the event that it exceeds ES_β more probable than β, its
    mean there would be at most ES_β, and above it. By Rockafellar and Uryasev
    ES_β(Y) ≤ c + E(Y − c)₊/β for all c. Use (max_j |N_j| − c)₊ ≤ Σ_j (|N_j| − c)₊ and, for
    integers c ≥ 0, E(|N| − c)₊ = Σ_{m>c} Pr[|N| ≥ m] = Σ_{m>c} 2p^m/(1 + p) = 2p^{c+1}/(1 − p²),
    which is p^c/sinh(1/t). Between integers the bound is linear in c, and its slope
    1 − (k/β)·Pr[|N| > c] turns positive at the c named.
    The comparison: with y = 1/(2t), E(|N| − c)₊ is at most e^{y·coth y − 1}/cosh y times the
    continuous t·e^{−c/t}, by maximising over c between two integers; and y·coth y − 1 ≤ ln cosh y,
    for both vanish at 0 and their slopes are in order because tanh y ≤ y.

    Holds when: each N_j has this law given everything before it; fewer than k may be drawn.
    Rounds: up. Every integer c ≥ 0 gives a valid bound, so an error in c cannot make it too small.
    """
    check.drawable(scale=scale)
    level = check.probability(beta=beta) / check.positive_integer(count=count)
    c = _laplace_reach(scale, level)
    beyond = exp(log_of(1 / level) - float((c + 1) / scale)) * 2 / -expm1(float(-2 / scale))
    return up(c + beyond)


@theorem("T-accuracy-discrete-gauss", "peekproof", "The proof in its docstring")
def discrete_gaussian_reach(*, sigma: Fraction, beta: Fraction) -> int:
    """How far discrete Gaussian noise σ on an integer reaches, except with probability β.

        Pr[|N| > r] ≤ min( 2Φ̄(r/σ), 2e^{−(r+1)²/2σ²} ) ≤ β

    Proof. Let s(a) = Σ_x e^{−(x−a)²/2σ²} over the integers. By Poisson summation
    s(a) = σ√(2π)·Σ_k e^{−2π²σ²k²}·cos(2πka), so s(0) ≥ s(a) and s(0) ≥ σ√(2π). Each term beyond r
    is at most the integral over the unit interval before it, so the terms add to at most
    σ√(2π)·Φ̄(r/σ) on each side: the first bound. E e^{λN} = e^{λ²σ²/2}·s(λσ²)/s(0) ≤ e^{λ²σ²/2}, as
    for a Gaussian; Markov's inequality at λ = (r+1)/σ² gives the second. Canonne, Kamath and
    Steinke (2020) have both.

    Holds when: N is an integer with probability proportional to e^{−N²/2σ²}.
    Rounds: up, to the next integer.
    """
    width = float_up(check.drawable(sigma=sigma))
    level = check.probability(beta=beta)
    integral = ceil(gaussian_accuracy(sigma=sigma, count=1, beta=level).radius)
    markov = ceil(up(width * sqrt(2 * log_of(2 / level)))) - 1
    return max(0, min(integral, markov))


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
