"""Whether how long a call takes tells which of two it was.

Both are called in pairs, in an order that a fair coin decides for each pair. If a duration does
not depend on which call it is, then whichever of a pair takes longer, it was either call with
probability ½, whatever the machine does meanwhile: the number of pairs that one call loses is
binomial, exactly. Load only ever adds time, so the fastest of many repetitions tells what a call
itself takes, and their ratio how much there is to see. Both have to speak, and more than once in
a row: load comes and goes. No duration is reported, because it would be about the machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import perf_counter_ns
from typing import final

from peekproof.audit.evidence import excess_p_value
from peekproof.core import check
from peekproof.core.errors import InvalidInput

Call = Callable[[], object]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Pairs of calls: in how many each took longer, and the fastest `one` over the fastest `other`.

    A pair that took equally long counts for neither.
    """

    one_longer: int
    other_longer: int
    ratio: float

    @property
    def p_value(self) -> float:
        """How likely so uneven a number is if both calls take equally long, exactly."""
        longer, shorter = self._sorted
        tail = excess_p_value(longer, trials=longer + shorter, probability=0.5)
        return min(1.0, 2 * tail)

    @property
    def excess(self) -> float:
        """How many times as long the call takes that lost more pairs."""
        return self.ratio if self.one_longer >= self.other_longer else 1 / self.ratio

    @property
    def _sorted(self) -> tuple[int, int]:
        pair = self.one_longer, self.other_longer
        return max(pair), min(pair)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What durations tell of which call was made.

    They are said to tell if in every round the same call took longer, by more than `factor`, and
    so often that all this happens with probability `false_alarm` at most if they do not. After a
    round that says nothing no more are played.
    """

    rounds: tuple[Round, ...]
    repeats: int
    factor: float
    false_alarm: float

    @property
    def level(self) -> float:
        """Of a single round: coins of different rounds are independent, so levels multiply."""
        return float(self.false_alarm ** (1 / self.repeats))

    @property
    def tells(self) -> bool:
        losers = {each.one_longer > each.other_longer for each in self.rounds}
        heard = all(self.speaks(each) for each in self.rounds)
        return heard and len(losers) == 1 and len(self.rounds) == self.repeats

    def speaks(self, played: Round) -> bool:
        """Whether a round alone looks as if durations told."""
        return played.p_value <= self.level and played.excess > self.factor

    @property
    def ratio(self) -> float:
        """The fastest `one` over the fastest `other`, in the round where they differ least."""
        return min(self.rounds, key=lambda each: max(each.ratio, 1 / each.ratio)).ratio

    @property
    def p_value(self) -> float:
        """The largest of all rounds."""
        return max(each.p_value for each in self.rounds)

    def to_dict(self) -> dict[str, object]:
        return {
            "tells": self.tells,
            "ratio": self.ratio,
            "p_value": self.p_value,
            "factor": self.factor,
            "false_alarm": self.false_alarm,
            "rounds": [
                {"one_longer": each.one_longer, "other_longer": each.other_longer,
                 "ratio": each.ratio, "p_value": each.p_value}
                for each in self.rounds
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        verdict = "durations tell" if self.tells else "durations do not tell"
        last = self.rounds[-1]
        return (
            f"{verdict}: in round {len(self.rounds)} of at most {self.repeats} the first call took "
            f"longer in {last.one_longer} of {last.one_longer + last.other_longer} pairs "
            f"(p = {last.p_value:.2g}), its fastest {last.ratio:.2f} times as long as the other's; "
            f"a factor of {self.factor:g} would tell"
        )


def timing(
    one: Call,
    other: Call,
    *,
    pairs: int = 40,
    factor: float = 1.5,
    repeats: int = 3,
    false_alarm: float = 1e-9,
    seed: int = 0,
) -> Timing:
    """Compare how long two calls take, such as the same question about two neighbouring tables.

    Smaller differences than `factor` are not looked for; they take more pairs and a quiet machine.
    """
    check.positive_integer(pairs=pairs)
    check.positive_integer(repeats=repeats)
    check.probability(false_alarm=false_alarm)
    if not factor >= 1:
        raise InvalidInput(argument="factor", accepted="at least 1", given=repr(factor))
    if 2 * 0.5**pairs > false_alarm ** (1 / repeats):
        raise InvalidInput(
            argument="pairs",
            accepted="enough for a round to be unlikely",
            given=str(pairs),
            hint=f"with {pairs} pairs nothing is as rare as a false alarm of {false_alarm:g}",
        )
    coins = Random(seed)  # noqa: S311 the order is no secret
    one(), other()  # what only a first call does is about neither
    report: Timing
    rounds: tuple[Round, ...] = ()
    for _ in range(repeats):
        rounds = (*rounds, _round(one, other, pairs, coins))
        report = Timing(rounds=rounds, repeats=repeats, factor=factor, false_alarm=false_alarm)
        if not report.speaks(rounds[-1]):
            break
    return report


def _round(one: Call, other: Call, pairs: int, coins: Random) -> Round:
    taken: list[tuple[int, int]] = []
    for _ in range(pairs):
        if coins.random() < 0.5:
            first = _taken(one)
            taken.append((first, _taken(other)))
        else:
            second = _taken(other)
            taken.append((_taken(one), second))
    fastest = [min(each) for each in zip(*taken, strict=True)]
    return Round(
        one_longer=sum(a > b for a, b in taken),
        other_longer=sum(a < b for a, b in taken),
        ratio=fastest[0] / fastest[1],
    )


def _taken(call: Call) -> int:
    start = perf_counter_ns()
    call()
    # A clock that is too coarse shows nothing, and one tick is the least that it can show.
    return max(1, perf_counter_ns() - start)
