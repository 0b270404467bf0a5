"""Making a contest: settings, tables of labels, two phases, and one budget for the labels.

Settings are fixed for good, and public but for where files lie. A board is a folder that is there
wholly or not at all. Labels of the final are not read before the close.

A phase has a fingerprint of its own, and a split at random another one each time. So that the same
labels are recognised, in a second contest as in a holdout of all of them, the witness also knows
the rows of both phases as one, in the order in which they were given and in that of their ids:
whoever has the labels without the ids has them in one of these.
"""

import json
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fractions import Fraction
from io import BytesIO
from math import sqrt
from numbers import Integral, Real
from pathlib import Path
from random import SystemRandom
from typing import cast, final

import polars as pl

from peekproof.core import check
from peekproof.core.errors import DataError, InvalidInput
from peekproof.core.shared_columns import Marked, Rows, together
from peekproof.data.files import PARQUET, SEPARATORS
from peekproof.data.source import marked
from peekproof.learn.board.signing import new_key
from peekproof.learn.board.writing import removed_on_failure, sync_folder, write_whole
from peekproof.learn.column import Numbers, Texts
from peekproof.learn.held import LABEL, ROW, HeldRows
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.named import metric_of
from peekproof.learn.opening import held_rows
from peekproof.ledger.entry import promise_of
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.witness import Watch
from peekproof.session.custody import check_reason, doubt_about, witness_of

FILE = "board.json"
VERSION = 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSettings:
    """The rules of a contest.

    submissions   how many different predictions can be scored in all
    per_team      which part of them each team has, as "1/10"; "" if all share all
    step          by how much an entry must beat the best to be told, on the sample
    corrections   how many declared scores of a team may turn out wrong; later ones are not looked
                  at, so that no team can use up what all intervals are made of
    labels        "numbers" or "text"
    public_key    what verifies the signature of an export: 32 bytes of Ed25519, in hexadecimal
    """

    title: str
    metric: str
    confidence: float
    submissions: int
    per_team: str
    step: float
    corrections: int
    labels: str
    public_rows: int
    final_rows: int
    made: str
    public_key: str
    version: int = VERSION

    @property
    def share(self) -> Fraction | None:
        """The part of each team; None if nothing is set aside."""
        return Fraction(self.per_team) if self.per_team else None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)

    def write(self, folder: Path) -> None:
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        write_whole(folder / FILE, text.encode())

    @classmethod
    def read(cls, folder: Path) -> "BoardSettings":
        """The settings of the board in a folder."""
        path = folder / FILE
        try:
            found = json.loads(path.read_bytes())
            if not isinstance(found, dict) or found.get("version") != VERSION:
                raise ValueError(f"not of version {VERSION}")
            return cls(**found)
        except FileNotFoundError:
            problem, hint = "is not a board", "peekproof board create makes one"
        except (OSError, ValueError, TypeError) as error:
            problem, hint = f"cannot be read as a board ({error})", "restore its board.json"
        raise DataError(source=str(folder), problem=problem, hint=hint)


ID = "id"
_MOST_NAMED = 3
_EXACT = 2**53


def table_of(given: object, *, argument: str, value: str) -> pl.DataFrame:
    """A frame with a column `id` of texts, each once, and a column `value` without gaps.

    Of a file all cells are text: what they stand for is for the caller to say.
    """
    frame = _frame(given, argument, value)
    missing = [name for name in (ID, value) if name not in frame.columns]
    if missing:
        raise InvalidInput(
            argument=argument,
            accepted=f"a table with the columns {ID} and {value}",
            given=f"one with {', '.join(frame.columns[:8]) or 'none'}",
        )
    ids = frame[ID]
    if ids.dtype.is_float() or ids.dtype.is_nested():
        raise InvalidInput(
            argument=argument,
            accepted="a table whose ids are text or integers",
            given=f"ids of {ids.dtype}",
        )
    frame = frame.with_columns(ids.cast(pl.String))
    if frame[value].dtype in (pl.Categorical, pl.Enum):  # texts, whatever stands for them
        frame = frame.with_columns(frame[value].cast(pl.String))
    if not frame.height:
        raise InvalidInput(argument=argument, accepted="at least one row", given="none")
    if frame[ID].null_count() or frame[value].null_count():
        without = frame[ID].filter(frame[value].is_null()).drop_nulls()
        raise InvalidInput(
            argument=argument,
            accepted=f"an {ID} and a {value} in every row",
            given=f"no {value} for {named(without)}" if without.len() else f"a row without an {ID}",
        )
    twice = frame[ID].filter(frame[ID].is_duplicated()).unique(maintain_order=True)
    if twice.len():
        raise InvalidInput(
            argument=argument, accepted="every id once", given=f"{named(twice)} more than once"
        )
    return frame


