"""Guess and check: levels, intervals and certificates of answers to guesses that are checked.

Only a failed guess tells something new, so few transcripts are possible, and a union over all of
them is affordable. Each question has a level, in a conversation without an end or in one that ends
after a known number of questions. What a guess says about the population if it passes, and if it
fails, is worked out before the rows are read. Last come certificates: of a guess that passed, of
one that failed, and of the best of many candidates, which says which one it is and about how
large.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, log, log1p, pi, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import (
    chernoff_interval,
    hoeffding_radius,
    log_choices,
    log_transcripts,
)

# Up to here numbers of transcripts are counted one by one; beyond, bounded by a generating
# function, which is off by the logarithm of a square root.
_COUNTED = 1_000

# Beyond this an integer is not a float.
_MOST = 10**300


def integer_up_to(most: int, **named: object) -> int:
    """The one value given, if it is an integer from 0 to `most`."""
    ((name, value),) = named.items()
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        accepted = f"an integer from 0 to {most:,}" if most < _MOST else "a count, not beyond 10³⁰⁰"
        shown = not isinstance(value, int) or abs(value) < _MOST
        given = repr(value) if shown else "an integer of hundreds of digits"
        raise InvalidInput(argument=name, accepted=accepted, given=given)
    return value


def log_checked_transcripts(*, questions: int, failures: int, values: int) -> float:
    """ln of the number of transcripts before any of k questions of which at most m guesses fail.

        Σ_{i=1}^{k} Σ_{j≤m} C(i−1, j)·G^j = Σ_{j≤m} C(k, j+1)·G^j
        ≤ (G/y)^m·(1 + y)^k / y  for every y in (0, G]

    with G = `values` the number of things a failure can say; a guess that passes says nothing.

    Proof. A transcript of i − 1 answers is the set of failed positions and what each said. The
    positions run over j-element sets; C(0, j) + … + C(k − 1, j) = C(k, j + 1). For the inequality
    multiply term j by (G/y)^{m−j} ≥ 1 and complete the sum to (G/y)^m·((1 + y)^k − 1)/y; it is
    used, at y = (m + 1)/(k − m − 1), where counting would take long.

    Rounds: up; one question has one transcript before it.
    """
    for name, size in (("questions", questions), ("values", values)):
        if check.positive_integer(**{name: size}) > _MOST:
            raise InvalidInput(argument=name, accepted="at most 10³⁰⁰", given="more")
    m = min(integer_up_to(_MOST, failures=failures), questions - 1)
    if m <= _COUNTED:
        term = total = questions
        for j in range(m):
            term = term * (questions - j - 1) * values // (j + 2)
            total += term
        return log_transcripts(total)
    y = float_down(Fraction(values))
    if m + 1 < questions:
        y = min(y, float(Fraction(m + 1, questions - m - 1)))
    return up(m * (log(values) - log(y)) + questions * log1p(y) - log(y))


def _sampling(*, rows: int, tolerance: Fraction, failures: int, target: Target) -> Part:
    """T-length for all questions that such a conversation can reach."""
    if not Fraction(2, _MOST) <= check.positive_fraction(tolerance=tolerance) <= 1:
        raise InvalidInput(argument="tolerance", accepted="from 2·10⁻³⁰⁰ to 1", given="another")
    values = ceil(2 / tolerance)
    log_count = log_checked_transcripts(
        questions=target.questions, failures=failures, values=values
    )
    return Part(
        theorem="T-length",
        covers="how far any question within reach can be from the sample",
        radius=hoeffding_radius(rows=rows, beta=target.beta, log_count=log_count),
        numbers=(
            ("log_transcripts", log_count),
            ("failures", float(min(failures, target.questions))),
            ("bins", float(values)),
            ("beta", float(target.beta)),
        ),
    )


@theorem("T-check", "dwork-et-al-generalization-2015", "Description length; proof in the docstring")
def lecture_certificate(
    *, rows: int, tolerance: Fraction, failures: int, target: Target
) -> Certificate:
    """The radius that all answers keep together if at most m guesses fail, each told to a bin.

        radius = η + √( ln((2/β)·Σ_{j≤m} C(k, j+1)·G^j) / (2n) )        G = ⌈2/η⌉

    with η = `tolerance` and m = `failures`. A guess g with |q(S) − g| ≤ η is the answer; of any
    other the answer is the midpoint of the one of G equal bins that holds q(S), and its own radius
    is `failed_radius`. One more failure ends the conversation, without an answer.

    Proof. Fix the analyst's coins. Before question i at most m failures were answered, each by one
    of G midpoints, so Σ_{j≤m} C(i−1, j)·G^j transcripts are possible: T-length bounds
    |q_i(S) − q_i(P)| for all i. An accepted guess is within η of q(S).

    Holds when: as for T-length; guesses, like questions, are functions of the public past and of
    nothing else in the rows; k = target.questions, η and m are fixed in advance.
    Rounds: up.
    """
    sampling = _sampling(rows=rows, tolerance=tolerance, failures=failures, target=target)
    accepted = Part(
        theorem="T-check",
        covers="how far an accepted guess can be from the sample",
        radius=float_up(tolerance),
        numbers=(("tolerance", float(tolerance)),),
    )
    return Certificate(target=target, rows=rows, joins="T-check", parts=(accepted, sampling))


def failed_radius(*, rows: int, tolerance: Fraction, failures: int, target: Target) -> float:
    """The radius of the answer to a failed guess: 1/(2G) ≤ η/4 in place of T-check's η.

    Rounds: up.
    """
    sampling = _sampling(rows=rows, tolerance=tolerance, failures=failures, target=target)
    half = Fraction(1, 2 * ceil(2 / tolerance))
    return min(1.0, float_up(Fraction(sampling.radius) + half))


@theorem("T-two-samples", "hoeffding-1963", "Theorem 2; proof in the docstring")
def honest_tolerance(*, rows: int, guessing_rows: int, target: Target) -> float:
    """How far the means of two samples of one population differ on k questions fixed in advance.

        |q(S) − q(T)| ≤ √( (1/n + 1/n′)·ln(2k/β) / 2 )  for all k, except with probability β

    So T-check's η if no guess taken from n′ = `guessing_rows` other rows shall fail by chance.

    Proof. q(S) − q(T) is a sum of n + n′ independent terms with ranges 1/n and 1/n′ and mean 0, so
    Hoeffding's inequality gives 2·exp(−2t²/(1/n + 1/n′)); sum over k questions.

    Holds when: all rows are independent draws from one population and the questions do not depend
    on any. It says which guesses to expect and no certificate needs it: an analyst who adapts the
    questions to T sees more failures, not wrong intervals.
    Rounds: up.
    """
    share = Fraction(1, check.positive_integer(rows=rows))
    share += Fraction(1, check.positive_integer(guessing_rows=guessing_rows))
    exponent = up(log(2 * target.questions) - log_of(target.beta))
    return min(1.0, up(sqrt(float_up(share * Fraction(exponent) / 2))))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What matters of the public past: how many guesses were checked and how many of them failed.

    `values` is the product of the numbers of bins of the failed ones, so of what they could say.
    """

    questions: int = 0
    failures: int = 0
    values: int = 1

    def __post_init__(self) -> None:
        integer_up_to(_MOST, questions=self.questions)
        integer_up_to(self.questions, failures=self.failures)
        check.positive_integer(values=self.values)
        if self.failures == 0 and self.values > 1:
            raise InvalidInput(argument="values", accepted="1 without failures", given="more")

    def passed(self) -> "Transcript":
        """The past after one more question whose guess was accepted."""
        return Transcript(questions=self.questions + 1, failures=self.failures, values=self.values)

    def failed(self, *, bins: int) -> "Transcript":
        """The past after one more question whose guess failed and was told to one of `bins`."""
        return Transcript(
            questions=self.questions + 1,
            failures=self.failures + 1,
            values=self.values * check.positive_integer(bins=bins),
        )


