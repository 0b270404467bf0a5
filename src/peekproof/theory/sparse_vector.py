"""The sparse vector technique on integers: what it costs, and how far its verdicts err."""

from fractions import Fraction
from math import ceil, exp, log1p

from peekproof.core import check
from peekproof.core.charge import PureDP
from peekproof.core.numerics import down, float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.discrete_noise import discrete_laplace_reach


@theorem("T-above-threshold", "dwork-roth-2014", "AboveThreshold; proof in the docstring")
def above_threshold(
    *, threshold_scale: Fraction, query_scale: Fraction, sensitivity: int
) -> PureDP:
    """The loss of comparing counts with one noisy threshold until the first that reaches it.

        ε = Δ/s + 2Δ/t                s = `threshold_scale`, t = `query_scale`

    however many counts stay below. Question i is answered above if f_i + M_i ≥ T + V, with
    discrete Laplace noise V of scale s, drawn once, and M_i of scale t, fresh for each question.

    Proof. A transcript is a run of belows, ended by an above or not; it fixes every question, so
    write f_i and f′_i for the counts of neighbours, |f_i − f′_i| ≤ Δ. Fix all M_i before the last
    and let g = max(f_i + M_i), g′ = max(f′_i + M_i) over the belows; d = g′ − g is an integer with
    |d| ≤ Δ (0 if there is no below). The transcript occurs on f iff g < T + V and, if it ends with
    an above at m, f_m + M_m ≥ T + V. Replace V by V + d and M_m by M_m + d + f_m − f′_m: both
    comparisons have the same two sides as before, each moved by d, so the transcript occurs on f′.
    The replacement is a bijection of the integers that changes the probability of V by at most
    e^{Δ/s} and that of M_m by at most e^{2Δ/t}. Sum over V and M_m, then over the other M_i.
    Both sides move alike, so ties may go either way; only integers may be compared, for a shift by
    anything else leaves the lattice of the noise.

    Holds when: counts and threshold are integers, one record moves each count by at most Δ, nothing
    is answered after the first above, and no noise of a comparison is used for anything else.
    Rounds: not at all.
    """
    moved = check.positive_integer(sensitivity=sensitivity)
    one = check.drawable(threshold_scale=threshold_scale)
    return PureDP(moved / one + 2 * moved / check.drawable(query_scale=query_scale))


@theorem("T-numeric-sparse", "dwork-roth-2014", "NumericSparse; proof in the docstring")
def numeric_sparse(*, comparing: PureDP, answering: PureDP, answers: int) -> PureDP:
    """The loss of `answers` rounds, each of comparisons up to an above and one noisy count.

        ε = c·(ε₁ + ε₂)                c = `answers`

    Proof. A round is an ε₁-DP mechanism followed by an ε₂-DP one, with noise of their own; the
    next starts afresh. Pure losses of adaptively chosen mechanisms add.

    Holds when: each round draws all its noise anew, the threshold's, the comparisons' and the
    answer's.
    Rounds: not at all.
    """
    return (comparing + answering) * check.positive_integer(answers=answers)


@theorem("T-sparse-accuracy", "peekproof", "The proof in its docstring")
def sparse_reach(
    *, epsilon: Fraction, sensitivity: int, rounds: int, questions: int, beta: Fraction
) -> int:
    """An r so that, except with probability β, above means f ≥ T − r and below means f < T + r.

        c·k·(1 + q)·q^{r+1}/(1 + q + q²) ≤ β      or      r = r₁ + r₂

    for all k = `questions` in c = `rounds` rounds at once, q = e^{−ε/4Δ}, where r₁ and r₂ are the
    reach of noise 2Δ/ε at level β/(3c) and of noise 4Δ/ε at level 2β/(3k); the smaller.

    Proof. A wrong verdict on f needs V − M ≥ r + 1 if f ≥ T + r, and V − M ≤ −(r + 1) if
    f < T − r, with V and M the noise of threshold and question; never both. Each |V| ≤ r₁ and each
    |M| ≤ r₂ excludes them: the second bound, by a union over c draws of V and k of M. For the
    first, with p = q² the generating functions of V and M are 1/(1 + ux) and 1/(1 + vx),
    x = 1 − cos θ, u = 2p/(1 − p)², v = 2q/(1 − q)². Their product is the mixture
    (v/(1 + vx) − u/(1 + ux))/(v − u), so for m ≥ 1

        Pr[V − M ≥ m] = ((1 + q)·q^m − q^{2m+1}/(1 + q²))/(1 + q + q²).

    Given all before its start and the analyst's coins, a round asks a fixed sequence of questions,
    for all it hears is below, and its noise is independent of them; each errs with at most this
    probability at m = r + 1. At most c rounds start, and none asks more than k.

    Holds when: each round has an integer threshold with discrete Laplace noise 2Δ/ε, and each
    integer f fresh noise 4Δ/ε; the questions may adapt to all that was released.
    Rounds: up, to the next integer. The logarithms that are subtracted leave downward.
    """
    moved = check.positive_integer(sensitivity=sensitivity)
    t = 4 * moved / check.drawable(epsilon=epsilon)
    c, k = check.positive_integer(rounds=rounds), check.positive_integer(questions=questions)
    level = check.probability(beta=beta)
    q = exp(-1 / float_up(check.drawable(scale=t)))
    # (1 + q)/(1 + q + q²) = 1/(1 + q²/(1 + q))
    gained = down(log1p(q * q / (1 + q)))
    joint = ceil(up(float_up(t) * (up(log_of(c * k / level)) - max(0.0, gained)))) - 1
    apart = discrete_laplace_reach(scale=t / 2, beta=level / (3 * c)) + discrete_laplace_reach(
        scale=t, beta=2 * level / (3 * k)
    )
    return max(0, min(joint, apart))