def named(ids: pl.Series) -> str:
    """A few ids, for an error."""
    few = ", ".join(repr(each) for each in ids.head(_MOST_NAMED).to_list())
    return few if ids.len() <= _MOST_NAMED else f"{few} and {ids.len() - _MOST_NAMED:,} others"


def as_numbers(column: pl.Series) -> Numbers | None:
    """The values as doubles, true and false as 1 and 0; None if some are no finite numbers.

    None, too, if some are written in full and too large for doubles to tell from their neighbours.
    """
    if no_numbers(column).any():
        return None
    return cast(Numbers, column.cast(pl.Float64).to_numpy())


def no_numbers(column: pl.Series) -> pl.Series:
    """Which values `as_numbers` does not take."""
    if column.dtype.is_nested() or column.dtype.is_temporal():
        return pl.repeat(True, len(column), eager=True)
    found = column.cast(pl.Float64, strict=False)
    wrong = ~found.is_finite().fill_null(False)
    return wrong if column.dtype.is_float() else wrong | (found.abs() >= _EXACT).fill_null(True)


def as_texts(column: pl.Series) -> Texts:
    return cast(Texts, column.cast(pl.String).to_numpy().astype(str))


def _frame(given: object, argument: str, value: str) -> pl.DataFrame:
    if isinstance(given, str | Path):
        return _read_table(Path(given))
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, Mapping):
        if set(given) >= {ID, value} and not isinstance(given[ID], str | int | float):
            columns: Mapping[str, object] = given
        else:  # from id to value
            columns = {ID: [str(each) for each in given], value: list(given.values())}
    elif hasattr(given, "to_dict") and hasattr(given, "columns"):  # a pandas frame
        columns = {str(name): given[name].tolist() for name in given.columns}  # type: ignore[index]
    else:
        raise InvalidInput(
            argument=argument,
            accepted=f"a file or a frame with the columns {ID} and {value}",
            given=f"a {type(given).__name__}",
        )
    try:
        return pl.DataFrame(columns)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        accepted = "columns of equal length and of one kind each"
        raise InvalidInput(argument=argument, accepted=accepted, given=_others(columns)) from None


def _others(columns: Mapping[str, object]) -> str:
    """What is wrong with columns that are no table: the first value of another kind, by its id."""
    lists = {name: list(each) for name, each in columns.items() if isinstance(each, Iterable)}
    lengths = {name: len(each) for name, each in lists.items()}
    if len(set(lengths.values())) > 1:
        return ", ".join(f"{count:,} in {name}" for name, count in lengths.items())[:120]
    for name, values in lists.items():
        kinds = [_kind(each) for each in values]
        first = next((each for each in kinds if each), "")
        for place, kind in enumerate(kinds):
            if kind and kind != first:
                whose = f" for {lists[ID][place]!r}"[:60] if ID in lists else ""
                return f"{values[place]!r:.40}{whose}, {kind} after {first} in column {name}"
    return "others"


def _kind(value: object) -> str:
    """What a value is, in words; nothing of one that is missing."""
    match value:
        case None:
            return ""
        case bool():
            return "true or false"
        case str():
            return "text"
        case Integral():
            return "a whole number"
        case Real():
            return "a decimal number"
        case _:
            return f"a {type(value).__name__}"


def _read_table(path: Path) -> pl.DataFrame:
    ending = path.suffix.lower()
    try:
        if ending in PARQUET:
            return pl.read_parquet(path)
        if ending in SEPARATORS:
            return pl.read_csv(path, separator=SEPARATORS[ending], infer_schema=False)
        problem = "is of no kind that is read here"
    except (OSError, pl.exceptions.PolarsError) as error:
        problem = f"cannot be read ({str(error).splitlines()[0][:120]})"
    raise DataError(source=str(path), problem=problem, hint="name a CSV, TSV or Parquet file")


PUBLIC, FINAL, ROWS = "public.parquet", "final.parquet", "rows.parquet"
TEXT, NUMBERS = "text", "numbers"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Phases:
    """The labels that a board is made of. `kind` is "text" or "numbers", the same in both.

    `given` are the ids of all rows in the order in which they were given.
    """

    public: pl.DataFrame
    final: pl.DataFrame
    kind: str
    given: pl.Series

    def write(self, folder: Path) -> None:
        """Keep them, and apart from them the ids, which submissions are compared with."""
        in_final = self.given.is_in(self.final[ID].to_list())
        for name, frame in (
            (PUBLIC, self.public),
            (FINAL, self.final),
            (ROWS, pl.DataFrame({ID: self.given, "final": in_final})),
        ):
            buffer = BytesIO()
            frame.write_parquet(buffer)
            write_whole(folder / name, buffer.getvalue(), mode=0o600)


