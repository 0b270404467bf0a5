"""Checking guesses: a guess that the rows confirm is the answer, another is corrected to a bin.

What a session opens with, the check of one guess, the best of many candidates with the bin that
holds its share, and what each of them costs given the public past of the conversation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import asin, ceil, floor, pi, sin, sqrt
from statistics import NormalDist
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.charge import Draws, Offer
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import digits_up, float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import opened, with_levels
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.checking import (
    Transcript,
    Weights,
    acceptance,
    best_failure_bins,
    check_bins,
    checked_interval,
    failed_certificate,
    integer_up_to,
    least_tolerance,
    log_inverse_level_each,
    passed_certificate,
    sampling_radius,
    selected_certificate,
)
from peekproof.theory.generalization.pairs import pair_levels, pairs_apart


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """A conversation of guesses about `rows`, each a GuessAndCheck at the level of its past.

    Guarantees: all answers hold together, passed or failed, whenever the conversation stops.
    Proof: T-check-horizon; T-check-anytime for ledgers from before it.
    Public: all fields.  Secret: the totals given to each check.
    """

    KIND: ClassVar[str] = "checking"

    rows: int
    weights: Weights = Weights.HORIZON

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)

    def cost(self) -> Draws:
        """One draw: what a question uses up besides is the width of those after a failure."""
        return Draws(Fraction(1))

    def certify(self, target: Target) -> Certificate:
        """How far sample and population can be apart at the last question, if no guess failed.

        What a guess may be off besides is the tolerance that comes with it.
        """
        past = Transcript(questions=target.questions - 1)
        level = self.weights.log_inverse_level(past=past, target=target)
        part = Part(
            theorem=self.weights.theorem,
            covers="how far any question within reach can be from the sample, before a failure",
            radius=sampling_radius(rows=self.rows, log_inverse_level=level),
            numbers=(("questions", float(target.questions)), ("beta", float(target.beta))),
        )
        joins = self.weights.theorem
        return Certificate(target=target, rows=self.rows, joins=joins, parts=(part,))

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        if self.weights is Weights.ANYTIME:
            return {"kind": self.KIND}  # as it was written when there was nothing to choose
        return {"kind": self.KIND, "weights": self.weights.value}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The guess is the answer."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The guess is not accepted: the sample's share lies in this bin, counted from 0."""

    bin: int


