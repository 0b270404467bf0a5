"""Confidence intervals for means over pairs of rows, and for rows of different populations.

A mean over pairs says how often one row is above another, or how often two agree. Where rows do
not all come from one population, `rows_apart_interval` says of what a sample mean still speaks.
"""

from dataclasses import replace
from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import chernoff_interval


@theorem("T-rows-apart", "hoeffding-1963", "Theorems 1 and 2; proof in the docstring")
def rows_apart_interval(
    mean: Fraction,
    *,
    rows: int,
    beta: Fraction,
    log_count: float = 0.0,
    within: Fraction = Fraction(0),
) -> Interval:
    """T-chernoff's interval also holds if each row is drawn from a population of its own.

        all p with n·KL(m‖p) ≤ ln(2N/β) for some m in [mean − within, mean + within],
        p = (1/n)·Σ_i E q(z_i),        z_i ~ P_i independent,        ln N ≤ `log_count`

    Where T-length, T-chernoff, T-check-anytime, T-check-horizon and what follows from these speak
    of q(P), it is read as this p: the mean of q over fresh rows, one of each of the populations of
    these rows. If for instance the features of a holdout were seen, then given the features its
    labels are still independent, and all that is said holds for fresh labels of the same rows.

    Proof. Let p_i = E q(z_i). As in T-chernoff E e^{λq(z_i)} ≤ 1 − p_i + p_i·e^λ, so by
    independence ln E e^{λ·Σq(z_i)} ≤ Σ_i ln(1 − p_i + p_i·e^λ). Since p ↦ ln(1 − p + p·e^λ) is the
    logarithm of an affine function, it is concave, and the sum is at most n·ln(1 − p + p·e^λ): the
    bound for n rows of one population with mean p. The rest of T-chernoff's proof uses nothing else
    of the rows. T-length follows by Pinsker's inequality. The unions over transcripts count
    functions that are fixed before the rows are drawn, whatever the rows are drawn from; so they
    stand as they are.

    Holds when: the rows are independent, of any populations that were fixed before; questions are
    functions of what was public then and of the transcripts that are counted. It says nothing of
    populations that weigh the kinds of rows otherwise than these rows do.
    Rounds: outward.
    """
    return chernoff_interval(mean, rows=rows, beta=beta, log_count=log_count, within=within)


@theorem("T-pairs", "hoeffding-1963", "Section 5; proof in the docstring")
def pairs_interval(
    mean: Fraction,
    *,
    rows: int,
    beta: Fraction,
    log_count: float = 0.0,
    within: Fraction = Fraction(0),
) -> Interval:
    """A mean over all pairs of n rows is as near to its expectation as one over ⌊n/2⌋ rows.

        all p with ⌊n/2⌋·KL(m‖p) ≤ ln(2N/β) for some m in [mean − within, mean + within]
        U = Σ_{i≠j} h(z_i, z_j) / (n(n−1)),        p = E U,        ln N ≤ `log_count`

    for h into [0, 1], symmetric or not, with `mean` the value of U that the sample shows. For rows
    of one population p is E h(z, z′) of two fresh ones.

    Proof. Let r = ⌊n/2⌋ and for a permutation π of the rows
    W_π = (1/r)·Σ_{k≤r} h(z_π(2k−1), z_π(2k)). Every ordered pair of rows is as often at such a
    place as any other, so U is the mean of W_π over all n! permutations. By Hölder's inequality for
    n! factors E e^{λrU} = E Π_π (e^{λrW_π})^{1/n!} ≤ Π_π (E e^{λrW_π})^{1/n!}. No row is in two
    terms of W_π, so these are independent and, as in T-rows-apart,
    E e^{λrW_π} ≤ (1 − p_π + p_π·e^λ)^r with p_π = E W_π. The logarithm of the product is thus at
    most the mean over π of r·ln(1 − p_π + p_π·e^λ), and by concavity at most r·ln(1 − p + p·e^λ),
    as p is the mean of the p_π. That is what T-chernoff needs for r rows; 1 − h gives the other
    side. A union over N kernels is one over N questions.

    Holds when: as for T-rows-apart, so the rows may have different populations; there are two rows
    or more.
    Rounds: outward.
    """
    return rows_apart_interval(
        mean, rows=pairs_apart(rows), beta=beta, log_count=log_count, within=within
    )


def pairs_apart(rows: int) -> int:
    """How many pairs there are of which no two share a row: so many rows all pairs are worth."""
    if check.positive_integer(rows=rows) < 2:
        raise InvalidInput(argument="rows", accepted="at least 2, for a pair", given=repr(rows))
    return rows // 2


def pair_levels(rows: int) -> int:
    """The levels at which means over pairs are read exactly, of kernels that are 0, ½ or 1.

        n(n − 1)/⌊n/2⌋ = 2(n − 1) for an even n, 2n for an odd one

    Then the units of T-check-accept, ⌊n/2⌋·levels, are n(n − 1): those of twice a sum over all
    unordered pairs. Nothing is rounded, so there is nothing to widen for it.
    """
    return rows * (rows - 1) // pairs_apart(rows)


def paired_certificate(certificate: Certificate, *, rows: int) -> Certificate:
    """A certificate for ⌊n/2⌋ rows as one for means over all pairs of n rows, by T-pairs."""
    part = Part(
        theorem="T-pairs",
        covers="nothing more: pairs of all rows count as half as many rows",
        radius=0.0,
        numbers=(("rows", float(rows)), ("pairs_apart", float(pairs_apart(rows)))),
    )
    return replace(certificate, rows=rows, parts=(*certificate.parts, part))
