"""Checking guesses: a guess that the rows confirm is the answer, another is corrected to a bin.

What a session opens with, the check of one guess, the best of many candidates with the bin that
holds its share, and what each of them costs given the public past of the conversation.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import asin, ceil, floor, pi, sin, sqrt
from statistics import NormalDist
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Span, Target, Width, plus_minus
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.finding import Chosen, Numbers
from peekproof.core.numerics import digits_up, float_up, level_down
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Past,
    Value,
    fixed_point,
    is_number,
    place_in,
)
from peekproof.mechanisms.protocol import opened, with_levels
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.checking import (
    TOGETHER,
    Transcript,
    acceptance,
    best_failure_bins,
    check_bins,
    checked_interval,
    failed_certificate,
    integer_up_to,
    least_tolerance,
    log_inverse_level_each,
    next_log_inverse_level,
    passed_certificate,
    sampling_radius,
    selected_certificate,
)
from peekproof.theory.generalization.pairs import pair_levels, paired_certificate, pairs_apart


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Checking(Mechanism):
    """A conversation of guesses about `rows`, each a GuessAndCheck at the level of its past.

    Guarantees: all answers hold together, passed or failed, whenever the conversation stops.
    Proof: T-check-horizon; T-check-anytime for ledgers from before it.
    Public: all fields.  Secret: the totals given to each check.
    """

    kind: ClassVar[str] = "checking"
    plainly: ClassVar[str] = "A guess that the rows confirm, or about where the sample is."
    place: ClassVar[int] = 5
    takes: ClassVar[frozenset[str]] = frozenset({"share", "mean", "choice", "pairs"})
    guesses: ClassVar[bool] = True
    grows: ClassVar[bool] = True

    rows: int

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
        level = next_log_inverse_level(past=past, target=target)
        part = Part(
            theorem=TOGETHER,
            covers="how far any question within reach can be from the sample, before a failure",
            radius=sampling_radius(rows=self.rows, log_inverse_level=level),
            numbers=(("questions", float(target.questions)), ("beta", float(target.beta))),
        )
        joins = TOGETHER
        return Certificate(target=target, rows=self.rows, joins=joins, parts=(part,))

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "Checking":  # noqa: ARG003
        return cls(rows=rows)

    def budget(self, target: Target) -> Draws:
        return self.cost() * target.questions

    def level(self, past: Past) -> float:
        """ln(1/β) of what is asked after this past."""
        return next_log_inverse_level(past=past.transcript, target=past.target)

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> Draw:  # noqa: ARG002
        ask.without("radius", accepted="left out where guesses are checked")
        if ask.what.shape == "choice":
            best = "left out where guesses are checked: the sample's best is chosen"
            ask.without("loss", accepted=best)
            return _best_checked(self, ask.what.cells, past, ask.what.levels)
        need_guess(ask)
        training = ask.trained_on
        if training is not None:
            check.positive_integer(trained_on=training)
            if ask.guess is None or ask.tolerance is not None:
                raise no_training(ask)
        share = ask.share
        allowed, pairs = ask.allowed(share), ask.what.shape == "pairs"
        try:
            return _checked_guess(self, share, allowed, training, past, ask.what.levels, pairs)
        except InvalidInput as refused:
            width = ask.what.span.width
            if width == 1 or allowed is None or refused.argument != "tolerance":
                raise
            raise InvalidInput(
                argument="tolerance",
                accepted=f"{refused.accepted}, counted in shares of a width of {float(width):g}",
                given=f"{float(allowed * width):.6g}",
                hint=refused.hint,
            ) from None

    def next_width(self, past: Past, *, radius: float) -> Width:  # noqa: ARG002
        """A guess that is confirmed reaches as far as its tolerance, which may be anything."""
        words = "as far as its tolerance if the guess is confirmed"
        if past.transcript.questions >= past.target.questions:  # no level is left for another
            return Width(least=0.0, most=1.0, words=words)
        made = _checked_guess(self, Fraction(1, 2), None, None, past, 1, False)
        failed = made.certificate(self, past.target, failed=True).radius
        words = f"{words}, at most {plus_minus(failed)} if not"
        return Width(least=failed, most=1.0, words=words)

    def words(self, past: Past, *, radius: float) -> str:  # noqa: ARG002
        level, seen = level_down(past.target.confidence), past.transcript
        counted = f"{seen.failures:,} of {seen.questions:,} failed"
        return f"{self.rows:,} rows, checks guesses at confidence {level}, {counted}"

    def headline(self, radius: float) -> str:  # noqa: ARG002
        return "Checked guesses"

    def planned_radius(self, radius: float) -> float | None:  # noqa: ARG002
        return None

    def summary(self, radius: float) -> str:  # noqa: ARG002
        return "guesses are checked"

    def counted(self, past: Past) -> str:
        return f"{past.failures:,} guesses failed"

    def promise(self, target: Target) -> str:
        said = "each as wide as its tolerance, a little wider after every failure"
        return f"for at most {target.questions:,} questions {self.together(target)}; {said}"


def need_guess(ask: Ask) -> None:
    """Refuse an ask without a guess, where guesses are checked."""
    if ask.guess is None and ask.guessed is None:
        raise InvalidInput(
            argument="guess",
            accepted="given: this session checks guesses",
            given="None",
            hint="ask(question, guess=…), or open the data with a guesser",
        )


def no_training(ask: Ask) -> InvalidInput:
    """Why it may not be said from how many rows a guess was made."""
    return InvalidInput(
        argument="trained_on",
        accepted="given with a guess, in place of a tolerance, and in a session by "
        "peekproof.Checking",
        given=f"{ask.trained_on:,}",
    )


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

    kind: ClassVar[str] = "guess-and-check"

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
            "kind": self.kind,
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

    kind: ClassVar[str] = "selection"

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
            "kind": self.kind,
            "candidates": str(self.candidates),
            "bins": str(self.bins),
        }
        return with_levels(described, self.levels)


# Twice what a sample equal to the guess needs: room for a guess that is a little off.
_ROOM = 2
_FINEST = 2**20

# One of so many conversations in which all guesses are honest has one that fails by chance.
_BY_CHANCE = 50
_RAREST = 1e-300


@lru_cache(maxsize=4096)
def _checked_guess(
    promise: Checking,
    guess: Fraction,
    tolerance: Fraction | None,
    guessing_rows: int | None,
    past: Past,
    levels: int,
    pairs: bool,
) -> "CheckedGuess":
    """The check of one guess after this past. Without a tolerance, with room for a good guess.

    What is good depends on where it comes from, if `guessing_rows` says from how many rows.

    Remembered, because ledgers ask again under their write lock.
    """
    rows, level, seen = promise.rows, promise.level(past), past.transcript
    if pairs:
        rows = pairs_apart(rows)
        guessing_rows = guessing_rows and max(1, guessing_rows // 2)
    if tolerance is None and guessing_rows is not None:
        tolerance = honest_room(
            rows=rows,
            guess=guess,
            guessing_rows=guessing_rows,
            past=seen,
            target=past.target,
            levels=levels,
        )
    elif tolerance is None:
        tolerance = _room(guess, rows=rows, levels=levels, log_inverse_level=level)
    law = GuessAndCheck.at(
        rows=rows,
        guess=guess,
        tolerance=tolerance,
        log_inverse_level=level,
        bins=best_failure_bins(rows=rows, log_inverse_level=level, levels=levels),
        levels=levels,
    )
    return CheckedGuess(
        rows=promise.rows,
        guess=guess,
        tolerance=tolerance,
        bins=law.bins,
        passes=(law.low, law.high),
        levels=levels,
        pairs=pairs,
        questions=seen.questions,
        failures=seen.failures,
        values=seen.values,
    )


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
    level = next_log_inverse_level(past=past, target=target)
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


@lru_cache(maxsize=256)
def _best_checked(promise: Checking, candidates: int, past: Past, levels: int) -> "BestChecked":
    """The choice among so many after this past. Remembered: ledgers ask under their write lock."""
    seen = past.transcript
    level = log_inverse_level_each(candidates=candidates, past=seen, target=past.target)
    return BestChecked(
        rows=promise.rows,
        candidates=candidates,
        bins=best_failure_bins(rows=promise.rows, log_inverse_level=level, levels=levels),
        levels=levels,
        questions=seen.questions,
        failures=seen.failures,
        values=seen.values,
    )


def checked_value(law: GuessAndCheck, outcome: Checked) -> Value:
    """What is told of an outcome: the answer, and 1 if the guess failed."""
    if isinstance(outcome, Failed):
        return Fraction(2 * outcome.bin + 1, 2 * law.bins), Fraction(1)
    return law.guess, Fraction(0)


def checked_share(law: GuessAndCheck, value: Value) -> Value:
    """The answer to a checked guess; ValueError if no check gives it."""
    if len(value) != 2 or value[1] not in (0, 1):
        raise ValueError("no check gives it")
    answer, failed = value
    held = answer * law.bins - Fraction(1, 2)
    if failed and not (held.denominator == 1 and 0 <= held < law.bins):
        raise ValueError("an impossible answer")
    if not failed and answer != law.guess:
        raise ValueError("an impossible answer")
    return (answer,)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedGuess(Draw):
    """The guess if the total is among those that pass; else the midpoint of its bin, and 1.

    `questions`, `failures` and `values` are the past after which it is checked. A mean over pairs
    of rows is checked as if there were half as many rows (T-pairs).
    """

    kind: ClassVar[str] = "guess-and-check"

    rows: int
    guess: Fraction
    tolerance: Fraction
    bins: int
    passes: tuple[int, int]
    questions: int
    failures: int
    values: int
    levels: int = 1
    pairs: bool = False

    def __post_init__(self) -> None:
        if self.pairs and self.levels != pair_levels(self.rows):
            raise ValueError("pairs that were counted in other units")

    @property
    def law(self) -> GuessAndCheck:
        low, high = self.passes
        return GuessAndCheck(
            rows=pairs_apart(self.rows) if self.pairs else self.rows,
            guess=self.guess,
            tolerance=self.tolerance,
            bins=self.bins,
            low=low,
            high=high,
            levels=self.levels,
        )

    @property
    def past(self) -> Transcript:
        return Transcript(questions=self.questions, failures=self.failures, values=self.values)

    @property
    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def made_for(self, asked: Demand) -> bool:
        if asked.shape == "pairs":
            return self.pairs and asked.levels == self.levels
        return not self.pairs and is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        law = self.law
        return checked_value(law, law.release(exact, rng=rng))

    def certificate(
        self, promise: Mechanism, target: Target, *, failed: bool = False
    ) -> Certificate:
        if not isinstance(promise, Checking):
            raise ValueError("a checked guess where the promise has none")
        law = self.law
        if failed:
            found = failed_certificate(
                rows=law.rows,
                bins=self.bins,
                levels=self.levels,
                past=self.past,
                target=target,
            )
        else:
            found = passed_certificate(rows=law.rows, tolerance=self.tolerance, target=target)
        if self.pairs:  # which are counted exactly
            return paired_certificate(found, rows=self.rows)
        return fixed_point(found, self.levels)

    def failed(self, value: Value) -> bool:
        return len(value) == 2 and value[1] == 1

    def verdict(self, value: Value) -> str:
        return guess_verdict(self, value)

    @property
    def on_receipt(self) -> dict[str, str]:
        """Without the past, and the totals that pass, which follow from the tolerance and it."""
        return without(self, "questions", "failures", "values", "passes")

    def told(self, value: Value | None) -> int:
        return self.bins if value is None or self.failed(value) else 0

    def shares(self, value: Value) -> Value:
        return checked_share(self.law, value)

    def sample(self, value: Value) -> tuple[Fraction, Fraction]:
        return checked_sample(self.law, value)

    def width(
        self, promise: Mechanism, target: Target, scale: Fraction, *, failed: bool | None = None
    ) -> Width:
        return checked_width(self, promise, target, scale, failed=failed)

    def check(self, promise: Mechanism, past: Past, *, batch: int = 1) -> None:  # noqa: ARG002
        if not isinstance(promise, Checking) or self.past != past.transcript:
            raise ValueError("another past")
        law, level = self.law, promise.level(past)
        low, high = (
            checked_interval(total, rows=law.rows, log_inverse_level=level, levels=law.levels)
            for total in (law.low, law.high)
        )
        least, most = self.guess - self.tolerance, self.guess + self.tolerance
        if Fraction(low.low) < least or Fraction(high.high) > most:
            raise ValueError("a check that is not right at its level")

    def within(self, promise: Mechanism, value: Value) -> Fraction | None:  # noqa: ARG002
        return Fraction(1, 2 * self.bins) if self.failed(value) else None


def checked_sample(law: GuessAndCheck, value: Value) -> tuple[Fraction, Fraction]:
    """Between which shares the sample's lies: those that pass, or the ends of its bin."""
    (answer,) = checked_share(law, value)
    if value[1]:
        half = Fraction(1, 2 * law.bins)
        return answer - half, answer + half
    units = law.rows * law.levels
    return Fraction(law.low, units), Fraction(law.high, units)


