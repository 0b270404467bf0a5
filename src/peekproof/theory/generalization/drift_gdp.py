"""The drift that Gaussian differential privacy allows, whatever mechanism achieves it."""

from fractions import Fraction
from math import erfc, exp, log, log1p, sqrt

from peekproof.core import check
from peekproof.core.certificate import Certificate
from peekproof.core.loss import GDP
from peekproof.core.numerics import down, float_up, up
from peekproof.core.search import argmin
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.divergence.gaussian import GaussianPair
from peekproof.theory.generalization.parts import drift_part, noise_part, rounding_part
from peekproof.theory.generalization.shortfall import normal_shortfall

# Beyond it two normals a distance μ apart share less than 1 in 10⁶: no drift is excluded.
_LARGEST = Fraction(100)


def _quantile(mu: float, beta: float) -> float:
    """About the s with Pr[½|e^L − 1| > s] = β; any s serves."""

    def tail(s: float) -> float:
        above = erfc((log1p(2 * s) / mu + mu / 2) / sqrt(2)) / 2
        below = erfc((-log1p(-2 * s) / mu - mu / 2) / sqrt(2)) / 2 if s < 0.5 else 0.0
        return above + below

    low, high = 0.0, min(1.0, 60 * mu)  # no level in use is 30 standard deviations out
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > beta else (low, middle)
    return high


@theorem("T-drift-gdp", "peekproof", "The proof in its docstring")
def gdp_drift(loss: GDP, *, beta: Fraction) -> float:
    """A bound on the drift D(π) of every question at once for any μ-GDP conversation.

        E[D | event] ≤ ES_β(½|e^L − 1|),        L ~ N(−μ²/2, μ²)
                     ≤ s + ( ½δ(ln(1 + 2s)) + ½(1 − 2s)₊·δ(−ln(1 − 2s)) ) / β    for all s ≥ 0

    for every event of probability at least β; in particular D exceeds this with probability at
    most β. δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2).

    Proof. Fix i and S_−i, let f_x be the density of π given x_i = x and f its P-average. The law
    of x_i given π has density f_x(π)/f(π) against P, so with φ(t) = (½|t − 1| − s)₊, convex,
    the total variation T_i of it and P satisfies

        E(T_i − s)₊ ≤ E_{x~P} ∫ φ(f_x/f)·f ≤ E_{x,x′~P} ∫ φ(f_x/f_x′)·f_x′ ≤ E(½|e^L − 1| − s)₊ :

    first by Jensen's inequality for T_i = E_{x~P} ½|f_x/f − 1|; then because an f-divergence is
    convex in its second argument; last because μ-GDP makes (f_x, f_x′) a randomisation of the
    pair N(μ, 1), N(0, 1) (Blackwell), which no f-divergence increases, and ln of their ratio
    under the second is L. D is the mean of E[T_i|π] over i, so E(D − s)₊ has the same bound.
    For an event of probability p ≥ β, E[D|event] ≤ s + E(D − s)₊/p ≤ s + E(½|e^L − 1| − s)₊/β;
    the smallest over s is ES_β by Rockafellar and Uryasev. The event {D > t} with t this bound
    cannot have probability above β: the mean of D on it would be at most t.
    Closed form: E(e^L − 1 − 2s)₊ = δ(ln(1 + 2s)), and E(1 − 2s − e^L)₊ = E(e^L′ (1 − 2s) − 1)₊
    = (1 − 2s)·δ(−ln(1 − 2s)) by the change of measure e^L, under which −L is L′ ~ L.

    Holds when: the whole conversation is μ-GDP for replacing one record; rows are independent.
    Rounds: up. Every s ≥ 0 gives a valid bound; the ε in δ(ε) are rounded down, δ decreases.
    """
    check.probability(beta=beta)
    if check.positive_fraction(mu_squared=loss.mu_squared) > _LARGEST:
        return 1.0
    mu = up(sqrt(float_up(loss.mu_squared)))
    s = _quantile(mu, float(beta))
    pair = GaussianPair(shift=mu, sigma=1)
    excess = pair.hockey_stick(epsilon=down(log1p(2 * s))) / 2
    if s < 0.5:
        lower = max(0.0, down(-log1p(-2 * s)))
        excess += (1 - 2 * s) * pair.hockey_stick(epsilon=lower) / 2
    return min(1.0, up(s + float_up(Fraction(up(excess)) / beta)))


@theorem("T-joint-gdp", "peekproof", "The proof in its docstring")
def gdp_certificate(*, rows: int, sigma: Fraction, step: Fraction, target: Target) -> Certificate:
    """The radius that all answers of a Gaussian session keep together, by T-drift-gdp.

        radius = σ·ES_β(max_{j≤k} |Z_j|) + ES_β(½|e^L − 1|) + step/2,    μ² = k/(nσ)²

    Its drift rests on Gaussian differential privacy alone, not on the shape of the noise.

    Proof. As for T-joint: on an event of probability above β that π decides, the mean of the
    noise part is within the first term (T-noise) and the mean of the drift within the second
    (T-drift-gdp), so their sum cannot exceed the sum of the terms on all of it.

    Holds when: at most k = target.questions draws are made, each with noise σ on a statistic
    that one record moves by at most 1/n, and released on the grid of `step`.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    total = GDP(1 / (rows * sigma) ** 2) * target.questions
    shortfall = normal_shortfall(beta=target.beta, count=target.questions)
    noise = noise_part(sigma, shortfall)
    drift = drift_part(
        "T-drift-gdp",
        gdp_drift(total, beta=target.beta),
        mu=float(total.mu_squared) ** 0.5,
        beta=float(target.beta),
    )
    rounding = rounding_part(step)
    parts = (noise, drift, rounding)
    return Certificate(target=target, rows=rows, joins="T-joint-gdp", parts=parts)


def best_gdp_sigma(*, rows: int, target: Target) -> Fraction:
    """The noise σ with about the smallest radius of T-joint-gdp."""
    check.positive_integer(rows=rows)
    shortfall = normal_shortfall(beta=target.beta, count=target.questions)

    def radius(log_sigma: float) -> float:
        sigma = Fraction(exp(log_sigma))
        total = GDP(target.questions / (rows * sigma) ** 2)
        return exp(log_sigma) * shortfall + gdp_drift(total, beta=target.beta)

    # Balanced parts give σ² ≈ √k·c/n with c of the order of 1 for any sensible level.
    guess = log(target.questions) / 4 - log(rows) / 2
    return Fraction(exp(argmin(radius, low=guess - 5, high=guess + 2)))
