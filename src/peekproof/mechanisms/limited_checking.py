"""Checking guesses until so many have failed, all with one tolerance: GuessAndCheck that halts.

How it is planned, and how it checks a guess.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target, Width
from peekproof.core.charge import Draws
from peekproof.core.errors import FailuresExhausted, InvalidInput, Refusal
from peekproof.core.numerics import decimal_up, float_up, level_down
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    Ask,
    Demand,
    Draw,
    Limit,
    Mechanism,
    Options,
    Past,
    Value,
    fixed_point,
    is_number,
)
from peekproof.mechanisms.checking import (
    GuessAndCheck,
    checked_sample,
    checked_share,
    checked_value,
    checked_width,
    guess_verdict,
    need_guess,
    no_training,
    without,
)
from peekproof.noise.entropy import Entropy
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
class LimitedChecking(Mechanism):
    """A conversation of guesses about `rows`, all to one tolerance, which failure `failures` ends.

    Guarantees: all answers hold together, within `certify(target)` if the guess passed and
    `certify_failed(target)` if not. Whoever runs it asks nothing after the last failure.
    Proof: T-check-halt.
    Public: all fields.  Secret: the totals given to each check.
    """

    kind: ClassVar[str] = "limited-checking"
    plainly: ClassVar[str] = "The same with one tolerance for all, until ten guesses have failed."
    place: ClassVar[int] = 6
    options: ClassVar[frozenset[str]] = frozenset({"failures", "tolerance"})
    required: ClassVar[frozenset[str]] = frozenset({"failures"})
    guesses: ClassVar[bool] = True

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

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "LimitedChecking | None":
        """Without a tolerance, with T-two-samples' for as many training rows as are checked.

        None of their guesses then fails by chance.
        """
        if options.limit is None:
            return None
        tolerance = options.limit.tolerance
        if tolerance is None:
            honest = honest_tolerance(rows=rows, guessing_rows=rows, target=target)
            tolerance = max(Fraction(honest), finest_tolerance(rows))
        return cls(rows=rows, tolerance=tolerance, failures=options.limit.failures)

    @classmethod
    def least_rows(cls, target: Target, options: Options) -> int:  # noqa: ARG003
        """With fewer, bins of half the tolerance would be finer than a row."""
        limit = options.limit
        return 1 if limit is None or limit.tolerance is None else failure_bins(limit.tolerance) - 1

    def budget(self, target: Target) -> Draws:
        return self.cost() * target.questions

    def halted(self, past: Past) -> bool:
        """Whether so many failed guesses end the conversation."""
        return past.failures >= self.failures

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> "LimitedGuess":  # noqa: ARG002
        ask.without("radius", accepted="left out where guesses are checked")
        need_guess(ask)
        if ask.trained_on is not None:
            check.positive_integer(trained_on=ask.trained_on)
            raise no_training(ask)
        ask.without(
            "tolerance",
            accepted="left out: all guesses of this session have the same, "
            f"{float(self.tolerance):.6g} of the scale",
        )
        share = ask.share
        if self.halted(past):
            raise FailuresExhausted(asked=1, failures=self.failures)
        made = self.check(share, levels=ask.what.levels)
        return LimitedGuess(
            rows=self.rows,
            guess=share,
            tolerance=self.tolerance,
            bins=made.bins,
            passes=(made.low, made.high),
            levels=made.levels,
        )

    def fits(self, past: Past, *, room: Fraction, draws: int) -> int:
        return 0 if self.halted(past) else min(draws, int(room))

    def refusal(self, asked: int, past: Past, *, remaining: int) -> Refusal:
        if self.halted(past):
            return FailuresExhausted(asked=asked, failures=self.failures)
        return Mechanism.refusal(self, asked, past, remaining=remaining)

    def next_width(self, past: Past, *, radius: float) -> Width:
        return Width.checked(confirmed=radius, failed=self.certify_failed(past.target).radius)

    def words(self, past: Past, *, radius: float) -> str:
        head, level = self._head(radius, does="checks guesses"), level_down(past.target.confidence)
        counted = f"{past.failures:,} of at most {self.failures:,}"
        return f"{head} at confidence {level}, {counted} failed"

    def promise(self, target: Target) -> str:
        said = f"it ends with the last of {self.failures:,} failed guesses"
        return f"for all of {target.questions:,} checked guesses {self.together(target)}; {said}"

    def summary(self, radius: float) -> str:
        return f"shares within ±{decimal_up(radius)}, guesses are checked,"

    def counted(self, past: Past) -> str:
        return f"{past.failures:,} of at most {self.failures:,} guesses failed"

    def again(self) -> Options:
        return Options(limit=Limit(failures=self.failures, tolerance=self.tolerance))

    def limited(self, target: Target) -> tuple[str, Limit | None]:  # noqa: ARG002
        said = f"{self.failures:,} of tolerance {float(self.tolerance):.6g}"
        return said, Limit(failures=self.failures, tolerance=self.tolerance)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedGuess(Draw):
    """The guess if the sample is within the tolerance of it; else the midpoint of its bin, and 1.

    It is the same whatever the past; whoever runs it asks nothing after the last failure.
    """

    kind: ClassVar[str] = "limited-checking"

    rows: int
    guess: Fraction
    tolerance: Fraction
    bins: int
    passes: tuple[int, int]
    levels: int = 1

    @property
    def law(self) -> GuessAndCheck:
        low, high = self.passes
        return GuessAndCheck(
            rows=self.rows,
            guess=self.guess,
            tolerance=self.tolerance,
            bins=self.bins,
            low=low,
            high=high,
            levels=self.levels,
        )

    @property
    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def made_for(self, asked: Demand) -> bool:
        return is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        law = self.law
        return checked_value(law, law.release(exact, rng=rng))

    def _promised(self, promise: Mechanism) -> LimitedChecking:
        if not isinstance(promise, LimitedChecking):
            raise ValueError("a checked guess where the promise has none")
        if self.law != promise.check(self.guess, levels=self.levels):
            raise ValueError("a check that the promise does not make")
        return promise

    def certificate(
        self, promise: Mechanism, target: Target, *, failed: bool = False
    ) -> Certificate:
        own = self._promised(promise)
        found = own.certify_failed(target) if failed else own.certify(target)
        return fixed_point(found, self.levels)

    def failed(self, value: Value) -> bool:
        return len(value) == 2 and value[1] == 1

    def verdict(self, value: Value) -> str:
        return guess_verdict(self, value)

    @property
    def on_receipt(self) -> dict[str, str]:
        """Without the totals that pass, which follow from the tolerance."""
        return without(self, "passes")

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
        if self._promised(promise).halted(past):
            raise ValueError("after the last failure")

    def within(self, promise: Mechanism, value: Value) -> Fraction | None:  # noqa: ARG002
        return Fraction(1, 2 * self.bins) if self.failed(value) else None