Checked = Passed | Failed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GuessAndCheck:
    """Whether total/(rows·levels) confirms the guess; if not, which of `bins` equal bins holds it.

    Guarantees: if made by `at` with the level of T-check-horizon, all passes mean |q(P) − guess| ≤
    tolerance and all failures T-check-failed's interval, together. If made by LimitedChecking, all
    passes mean |q(S) − guess| ≤ tolerance, for T-check-halt. It is deterministic and not
    differentially private: it protects the analysis, not the records.
    Proof: T-check-horizon, T-check-accept, T-check-failed. It passes from `low` to `high`, which
    were found before the rows are read.
    Public: all fields.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "guess-and-check"

    rows: int
    guess: Fraction
    tolerance: Fraction
    bins: int
    low: int
    high: int
    levels: int = 1

    def __post_init__(self) -> None:
        units = check.positive_integer(rows=self.rows) * check.positive_integer(levels=self.levels)
        check.unit_fraction(guess=self.guess)
        check.positive_fraction(tolerance=self.tolerance)
        check_bins(self.bins, units=units)
        for name, total in (("low", self.low), ("high", self.high)):
            integer_up_to(units, **{name: total})
            if abs(Fraction(total, units) - self.guess) > self.tolerance:
                raise InvalidInput(
                    argument=name, accepted="a total within the tolerance", given=repr(total)
                )
        if self.low > self.high:
            raise InvalidInput(argument="high", accepted="at least low", given=repr(self.high))

    @classmethod
    def at(
        cls,
        *,
        rows: int,
        guess: Fraction,
        tolerance: Fraction,
        log_inverse_level: float,
        bins: int,
        levels: int = 1,
    ) -> "GuessAndCheck":
        """The check whose passes are right at this level; refused if no total could pass."""
        passes = acceptance(
            rows=rows,
            guess=guess,
            tolerance=tolerance,
            log_inverse_level=log_inverse_level,
            levels=levels,
        )
        if passes is None:
            least = least_tolerance(
                rows=rows, guess=guess, log_inverse_level=log_inverse_level, levels=levels
            )
            raise InvalidInput(
                argument="tolerance",
                accepted=f"at least {digits_up(float_up(least))} for this guess at this level",
                given=f"{float(tolerance):.6g}",
                hint="below it no sample of this size could confirm the guess",
            )
        return cls(
            rows=rows,
            guess=guess,
            tolerance=tolerance,
            bins=bins,
            low=passes[0],
            high=passes[-1],
            levels=levels,
        )

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, total: Exact[int], *, rng: Entropy) -> Checked:  # noqa: ARG002 no noise
        """Passed or Failed; the same steps are taken for both."""
        found = total.reveal()
        held = found * self.bins // (self.rows * self.levels)
        held = max(0, min(self.bins - 1, held))
        outcomes: tuple[Checked, Checked] = (Failed(bin=held), Passed())
        return outcomes[self.low <= found <= self.high]

    def radius(self, *, beta: Fraction) -> float:
        """How far a passed guess, or the midpoint of a failure's bin, errs from the sample, surely.

        Rounds: up.
        """
        check.probability(beta=beta)
        units = self.rows * self.levels
        accepted = max(abs(Fraction(end, units) - self.guess) for end in (self.low, self.high))
        return float_up(max(accepted, Fraction(1, 2 * self.bins)))

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {
            "kind": self.KIND,
            "guess": str(self.guess),
            "tolerance": str(self.tolerance),
            "bins": str(self.bins),
            "passes": f"{self.low}:{self.high}",
        }
        return with_levels(described, self.levels)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The place of the candidate with the largest total, and the bin of its share, from 0."""

    index: int
    bin: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The first of the candidates with the largest total, and which of `bins` equal bins holds it.

    Guarantees: the interval of what was chosen, and that no other candidate is better in the
    population by more than its width, together with all checked guesses of the session. It is
    deterministic and not differentially private: it protects the analysis, not the records.
    Proof: T-check-choice.
    Public: all fields.  Secret: the totals given to `release`.
    """

    KIND: ClassVar[str] = "selection"

    rows: int
    candidates: int
    bins: int
    levels: int = 1

    def __post_init__(self) -> None:
        units = check.positive_integer(rows=self.rows) * check.positive_integer(levels=self.levels)
        check.positive_integer(candidates=self.candidates)
        check_bins(self.bins, units=units)

    @property
    def outcomes(self) -> int:
        """How many things it can say."""
        return self.candidates * self.bins

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, totals: Exact[tuple[int, ...]], *, rng: Entropy) -> Selected:  # noqa: ARG002
        """The largest, without noise."""
        found = opened(totals, numbers=self.candidates)
        largest = max(found)
        held = largest * self.bins // (self.rows * self.levels)
        return Selected(index=found.index(largest), bin=max(0, min(self.bins - 1, held)))

    def radius(self, *, beta: Fraction) -> float:
        """How far the midpoint of the bin is from the share in the sample, surely. Rounds: up."""
        check.probability(beta=beta)
        return float_up(Fraction(1, 2 * self.bins))

    def midpoint(self, held: int) -> Fraction:
        """What is told of a share in this bin."""
        return Fraction(2 * held + 1, 2 * self.bins)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {
            "kind": self.KIND,
            "candidates": str(self.candidates),
            "bins": str(self.bins),
        }
        return with_levels(described, self.levels)


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


@lru_cache(maxsize=256)
def selection_offer(
    promised: Checking, *, candidates: int, past: Transcript, target: Target, levels: int
) -> Offer:
    """The choice among so many after this past. Remembered: ledgers ask under their write lock."""
    level = log_inverse_level_each(
        candidates=candidates, past=past, target=target, weights=promised.weights
    )
    chooses = Selection(
        rows=promised.rows,
        candidates=candidates,
        bins=best_failure_bins(rows=promised.rows, log_inverse_level=level, levels=levels),
        levels=levels,
    )
    return Offer(cost=chooses.cost(), terms={**chooses.describe(), **past_terms(past)})


def described_selection(terms: Mapping[str, str], *, rows: int) -> Selection:
    """The choice that was made under these terms."""
    return Selection(
        rows=rows,
        candidates=int(terms["candidates"]),
        bins=int(terms["bins"]),
        levels=int(terms.get("levels", "1")),
    )


def selection_certificate(
    chosen: Selection, terms: Mapping[str, str], target: Target, *, promised: Checking
) -> Certificate:
    """What a choice says about the population."""
    return selected_certificate(
        rows=chosen.rows,
        candidates=chosen.candidates,
        bins=chosen.bins,
        levels=chosen.levels,
        past=past_of(terms),
        target=target,
        weights=promised.weights,
    )
