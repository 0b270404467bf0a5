"""What a reusable holdout promises for the population: guesses that stand, and corrections."""

from fractions import Fraction
from math import ceil, exp, expm1, log1p

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.discrete_noise import discrete_laplace_shortfall
from peekproof.theory.generalization.drift import drift_part, pure_drift


def _beyond(steps: int, scale: Fraction, log_count: float) -> float:
    """e^{log_count}·e^{−steps/scale}, the two exponents subtracted before either is formed."""
    return exp(log_count - float(steps / scale))


def _largest_above(scale: Fraction, log_count: float) -> float:
    """c + e^{log_count}·E(N − c)₊ for discrete Laplace N, at the integer c ≥ 0 where it is least.

    E(N − c)₊ = Σ_{m>c} p^m/(1 + p) = p^{c+1}/(1 − p²), p = e^{−1/scale}. Rounds: up.
    """
    p = exp(-1 / float_up(scale))
    c = max(0, ceil(float_up(scale) * (log_count - log1p(p))) - 1)
    return up(c + _beyond(c + 1, scale, log_count) / -expm1(float(-2 / scale)))


@theorem("T-noise-sparse", "rockafellar-uryasev-2000", "Theorem 1; proof in the docstring")
def verdict_shortfall(*, epsilon: Fraction, rounds: int, questions: int, beta: Fraction) -> float:
    """A bound on ES_β(max (V_r − M_j)), the mean of the worst β-fraction of the noise in verdicts.

        c + (Bk/β)·(1 + q)·q^{c+1}/((1 − q)(1 + q + q²))            q = e^{−ε/4}
        (c₁ + (B/β)·p^{c₁+1}/(1 − p²)) + (c₂ + (k/β)·q^{c₂+1}/(1 − q²))        p = q²

    the smaller, with B = `rounds` noises V_r of scale 2/ε, k = `questions` noises M_j of scale 4/ε,
    and any integers c, c₁, c₂ ≥ 0; those where each is least are used. For every choice r(j) of a
    threshold for each question that the transcript π decides, max_j E[V_r(j) − M_j | π] exceeds
    ES_β only with probability β.

    Proof. Draw all noise in advance and let Y = max over r and j of V_r − M_j. If r(j) is a
    function of π, E[V_r(j) − M_j|π] ≤ E[Y|π] for all j. Were the event E[Y|π] > ES_β(Y) more
    probable than β, the mean of Y there would be at most ES_β(Y), and above it. By Rockafellar and
    Uryasev ES_β(Y) ≤ c + E(Y − c)₊/β for all c. First bound: (Y − c)₊ ≤ Σ_r Σ_j (V_r − M_j − c)₊,
    and Pr[V − M ≥ m] ≤ (1 + q)·q^m/(1 + q + q²) for m ≥ 1 (T-sparse-accuracy), to be summed over
    m > c. Second: Y = max_r V_r + max_j (−M_j), expected shortfalls of the same level are
    subadditive, M is symmetric, and E(N − c)₊ = Σ_{m>c} Pr[N ≥ m] is a geometric series.

    Holds when: the noises are independent discrete Laplace, of the data too; fewer may be used.
    Rounds: up. Every c ≥ 0 gives a valid bound, so an error in c cannot make it too small.
    """
    t = 4 / check.drawable(epsilon=epsilon)
    b, k = check.positive_integer(rounds=rounds), check.positive_integer(questions=questions)
    level = check.probability(beta=beta)
    check.drawable(scale=t)
    check.drawable(questions=Fraction(b * k))
    q = exp(-1 / float_up(t))
    gained = log1p(q * q / (1 + q))  # (1 + q)/(1 + q + q²) = 1/(1 + q²/(1 + q))
    pairs = up(log_of(b * k / level))
    c = max(0, ceil(float_up(t) * (pairs - gained)) - 1)
    joint = up(c + _beyond(c + 1, t, pairs - gained) / -expm1(float(-1 / t)))
    apart = _largest_above(t / 2, up(log_of(b / level))) + _largest_above(t, up(log_of(k / level)))
    return min(joint, up(apart))


def _shares(epsilon: Fraction, comparing: Fraction, budget: int) -> tuple[Fraction, Fraction]:
    """The ε of a round's comparisons, and of its count."""
    check.drawable(epsilon=epsilon)
    if check.drawable(comparing=comparing) >= 1:
        raise InvalidInput(
            argument="comparing",
            accepted="a Fraction strictly between 0 and 1",
            given=str(comparing),
        )
    each = epsilon / check.positive_integer(budget=budget)
    return comparing * each, (1 - comparing) * each


def _countable(rows: int) -> int:
    """The number of rows, if floats can hold it."""
    check.drawable(rows=Fraction(check.positive_integer(rows=rows)))
    return rows


