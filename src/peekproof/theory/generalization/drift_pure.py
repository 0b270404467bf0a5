"""Pure differential privacy bounds the drift surely, so all of β goes to the noise."""

from fractions import Fraction
from math import cosh, sqrt, tanh

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part
from peekproof.core.loss import PureDP
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.parts import drift_part, rounding_part

# tanh of a quarter of this is 1 to the last bit.
_ALL = Fraction(200)


@theorem("T-drift-pure", "peekproof", "The proof in its docstring")
def pure_drift(loss: PureDP) -> float:
    """A bound on the drift D(π) of every question at once, asked or not, that never fails.

        |q(Q_π) − q(P)| ≤ D(π) = (1/n) Σ_i E[TV(law(x_i | π, S_−i), P) | π] ≤ tanh(ε/4)

    Proof. Fix i, S_−i and π. The density r of x_i's law given them, against P, is the
    probability of π given x_i, divided by its P-average. By ε-DP it has sup r ≤ e^ε·inf r, and
    its mean under P is 1. Let a = inf r ≤ 1 ≤ sup r = b. TV = E(r − 1)₊, a convex function of r,
    is largest when r takes the values a and b only, b with probability (1 − a)/(b − a):

        TV ≤ (b − 1)(1 − a)/(b − a).

    It grows with b, so put b = c·a with c = e^ε: (ca − 1)(1 − a)/((c − 1)a) is largest at
    a = 1/√c, where it is (√c − 1)²/(c − 1) = (√c − 1)/(√c + 1) = tanh(ε/4). Average over i and
    S_−i.

    Holds when: the whole conversation is ε-DP for replacing one record; rows are independent.
    Rounds: up.
    """
    epsilon = min(check.amount(epsilon=loss.epsilon), _ALL)
    return min(1.0, up(tanh(float_up(epsilon / 4)))) if epsilon else 0.0


@theorem("T-noise-laplace", "rockafellar-uryasev-2000", "Theorem 1; proof in the docstring")
def laplace_shortfall(*, beta: Fraction, count: int) -> float:
    """A bound on ES_β(max_{j≤k} |L_j|), the mean of the worst β-fraction of the largest noise.

        ES_β(max |L_j|) ≤ 1 + ln(k/β)        for Laplace noise of scale 1, k = `count`

    Any event that is decided by the transcript π and has probability at least β satisfies
    E[ max_j |E[bL_j | π]| | event ] ≤ b·ES_β(max |L_j|); so max_j |E[bL_j | π]| exceeds that
    with probability at most β.

    Proof. max_j |E[L_j|π]| ≤ E[max_j |L_j| | π], and its mean over an event of probability
    p ≥ β is at most ES_p ≤ ES_β. By Rockafellar and Uryasev ES_β(Y) ≤ c + E(Y − c)₊/β for all
    c; with (max_j |L_j| − c)₊ ≤ Σ_j (|L_j| − c)₊ and E(|L| − c)₊ = e^{−c} for c ≥ 0 this is at
    most c + k·e^{−c}/β, which is 1 + ln(k/β) at c = ln(k/β). If E = {max_j |E[L_j|π]| > t} with
    t = ES_β had probability above β, its mean on E would be at most t, and above t.

    Holds when: each L_j is Laplace of scale 1 given everything before it; fewer than k may be
    drawn.
    Rounds: up.
    """
    check.probability(beta=beta)
    check.positive_integer(count=count)
    return up(1 + log_of(count / beta))


@theorem("T-joint-laplace", "peekproof", "The proof in its docstring")
def laplace_certificate(
    *, rows: int, scale: Fraction, step: Fraction, target: Target
) -> Certificate:
    """The radius that all answers of a Laplace session keep together.

        radius = b·(1 + ln(k/β)) + tanh(k/(4nb)) + step/2        b = `scale`

    Proof. a_j − q_j(P) = E[N_j|π] + E[R_j|π] + (q_j(Q_π) − q_j(P)), with R_j from rounding. The
    first is within the first term for all j except with probability β (T-noise-laplace). k
    answers are together ε-DP with ε = k/(nb), as one record moves each by at most 1/n; the
    drift is within the second term surely (T-drift-pure).

    Holds when: at most k = target.questions draws are made, each with Laplace noise of scale b
    on a statistic that one record moves by at most 1/n, then rounded to the grid of `step`.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(scale=scale)
    loss = PureDP(1 / (rows * scale)) * target.questions
    shortfall = laplace_shortfall(beta=target.beta, count=target.questions)
    noise = Part(
        theorem="T-noise-laplace",
        covers="what the added noise can hide",
        radius=up(float_up(scale) * shortfall),
        numbers=(("scale", float(scale)), ("shortfall", shortfall)),
    )
    drift = drift_part("T-drift-pure", pure_drift(loss), epsilon=float(loss.epsilon))
    rounding = rounding_part(step)
    return Certificate(
        target=target, rows=rows, joins="T-joint-laplace", parts=(noise, drift, rounding)
    )


def best_laplace_scale(*, rows: int, target: Target) -> Fraction:
    """The Laplace scale with about the smallest radius.

    The slope vanishes where b² = (a/s)/cosh²(a/b), with a = k/(4n) and s = 1 + ln(k/β). From
    b² = a/s, which is right for small drifts, this is followed downward; where it does not
    settle every interval is vacuous.
    """
    check.positive_integer(rows=rows)
    pull = float_up(Fraction(target.questions, 4 * rows))
    start = sqrt(pull / laplace_shortfall(beta=target.beta, count=target.questions))
    scale = start
    for _ in range(60):
        scale = max(start / 8, start / cosh(min(pull / scale, 100.0)))
    return Fraction(scale)
