"""What a guess costs to check, given the public past of the conversation."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import asin, ceil, floor, pi, sin, sqrt
from statistics import NormalDist

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Offer
from peekproof.mechanisms.guess_and_check import GuessAndCheck
from peekproof.theory.generalization.checking import (
    Transcript,
    Weights,
    best_failure_bins,
    checked_interval,
    failed_certificate,
    passed_certificate,
)
from peekproof.theory.generalization.pairs import pair_levels, pairs_apart

# The term that says that a mean over pairs of rows was asked for.
PAIRS = "pairs"

# Twice what a sample equal to the guess needs: room for a guess that is a little off.
_ROOM = 2
_FINEST = 2**20

# One of so many conversations in which all guesses are honest has one that fails by chance.
_BY_CHANCE = 50
_RAREST = 1e-300


@lru_cache(maxsize=4096)
def checked_offer(
    *,
    rows: int,
    guess: Fraction,
    tolerance: Fraction | None,
    past: Transcript,
    target: Target,
    levels: int,
    guessing_rows: int | None = None,
    weights: Weights = Weights.HORIZON,
) -> Offer:
    """The check of one guess after this past. Without a tolerance, with room for a good guess.

    What is good depends on where it comes from, if `guessing_rows` says from how many rows.

    Remembered, because ledgers ask again under their write lock.
    """
    level = weights.log_inverse_level(past=past, target=target)
    if tolerance is None and guessing_rows is not None:
        tolerance = honest_room(
            rows=rows,
            guess=guess,
            guessing_rows=guessing_rows,
            past=past,
            target=target,
            levels=levels,
            weights=weights,
        )
    elif tolerance is None:
        tolerance = _room(guess, rows=rows, levels=levels, log_inverse_level=level)
    check = GuessAndCheck.at(
        rows=rows,
        guess=guess,
        tolerance=tolerance,
        log_inverse_level=level,
        bins=best_failure_bins(rows=rows, log_inverse_level=level, levels=levels),
        levels=levels,
    )
    return Offer(cost=check.cost(), terms={**check.describe(), **past_terms(past)})


def _room(guess: Fraction, *, rows: int, levels: int, log_inverse_level: float) -> Fraction:
    """Twice the longer side of the interval of a sample that is as guessed.

    Twice the least tolerance would not do for small shares: their intervals are longer above, so
    the least is that of a sample below the guess, and one equal to it may fail.
    """
    total = round(guess * rows * levels)
    around = checked_interval(total, rows=rows, log_inverse_level=log_inverse_level, levels=levels)
    reach = max(guess - Fraction(around.low), Fraction(around.high) - guess)
    return Fraction(ceil(_ROOM * reach * _FINEST), _FINEST)


def honest_room(
    *,
    rows: int,
    guess: Fraction,
    guessing_rows: int,
    past: Transcript,
    target: Target,
    levels: int,
    weights: Weights = Weights.HORIZON,
) -> Fraction:
    """A tolerance that few guesses fail by chance which are means of `guessing_rows` other rows.

        how far the intervals of samples from sin²(a − d) to sin²(a + d) reach from g,
        g = sin²a,        d = (z/2)·√(1/n + 1/n′)

    with g the guess and z such that a normal variable is beyond it with a chance of w_i/50, by
    T-check-horizon's weights of questions: of fifty honest conversations about one has a failure,
    and the first questions, whose levels are the best, have the narrowest tolerances. The arcsine
    of a root has about the variance 1/(4n), whatever the share. At ½ that is about the side of the
    guess's own interval, and z·√(g(1−g)·(1/n + 1/n′)). Near 0 it is more, for there the guess may
    itself be low by chance, and the intervals of larger samples are longer above.

    It chooses a tolerance and proves nothing: whatever it is, the check that is made with it is
    right at the level of this past. Rounds: up, to a grid.
    """
    level = weights.log_inverse_level(past=past, target=target)
    asked = past.questions + 1
    weight = 3 / (pi * asked) ** 2 + float(Fraction(1, 2 * target.questions))
    beyond = max(_RAREST, weight / _BY_CHANCE)
    off = -NormalDist().inv_cdf(beyond / 2) * sqrt(Fraction(1, rows) + Fraction(1, guessing_rows))
    angle = asin(sqrt(guess))
    first, last = sin(max(0.0, angle - off / 2)) ** 2, sin(min(pi / 2, angle + off / 2)) ** 2
    lowest, highest = (
        checked_interval(total, rows=rows, log_inverse_level=level, levels=levels)
        for total in (floor(Fraction(first) * rows * levels), ceil(Fraction(last) * rows * levels))
    )
    reach = max(guess - Fraction(lowest.low), Fraction(highest.high) - guess)
    return Fraction(ceil(reach * _FINEST), _FINEST)


def described_check(terms: Mapping[str, str], *, rows: int) -> GuessAndCheck:
    """The check that was made under these terms; of pairs, on as many rows as they are worth."""
    low, high = terms["passes"].split(":")
    levels = int(terms.get("levels", "1"))
    if PAIRS in terms and levels != pair_levels(rows):
        raise ValueError("pairs that were counted in other units")
    return GuessAndCheck(
        rows=pairs_apart(rows) if PAIRS in terms else rows,
        guess=Fraction(terms["guess"]),
        tolerance=Fraction(terms["tolerance"]),
        bins=int(terms["bins"]),
        low=int(low),
        high=int(high),
        levels=levels,
    )


def pairs_terms(*, rows: int) -> dict[str, str]:
    """What the ledger records of a mean over pairs of so many rows, besides its check."""
    return {"levels": str(pair_levels(rows)), PAIRS: "1"}


def past_terms(past: Transcript) -> dict[str, str]:
    """The past as the ledger records it with what was drawn after it."""
    return {
        "questions": str(past.questions),
        "failures": str(past.failures),
        "values": f"{past.values:x}",  # Python refuses to print decimals of thousands of digits
    }


def past_of(terms: Mapping[str, str]) -> Transcript:
    """The past that a check was made after."""
    return Transcript(
        questions=int(terms["questions"]),
        failures=int(terms["failures"]),
        values=int(terms["values"], 16),
    )


def checked_certificate(
    check: GuessAndCheck,
    terms: Mapping[str, str],
    target: Target,
    *,
    weights: Weights = Weights.HORIZON,
) -> Certificate:
    """What the outcome of a check, named in the terms, says about the population."""
    if terms.get("outcome") == "failed":
        return failed_certificate(
            rows=check.rows,
            bins=check.bins,
            levels=check.levels,
            past=past_of(terms),
            target=target,
            weights=weights,
        )
    return passed_certificate(
        rows=check.rows, tolerance=check.tolerance, target=target, weights=weights
    )
