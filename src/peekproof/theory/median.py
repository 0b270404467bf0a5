"""The median mechanism's theorems: few failures, and small subsamples that stand for the sample.

The median over all consistent data sets is a good guess, because each failure rules out half of
them. A few rows that are drawn from a sample stand for all of it, on any questions that were fixed
before the draw.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log2
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import log_transcripts

# Integers of so many bits are formed; beyond, logarithms are rounded up.
_EXACT_BITS = 2**16


@theorem("T-median-halving", "peekproof", "The proof in its docstring")
def most_failures(*, size: int, domain: int) -> int:
    """How often the median of all consistent data sets can fail as a guess.

        ⌊n′·log₂|X|⌋        n′ = `size`, |X| = `domain`

    Let W be the ordered data sets of n′ records that are consistent so far, all of X^{n′} at
    first, and the guess g the lower median of q over W. A failed guess is answered by a, and the
    data sets with |q(S′) − a| ≤ η/2 stay.

    Proof. A guess fails if |g − q(S)| > η, and its answer has |a − q(S)| ≤ η/4, so that
    |g − a| > 3η/4 > η/2. If a > g, what stays has q(S′) ≥ a − η/2 > g, and at most half of W has,
    because at least half has q ≤ g. If a < g, what stays has q(S′) < g, and less than half of W
    has. So each failure leaves at most half of W. Some S* in X^{n′} has |q(S*) − q(S)| ≤ η/4 on
    every question asked (T-subsample), hence |q(S*) − a| ≤ η/2 after every failure: it is
    never removed, and W never empty. After t failures 1 ≤ |W| ≤ |X|^{n′}/2^t.

    Holds when: guesses are exact lower medians over all consistent data sets, answers to failed
    guesses are within η/4 of the sample, and n′ is large enough for T-subsample at η/4.
    Rounds: up, and not at all while |X|^{n′} is of moderate length.
    """
    check.positive_integer(size=size)
    check.positive_integer(domain=domain)
    if size * domain.bit_length() <= _EXACT_BITS:
        everything: int = domain**size
        return everything.bit_length() - 1
    return floor(size * Fraction(up(log2(domain))))


@theorem("T-subsample", "hoeffding-1963", "Theorem 1; proof in the docstring")
def subsample_size(*, questions: int, tolerance: Fraction) -> int:
    """How many rows drawn from a sample agree with it on k questions, with probability ½ or more.

        n′ = ⌈ ln(4k) / (2τ²) ⌉        Pr[ |q_i(S′) − q_i(S)| ≤ τ for all i ≤ k ] ≥ ½

    with S′ the n′ rows and τ = `tolerance`. So for every sample and every k questions there is a
    data set of n′ of its rows, with repetitions, that gives all the answers to within τ.

    Proof. A row drawn uniformly from S has q_i(S) as the mean of q_i. Given S the n′ draws are
    independent, so Hoeffding's inequality bounds the probability that question i is off by more
    than τ by 2·exp(−2n′τ²) ≤ 2/(4k). Sum over k. What has positive probability exists.

    Holds when: rows are drawn uniformly with replacement, independently, and the questions, into
    [0, 1], do not depend on the draw.
    Rounds: up.
    """
    check.positive_integer(questions=questions)
    check.positive_fraction(tolerance=tolerance)
    return max(1, ceil(Fraction(log_transcripts(4 * questions)) / (2 * tolerance**2)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Subsample:
    """Positions of rows, with repetitions, and how many draws it took to find them."""

    rows: tuple[int, ...]
    attempts: int


def _refuse(argument: str, accepted: str, given: str) -> None:
    raise InvalidInput(argument=argument, accepted=accepted, given=given)


def agreeing_subsample(
    values: Sequence[Sequence[int]],
    *,
    size: int,
    tolerance: Fraction,
    below: Callable[[int], int],
    levels: int = 1,
) -> Subsample:
    """Rows drawn until they agree with all rows on all questions to within `tolerance`.

    `values` holds for each question one integer a row, from 0 to `levels`, in units of 1/levels;
    `below(bound)` draws a uniform integer in [0, bound). T-subsample makes each attempt succeed
    with probability at least ½, so two are expected at most; a smaller size is refused. Means are
    compared exactly. The result shows rows: it is data, not an answer.
    """
    check.positive_integer(size=size)
    check.positive_integer(levels=levels)
    if not values or not values[0] or any(len(each) != len(values[0]) for each in values):
        _refuse("values", "one integer a row for each of at least one question", "other lengths")
    if any(not 0 <= least <= most <= levels for least, most in ((min(v), max(v)) for v in values)):
        _refuse("values", f"integers from 0 to {levels:,}", "others")
    needed = subsample_size(questions=len(values), tolerance=tolerance)
    if size < needed:
        _refuse("size", f"at least {needed:,}, so that half of all draws agree", f"{size:,}")
    rows = len(values[0])
    totals = [sum(each) for each in values]
    most = tolerance * levels * rows * size
    attempts = 0
    while True:
        attempts += 1
        drawn = tuple(below(rows) for _ in range(size))
        if all(
            abs(sum(map(each.__getitem__, drawn)) * rows - total * size) <= most
            for each, total in zip(values, totals, strict=True)
        ):
            return Subsample(rows=drawn, attempts=attempts)