@theorem("T-check-anytime", "rogers-et-al-2020", "Guess and check; proof in the docstring")
def log_inverse_level(*, beta: Fraction, transcript: Transcript) -> float:
    """ln(1/β_i) for the next question of a conversation without a horizon; all hold together.

        β_i = β · 6/(π²i²) · 6/(π²(f+1)²) / ( C(i−1, f) · Π_{failures} G_j )

    after i − 1 questions, f failed guesses and G_j bins for the j-th failure. If question i gets an
    interval for q_i(P) that misses with probability at most β_i whenever q_i is fixed in advance,
    then, whoever asks and whenever it ends, all intervals hold, except with probability β.

    Proof. Fix the analyst's coins. All possible pasts form a tree, fixed before the sample is
    drawn: a node h holds the next question q_h and its check, with one child for a pass and G_h
    children for a failure. Its level β_h is the above, for i − 1 questions before it of which f
    failed. Choose a set A of f of these i − 1 positions and walk down from the root: where the
    position is not in A to the child for a pass, else to one of the G children drawn uniformly.
    The walk ends in a node with failures exactly at A with probability Π 1/G_j, over the G on the
    path to that node, and in one node only. So Π 1/G_j summed over the nodes with failures at A is
    at most 1, although the G of a question may depend on all that came before. There are C(i−1, f)
    sets A; hence the β_h of all nodes with this i and f sum to at most β·6/(π²i²)·6/(π²(f+1)²),
    and over all i ≥ 1 and f ≥ 0 to at most β, as Σ 1/i² = π²/6. At each node q_h is a fixed
    function, so its interval misses with probability at most β_h. Except with probability β the
    intervals of all nodes hold: so do those on the path that the sample takes, wherever that
    ends. Average over the coins.

    Holds when: the rows are drawn independently; question, guess, tolerance and number of bins are
    functions of the public past, and nothing else of these rows is ever shown.
    Rounds: up, so β_i down; for thousands of failures C(i−1, f) is replaced by a bound above it.
    """
    i, f = transcript.questions + 1, transcript.failures
    weights = 2 * (log(i) + log(f + 1) + 2 * log(pi) - log(6))
    choices = log_choices(transcript.questions, f)
    return up(
        weights
        + choices
        + log_transcripts(transcript.values)
        - log_of(check.probability(beta=beta))
    )


