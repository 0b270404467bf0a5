"""Variables chosen by looking at a holdout: which of many know anything, and what all together?

A row is a drawing of a digit, 64 pixels, and whether the digit is odd. A variable is whether one
pixel is brighter than another. All drawings that come with scikit-learn are the population. Or
else pixels are noise, and the label is a coin.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from importlib import import_module
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.opponents.protocol import Reply, reply_of, textbook
from peekproof.core import check
from peekproof.core.errors import DataError
from peekproof.learn.holdout import Holdout
from peekproof.ledger.witness import simulation

Floats = npt.NDArray[np.float64]

PIXELS, MOST_VOTING = 64, 25


class Origin(Enum):
    """Where rows come from."""

    DIGITS = "drawings of digits"
    NOISE = "noise"


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Rows of pixels from 0 to 1, and the label of each: 1 or 0."""

    pixels: Floats
    labels: Floats

    @property
    def rows(self) -> int:
        return len(self.labels)

    def draw(self, rng: np.random.Generator, rows: int) -> "Table":
        """So many rows, each of them any of these."""
        drawn = rng.integers(0, self.rows, check.positive_integer(rows=rows))
        return Table(pixels=self.pixels[drawn], labels=self.labels[drawn])

    def without(self, others: "Table") -> "Table":
        """The rows that no other one is equal to: a holdout takes no guesses from its own rows."""
        seen = {row.tobytes() for row in others.pixels}
        new = np.array([row.tobytes() not in seen for row in self.pixels])
        return Table(pixels=self.pixels[new], labels=self.labels[new])


def noise(rng: np.random.Generator, rows: int) -> Table:
    """Rows of which no pixel knows anything."""
    coins = rng.integers(0, 2, check.positive_integer(rows=rows)).astype(np.float64)
    return Table(pixels=rng.random((rows, PIXELS)), labels=coins)


def digits() -> Table:
    """Every drawing that comes with scikit-learn, and whether its digit is odd."""
    try:
        sets = import_module("sklearn.datasets")
    except ImportError as error:
        raise DataError(
            source="digits",
            problem="needs scikit-learn, which is not installed",
            hint="run: pip install scikit-learn",
        ) from error
    found: Any = sets.load_digits()
    return Table(pixels=found.data / 16, labels=found.target % 2.0)


class Model(Protocol):
    """Says a label for each row."""

    def predict(self, pixels: Floats) -> Floats: ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """Says `says` where one pixel is brighter than another, else the other label. A model."""

    bright: int
    dark: int
    says: int = 1

    def predict(self, pixels: Floats) -> Floats:
        brighter = pixels[:, self.bright] > pixels[:, self.dark]
        return np.where(brighter, self.says, 1 - self.says).astype(np.float64)

    @property
    def turned(self) -> "Variable":
        """Says the other label everywhere."""
        return replace(self, says=1 - self.says)


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """Says what most of its variables say. A model."""

    variables: tuple[Variable, ...]

    def predict(self, pixels: Floats) -> Floats:
        said = np.mean([each.predict(pixels) for each in self.variables], axis=0)
        return np.where(said > 0.5, 1.0, 0.0)


Reporting = Callable[[Model], Reply]


def right(model: Model, table: Table) -> float:
    """The share of rows that a model gets right."""
    return float(np.mean(model.predict(table.pixels) == table.labels))


def some_variables(count: int, *, rng: np.random.Generator) -> list[Variable]:
    """So many variables, each another pair of pixels."""
    pairs = [Variable(bright=i, dark=j) for i in range(PIXELS) for j in range(i)]
    return [pairs[i] for i in rng.permutation(len(pairs))[: check.positive_integer(count=count)]]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was told about a model, and what is true of it."""

    model: Model
    told: Reply
    truth: float

    @property
    def clear(self) -> float:
        """How far the whole interval is from one half; negative where it holds one half."""
        return max(self.told.low - 0.5, 0.5 - self.told.high)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """All variables as told, clearest first, and the vote of those found, if any were."""

    told: tuple[Finding, ...]
    vote: Finding | None

    @property
    def found(self) -> tuple[Finding, ...]:
        """The variables that are told to know something, for or against the label."""
        return tuple(each for each in self.told if each.clear > 0)


def study(
    variables: Sequence[Variable], report: Reporting, truth: Callable[[Model], float]
) -> Study:
    """Ask about each variable, let the clearest of those found vote, and ask about the vote."""

    def finding(model: Model) -> Finding:
        return Finding(model=model, told=report(model), truth=truth(model))

    pairs = [(each, finding(each)) for each in variables]
    pairs.sort(key=lambda pair: pair[1].clear, reverse=True)
    best = [
        each if about.told.value > 0.5 else each.turned
        for each, about in pairs[:MOST_VOTING]
        if about.clear > 0
    ]
    odd = tuple(best[: len(best) - 1 + len(best) % 2])
    told = tuple(about for _, about in pairs)
    return Study(told=told, vote=finding(Vote(odd)) if odd else None)


def plainly(holdout: Table) -> Reporting:
    """The share of the holdout, with the interval that is right for one look."""
    return lambda model: textbook(right(model, holdout), rows=holdout.rows)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Studies:
    """The same study twice. `failures` is how many guesses failed where they were checked."""

    plain: Study
    held: Study
    failures: int


@simulation()
def study_twice(origin: Origin, *, rows: int, variables: int, seed: int) -> Studies:
    """Both studies on the same rows: `rows` to train, which guess, and as many held out."""
    rng = np.random.default_rng(seed)
    everybody = digits() if origin is Origin.DIGITS else None
    training, holdout = (
        noise(rng, rows) if everybody is None else everybody.draw(rng, rows) for _ in range(2)
    )
    training = training.without(holdout)  # of so few drawings many are drawn for both
    candidates = some_variables(variables, rng=rng)

    def truth(model: Model) -> float:
        return 0.5 if everybody is None else right(model, everybody)

    with Holdout(
        holdout.pixels,
        holdout.labels,
        questions=variables + 1,
        training=(training.pixels, training.labels),
    ) as held:
        return Studies(
            plain=study(candidates, plainly(holdout), truth),
            held=study(candidates, lambda model: reply_of(held.score(model)), truth),
            failures=held.failures,
        )
