"""Submissions: a prediction for every row of both phases, and the entry that comes of it.

The claim that is checked for an entry is its declared score, or that it is no better than the best.
Zip archives of others are unpacked where they can do no harm.
"""

import hashlib
import json
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from pathlib import Path, PurePosixPath
from typing import cast, final

import polars as pl

from peekproof.core.answer import Answer
from peekproof.core.errors import DataError, InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up
from peekproof.learn.board.contest import (
    ID,
    TEXT,
    as_numbers,
    as_texts,
    named,
    no_numbers,
    table_of,
)
from peekproof.learn.column import Predictions, blank_labels, predictions_of
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.kinds import IN_ROW, place_of
from peekproof.learn.score import MeanScore
from peekproof.mechanisms.checking import Checking
from peekproof.query.form import FINE
from peekproof.session.records import Reading
from peekproof.session.session import Session
from peekproof.theory.generalization.checking import checked_interval, least_tolerance

_FAILED = "T-check-failed"


class Told(Enum):
    """What became of a claim."""

    CONFIRMED = "confirmed"  # the declared score, as it stands
    CORRECTED = "corrected"  # another score than was declared or than the best has, to a bin
    NO_BETTER = "no better"  # than the best with its step: one end of the interval says nothing


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a board says about one submission, for good.

    `value` is a declared score that was confirmed, or the middle of a bin; what is known of the
    score of fresh labels is the interval from `low` to `high`. `predictions` and `question` are
    digests: of what was handed in, and of what the ledger was asked.
    """

    number: int
    team: str
    name: str
    made: str
    declared: float | None
    trained_on: int | None
    told: Told
    value: float
    low: float
    high: float
    predictions: str
    question: str

    @property
    def bounded(self) -> bool:
        """Whether the score is known from both sides."""
        return self.told is not Told.NO_BETTER

    @property
    def shown(self) -> str:
        """What is known of the score, in words. Rounds: outward."""
        if not self.bounded:
            if self.high < 1:
                return f"not above {decimal_up(self.high)}"
            return f"not below {decimal_down(self.low)}"
        return f"{self.value:.4f} [{decimal_down(self.low)}, {decimal_up(self.high)}]"

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "told": self.told.value}

    @property
    def digest(self) -> str:
        """Its receipt: the SHA-256 of all of it, as the export lists it."""
        said = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(said.encode()).hexdigest()

    @classmethod
    def from_text(cls, text: str) -> "Entry":
        found = json.loads(text)
        return cls(**{**found, "told": Told(found["told"])})


def told_by(answer: Answer, *, higher: bool) -> Told:
    """What an answer says, whoever got it first: that a claim failed, or which claim passed."""
    if _FAILED in answer.certificate.theorems:
        return Told.CORRECTED
    silent = answer.low <= 0 if higher else answer.high >= 1
    return Told.NO_BETTER if silent else Told.CONFIRMED


def chained(head: str, receipt: str) -> str:
    """The head of the chain of entries after one more."""
    return hashlib.sha256(f"{head}{receipt}".encode()).hexdigest()


_PLACES = 9
_MOST = 0.499999999
_SPARE = 1.001  # a little more than the least tolerance: levels fall while others ask


def no_better(desk: Desk, metric: Metric, *, best: float | None, step: float) -> Guessed:
    """The claim that a score is not above u (or, of a loss, not below): the interval [0, u].

    u is the upper end of the interval that a sample equal to the best score and the step has now.
    So the claim passes just if the sample is no better than that, and a pass says nothing that was
    not known; if it fails, the entry is an improvement, told to a bin. Without a best there is
    nothing to claim, and what hardly any entry has, the worst score, is.
    """
    level = _level(desk)
    rows, levels = desk.labels.rows, 1 if metric.flag else FINE
    units = rows * levels
    if best is not None:
        exact = Fraction(best) + (Fraction(step) if metric.higher else -Fraction(step))
        total = ceil(exact * units) if metric.higher else floor(exact * units)
        total = max(0, min(units, total))
        around = checked_interval(total, rows=rows, log_inverse_level=level, levels=levels)
        if metric.higher:
            half = _decimal(around.high / 2)
            return Guessed(share=half, tolerance=half)
        half = _decimal((1 - around.low) / 2)
        return Guessed(share=round(1 - half, _PLACES), tolerance=half)
    worst = Fraction(0 if metric.higher else 1)
    least = least_tolerance(rows=rows, guess=worst, log_inverse_level=level, levels=levels)
    # Below 1, where the claim would be the whole scale.
    spare = min(float(least) * _SPARE, (1 + float(least)) / 2)
    return Guessed(share=float(worst), tolerance=spare)


def at_least(session: Session, score: MeanScore, entry: Entry) -> float:
    """The worst score that the sample can have: of a claim that passed, the worst that passes.

    A team may declare more than it has, with a wide tolerance. If that were the best to beat, no
    later entry would ever be told to be better.
    """
    if entry.told is Told.CORRECTED:
        return entry.value
    settled = session.ledger.seen.answers[score.digest]
    low, high = Reading.of(settled, rows=session.plan.rows).sample
    return float(low if score.metric.higher else high)


def _decimal(half: float) -> float:
    """Not below it, and short: guess and tolerance are taken as the decimals they print as.

    But below one half: a claim of the whole interval would hide even a perfect score.
    """
    found = round(ceil(half * 10**_PLACES) / 10**_PLACES, _PLACES)
    return min(_MOST, float(found))


def _level(desk: Desk) -> float:
    """ln(1/level) of the next question."""
    return cast(Checking, desk.session.plan.mechanism).level(desk.past())


MOST_BYTES = 512 * 2**20  # of all files together, unpacked
MOST_FILES = 100
_PIECE = 2**20


def is_zip(path: Path) -> bool:
    """Whether a file is meant to be an archive, by its name."""
    return path.suffix.lower() == ".zip"


@contextmanager
def unpacked(path: Path, *, most_bytes: int = MOST_BYTES) -> Iterator[Path]:
    """A folder with the plain files of an archive, for as long as it lasts.

    Refused: names that lead elsewhere, links, what is encrypted, and more than fits. Sizes are
    counted while files are written, for an archive can lie about them.
    """
    with tempfile.TemporaryDirectory(prefix="peekproof-") as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                _unpack(archive, Path(folder), most_bytes)
        except ValueError as error:
            raise _refused(path, str(error)) from None
        except Exception:  # of every way to pack, its own
            raise _refused(path, "cannot be unpacked") from None
        yield Path(folder)


def _unpack(archive: zipfile.ZipFile, folder: Path, most_bytes: int) -> None:
    members = [each for each in archive.infolist() if not each.is_dir()]
    if len(members) > MOST_FILES:
        raise ValueError(f"has more than {MOST_FILES} files")
    left = most_bytes
    for number, member in enumerate(members):
        inside = _checked(member)
        # Files get names of their own folder each: two that differ in case must not meet.
        target = folder / str(number) / inside.name
        target.parent.mkdir()
        with archive.open(member) as packed, target.open("xb") as plain:
            while piece := packed.read(min(_PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise ValueError(f"unpacks to more than {most_bytes:,} bytes")
                plain.write(piece)


def _checked(member: zipfile.ZipInfo) -> PurePosixPath:
    """The path of a member, if it stays where it is put."""
    name = PurePosixPath(member.filename)
    strange = "\\" in member.filename or ":" in member.filename or not name.name
    if strange or name.is_absolute() or ".." in name.parts:
        raise ValueError("has a file whose name leads elsewhere")
    mode = member.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise ValueError("has something that is not a plain file")
    if member.flag_bits & 1:
        raise ValueError("is encrypted")
    return name


def _refused(path: Path, problem: str) -> DataError:
    hint = "pack predictions.csv alone, as a plain zip file"
    return DataError(source=path.name, problem=problem, hint=hint)


PREDICTION = "prediction"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """Predictions for the rows of both phases. Nothing about labels is in it.

    `every` are all of them in the order of ids, in which no phase can be told from the other.
    """

    public: Predictions
    final: Predictions
    every: Predictions

    @property
    def digest(self) -> str:
        """The same for the same predictions, wherever they come from."""
        return hashlib.sha256(f"{self.public.digest}{self.final.digest}".encode()).hexdigest()


@final
@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Reads submissions for the rows of a board."""

    public: Sequence[str]
    final: Sequence[str]
    kind: str

    def read(self, given: object) -> Submission:
        """A mapping from id to prediction, a frame, a file, or a zip with one."""
        if isinstance(given, str | Path) and is_zip(Path(given)):
            with unpacked(Path(given)) as folder:
                return self._aligned(predictions_file(folder))
        return self._aligned(given)

    def _aligned(self, given: object) -> Submission:
        table = table_of(given, argument="predictions", value=PREDICTION)
        wanted = pl.DataFrame({ID: [*self.public, *self.final]})
        # In an order that does not tell which phase a row is of.
        surplus = table.join(wanted, on=ID, how="anti")[ID].sort()
        missing = wanted.join(table, on=ID, how="anti")[ID].sort()
        for ids, what in ((missing, "none for"), (surplus, "some for unknown ids:")):
            if ids.len():
                raise InvalidInput(
                    argument="predictions",
                    accepted=f"one for each of the {wanted.height:,} ids of the board",
                    given=f"{what} {named(ids)}",
                )
        column = wanted.join(table, on=ID, how="left", maintain_order="left")[PREDICTION]
        text = self.kind == TEXT
        values = as_texts(column) if text else as_numbers(column)
        if values is None or (text and column.dtype.is_float()):  # 1.0 and NaN are no class's name
            ids = table[ID] if text else table[ID].filter(no_numbers(table[PREDICTION]))
            raise InvalidInput(
                argument="predictions",
                accepted=f"{'texts' if text else 'finite numbers'}, as the labels are",
                given=f"{'numbers' if text else 'others'} for {named(ids.sort())}",
            )
        cut, sorted_ids = len(self.public), wanted[ID].arg_sort().to_numpy()
        return Submission(
            predictions_of(values[:cut], rows=cut),
            predictions_of(values[cut:], rows=len(self.final)),
            predictions_of(values[sorted_ids], rows=wanted.height),
        )

    def check(self, metric: Metric, given: Submission) -> None:
        """Refuse what the metric cannot score, in either phase.

        If it was refused for rows of the public phase alone, that would tell which they are.
        """
        blank = blank_labels(rows=given.every.rows, text=self.kind == TEXT)
        try:
            metric.check(blank, given.every)
        except InvalidInput as refused:
            ids = sorted([*self.public, *self.final])  # the rows of `every`
            refused.given = IN_ROW.sub(lambda row: f" for {ids[place_of(row)]!r}", refused.given)
            raise


def predictions_file(folder: Path) -> Path:
    """The file of predictions in a folder: predictions.csv, or the only table there."""
    tables = sorted(
        each
        for each in folder.rglob("*")
        if each.suffix.lower() in (".csv", ".tsv", ".parquet", ".pq") and _plain(each)
    )
    preferred = [each for each in tables if each.stem == "predictions"]
    found = preferred or tables
    if len(found) != 1:
        raise InvalidInput(
            argument="predictions",
            accepted="one file predictions.csv (or .tsv, .parquet)",
            given=f"{len(found)} tables",
        )
    return found[0]


def _plain(path: Path) -> bool:
    """Whether it is a file itself; a link could lead to what is not the team's."""
    return path.is_file() and not path.is_symlink()