def phases_of(labels: object, final: object) -> Phases:
    """The two phases: of two tables, or of one from which a share is split off at random."""
    public = table_of(labels, argument="labels", value=LABEL)
    given = public[ID]
    if isinstance(final, int | float) and not isinstance(final, bool):
        public, rest = _split(public, float(final))
    else:
        rest = table_of(final, argument="final", value=LABEL)
        given = pl.concat([given, rest[ID]])
    both = rest[ID].filter(rest[ID].is_in(public[ID].to_list()))
    if both.len():
        accepted = "rows that are not in the public phase"
        raise InvalidInput(argument="final", accepted=accepted, given=named(both))
    if ROW in public.columns:
        accepted = f"without a group called {ROW!r}, which rows are numbered by"
        raise InvalidInput(argument="labels", accepted=accepted, given="one")
    columns = [public[LABEL], rest[LABEL]]
    written = any(each.dtype == pl.String for each in columns)
    words = [as_numbers(each) is None for each in columns]
    if not isinstance(final, int | float) and words[0] != words[1] and written:
        # As text, numbers would be other labels than those that the witness may know.
        kinds = ["text" if each else "numbers" for each in words]
        raise InvalidInput(
            argument="final",
            accepted=f"labels of the kind that the public ones have, {kinds[0]}",
            given=kinds[1],
        )
    kind = TEXT if written and any(words) else NUMBERS
    return Phases(_typed(public, kind), _typed(rest, kind).select(ID, LABEL), kind, given)


