"""Guesses with one tolerance, checked until so many of them have failed."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Part, Target
from peekproof.core.numerics import float_up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.checking import (
    lecture_certificate,
    log_checked_transcripts,
)
from peekproof.theory.generalization.description_length import chernoff_interval


def failure_bins(tolerance: Fraction) -> int:
    """T-check's G = ⌈2/η⌉: bins of at most half the tolerance."""
    return ceil(2 / check.positive_fraction(tolerance=tolerance))


@lru_cache(maxsize=64, typed=True)
def log_reachable(*, tolerance: Fraction, failures: int, questions: int) -> float:
    """ln Σ_{j<m} C(k, j+1)·G^j: transcripts before any question, if failure m is the last.

    Remembered, because every interval of a session asks for the same.

    Rounds: up.
    """
    return log_checked_transcripts(
        questions=questions,
        failures=check.positive_integer(failures=failures) - 1,
        values=failure_bins(tolerance),
    )


@theorem("T-check-halt", "peekproof", "The proof in its docstring")
def halting_certificate(
    *, rows: int, tolerance: Fraction, failures: int, target: Target
) -> Certificate:
    """The radius that all accepted guesses keep together if failure m ends the conversation.

        radius = η + √( ln((2/β)·Σ_{j<m} C(k, j+1)·G^j) / (2n) )        G = ⌈2/η⌉

    with η = `tolerance` and m = `failures` ≥ 1: T-check's for m − 1. All m failed guesses are
    answered by the midpoints of their bins, and `halted_certificate` is about these.

    Proof. Nothing is asked after failure m, so at most m − 1 failures precede any question, the
    last one included. T-check's proof counts the transcripts before the questions and not those
    after them: with m − 1 in place of m it bounds |q_i(S) − q_i(P)| for all i. What failure m says
    is about such a question, and no question depends on it.

    Holds when: as for T-check; a question that was asked and whose outcome nobody knows counts as
    failed for the end of the conversation.
    Rounds: up.
    """
    promised = lecture_certificate(
        rows=rows,
        tolerance=tolerance,
        failures=check.positive_integer(failures=failures) - 1,
        target=target,
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-check-halt",
        parts=promised.parts,
        shape=HaltingShape(
            rows=rows, tolerance=tolerance, failures=failures, target=target, within=tolerance
        ),
    )


def halted_certificate(
    *, rows: int, tolerance: Fraction, failures: int, target: Target
) -> Certificate:
    """The radius that all failed guesses keep: half a bin, 1/(2G) ≤ η/4, in place of η."""
    accepted = halting_certificate(rows=rows, tolerance=tolerance, failures=failures, target=target)
    bins = failure_bins(tolerance)
    half = Fraction(1, 2 * bins)
    part = Part(
        theorem="T-check-halt",
        covers="half a bin",
        radius=float_up(half),
        numbers=(("bins", float(bins)),),
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-check-halt",
        parts=(part, *accepted.parts[1:]),
        shape=HaltingShape(
            rows=rows, tolerance=tolerance, failures=failures, target=target, within=half
        ),
    )


@theorem("T-check-halt-chernoff", "peekproof", "The proof in its docstring")
def halting_interval(
    answer: Fraction,
    *,
    rows: int,
    tolerance: Fraction,
    failures: int,
    target: Target,
    within: Fraction,
) -> Interval:
    """The interval around one answer by T-chernoff, narrow near 0 and 1; all hold together.

        all p with n·KL(x‖p) ≤ ln((2/β)·Σ_{j<m} C(k, j+1)·G^j) for some x `within` of the answer

    Proof. A guess is accepted if the sample is within η of it, and a midpoint is within 1/(2G) of
    the sample. The questions are among those that T-check-halt counts: T-chernoff with its count.

    Holds when: as for T-check-halt; `within` is η for an accepted guess and at least 1/(2G) for
    the answer to a failed one.
    Rounds: outward.
    """
    return chernoff_interval(
        answer,
        rows=rows,
        beta=target.beta,
        log_count=log_reachable(tolerance=tolerance, failures=failures, questions=target.questions),
        within=within,
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HaltingShape:
    """T-check-halt-chernoff around each answer."""

    rows: int
    tolerance: Fraction
    failures: int
    target: Target
    within: Fraction

    def interval(self, released: Fraction) -> Interval:
        return halting_interval(
            released,
            rows=self.rows,
            tolerance=self.tolerance,
            failures=self.failures,
            target=self.target,
            within=self.within,
        )
