"""The best of many where guesses are checked: which it is, and about how large."""

from fractions import Fraction
from math import log

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part
from peekproof.core.numerics import float_up, up
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.checked_certificate import FailureShape
from peekproof.theory.generalization.checked_intervals import sampling_radius
from peekproof.theory.generalization.checking import Transcript
from peekproof.theory.generalization.horizon import Weights


def log_inverse_level_each(
    *, candidates: int, past: Transcript, target: Target, weights: Weights = Weights.HORIZON
) -> float:
    """ln(M/β_i): each of M candidates has an equal part of the level. Rounds: up."""
    level = weights.log_inverse_level(past=past, target=target)
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
    weights: Weights = Weights.HORIZON,
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
    level = log_inverse_level_each(candidates=candidates, past=past, target=target, weights=weights)
    half = Part(
        theorem="T-check-failed",
        covers="half a bin",
        radius=float_up(Fraction(1, 2 * bins)),
        numbers=(("bins", float(bins)),),
    )
    sampling = Part(
        theorem=weights.theorem,
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
