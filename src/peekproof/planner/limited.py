"""A conversation of guesses that ends: how it is planned, and how it checks a guess."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.guess_and_check import GuessAndCheck
from peekproof.mechanisms.limited_checking import LimitedChecking, finest_tolerance
from peekproof.theory.generalization.checking import honest_tolerance
from peekproof.theory.generalization.limited_checking import failure_bins

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
