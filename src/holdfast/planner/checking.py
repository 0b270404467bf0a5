"""What a guess costs to check, given the public past of the conversation."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil

from holdfast.core.certificate import Certificate
from holdfast.core.charge import Offer
from holdfast.core.target import Target
from holdfast.mechanisms.guess_and_check import GuessAndCheck
from holdfast.theory.generalization.checked_certificate import (
    failed_certificate,
    passed_certificate,
)
from holdfast.theory.generalization.checked_intervals import best_failure_bins, checked_interval
from holdfast.theory.generalization.checking import Transcript, log_inverse_level

# Twice what a sample equal to the guess needs: room for a guess that is a little off.
_ROOM = 2
_FINEST = 2**20


@lru_cache(maxsize=4096)
def checked_offer(
    *,
    rows: int,
    guess: Fraction,
    tolerance: Fraction | None,
    past: Transcript,
    target: Target,
    levels: int,
) -> Offer:
    """The check of one guess after this past. Without a tolerance, with room for a good guess.

    Remembered, because ledgers ask again under their write lock.
    """
    level = log_inverse_level(beta=target.beta, transcript=past)
    if tolerance is None:
        tolerance = _room(guess, rows=rows, levels=levels, log_inverse_level=level)
    check = GuessAndCheck.at(
        rows=rows,
        guess=guess,
        tolerance=tolerance,
        log_inverse_level=level,
        bins=best_failure_bins(rows=rows, log_inverse_level=level, levels=levels),
        levels=levels,
    )
    terms = {
        **check.describe(),
        "questions": str(past.questions),
        "failures": str(past.failures),
        "values": f"{past.values:x}",  # Python refuses to print decimals of thousands of digits
    }
    return Offer(cost=check.cost(), terms=terms)


def _room(guess: Fraction, *, rows: int, levels: int, log_inverse_level: float) -> Fraction:
    """Twice the longer side of the interval of a sample that is as guessed.

    Twice the least tolerance would not do for small shares: their intervals are longer above, so
    the least is that of a sample below the guess, and one equal to it may fail.
    """
    total = round(guess * rows * levels)
    around = checked_interval(total, rows=rows, log_inverse_level=log_inverse_level, levels=levels)
    reach = max(guess - Fraction(around.low), Fraction(around.high) - guess)
    return Fraction(ceil(_ROOM * reach * _FINEST), _FINEST)


def described_check(terms: Mapping[str, str], *, rows: int) -> GuessAndCheck:
    """The check that was made under these terms."""
    low, high = terms["passes"].split(":")
    return GuessAndCheck(
        rows=rows,
        guess=Fraction(terms["guess"]),
        tolerance=Fraction(terms["tolerance"]),
        bins=int(terms["bins"]),
        low=int(low),
        high=int(high),
        levels=int(terms.get("levels", "1")),
    )


def past_of(terms: Mapping[str, str]) -> Transcript:
    """The past that a check was made after."""
    return Transcript(
        questions=int(terms["questions"]),
        failures=int(terms["failures"]),
        values=int(terms["values"], 16),
    )


def checked_certificate(
    check: GuessAndCheck, terms: Mapping[str, str], target: Target
) -> Certificate:
    """What the outcome of a check, named in the terms, says about the population."""
    if terms.get("outcome") == "failed":
        return failed_certificate(
            rows=check.rows,
            bins=check.bins,
            levels=check.levels,
            past=past_of(terms),
            target=target,
        )
    return passed_certificate(rows=check.rows, tolerance=check.tolerance, target=target)
