"""Why the median of all consistent data sets is a good guess: each failure rules out half."""

from fractions import Fraction
from math import floor, log2

from peekproof.core import check
from peekproof.core.numerics import up
from peekproof.core.theorem import theorem

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
