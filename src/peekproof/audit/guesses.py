"""What checked guesses promise if some of the rows do the guessing."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import largest
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.plan import MOST_QUESTIONS, MOST_ROWS
from peekproof.theory.generalization.checking import honest_tolerance, lecture_certificate

HALF = Fraction(1, 2)

# Which share of the rows may guess. More than half never helps: 1/n + 1/n′ is least at one half,
# and fewer rows check.
SHARES = (HALF, Fraction(2, 5), *(Fraction(1, parts) for parts in (3, 4, 5, 6, 8, 10, 16, 32)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Guessing:
    """Guesses from `guessing_rows`, checked on `rows` others; at most `failures` of them fail.

    `tolerance` is how far an accepted guess may be from the rows that check it. The certificate
    is theirs alone and holds wherever guesses come from; if more of them fail, the conversation
    ends.
    """

    rows: int
    guessing_rows: int
    tolerance: Fraction
    failures: int
    certificate: Certificate

    @property
    def radius(self) -> float:
        """How far the widest interval can reach."""
        return self.certificate.radius

    @property
    def vacuous(self) -> bool:
        """Whether the intervals say no more than that a share is between 0 and 1."""
        return self.radius >= VACUOUS

    def to_dict(self) -> dict[str, object]:
        return {
            "rows": self.rows,
            "guessing_rows": self.guessing_rows,
            "tolerance": float(self.tolerance),
            "failures": self.failures,
            "radius": self.radius,
            "vacuous": self.vacuous,
            "certificate": self.certificate.to_dict(),
        }


def guessed_plan_radius(
    *, rows: int, guessing_rows: int, target: Target, failures: int
) -> Guessing:
    """What T-check promises if `guessing_rows` other rows guess and at most `failures` fail.

    The tolerance is that of T-two-samples: no guess fails by chance. What fails are questions
    that were chosen to fit the guessing rows.
    """
    check.positive_integer(rows=rows)
    check.positive_integer(guessing_rows=guessing_rows)
    _within_reach(rows + guessing_rows, target)
    tolerance = Fraction(honest_tolerance(rows=rows, guessing_rows=guessing_rows, target=target))
    certificate = lecture_certificate(
        rows=rows, tolerance=tolerance, failures=failures, target=target
    )
    return Guessing(
        rows=rows,
        guessing_rows=guessing_rows,
        tolerance=tolerance,
        failures=failures,
        certificate=certificate,
    )


def split_guessing(*, rows: int, share: Fraction, target: Target, failures: int) -> Guessing:
    """The same, if this share of all `rows` guesses, rounded down, and the others check."""
    if check.positive_fraction(share=share) >= 1:
        raise InvalidInput(argument="share", accepted="below 1", given=str(share))
    guessing_rows = int(check.positive_integer(rows=rows) * share)
    if guessing_rows == 0:
        raise InvalidInput(
            argument="rows",
            accepted=f"at least {ceil(1 / share):,}, so that one of them can guess",
            given=f"{rows:,}",
        )
    return guessed_plan_radius(
        rows=rows - guessing_rows, guessing_rows=guessing_rows, target=target, failures=failures
    )


def best_guessing(*, rows: int, target: Target, failures: int) -> Guessing:
    """The narrowest split of all `rows` into those that guess and those that check.

    It tries a few shares and certifies the one taken as it is, so a better one that was not tried
    costs width and never validity.
    """
    tried = [
        split_guessing(rows=rows, share=share, target=target, failures=failures)
        for share in SHARES
        if share == HALF or rows * share >= 1
    ]
    return min(tried, key=lambda each: each.radius)


def failures_within(*, rows: int, guessing_rows: int, target: Target, radius: float) -> int | None:
    """The most failures at which checked guesses are no wider than `radius`; None if never.

    All questions at most. The radius grows with the number of failures, so one more is wider.
    """

    def fits(failures: int) -> bool:
        found = guessed_plan_radius(
            rows=rows, guessing_rows=guessing_rows, target=target, failures=failures
        )
        return found.radius <= radius

    return largest(fits, most=target.questions) if fits(0) else None


def _within_reach(rows: int, target: Target) -> None:
    if rows > MOST_ROWS:
        raise InvalidInput(argument="rows", accepted=f"at most {MOST_ROWS:,}", given="more")
    if target.questions > MOST_QUESTIONS:
        raise InvalidInput(
            argument="questions", accepted=f"at most {MOST_QUESTIONS:,}", given="more"
        )
