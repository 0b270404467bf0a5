"""The demonstration: an attack on three holdouts, a signal found, a budget spent, a restart.

The holdouts are three ways to answer an analyst: exactly, with noise only, and with Peekproof.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol, cast, final

import numpy as np
import polars as pl

from peekproof.audit.analysts.correlation import agreement, vote
from peekproof.audit.opponents.protocol import TEXTBOOK, Reply, reply_of, textbook
from peekproof.core.answer import Answer
from peekproof.core.errors import BudgetExhausted
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Entropy, SystemEntropy
from peekproof.query.question import parse_question
from peekproof.session.opening import open
from peekproof.session.session import Session


class Holdout(Protocol):
    """Anything that answers questions about held-out rows."""

    def reply(self, questions: Sequence[str]) -> list[Reply]: ...


@final
class PlainHoldout:
    """The sample share with its textbook interval, which assumes the question came first."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._mechanism = UnsafeEmpirical(rows=table.rows)

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        parsed = [parse_question(text, self._table.schema) for text in questions]
        shares = [
            float(self._mechanism.release_unsafely(count)) for count in self._table.count(parsed)
        ]
        return [textbook(share, rows=self._table.rows) for share in shares]


@final
class NoiseOnlyHoldout:
    """A noisy share with an interval for the noise alone, as privacy libraries print it."""

    def __init__(self, table: Table, *, sigma: Fraction, rng: Entropy) -> None:
        self._table = table
        self._rng = rng
        self._mechanism = Gaussian(rows=table.rows, sigma=sigma, step=Fraction(1, 2**20))

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        parsed = [parse_question(text, self._table.schema) for text in questions]
        radius = TEXTBOOK * float(self._mechanism.sigma)
        released = (
            float(self._mechanism.release(count, rng=self._rng))
            for count in self._table.count(parsed)
        )
        return [Reply(value, value - radius, value + radius) for value in released]


@final
class HeldFast:
    """A Peekproof session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def reply(self, questions: Sequence[str]) -> list[Reply]:
        answers = self._session.ask_many(questions)
        return [reply_of(answer) for answer in answers]


ROWS = 10_000
FEATURES = 2_000
CHECKPOINTS = (10, 20, 50, 100, 200, 400, 700, 1_000, 1_400, 2_000)
NOISE_ONLY_SIGMA = Fraction(1, 200)
SIGNAL_FEATURE = 137
SIGNAL_SHARE = 0.85
TRUTH = 0.5
LABEL = "y"

# Called with the name of a piece of work, steps done and steps in all.
Progress = Callable[[str, int, int], None]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """What one holdout claimed for the analyst's vote, after so many features were asked."""

    name: str
    replies: tuple[tuple[int, Reply], ...]

    @property
    def last(self) -> Reply:
        return self.replies[-1][1]

    @property
    def covers(self) -> bool:
        """Whether every interval held the truth."""
        return all(TRUTH in reply for _, reply in self.replies)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """All that the demonstration found out."""

    radius: float
    confidence: float
    climbs: tuple[Climb, ...]
    signals: tuple[Answer, ...]
    refusal: BudgetExhausted
    data: Path
    repeated: Answer

    @property
    def found(self) -> tuple[Answer, ...]:
        """The features whose whole interval lies on one side of one half."""
        return tuple(answer for answer in self.signals if TRUTH not in answer)


def features() -> list[str]:
    return [f"x{number}" for number in range(1, FEATURES + 1)]


def make_table(path: Path, *, seed: int, signal: float = TRUTH) -> Path:
    """A table of ±1 features and a ±1 label; one feature agrees with it on a share `signal`."""
    rng = np.random.default_rng(seed)
    label = rng.choice([-1, 1], ROWS)
    values = rng.integers(0, 2, (FEATURES, ROWS), dtype=np.int8) * 2 - 1
    values[SIGNAL_FEATURE - 1] = np.where(rng.random(ROWS) < signal, label, -label)
    columns = dict(zip(features(), values, strict=True))
    pl.DataFrame({**columns, LABEL: label.astype(np.int8)}).write_parquet(path)
    return path


def climb(name: str, holdout: Holdout, *, progress: Progress) -> Climb:
    """Run the correlation attack, asking for the vote at every checkpoint."""
    names = features()
    agreements: list[float] = []
    replies: list[tuple[int, Reply]] = []
    for size in CHECKPOINTS:
        asked = [agreement(feature, LABEL) for feature in names[len(agreements) : size]]
        agreements.extend(reply.value for reply in holdout.reply(asked))
        (reply,) = holdout.reply([vote(names[:size], LABEL, agreements)])
        replies.append((size, reply))
        progress(name, size, CHECKPOINTS[-1])
    return Climb(name=name, replies=tuple(replies))


def _refused(ask: Callable[[Sequence[str]], object]) -> BudgetExhausted:
    try:
        ask([f"x1 + x2 + {LABEL} > 0"])
    except BudgetExhausted as refusal:
        return refusal
    raise RuntimeError("the budget should have been spent")


def tell(folder: Path, *, seed: int, progress: Progress) -> Story:
    """Run the whole story in `folder`, which keeps the data and its ledgers."""
    empty = make_table(folder / "no_signal.parquet", seed=seed)
    table = in_memory(empty)
    plain = climb("plain holdout", PlainHoldout(table), progress=progress)
    rng = SystemEntropy()
    noisy = NoiseOnlyHoldout(table, sigma=NOISE_ONLY_SIGMA, rng=rng)
    noise_only = climb("noise only", noisy, progress=progress)
    with open(empty, questions=FEATURES + len(CHECKPOINTS)) as session:
        held = climb("Peekproof", HeldFast(session), progress=progress)
        refusal = _refused(session.ask_many)
        repeated = cast(Answer, session.ask(f"{LABEL} = x1"))
        radius, confidence = session.plan.radius, repeated.confidence

    real = make_table(folder / "one_signal.parquet", seed=seed + 1, signal=SIGNAL_SHARE)
    progress("one real signal", 0, FEATURES)
    with open(real, questions=FEATURES) as session:
        signals = session.ask_many([agreement(feature, LABEL) for feature in features()])
    progress("one real signal", FEATURES, FEATURES)
    return Story(
        radius=radius,
        confidence=confidence,
        climbs=(plain, noise_only, held),
        signals=tuple(cast(list[Answer], signals)),
        refusal=refusal,
        data=empty,
        repeated=repeated,
    )
