"""How far the noise can pull answers, as an analyst sees it after the whole conversation."""

from fractions import Fraction
from math import erfc, exp, pi, sqrt
from statistics import NormalDist

from peekproof.core import check
from peekproof.core.numerics import float_down, up
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
