"""A session that checks guesses until so many have failed, all with one tolerance."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_up, float_up
from peekproof.mechanisms.guess_and_check import GuessAndCheck
from peekproof.theory.generalization.limited_checking import (
    failure_bins,
    halted_certificate,
    halting_certificate,
)


def finest_tolerance(rows: int) -> Fraction:
    """The least tolerance on so many rows: finer bins than one more than rows show nothing new."""
    return Fraction(2, check.positive_integer(rows=rows) + 1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedChecking:
    """A conversation of guesses about `rows`, all to one tolerance, which failure `failures` ends.

    Guarantees: all answers hold together, within `certify(target)` if the guess passed and
    `certify_failed(target)` if not. Whoever runs it asks nothing after the last failure.
    Proof: T-check-halt.
    Public: all fields.  Secret: the totals given to each check.
    """

    KIND: ClassVar[str] = "limited-checking"

    rows: int
    tolerance: Fraction
    failures: int

    def __post_init__(self) -> None:
        least = finest_tolerance(self.rows)
        if not least <= check.positive_fraction(tolerance=self.tolerance) <= 1:
            raise InvalidInput(
                argument="tolerance",
                accepted=f"from {decimal_up(float_up(least))}, with as many rows, to 1",
                given="less" if self.tolerance < least else "more",
            )
        check.positive_integer(failures=self.failures)

    @property
    def bins(self) -> int:
        """How many things a failure can say: ⌈2/tolerance⌉."""
        return failure_bins(self.tolerance)

    def check(self, guess: Fraction, *, levels: int = 1) -> GuessAndCheck:
        """The check of one guess: it passes if the sample is within the tolerance of it."""
        check.unit_fraction(guess=guess)
        units = self.rows * check.positive_integer(levels=levels)
        # Some total is always within reach, for the tolerance is at least the step 1/units.
        return GuessAndCheck(
            rows=self.rows,
            guess=guess,
            tolerance=self.tolerance,
            bins=self.bins,
            low=max(0, ceil((guess - self.tolerance) * units)),
            high=min(units, floor((guess + self.tolerance) * units)),
            levels=levels,
        )

    def cost(self) -> Draws:
        """One draw; the failures are counted beside."""
        return Draws(Fraction(1))

    def certify(self, target: Target) -> Certificate:
        """What a guess that passed is certified to, which is more than one that failed errs by."""
        return halting_certificate(
            rows=self.rows, tolerance=self.tolerance, failures=self.failures, target=target
        )

    def certify_failed(self, target: Target) -> Certificate:
        """What the answer to a guess that failed is certified to."""
        return halted_certificate(
            rows=self.rows, tolerance=self.tolerance, failures=self.failures, target=target
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.KIND,
            "tolerance": str(self.tolerance),
            "failures": str(self.failures),
        }
