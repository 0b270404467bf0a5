"""Answers cut to a few public values: no noise, and a certificate by counting transcripts."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, log, log1p
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.numerics import argmin, float_up, log_of
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.description_length import (
    chernoff_interval,
    hoeffding_radius,
    log_possible_transcripts,
)

# Finer than any radius; searches must end somewhere.
_MOST_BINS = 10**18


@theorem(
    "T-truncation", "dwork-et-al-generalization-2015", "Description length; proof in the docstring"
)
def truncation_certificate(*, rows: int, bins: int, target: Target) -> Certificate:
    """The radius that all answers keep together if each is the midpoint of one of G equal bins.

        radius = 1/(2G) + √( ln(2 Σ_{i<k} G^i / β) / (2n) )        G = `bins`

    Proof. A midpoint is at most half a bin from q(S). An answer has G possible values, so at most
    G^i transcripts precede question i + 1: T-length gives the other term.

    Holds when: as for T-length, and the analyst sees nothing of the rows but at most
    k = target.questions midpoints.
    Rounds: up.
    """
    check.positive_integer(bins=bins)
    log_count = log_possible_transcripts(values=bins, questions=target.questions)
    sampling = Part(
        theorem="T-length",
        covers="how far any question within reach can be from the sample",
        radius=hoeffding_radius(rows=rows, beta=target.beta, log_count=log_count),
        numbers=(("log_transcripts", log_count), ("beta", float(target.beta))),
    )
    cutting = Part(
        theorem="T-truncation",
        covers="half a bin",
        radius=float_up(Fraction(1, 2 * bins)),
        numbers=(("bins", float(bins)),),
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-truncation",
        parts=(cutting, sampling),
        shape=TruncationShape(rows=rows, bins=bins, target=target),
    )


@theorem("T-truncation-chernoff", "peekproof", "The proof in its docstring")
def truncation_interval(midpoint: Fraction, *, rows: int, bins: int, target: Target) -> Interval:
    """The interval around one midpoint by T-chernoff; all of them hold together.

        all p with n·KL(m‖p) ≤ ln(2 Σ_{i<k} G^i / β) for some m within 1/(2G) of the midpoint

    Proof. q(S) is within half a bin of the midpoint; T-chernoff with the count of T-truncation.

    Holds when: as for T-truncation.
    Rounds: outward.
    """
    check.positive_integer(bins=bins)
    return chernoff_interval(
        midpoint,
        rows=rows,
        beta=target.beta,
        log_count=log_possible_transcripts(values=bins, questions=target.questions),
        within=Fraction(1, 2 * bins),
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TruncationShape:
    """T-truncation-chernoff around each midpoint."""

    rows: int
    bins: int
    target: Target

    def interval(self, released: Fraction) -> Interval:
        return truncation_interval(released, rows=self.rows, bins=self.bins, target=self.target)


def best_bins(*, rows: int, target: Target) -> int:
    """The number of bins, from 2 to the number of rows, with the smallest radius.

    Finer bins than one row is wide show nothing new. In u = ln G the radius is about
    e^{−u}/2 + √(((k − 1)u + c)/(2n)), which has one valley where G ≥ 2.
    """
    check.positive_integer(rows=rows)
    constant = log(2) - log_of(target.beta)
    most = min(max(2, rows), _MOST_BINS)

    def radius(u: float) -> float:
        length = (target.questions - 1) * u + constant - log1p(-exp(-u))
        return exp(-u) / 2 + exp((log(length / 2) - log(rows)) / 2)

    near = floor(exp(argmin(radius, low=log(2), high=log(most))))
    candidates = {min(most, max(2, near + shift)) for shift in (-2, -1, 0, 1, 2, 3)}
    return min(
        sorted(candidates),
        key=lambda bins: truncation_certificate(rows=rows, bins=bins, target=target).radius,
    )
