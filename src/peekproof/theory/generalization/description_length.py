"""Few possible transcripts mean few possible questions: a union bound over all of them."""

from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, exp, expm1, floor, inf, log, log1p, sqrt

from peekproof.core import check
from peekproof.core.certificate import Interval
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, log_of, up
from peekproof.core.theorem import theorem

# Means are moved outward to this grid, so that floats hold them and what is left of 1.
_GRID = 2**200

# Binomial coefficients of more factors than this are bounded and not formed.
_FORMED = 1_000

# A larger divergence only widens an interval; squares of distances below this would vanish.
_LEAST = 1e-290


def log_transcripts(count: int) -> float:
    """ln of a number of transcripts, however large. Rounds: up; ln 1 is 0."""
    check.positive_integer(count=count)
    if count == 1:
        return 0.0
    cut = max(0, count.bit_length() - 64)
    leading = count >> cut if cut == 0 else (count >> cut) + 1
    return up(log(leading) + cut * log(2))


def log_choices(count: int, chosen: int) -> float:
    """ln C(count, chosen), or beyond a size count·H(chosen/count), which is larger. Rounds: up."""
    few = min(chosen, count - chosen)
    if few <= _FORMED:
        return log_transcripts(comb(count, few))
    share = Fraction(few, count)
    return up(count * -(float(share) * log_of(share) + float(1 - share) * log_of(1 - share)))


def log_possible_transcripts(*, values: int, questions: int) -> float:
    """ln Σ_{i<k} G^i, the transcripts before any of k questions that have G possible answers.

        Σ_{i<k} G^i = G^{k−1}·(1 − G^{−k}) / (1 − 1/G)        G = `values`, k = `questions`

    Rounds: up; it is 0 for one question. The power itself is never formed.
    """
    check.positive_integer(values=values)
    check.positive_integer(questions=questions)
    if values == 1 or questions == 1:
        return log_transcripts(questions)
    log_values = log(values)
    below_one = -log1p(-1 / values) + log1p(-exp(-questions * log_values))
    return up((questions - 1) * log_values + below_one)


def _log_union(log_count: float, beta: Fraction) -> float:
    """ln(2N/β), rounded up, for ln N at most `log_count`."""
    if isinstance(log_count, bool) or not 0 <= log_count < 1e300:  # also false for NaN
        accepted = "the logarithm of a count: finite and at least 0"
        raise InvalidInput(argument="log_count", accepted=accepted, given=repr(log_count))
    return up(log_count + log(2) - log(float_down(check.probability(beta=beta))))


@theorem(
    "T-length", "dwork-et-al-generalization-2015", "Description length; proof in the docstring"
)
def hoeffding_radius(*, rows: int, beta: Fraction, log_count: float = 0.0) -> float:
    """How far sample and population can differ on any question that could have been asked.

        |q_i(S) − q_i(P)| ≤ √( ln(2 Σ N_i / β) / (2n) )  for all i, except with probability β

    with N_i the number of transcripts possible before question i and `log_count` at least
    ln Σ N_i.

    Proof. Fix the analyst's coins. Question i is then a function of the transcript before it, so
    one of N_i functions that were fixed before the sample was drawn. For each of these ΣN_i
    functions Hoeffding's inequality bounds the probability of a deviation above t by
    2e^{−2nt²}; at the t above they sum to β. Average over the coins.

    Holds when: the rows are drawn independently, questions are means over all rows of a function
    into [0, 1], and everything the analyst sees of the rows is in the transcripts counted.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    exponent = float_up(Fraction(_log_union(log_count, beta)) / (2 * rows))
    return min(1.0, up(sqrt(exponent)))


def _excess(x: float) -> float:
    """x − ln(1 + x) ≥ 0 for x > −1, to full relative precision; infinite at −1 and below."""
    if x <= -1:
        return inf
    if abs(x) > 0.1:
        return x - log1p(x)
    total, power = 0.0, x
    for k in range(2, 20):  # 0.1¹⁸/19 is below 2⁻⁵³ of the first term
        power *= -x
        total -= power / k
    return total


@lru_cache(maxsize=4096)  # an answer is asked for both ends, its radius and its looks
def _distance_below(mean: Fraction, exponent: float) -> float:
    """A d such that p < mean − d implies KL(mean‖p) > exponent, tested or by Pinsker.

    KL(m‖p) = m·g((p − m)/m) + (1 − m)·g((m − p)/(1 − m)) with g(x) = x − ln(1 + x): the linear
    parts cancel exactly, and both terms are positive.
    """
    if mean == 0:
        return 0.0
    if mean == 1:  # KL(1‖p) = −ln p
        return up(-expm1(-exponent))
    m, rest = float(mean), float(1 - mean)
    low, high = 0.0, min(up(m), up(sqrt(exponent / 2)))  # Pinsker: KL ≥ 2d²
    needed = up(exponent)
    d = high / 2
    while high - low > high * 2.0**-45:
        if not low < d < high:
            d = (low + high) / 2
        beyond = m * _excess(-d / m) + rest * _excess(d / rest) - needed
        low, high = (low, d) if beyond >= 0 else (d, high)
        # Newton's step, and a hair across the root, so that the next point bounds it from there.
        across = high * 2.0**-46
        d -= beyond * (m - d) * (rest + d) / d + (across if beyond >= 0 else -across)
    # Near p = 0 an ulp of d moves the divergence by more than its margin; so d has one too.
    return up(high)


@theorem("T-chernoff", "hoeffding-1963", "Theorem 1; proof in the docstring")
def chernoff_interval(
    mean: Fraction,
    *,
    rows: int,
    beta: Fraction,
    log_count: float = 0.0,
    within: Fraction = Fraction(0),
) -> Interval:
    """An interval for q(P) around a mean q(S) known to `within`: narrow near 0 and 1.

        all p with n·KL(m‖p) ≤ ln(2N/β) for some m in [mean − within, mean + within]
        KL(m‖p) = m ln(m/p) + (1 − m) ln((1 − m)/(1 − p)),        ln N ≤ `log_count`

    Proof. Let q map into [0, 1] with mean p. As e^{λx} ≤ 1 − x + x·e^λ on [0, 1] by convexity,
    E e^{λq} ≤ 1 − p + p·e^λ, the value for a coin with bias p. So for m > p Markov's inequality
    at the best λ gives Pr[q(S) ≥ m] ≤ e^{−n·KL(m‖p)}. KL(·‖p) increases on [p, 1], so
    Pr[q(S) > p and n·KL(q(S)‖p) > c] ≤ e^{−c}; for q(S) < p use 1 − q. Together at most 2e^{−c},
    which is β/N at c = ln(2N/β); N functions fixed in advance, as in T-length, share β. Both ends
    of the set increase with m, so the extreme m in reach give the ends. By Pinsker's inequality
    it lies within T-length's radius.

    Holds when: as for T-length; the interval then holds for all N questions at once.
    Rounds: outward. Ends are points that were seen to satisfy the inequality.
    """
    check.positive_integer(rows=rows)
    check.unit_fraction(mean=mean)
    check.unit_fraction(within=within)
    exponent = max(_LEAST, float_up(Fraction(_log_union(log_count, beta)) / rows))
    lowest = Fraction(floor(max(Fraction(0), mean - within) * _GRID), _GRID)
    highest = Fraction(ceil(min(Fraction(1), mean + within) * _GRID), _GRID)
    below = Fraction(_distance_below(lowest, exponent))
    above = Fraction(_distance_below(1 - highest, exponent))
    return Interval(
        low=max(0.0, float_down(lowest - below)), high=min(1.0, float_up(highest + above))
    )
