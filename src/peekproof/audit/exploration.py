"""Exploratory analysis as an attack: your own questions about your own population, audited.

A strategy says what to ask next: it is a generator that yields questions and is sent the answers.
`Exploring` makes an analyst of it that can be audited. `DrillDown` is a strategy for any table.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, zip_longest
from math import ceil, isfinite, nan, prod, sqrt
from statistics import median
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.protocol import Asked, Columns, Conversation, Oracle
from peekproof.audit.population import Population
from peekproof.core import check
from peekproof.core.errors import InvalidInput, Refusal


@final
@dataclass(frozen=True, slots=True)
class Supposed:
    """A question with a guess, for sessions that check guesses; others never look at it."""

    question: str
    guess: float
    tolerance: float | None = None


# What is sent back is the answer, or None if the question was refused. The coins are the
# analyst's own.
Questions = Generator[str | Supposed, float | None, None]
Strategy = Callable[[np.random.Generator], Questions]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exploring:
    """Asks what a strategy says about samples of a population, and is stopped after `questions`."""

    kind: ClassVar[str] = "exploring"

    population: Population
    strategy: Strategy
    rows: int
    questions: int

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(questions=self.questions)
        if not (hasattr(self.population, "draw") and hasattr(self.population, "truth")):
            raise InvalidInput(
                argument="population",
                accepted="an object with `draw` and `truth`, such as Listed(table)",
                given=type(self.population).__name__,
            )
        if not callable(self.strategy):
            raise InvalidInput(
                argument="strategy",
                accepted="a function that takes a random generator and yields questions",
                given=type(self.strategy).__name__,
            )

    def data(self, rng: np.random.Generator) -> Columns:
        return self.population.draw(rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        asking = self.strategy(rng)
        if not isinstance(asking, Generator):
            raise InvalidInput(
                argument="strategy",
                accepted="a function that yields questions, and hears the answers from `yield`",
                given=f"one that returns {type(asking).__name__}",
            )
        try:
            return Conversation(asked=tuple(self._asked(asking, oracle)))
        finally:
            asking.close()

    def _asked(self, asking: Questions, oracle: Oracle) -> Iterator[Asked]:
        told: float | None = None
        for number in range(self.questions):
            try:
                wanted = asking.send(told) if number else next(asking)
            except StopIteration:
                return
            truth = _exact(self.population.truth(_text(wanted)))
            told = _told(wanted, oracle)
            guess = wanted.guess if isinstance(wanted, Supposed) else nan
            yield Asked(question=_text(wanted), truth=truth, guess=guess, told=told)


def _text(wanted: str | Supposed) -> str:
    text = wanted.question if isinstance(wanted, Supposed) else wanted
    if not isinstance(text, str):
        raise InvalidInput(
            argument="strategy",
            accepted="one that yields questions as text, or Supposed",
            given=repr(wanted)[:80],
        )
    return text


def _exact(truth: object) -> Fraction:
    if not isinstance(truth, int | float | Fraction) or not isfinite(truth):
        raise InvalidInput(
            argument="population",
            accepted="one whose `truth` is a number, best a Fraction",
            given=repr(truth)[:80],
        )
    return Fraction(truth)


def _told(wanted: str | Supposed, oracle: Oracle) -> float | None:
    try:
        if isinstance(wanted, Supposed):
            return oracle(wanted.question, guess=wanted.guess, tolerance=wanted.tolerance)
        return oracle(wanted)
    except Refusal:
        return None


LEAST = 6  # questions: three conditions, their two best pairs and the score

# A column of at most so many values has a condition for each, others have thresholds.
_FEW = 8
_LEVELS = (0.5, 0.25, 0.75)

# What is rarer, or hardly ever false, says little about so few rows as one explores.
_RARE = 0.05

# Of all conjunctions, the part that goes to pairs; the rest follows the winners.
_PAIRS = 2 / 3

# Whole weights keep scores exact. What is beyond so many typical deviations may be real, and must
# not outweigh all the accidents.
_FINEST = 100
_REMARKABLE = 2.0

_LONGEST = 3  # conditions in a conjunction
_TERMS = 300  # of a score, which has to stay short enough to be read
_WORDY = 40  # characters of a text that is not worth a condition


@final
@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """A condition on one column, and the share of the listed rows that meet it."""

    column: str
    text: str
    share: float


Conjunction = tuple[Condition, ...]  # in order, so that each has one spelling
Told = dict[Conjunction, float]


@final
class DrillDown:
    """The strategy for tables with these columns: of them it knows the values, not the sample.

    It explores any table, and finds something even where nothing is. Single conditions come first,
    then pairs of them from different columns, then what looks most remarkable among the pairs with
    one more condition. Each is compared with what it would be if columns had nothing to do with
    each other. Last comes a score made of all that was found, and how many rows it favours. Every
    step is what a diligent person does, and the score adds up the accidents of the sample: how
    many deviations it is off by grows with the root of the number of questions.
    """

    def __init__(self, columns: Columns, *, questions: int) -> None:
        found = list(_conditions(columns))
        self._conditions = found[: _enough(found, questions)]
        self._room = questions - len(self._conditions) - 1
        if self._room < 2 or not _pairs(self._conditions):
            raise InvalidInput(
                argument="columns",
                accepted="two or more with numbers, flags or texts that vary, and at least "
                f"{LEAST} questions",
                given=f"{len(found)} conditions and {questions} questions",
            )

    def __call__(self, rng: np.random.Generator) -> Questions:
        shares: Told = {}
        yield from _ask([(each,) for each in self._conditions], shares)
        pairs = _pairs(self._conditions)
        rng.shuffle(pairs)
        pairs = pairs[: ceil(_PAIRS * self._room)]
        yield from _ask(pairs, shares)
        triples = _triples(pairs, shares)[: self._room - len(pairs)]
        yield from _ask(triples, shares)
        yield Supposed(_score([*pairs, *triples], shares), 0.5)


def _ask(conjunctions: Sequence[Conjunction], shares: Told) -> Questions:
    """Find out the shares, with independence as the guess, which stands if there is no answer."""
    for parts in conjunctions:
        guess = prod(shares.get((part,), part.share) for part in parts)
        told = yield Supposed(" and ".join(part.text for part in parts), guess)
        # Noise may leave the unit interval, and nothing can be said of what is always true.
        shares[parts] = min(1 - _RARE, guess if told is None else told)
        if len(parts) == 1:
            shares[parts] = max(_RARE, shares[parts])


def _deviation(parts: Conjunction, shares: Told) -> float:
    """How far conditions go together beyond what fewer of them do, in deviations of a row.

    The mean over rows of Π (1[c] − p_c) / √(p_c (1 − p_c)), from the shares of all subsets.
    """
    single = {part: shares[(part,)] for part in parts}
    mean = 0.0
    for size in range(len(parts) + 1):
        for inside in combinations(parts, size):
            outside = prod(-single[part] for part in parts if part not in inside)
            mean += outside * (shares[inside] if inside else 1.0)
    return mean / sqrt(prod(share * (1 - share) for share in single.values()))


def _score(conjunctions: Sequence[Conjunction], shares: Told) -> str:
    """Whether a row has more of what was found too often than of what was found too rarely."""
    deviations = {parts: _deviation(parts, shares) for parts in conjunctions}
    typical = median(map(abs, deviations.values())) or 1.0
    winners = sorted(conjunctions, key=lambda parts: -abs(deviations[parts]))[:_TERMS]
    terms = []
    for parts in winners:
        weight = min(_REMARKABLE, max(-_REMARKABLE, deviations[parts] / typical)) or 1.0
        factors = []
        for part in parts:
            share = shares[(part,)]
            met, unmet = sqrt((1 - share) / share), -sqrt(share / (1 - share))
            factors.append(f"if({part.text}, {round(_FINEST * met)}, {round(_FINEST * unmet)})")
        # Products of as many factors as the longest, so that none weighs more than another.
        whole = round(_FINEST * weight) * _FINEST ** (_LONGEST - len(parts))
        terms.append(f"{whole} * {' * '.join(factors)}")
    return f"{' + '.join(terms)} > 0"


def _enough(found: Sequence[Condition], questions: int) -> int:
    """How many conditions have as many pairs as there is room for."""
    for most in range(2, len(found)):
        if len(_pairs(found[:most])) >= _PAIRS * (questions - 1 - most):
            return most
    return len(found)


def _pairs(conditions: Sequence[Condition]) -> list[Conjunction]:
    """Two conditions on different columns."""
    return [pair for pair in combinations(sorted(conditions), 2) if _common(pair)]


def _triples(pairs: Sequence[Conjunction], shares: Told) -> list[Conjunction]:
    """Three conditions of which all pairs were asked, the most remarkable pairs first."""
    remarkable = {pair: abs(_deviation(pair, shares)) for pair in pairs}
    found: dict[Conjunction, float] = {}
    for one, other in combinations(pairs, 2):
        triple = tuple(sorted({*one, *other}))
        within = list(combinations(triple, 2))
        if len(triple) == _LONGEST and all(pair in remarkable for pair in within):
            found[triple] = max(remarkable[pair] for pair in within)
    return sorted(filter(_common, found), key=lambda triple: -found[triple])


def _common(parts: Conjunction) -> bool:
    """Whether they are about different columns, and together not too rare."""
    different = len({each.column for each in parts}) == len(parts)
    return different and prod(each.share for each in parts) >= _RARE


def _conditions(columns: Columns) -> Iterator[Condition]:
    """The conditions of all columns in turn, those that hold for about half of the rows first."""
    each = [
        sorted(_of_column(name, column), key=lambda found: abs(found.share - 0.5))
        for name, column in columns.items()
        if "`" not in name
    ]
    for row in zip_longest(*each):
        yield from (found for found in row if found is not None)


def _of_column(name: str, column: npt.NDArray[np.generic]) -> list[Condition]:
    values: list[object] = column.tolist()
    shares = {f"`{name}`{text}": met / len(values) for text, met in _tests(values).items()}
    if len(shares) == len(set(values)) == 2:  # the second says what the first does
        shares.popitem()
    return [
        Condition(name, text, share)
        for text, share in shares.items()
        if _RARE <= share <= 1 - _RARE
    ]


def _tests(values: Sequence[object]) -> dict[str, int]:
    """What can be said of a column, written behind its name, and of how many rows it is true."""
    if all(isinstance(each, bool) for each in values):
        return {"": values.count(True)}
    texts = Counter(each for each in values if isinstance(each, str) and len(each) <= _WORDY)
    if texts:
        often = sorted(texts, key=lambda text: (-texts[text], text))[:_FEW]
        return {" = '{}'".format(text.replace("'", "''")): texts[text] for text in often}
    numbers = Counter(each for each in values if isinstance(each, int | float) and isfinite(each))
    if len(numbers) <= _FEW:
        return {f" = {number!r}": numbers[number] for number in sorted(numbers)}
    levels = np.quantile(list(numbers.elements()), _LEVELS).tolist()
    return {
        f" > {level!r}": sum(count for number, count in numbers.items() if number > level)
        for level in sorted(set(levels))
    }
