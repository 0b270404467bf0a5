"""Checking guesses until so many have failed, all with one tolerance: GuessAndCheck that halts.

How it is planned, and how it checks a guess.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws, Offer
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_up, float_up
from peekproof.mechanisms.checking import GuessAndCheck
from peekproof.theory.generalization.checking import honest_tolerance
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


# A guess that may be as far off says nothing.
_WIDEST = Fraction(1, 2)

# Ledgers write it in decimal.
_MOST_BITS = 8_000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many guesses may fail, and how far one that passes may be from the sample.

    Without a tolerance it is T-two-samples' for as many training rows as are checked: none of
    their guesses then fails by chance.
    """

    failures: int
    tolerance: Fraction | None = None

    def __post_init__(self) -> None:
        check.positive_integer(failures=self.failures)
        if self.tolerance is None:
            return
        if check.positive_fraction(tolerance=self.tolerance) >= _WIDEST:
            accepted = "below 0.5 (wider intervals say nothing)"
            raise InvalidInput(argument="tolerance", accepted=accepted, given="more")
        if self.tolerance.denominator.bit_length() > _MOST_BITS:
            raise InvalidInput(
                argument="tolerance", accepted="a number of fewer digits", given="thousands"
            )

    @property
    def least_rows(self) -> int:
        """With fewer, bins of half the tolerance would be finer than a row."""
        return 1 if self.tolerance is None else failure_bins(self.tolerance) - 1

    def mechanism(self, rows: int, target: Target) -> LimitedChecking:
        """The mechanism that keeps it on so many rows."""
        tolerance = self.tolerance
        if tolerance is None:
            honest = honest_tolerance(rows=rows, guessing_rows=rows, target=target)
            tolerance = max(Fraction(honest), finest_tolerance(rows))
        return LimitedChecking(rows=rows, tolerance=tolerance, failures=self.failures)


def limited_offer(mechanism: LimitedChecking, guess: Fraction, *, levels: int) -> Offer:
    """The check of one guess, which is the same whatever the past."""
    made = mechanism.check(guess, levels=levels)
    return Offer(cost=made.cost(), terms=made.describe())


def limited_certificate(
    mechanism: LimitedChecking, made: GuessAndCheck, terms: Mapping[str, str], target: Target
) -> Certificate:
    """What the outcome of a check, named in the terms, says; refused if it is another's check."""
    if made != mechanism.check(made.guess, levels=made.levels):
        raise ValueError("a check that the promise does not make")
    if terms.get("outcome") == "failed":
        return mechanism.certify_failed(target)
    return mechanism.certify(target)