def checked_width(
    draw: Draw, promise: Mechanism, target: Target, scale: Fraction, *, failed: bool | None
) -> Width:
    """How far the interval of a guess would reach: what becomes of it is not known before."""
    confirmed, corrected = (
        float_up(Fraction(draw.certificate(promise, target, failed=each).radius) * scale)
        for each in (False, True)
    )
    if failed is not None:
        return Width.within(corrected if failed else confirmed)
    return Width.checked(confirmed=confirmed, failed=corrected)


def guess_verdict(draw: Draw, value: Value) -> str:
    """What became of a guess."""
    return f"{'not ' if draw.failed(value) else ''}confirmed by the rows"


def without(draw: Draw, *names: str) -> dict[str, str]:
    """The parameters but these."""
    return {name: said for name, said in draw.parameters.items() if name not in names}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BestChecked(Draw):
    """The best of the sample among some candidates, and the midpoint of the bin of its share."""

    kind: ClassVar[str] = "selection"

    rows: int
    candidates: int
    bins: int
    questions: int
    failures: int
    values: int
    levels: int = 1

    @property
    def law(self) -> Selection:
        return Selection(
            rows=self.rows, candidates=self.candidates, bins=self.bins, levels=self.levels
        )

    @property
    def past(self) -> Transcript:
        return Transcript(questions=self.questions, failures=self.failures, values=self.values)

    @property
    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def made_for(self, asked: Demand) -> bool:
        said = self.candidates, self.levels
        return asked.shape == "choice" and (asked.cells, asked.levels) == said

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> Value:
        law = self.law
        found = law.release(exact, rng=rng)
        return Fraction(found.index), law.midpoint(found.bin)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        if not isinstance(promise, Checking):
            raise ValueError("a choice where the promise has none")
        found = selected_certificate(
            rows=self.rows,
            candidates=self.candidates,
            bins=self.bins,
            levels=self.levels,
            past=self.past,
            target=target,
        )
        return fixed_point(found, self.levels)

    def told(self, value: Value | None) -> int:  # noqa: ARG002 (a choice always tells)
        return self.candidates * self.bins

    @property
    def on_receipt(self) -> dict[str, str]:
        """Without the past."""
        return without(self, "questions", "failures", "values")

    def chosen(self, value: Value) -> int:
        return place_in(value[:1], self.candidates)

    def shares(self, value: Value) -> Value:
        """That of what was chosen."""
        self.chosen(value)
        held = value[-1] * self.bins - Fraction(1, 2)
        if len(value) != 2 or held.denominator != 1 or not 0 <= held < self.bins:
            raise ValueError("no choice says that")
        return value[1:]

    def finding(self, value: Value, certificate: Certificate, span: Span) -> Chosen:
        (share,) = self.shares(value)
        found = span.interval(certificate.interval(share))
        gap = float_up(Fraction(found.high) - Fraction(found.low))
        winner = Numbers(((float(span.value(share)), found),), span)
        return Chosen(self.chosen(value), self.candidates, gap, winner=winner)

    def width(
        self,
        promise: Mechanism,
        target: Target,
        scale: Fraction,
        *,
        failed: bool | None = None,  # noqa: ARG002
    ) -> Width:
        """How much better another can be: none reaches beyond the interval of the best."""
        gap = min(2 * Fraction(self.certificate(promise, target).radius), Fraction(1))
        return Width.within(float_up(gap * scale))

    def check(self, promise: Mechanism, past: Past, *, batch: int = 1) -> None:  # noqa: ARG002
        _ = self.law  # refuses what is no choice; it is right with any number of bins
        if not isinstance(promise, Checking) or self.past != past.transcript:
            raise ValueError("another past")
