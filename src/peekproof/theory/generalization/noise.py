"""Sample accuracy: how far noise pulls answers from the sample.

It is bounded in probability (`SampleAccuracy`), and on average over any event that is not too rare
(`Shortfall`, the expected shortfall): how far off the answers can be as an analyst sees it after
the whole conversation.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import erfc, exp, expm1, fsum, log1p, pi, sqrt
from statistics import NormalDist
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, log_of, up
from peekproof.core.theorem import theorem


@theorem("T-noise", "rockafellar-uryasev-2000", "Theorem 1; proof in the docstring")
def normal_shortfall(*, beta: Fraction, count: int) -> float:
    """A bound on ES_β(max_{j≤k} |Z_j|), the mean of the worst β-fraction of the largest noise.

        ES_β(max |Z_j|) ≤ c + (2k/β)·(φ(c) − c·Φ̄(c))      for every c ≥ 0, k = `count`

    at c = Φ̄⁻¹(β/2k), where it equals ES_{β/k}(|Z|). With a_j = q_j(S) + σZ_j and a transcript
    π, any event that is decided by π and has probability at least β satisfies
    E[ max_j |E[σZ_j | π]| | event ] ≤ σ·ES_β(max |Z_j|).

    Proof. max_j |E[Z_j|π]| ≤ E[max_j |Z_j| | π], and the mean over an event of probability
    p ≥ β is at most ES_p ≤ ES_β. By Rockafellar and Uryasev ES_β(Y) = min_c c + E(Y − c)₊/β;
    use (max_j |Z_j| − c)₊ ≤ Σ_j (|Z_j| − c)₊ and E(|Z| − c)₊ = 2(φ(c) − cΦ̄(c)) for c ≥ 0.

    Holds when: the Z_j are standard normal given everything before them; they need not be
    independent of one another, and fewer than k may be drawn.
    Rounds: up. Every c ≥ 0 gives a valid bound, so an error in c cannot make it too small.
    """
    check.probability(beta=beta)
    check.positive_integer(count=count)
    tail = float_down(beta / (2 * count))
    c = max(0.0, -NormalDist().inv_cdf(tail))
    density = exp(-c * c / 2) / sqrt(2 * pi)
    beyond = density - c * erfc(c / sqrt(2)) / 2
    return up(c + beyond / tail)


def _finite(**named: float) -> None:
    ((name, value),) = named.items()
    if not 0 <= value < float("inf"):  # also true for NaN
        raise InvalidInput(argument=name, accepted="a finite number", given=repr(value))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SampleAccuracy:
    """Pr[ every answer is within `radius` of its sample mean ] ≥ 1 − `beta`."""

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        _finite(radius=self.radius)
        check.probability(beta=self.beta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """E[ max_j |a_j − q_j(S)| given B ] ≤ `radius`, for every event B of chance `beta` or more."""

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        _finite(radius=self.radius)
        check.probability(beta=self.beta)


@theorem("T-accuracy-gauss", "peekproof", "The proof in its docstring")
def gaussian_accuracy(*, sigma: Fraction, count: int, beta: Fraction) -> SampleAccuracy:
    """How far Gaussian noise pulls the worst of `count` answers, except with probability β.

        σ·Φ̄⁻¹(β/(2k))                              with k = count

    Proof. Each of k noises leaves ±z with probability 2Φ̄(z) = β/k; add them.

    Holds when: each noise is N(0, σ²) given everything before it; fewer than k may be drawn.
    Rounds: up. Where the quantile is near 0, lowering β/k is what keeps it safe.
    """
    check.positive_fraction(sigma=sigma)
    check.positive_integer(count=count)
    both_tails = float_down(check.probability(beta=beta) / count)
    z = up(max(0.0, -NormalDist().inv_cdf(both_tails / 2)))
    return SampleAccuracy(radius=up(float_up(sigma) * z), beta=beta)


@theorem(
    "T-accuracy-laplace",
    "dwork-roth-2014",
    "Accuracy of the Laplace mechanism; proof in the docstring",
)
def laplace_accuracy(*, scale: Fraction, count: int, beta: Fraction) -> SampleAccuracy:
    """How far Laplace noise pulls the worst of `count` answers, except with probability β.

        b·ln(k/β)                                  with b = scale, k = count

    Proof. Each of k noises leaves ±t with probability e^{−t/b} = β/k; add them.

    Holds when: each noise is Laplace(b) given everything before it; fewer than k may be drawn.
    Rounds: up.
    """
    check.positive_fraction(scale=scale)
    check.positive_integer(count=count)
    levels = log_of(count / check.probability(beta=beta))
    return SampleAccuracy(radius=up(float_up(scale) * levels), beta=beta)


def gaussian_shortfall(*, sigma: Fraction, count: int, beta: Fraction) -> Shortfall:
    """T-noise scaled by σ: what Gaussian noise does on average over any event of chance β."""
    check.positive_fraction(sigma=sigma)
    return Shortfall(
        radius=up(float_up(sigma) * normal_shortfall(beta=beta, count=count)), beta=beta
    )


_STEP = 1 / 256


@theorem("T-noise-mean", "peekproof", "The proof in its docstring")
def mean_largest_normal(*, count: int) -> float:
    """A bound on E max_{j≤m} |Z_j| for m = `count` standard normals, within 1/256 of it.

        E max = ∫₀^∞ 1 − (1 − 2Φ̄(t))^m dt ≤ a + h·Σ_{i<r} f(a + ih) + 2m·(φ(c) − c·Φ̄(c))

    with f the integrand, h = 1/256 and c = a + rh.

    Proof. f falls from 1 to 0, so its integral is at most 1 on [0, a] and h·f at the left end of
    each step; beyond c, f ≤ 2mΦ̄, whose integral is 2m(φ(c) − cΦ̄(c)).

    Holds when: the Z_j are independent, that is, each is standard normal given the ones before it;
    fewer than m may be drawn.
    Rounds: up. Every a, h and r give a valid bound.
    """
    m = float(check.positive_integer(count=count))
    if m > 1e15:
        raise InvalidInput(argument="count", accepted="at most 10^15", given=repr(count))

    def missing(t: float) -> float:
        outside = erfc(t / sqrt(2))
        return 1.0 if outside >= 1 else -expm1(m * log1p(-outside))

    # Below `start` all is 1 to e⁻²⁰, and beyond `end` the union loses less than 10⁻⁷.
    start = max(0.0, -NormalDist().inv_cdf(min(0.5, 10 / m)))
    steps = int((-NormalDist().inv_cdf(1e-8 / m) - start) / _STEP) + 1
    c = start + steps * _STEP
    tail = 2 * m * (exp(-c * c / 2) / sqrt(2 * pi) - c * erfc(c / sqrt(2)) / 2)
    body = fsum(missing(start + i * _STEP) for i in range(steps))
    return up(start + _STEP * body + abs(tail) + 1e-9)
