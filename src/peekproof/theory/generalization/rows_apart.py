"""Rows that do not all come from one population: what sample means then say, and of what."""

from fractions import Fraction

from peekproof.core.interval import Interval
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