@theorem("T-check-horizon", "peekproof", "The proof in its docstring")
def log_inverse_level_within(*, beta: Fraction, transcript: Transcript, questions: int) -> float:
    """ln(1/β_i) for the next of at most k questions of a conversation; all hold together.

        β_i = β · ( ½·6/(π²i²) + ½/k ) · 6/(π²(f+1)²) / ( C(i−1, f) · Π_{failures} G_j ),    i ≤ k

    in place of T-check-anytime's 6/(π²i²), with k = `questions`. The first question has more than
    half of the level that it would have without a horizon, the last about k/1.2 times as much.

    Proof. By T-check-anytime's walk the β_h of all nodes of the tree with i − 1 questions before
    them, f of which failed, sum to at most β·w_i·6/(π²(f+1)²), whatever the numbers w_i ≥ 0. Over
    f ≥ 0 that is at most β·w_i. No node has more than k − 1 questions before it, and
    Σ_{i≤k} (½·6/(π²i²) + ½/k) ≤ ½ + ½ = 1. The rest is as there. In the code
    w_i = 6/(π²i²) · ½·(1 + π²i²/(6k)), the first factor being T-check-anytime's.

    Holds when: as for T-check-anytime, and at most k questions are ever asked, where one that was
    paid for and never answered counts, too.
    Rounds: up, so β_i down.
    """
    i, k = transcript.questions + 1, check.positive_integer(questions=questions)
    if i > k:
        raise InvalidInput(
            argument="questions", accepted=f"at least {i:,} after this past", given=f"{k:,}"
        )
    gained = log1p(pi**2 / 6 * i * float(Fraction(i, k)))
    return up(log_inverse_level(beta=beta, transcript=transcript) + log(2) - gained)


# The theorem by which all intervals of a session that checks guesses hold together.
TOGETHER = "T-check-horizon"


def next_log_inverse_level(*, past: Transcript, target: Target) -> float:
    """ln(1/β_i) for the next question of a session. Rounds: up."""
    return log_inverse_level_within(beta=target.beta, transcript=past, questions=target.questions)


_HALF = Fraction(1, 2)


def _units(*, rows: int, levels: int) -> int:
    return check.positive_integer(rows=rows) * check.positive_integer(levels=levels)


def _level(log_inverse_level: object) -> float:
    """ln(1/level), for a level of at most ½."""
    if not isinstance(log_inverse_level, float) or not log(2) <= log_inverse_level < 1e299:
        raise InvalidInput(
            argument="log_inverse_level",
            accepted="ln(1/level) as a float, for a level of at most 1/2",
            given=repr(log_inverse_level),
        )
    return log_inverse_level