def _drift(epsilon: Fraction) -> Part:
    return drift_part("T-drift-pure", pure_drift(PureDP(epsilon)), epsilon=float(epsilon))


@theorem("T-thresholdout", "dwork-et-al-2015", "Thresholdout; proof in the docstring")
def standing_certificate(
    *,
    rows: int,
    threshold: int,
    epsilon: Fraction,
    comparing: Fraction,
    budget: int,
    target: Target,
) -> Certificate:
    """The radius that all guesses that a reusable holdout lets stand keep together.

        |g_j − q_j(P)| ≤ (T − 1)/n + ES/n + tanh(ε/4)

    with ES the bound of T-noise-sparse for B = `budget` rounds of k = target.questions questions
    with ε₁ = `comparing`·ε/B each, at level β/2. The other half of β is for the corrections
    (T-thresholdout-corrected), so all answers of both kinds hold together.

    Proof. The transcript π, of a whole run with the analyst's coins, decides the questions, the
    guesses, which guesses stood, and in which round. If guess j stood in round r, then
    |c_j − n·g_j| + M_j < T + V_r, for integers: |c_j − n·g_j| ≤ T − 1 + V_r − M_j. Take means given
    π. On the left, by Jensen's inequality, n·|q_j(Q_π) − g_j| is no larger, Q_π being the law of
    the rows given π; on the right, E[V_r − M_j|π] ≤ ES for all j at once, except with probability
    β/2 (T-noise-sparse). And |q_j(Q_π) − q_j(P)| ≤ tanh(ε/4) surely, for a run is ε-DP
    (T-numeric-sparse, T-drift-pure). That a guess stood tells something about the noise, and which
    question was asked may depend on it: both are in π, and ES covers every π but a β/2-fraction.

    Conservative are: all B·k pairs of noise are paid for, though each question meets one threshold;
    a guess is taken to be T − 1 off although π often shows it to be closer; β is cut in halves.

    Holds when: rows are independent; a question is a mean over the n = `rows` rows of a function
    to {0, 1}; a guess is a multiple of 1/n that depends on the rows through π alone; the run is one
    of `Thresholdout`, with `threshold` T, and all that anyone sees of the rows.
    Rounds: up.
    """
    n, height = _countable(rows), check.positive_integer(threshold=threshold)
    if height > n:
        raise InvalidInput(
            argument="threshold", accepted="at most the number of rows", given="more"
        )
    compared, _ = _shares(epsilon, comparing, budget)
    half = target.beta / 2
    shortfall = verdict_shortfall(
        epsilon=compared, rounds=budget, questions=target.questions, beta=half
    )
    parts = (
        Part(
            theorem="T-thresholdout",
            covers="how far a guess may be off and stand",
            radius=float_up(Fraction(height - 1, n)),
            numbers=(("threshold", float(height)),),
        ),
        Part(
            theorem="T-noise-sparse",
            covers="what the noise in the comparisons can hide",
            radius=float_up(Fraction(shortfall) / n),
            numbers=(("epsilon", float(compared)), ("shortfall", shortfall)),
        ),
        _drift(epsilon),
    )
    return Certificate(target=target, rows=n, joins="T-thresholdout", parts=parts)


@theorem("T-thresholdout-corrected", "peekproof", "The proof in its docstring")
def corrected_certificate(
    *, rows: int, epsilon: Fraction, comparing: Fraction, budget: int, target: Target
) -> Certificate:
    """The radius that all noisy shares that a reusable holdout tells instead of guesses keep.

        |a_j − q_j(P)| ≤ ES/n + tanh(ε/4)

    with ES the bound of T-noise-discrete-laplace on min(B, k) noises of scale 1/ε₂ at level β/2,
    ε₂ = (1 − `comparing`)·ε/B; the other half of β is for the guesses that stand (T-thresholdout).

    Proof. The transcript decides which answers are noisy shares. For these, before clipping,
    a_j − q_j(P) = E[N_j|π]/n + (q_j(Q_π) − q_j(P)). Each N_j is discrete Laplace given everything
    before it, the verdict too, and at most min(B, k) are used: the first is within ES/n for all of
    them, except with probability β/2. The second is as in T-thresholdout. Clipping to [0, 1] moves
    no answer away from q_j(P).

    Holds when: as for T-thresholdout.
    Rounds: up.
    """
    n = _countable(rows)
    _, told = _shares(epsilon, comparing, budget)
    shortfall = discrete_laplace_shortfall(
        scale=1 / told, beta=target.beta / 2, count=min(budget, target.questions)
    )
    noise = Part(
        theorem="T-noise-discrete-laplace",
        covers="what the noise in the corrections can hide",
        radius=float_up(Fraction(shortfall) / n),
        numbers=(("scale", float(1 / told)), ("shortfall", shortfall)),
    )
    return Certificate(
        target=target, rows=n, joins="T-thresholdout-corrected", parts=(noise, _drift(epsilon))
    )