def _split(rows: pl.DataFrame, share: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    count = round(share * rows.height)
    if not 0 < count < rows.height:
        raise InvalidInput(
            argument="final",
            accepted="a table, or a share between 0 and 1 that leaves rows for both phases",
            given=f"{share:g} of {rows.height:,} rows",
        )
    chosen = set(SystemRandom().sample(range(rows.height), count))
    taken = pl.Series([each in chosen for each in range(rows.height)])
    return rows.filter(~taken), rows.filter(taken)


def _typed(rows: pl.DataFrame, kind: str) -> pl.DataFrame:
    column = rows[LABEL]
    values = as_texts(column) if kind == TEXT else as_numbers(column)
    if values is None:
        wrong = no_numbers(column)
        raise InvalidInput(
            argument="labels",
            accepted="finite numbers, below 2^53 if they are whole, or text",
            given=f"{column.filter(wrong)[0]!r:.40} for {named(rows[ID].filter(wrong))}",
        )
    return rows.with_columns(pl.Series(LABEL, values))


def read_ids(folder: Path) -> tuple[list[str], list[str]]:
    """The ids of both phases, in their order."""
    rows = _read(folder / ROWS)
    return rows.filter(~pl.col("final"))[ID].to_list(), rows.filter("final")[ID].to_list()


def read_held(path: Path) -> HeldRows:
    """The rows of a phase with their labels, and groups if there are some."""
    rows = _read(path)
    groups: Mapping[str, pl.Series] = {
        name: rows[name] for name in rows.columns if name not in (ID, LABEL)
    }
    # Named as a holdout with these ids names them: the same labels have one budget.
    return held_rows(rows[ID].to_list(), rows[LABEL], groups)


def read_both(folder: Path, *, by_id: bool = False) -> HeldRows:
    """The rows of both phases as one, in the order in which they were given, or that of ids."""
    labels = pl.concat(_read(folder / each).select(ID, LABEL) for each in (PUBLIC, FINAL))
    ids = _read(folder / ROWS).select(ID)
    if by_id:
        numbers = ids[ID].cast(pl.Int64, strict=False)
        ids = ids.sort(ID if numbers.has_nulls() else numbers, maintain_order=True)
    rows = ids.join(labels, on=ID, how="left", maintain_order="left")
    return held_rows(rows[ID].to_list(), rows[LABEL], {})


def _read(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError):
        hint = "restore the folder from a backup, the newest"
        raise DataError(source=str(path), problem="cannot be read", hint=hint) from None


ENDING = ".board"


def board_folder(name: str | Path) -> Path:
    """The folder of a board: NAME stands for NAME.board."""
    path = Path(name)
    return path if path.suffix == ENDING else path.with_name(path.name + ENDING)


def mean_metric(given: object) -> Metric:
    """A metric that is a mean over rows, which is what a board can promise for."""
    metric = metric_of(given)
    if metric.span != 1:
        raise InvalidInput(
            argument="metric",
            accepted="one whose scores are from 0 to 1, for a board",
            given=metric.text,
            hint="scale the labels to [0, 1], and name these as its bounds",
        )
    return metric


def make_board(
    folder: Path,
    *,
    labels: object,
    final: object,
    metric: object,
    confidence: float,
    submissions: int,
    per_team: float | str | Fraction | None,
    step: float | None,
    corrections: int,
    title: str,
) -> BoardSettings:
    """Check everything, then write the folder under another name and rename it."""
    if folder.exists():
        raise DataError(
            source=str(folder), problem="exists already", hint="name another folder for a new board"
        )
    phases = phases_of(labels, final)
    scored = mean_metric(metric)
    check.probability(confidence=confidence)
    check.positive_integer(submissions=submissions)
    check.positive_integer(corrections=corrections)
    rows = phases.public.height
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with removed_on_failure(making):
            settings = BoardSettings(
                title=_title(title or folder.stem),
                metric=scored.text,
                confidence=float(confidence),
                submissions=submissions,
                per_team=_share(per_team, submissions),
                step=_step(step, rows),
                corrections=corrections,
                labels=phases.kind,
                public_rows=rows,
                final_rows=phases.final.height,
                made=moment(),
                public_key=new_key(making),
            )
            phases.write(making)
            settings.write(making)
            making.rename(folder)
    except OSError as error:
        problem, hint = f"cannot be made ({error.strerror})", "name another folder"
        raise DataError(source=str(folder), problem=problem, hint=hint) from error
    sync_folder(folder.parent)
    return settings


def moment() -> str:
    """Now, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _title(title: str) -> str:
    if len(title) > 200 or not title.isprintable():
        accepted = "a printable text of at most 200 characters"
        raise InvalidInput(argument="title", accepted=accepted, given=repr(title)[:80])
    return title


def _share(per_team: float | str | Fraction | None, submissions: int) -> str:
    if per_team is None:
        return ""
    try:
        share = Fraction(str(per_team))
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1 or share * submissions < 1:
        raise InvalidInput(
            argument="per_team",
            accepted="a share of all submissions, such as 1/10, that is at least one of them",
            given=repr(per_team)[:80],
        )
    return str(share)


def _step(step: float | None, rows: int) -> float:
    if step is None:
        return round(1 / sqrt(rows), 4) or 0.0001
    if not 0 < step < 1:
        accepted = "between 0 and 1, on the scale of the metric"
        raise InvalidInput(argument="step", accepted=accepted, given=repr(step)[:80])
    return float(step)


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The reason, if any, for which the labels of a new board may have a second ledger."""

    whole: str  # the fingerprint of the rows of both phases
    columns: Marked  # what they are recognised by besides
    against: str  # what the witness knows of them, or of the final; empty if nothing
    public: str | None  # the reason, where it is about the public phase, whose ledger takes it
    rest: str | None  # where it is not, and has to be recorded besides

    def settle(self, place: Path) -> None:
        """Have the labels of both phases witnessed as those of the ledger at this place."""
        with closing(Ledger.open(str(place))) as ledger:
            if self.rest is not None:
                ledger.override(reason=self.rest, against=self.against)
            witness, first, last = witness_of(ledger.place), ledger.entry(1), ledger.look().last
            if witness and first and last:
                watch = Watch(
                    witness,
                    fingerprint=self.whole,
                    first=first,
                    place=ledger.place,
                    marked=lambda: self.columns,
                    promise=promise_of(ledger.opening),
                )
                with closing(watch):
                    watch.adopt(last)


def claimed(folder: Path, ledger: Path, *, override: str | None) -> Claim:
    """Refuse labels of which all, or those of the final, have a ledger, unless overridden."""
    check_reason(override=override)
    public, final = (read_held(folder / each) for each in (PUBLIC, FINAL))
    both, place = read_both(folder), str(ledger)
    marks = together(both.marks, read_both(folder, by_id=True).marks)
    columns = Marked(both.rows, tuple(marks), ordered=both.ordered)
    witness = witness_of(place)
    try:
        doubt = doubt_about(witness, Rows(both.fingerprint), columns=columns, place=place)
        if doubt is None:
            rows = Rows(final.fingerprint)
            doubt = doubt_about(witness, rows, columns=marked(final), place=place)
        if doubt is not None and override is None:
            raise doubt
        about_public = doubt_about(
            witness, Rows(public.fingerprint), columns=marked(public), place=place
        )
        elsewhere = doubt is not None and about_public is None
    finally:
        if witness is not None:
            witness.close()
    return Claim(
        whole=both.fingerprint,
        columns=columns,
        against="" if doubt is None else doubt.against,
        public=None if elsewhere else override,
        rest=override if elsewhere else None,
    )