def checked_interval(
    total: int, *, rows: int, log_inverse_level: float, levels: int = 1
) -> Interval:
    """T-chernoff's interval for q(P) at the level, if q(S) = total/(rows·levels).

    Both ends increase with `total`, as T-chernoff shows; the computed ones to a few ulps.

    Rounds: outward.
    """
    units = _units(rows=rows, levels=levels)
    integer_up_to(units, total=total)
    # T-chernoff needs ln(2N/β); at β = ½ and ln N = ln(1/level) − ln 2 that is ln(2/level).
    log_count = max(0.0, _level(log_inverse_level) - log(2))
    return chernoff_interval(Fraction(total, units), rows=rows, beta=_HALF, log_count=log_count)


def sampling_radius(*, rows: int, log_inverse_level: float) -> float:
    """How far either end of `checked_interval` is from q(S) at most, by T-length. Rounds: up."""
    log_count = max(0.0, _level(log_inverse_level) - log(2))
    return hoeffding_radius(rows=rows, beta=_HALF, log_count=log_count)


def _first(fits: Callable[[int], bool], *, near: int, most: int) -> int:
    """The first integer in [0, most] that fits, or most + 1; once true, `fits` stays true.

    Looks around `near` first, in growing steps. What it returns was seen to fit.
    """
    low, high, step = near - 1, near, 1
    while high <= most and not fits(high):
        low, high, step = high, high + step, 2 * step
    while low >= 0 and fits(low):
        low, high, step = low - step, low, 2 * step
    low, high = max(-1, low), min(most + 1, high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _start(edge: Fraction, *, units: int, exponent: float) -> int:
    """About the first total whose share m has KL(m‖edge) ≥ exponent: where a search may begin."""
    start, rest = max(1e-300, float(edge)), max(1e-300, float(1 - edge))
    low, high = start, 1.0
    for _ in range(50):
        m = (low + high) / 2
        if not low < m < high:
            break
        divergence = m * log(m / start) + (1 - m) * log((1 - m) / rest)
        low, high = (low, m) if divergence > exponent else (m, high)
    return min(units, floor(Fraction(high) * units) + 1)


@theorem("T-check-accept", "peekproof", "The proof in its docstring")
def acceptance(
    *,
    rows: int,
    guess: Fraction,
    tolerance: Fraction,
    log_inverse_level: float,
    levels: int = 1,
) -> range | None:
    """The totals at which a guess passes: then q(P) is within `tolerance` of it, at the level.

        { c : checked_interval(c) ⊂ [max(0, g − τ), min(1, g + τ)] }    g = `guess`, τ = `tolerance`

    None if no total can pass; `least_tolerance` says what could. It depends on nothing secret, so
    the check of a sample is two comparisons of integers.

    Proof. If q(S) = c/N, N = rows·levels, then q(P) lies in checked_interval(c), except with the
    probability of the level. Both ends increase with c: {p : n·KL(m‖p) ≤ x} is [p₋, p₊] ∋ m, where
    for p < m the derivative of KL(m‖p) in m is ln(m(1−p)/(p(1−m))) > 0 and the one in p is
    (p − m)/(p(1−p)) < 0, so p₋ grows with m; p₊ by symmetry. So p₋ ≥ g − τ from some c on and
    p₊ ≤ g + τ up to some c, and between the two both hold. A computed end is outside the exact
    one; so it is enough that it was computed at the two outermost totals, whatever the search did.

    Holds when: as for T-chernoff, and the level is T-check-horizon's, or T-check-anytime's.
    Rounds: inward: an end that rounding leaves in doubt does not pass.
    """
    check.unit_fraction(guess=guess)
    check.positive_fraction(tolerance=tolerance)
    units = _units(rows=rows, levels=levels)
    low_edge, high_edge = guess - tolerance, guess + tolerance
    exponent = float(Fraction(_level(log_inverse_level) + log(2)) / rows)

    def reaches(total: int) -> Interval:
        return checked_interval(
            total, rows=rows, log_inverse_level=log_inverse_level, levels=levels
        )

    first, left_out = 0, 0
    if low_edge > 0:
        first = _first(
            lambda total: Fraction(reaches(total).low) >= low_edge,
            near=_start(low_edge, units=units, exponent=exponent),
            most=units,
        )
    if high_edge < 1:  # the same, counted from the other end
        left_out = _first(
            lambda left: Fraction(reaches(units - left).high) <= high_edge,
            near=_start(1 - high_edge, units=units, exponent=exponent),
            most=units,
        )
    return range(first, units - left_out + 1) if first + left_out <= units else None


def least_tolerance(
    *, rows: int, guess: Fraction, log_inverse_level: float, levels: int = 1
) -> Fraction:
    """The smallest tolerance at which some total passes for this guess.

        min_c max(guess − low(c), high(c) − guess)

    The first falls and the second grows with c, so the least lies where they cross.

    Rounds: up; a computed end is outside the exact one.
    """
    check.unit_fraction(guess=guess)
    units = _units(rows=rows, levels=levels)

    def ends(total: int) -> tuple[Fraction, Fraction]:
        interval = checked_interval(
            total, rows=rows, log_inverse_level=log_inverse_level, levels=levels
        )
        return Fraction(interval.low), Fraction(interval.high)

    crossing = _first(
        lambda total: sum(ends(total)) >= 2 * guess, near=floor(guess * units), most=units
    )
    around = {min(units, max(0, crossing + shift)) for shift in (-1, 0)}
    return min(max(guess - low, high - guess) for low, high in map(ends, around))


def check_bins(bins: int, *, units: int) -> None:
    """Refuse bins of which some can hold no total."""
    if check.positive_integer(bins=bins) > units + 1:
        raise InvalidInput(
            argument="bins",
            accepted="at most one more than rows·levels",
            given="more",
            hint="finer bins show nothing new",
        )


@theorem("T-check-failed", "peekproof", "The proof in its docstring")
def failure_interval(
    held: int,
    *,
    bins: int,
    rows: int,
    log_inverse_level: float,
    levels: int = 1,
) -> Interval:
    """The interval for q(P) after a failed guess: what the totals in the bin `held` allow.

        hull { checked_interval(c) : min(G − 1, ⌊c·G/N⌋) = held }        G = `bins`, N = rows·levels

    Proof. q(S) = c/N for one of these c, and checked_interval(c) holds at the level. Both ends
    increase with c, as T-check-accept shows, so the outermost totals give the hull's.

    Holds when: as for T-check-accept; the levels of later questions count these bins.
    Rounds: outward.
    """
    units = _units(rows=rows, levels=levels)
    check_bins(bins, units=units)
    integer_up_to(bins - 1, held=held)
    first = -(-held * units // bins)
    last = units if held == bins - 1 else -(-(held + 1) * units // bins) - 1
    low, high = (
        checked_interval(total, rows=rows, log_inverse_level=log_inverse_level, levels=levels)
        for total in (first, last)
    )
    return Interval(low=low.low, high=high.high)


def best_failure_bins(*, rows: int, log_inverse_level: float, levels: int = 1) -> int:
    """The number of bins, at least 2, that serves the failed guess and the next question best.

        1/(2G) + √( (ln(2/level) + ln G) / (2n) )  is least near  G = √( 2n·(ln(2/level) + ln G) )

    The second is the radius of a later question at this level after G more possible answers.
    Where e^{2u} = 2n(c + u), u = ln G, the derivative changes sign, once. It is a choice, not a
    bound: any number of bins is valid.
    """
    most = _units(rows=rows, levels=levels) + 1
    constant = _level(log_inverse_level) + log(2)
    u = 0.0
    for _ in range(60):  # the slope of each step is 1/(2(c + u)) < 0.37
        u = (log(2 * rows) + log(constant + u)) / 2

    def width(bins: int) -> float:
        return 1 / (2 * bins) + sqrt((constant + log(bins)) / 2) * exp(-log(rows) / 2)

    near = floor(Fraction(exp(min(u, 700.0))))
    candidates = {min(most, max(2, near + shift)) for shift in (0, 1)}
    return min(sorted(candidates), key=width)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FailureShape:
    """T-check-failed around the midpoint of each bin."""

    rows: int
    levels: int
    bins: int
    log_inverse_level: float

    def interval(self, released: Fraction) -> Interval:
        return failure_interval(
            min(self.bins - 1, int(released * self.bins)),
            bins=self.bins,
            rows=self.rows,
            log_inverse_level=self.log_inverse_level,
            levels=self.levels,
        )


def passed_certificate(*, rows: int, tolerance: Fraction, target: Target) -> Certificate:
    """A guess that passed: the population is within its tolerance (T-check-accept)."""
    part = Part(
        theorem="T-check-accept",
        covers="the tolerance within which the rows confirm the guess",
        radius=float_up(tolerance),
        numbers=(("tolerance", float(tolerance)),),
    )
    return Certificate(target=target, rows=rows, joins=TOGETHER, parts=(part,))


def failed_certificate(
    *,
    rows: int,
    bins: int,
    levels: int,
    past: Transcript,
    target: Target,
) -> Certificate:
    """A guess that failed: its answer is the midpoint of the bin that holds the sample."""
    level = next_log_inverse_level(past=past, target=target)
    half = Part(
        theorem="T-check-failed",
        covers="half a bin",
        radius=float_up(Fraction(1, 2 * bins)),
        numbers=(("bins", float(bins)),),
    )
    sampling = Part(
        theorem=TOGETHER,
        covers="how far any question within reach can be from the sample",
        radius=sampling_radius(rows=rows, log_inverse_level=level),
        numbers=(
            ("questions", float(past.questions)),
            ("failures", float(past.failures)),
            ("beta", float(target.beta)),
        ),
    )
    return Certificate(
        target=target,
        rows=rows,
        joins=TOGETHER,
        parts=(half, sampling),
        shape=FailureShape(rows=rows, levels=levels, bins=bins, log_inverse_level=level),
    )


def log_inverse_level_each(*, candidates: int, past: Transcript, target: Target) -> float:
    """ln(M/β_i): each of M candidates has an equal part of the level. Rounds: up."""
    level = next_log_inverse_level(past=past, target=target)
    return up(level + log(check.positive_integer(candidates=candidates)))


@theorem("T-check-choice", "peekproof", "The proof in its docstring")
def selected_certificate(
    *,
    rows: int,
    candidates: int,
    bins: int,
    levels: int,
    past: Transcript,
    target: Target,
) -> Certificate:
    """The interval of the best of M candidates in the sample; it is as wide as its gap, at most.

        failure_interval(b) at the level β_i/M,   b the bin of G that holds the largest total
        max_j q_j(P) − q_y(P) ≤ high − low,       y the candidate that has it

    A choice tells one of M·G things; so for later levels it counts as a failed guess with M·G bins.

    Proof. In the tree of T-check-horizon, or T-check-anytime, let a node hold M questions, fixed as
    one question is, and have M·G children, all of them failures: the sum over all nodes does not
    ask what a failure says, only how many things it can. A node without a child for a pass has
    fewer descendants, so the sum stays below β. At the node each of the M intervals
    checked_interval(c_j) misses q_j(P) with probability at most β_i/M, so any does with at most
    β_i. If all hold, then q_y(P) lies in checked_interval(c_y), and so in failure_interval(b), by
    T-check-failed. And c_j ≤ c_y ≤ the last total of bin b for all j, so as upper ends increase
    with the total (T-check-accept) q_j(P) ≤ high. Hence all of q_j(P) − q_y(P) ≤ high − low.

    The same is true of the radius, if it is shorter: by Pinsker's inequality checked_interval(c)
    reaches at most to c/N + r, r by T-length, and c_j/N + r ≤ the midpoint of bin b + 1/(2G) + r.

    Holds when: as for T-check-horizon, or T-check-anytime where that is used.
    Rounds: up, and the interval outward.
    """
    level = log_inverse_level_each(candidates=candidates, past=past, target=target)
    half = Part(
        theorem="T-check-failed",
        covers="half a bin",
        radius=float_up(Fraction(1, 2 * bins)),
        numbers=(("bins", float(bins)),),
    )
    sampling = Part(
        theorem=TOGETHER,
        covers="how far any candidate can be from the sample",
        radius=sampling_radius(rows=rows, log_inverse_level=level),
        numbers=(
            ("candidates", float(candidates)),
            ("questions", float(past.questions)),
            ("failures", float(past.failures)),
            ("beta", float(target.beta)),
        ),
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-check-choice",
        parts=(half, sampling),
        shape=FailureShape(rows=rows, levels=levels, bins=bins, log_inverse_level=level),
    )
