"""Sample splitting: exact shares of fresh rows, for every question or for every round of them.

A round is a batch of questions that wait for no answer. With as many rounds as questions, every
question has rows of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any, ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws
from peekproof.core.errors import EvaluationFailed, InvalidInput, Refusal, RoundsExhausted
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.mechanisms.base import (
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Paid,
    Past,
    Query,
    Told,
    Value,
    fixed_point,
    is_number,
    secret,
)
from peekproof.mechanisms.protocol import exact_share
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.splitting import rows_per_round, split_certificate

# A key is drawn when a session is opened; for planning any will do.
_NO_KEY = "0" * 32


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FreshRows(Mechanism):
    """total/(⌊rows/rounds⌋·levels) of one of `rounds` disjoint parts, without noise.

    Guarantees: `certify(target)`, because the rows of a batch are independent of all answers that
    its questions could have seen (T-split). It is not differentially private: it protects the
    analysis, not the records. `key` decides which row belongs to which part, whatever the order of
    the rows; it must be secret from analysts, for a question that knew its part could describe it.
    Proof: T-split.
    Public: `rows`, `rounds`.  Secret: `key`, and the total given to `release`.
    """

    kind: ClassVar[str] = "fresh-rows"
    plainly: ClassVar[str] = "Fresh rows for every question."
    remembers: ClassVar[bool] = False
    place: ClassVar[int] = 2
    automatic: ClassVar[bool] = True
    options: ClassVar[frozenset[str]] = frozenset({"rounds"})
    ordered: ClassVar[bool] = True

    rows: int
    rounds: int
    key: str = secret(_NO_KEY)
    levels: int = 1

    def __post_init__(self) -> None:
        rows_per_round(rows=self.rows, rounds=self.rounds)
        check.positive_integer(rounds=self.rounds)
        check.positive_integer(levels=self.levels)
        _checked_key(self.key)

    @property
    def rows_per_round(self) -> int:
        return rows_per_round(rows=self.rows, rounds=self.rounds)

    def cost(self) -> Draws:
        """One round, however many questions are in it."""
        return Draws(Fraction(1))

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:  # noqa: ARG002 no noise
        return exact_share(total.reveal(), whole=self.rows_per_round * self.levels)

    def radius(self, *, beta: Fraction) -> float:
        """Nothing: a release is the share of its own rows, as it is."""
        check.probability(beta=beta)
        return 0.0

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "FreshRows | None":
        rounds = options.rounds or target.questions
        return cls(rows=rows, rounds=rounds) if rounds <= rows else None

    @classmethod
    def least_rows(cls, target: Target, options: Options) -> int:
        return options.rounds or target.questions

    def budget(self, target: Target) -> Draws:  # noqa: ARG002
        return Draws(Fraction(self.rounds))

    def certify(self, target: Target) -> Certificate:
        return split_certificate(rows=self.rows, rounds=self.rounds, target=target)

    def check_target(self, target: Target) -> None:
        if self.rounds > target.questions:
            raise ValueError("splits rows otherwise than it promises")

    def apart(self, target: Target) -> bool:
        """Whether every question has rows of its own, also within a batch."""
        return self.rounds == target.questions

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> "FreshShare":
        self.one_radius(ask, past.target)
        apart = self.apart(past.target)
        return FreshShare(
            rows=self.rows,
            rounds=self.rounds,
            number=int(past.spent) + (place if apart else 0),
            shared=1 if apart else batch,
            levels=ask.what.levels,
        )

    def read(
        self, source: Source, asked: Sequence[Query], draws: Sequence[Draw]
    ) -> list[Exact[Any]]:
        if self.rounds == 1:  # it has all rows, also for what no engine is asked
            return Mechanism.read(self, source, asked, draws)
        if not all(what.questions for what in asked):
            raise EvaluationFailed()
        questions = [each for what in asked for each in what.questions]
        numbers = [_own(each).number for each in draws]
        if len(set(numbers)) == 1:
            found = source.totals_round(
                questions, number=numbers[0], rounds=self.rounds, key=self.key
            )
        elif numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            found = source.totals_part(questions, first=numbers[0], parts=self.rounds, key=self.key)
        else:
            raise EvaluationFailed()
        return list(found)

    def gathers(self, target: Target) -> bool:
        return self.apart(target)

    def phrase(self, target: Target) -> str:
        batch = "question" if self.apart(target) else "round"
        return f"giving every {batch} fresh rows"

    def fits(self, past: Past, *, room: Fraction, draws: int) -> int:
        if self.apart(past.target):
            return min(draws, int(room))
        return draws if room >= 1 else 0

    def rounds_left(self, past: Past, *, room: Fraction) -> int | None:
        return None if self.apart(past.target) else int(room)

    def refusal(self, asked: int, past: Past, *, remaining: int) -> Refusal:
        if not self.apart(past.target) and past.spent >= self.rounds:
            return RoundsExhausted(asked=asked, rounds=self.rounds)
        return Mechanism.refusal(self, asked, past, remaining=remaining)

    def asked(self, target: Target) -> str:
        if self.apart(target):
            return Mechanism.asked(self, target)
        return f"questions in {self.rounds:,} adaptively chosen rounds"

    def again(self) -> Options:
        return Options(rounds=self.rounds)

    def keyed(self, rng: Entropy) -> "FreshRows":
        return replace(self, key=f"{rng.bits(128):032x}")

    def audit(self, target: Target, steps: Iterable[Paid | Told]) -> None:
        """Refuse rows that were read for two batches, and batches that paid for less than all."""
        spent = Fraction(0)
        paid = (each for each in steps if isinstance(each, Paid))
        for _, entry in groupby(paid, key=lambda each: each.number):
            draws = [_own(each.draw) for each in entry]
            apart, first = self.apart(target), int(spent)
            numbers = [first + (place if apart else 0) for place in range(len(draws))]
            shared = 1 if apart else len(draws)
            found = [(each.number, each.shared, each.rounds) for each in draws]
            if spent.denominator != 1 or found != [(n, shared, self.rounds) for n in numbers]:
                raise ValueError("other rows than those that were paid for")
            spent += sum(each.cost.count for each in draws)


def _checked_key(key: str) -> None:
    """Refuse what cannot be the key that assigns rows to parts; an error does not show it."""
    if len(key) != 32 or set(key) - set("0123456789abcdef"):
        raise InvalidInput(
            argument="key", accepted="32 hexadecimal digits", given=f"{len(key)} characters"
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FreshShare(Draw):
    """One share or mean of part `number`, as it is; `shared` questions pay for the part."""

    kind: ClassVar[str] = "fresh-rows"

    rows: int
    rounds: int
    number: int
    shared: int
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(shared=self.shared)

    @property
    def cost(self) -> Draws:
        return Draws(Fraction(1, self.shared))

    @property
    def part(self) -> int:
        return self.number

    def made_for(self, asked: Demand) -> bool:
        return is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        law = FreshRows(rows=self.rows, rounds=self.rounds, levels=self.levels)
        return (law.release(exact, rng=rng),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        if not isinstance(promise, FreshRows) or promise.rounds != self.rounds:
            raise ValueError("fresh rows where the promise has none")
        return fixed_point(promise.certify(target), self.levels)


def _own(draw: Draw) -> FreshShare:
    if not isinstance(draw, FreshShare):
        raise ValueError("no share of fresh rows")
    return draw
