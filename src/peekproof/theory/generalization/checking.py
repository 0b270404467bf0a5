"""Guess, then check: only a failed guess tells something new, so few transcripts are possible."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, log1p, pi, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_down, float_up, log_of, up
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import (
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
