"""The certificates of answers that come from checked guesses."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.certificate import Certificate, Part
from peekproof.core.interval import Interval
from peekproof.core.numerics import float_up
from peekproof.core.target import Target
from peekproof.theory.generalization.checked_intervals import failure_interval, sampling_radius
from peekproof.theory.generalization.checking import Transcript
from peekproof.theory.generalization.horizon import Weights


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


def passed_certificate(
    *, rows: int, tolerance: Fraction, target: Target, weights: Weights = Weights.HORIZON
) -> Certificate:
    """A guess that passed: the population is within its tolerance (T-check-accept)."""
    part = Part(
        theorem="T-check-accept",
        covers="the tolerance within which the rows confirm the guess",
        radius=float_up(tolerance),
        numbers=(("tolerance", float(tolerance)),),
    )
    return Certificate(target=target, rows=rows, joins=weights.theorem, parts=(part,))


def failed_certificate(
    *,
    rows: int,
    bins: int,
    levels: int,
    past: Transcript,
    target: Target,
    weights: Weights = Weights.HORIZON,
) -> Certificate:
    """A guess that failed: its answer is the midpoint of the bin that holds the sample."""
    level = weights.log_inverse_level(past=past, target=target)
    half = Part(
        theorem="T-check-failed",
        covers="half a bin",
        radius=float_up(Fraction(1, 2 * bins)),
        numbers=(("bins", float(bins)),),
    )
    sampling = Part(
        theorem=weights.theorem,
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
        joins=weights.theorem,
        parts=(half, sampling),
        shape=FailureShape(rows=rows, levels=levels, bins=bins, log_inverse_level=level),
    )
