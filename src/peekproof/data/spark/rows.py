"""A Spark data frame as a source of rows: its parts, its files, and how a session holds it.

Which part of a split a row belongs to is decided row by row on the executors. `Files` tells
whether the files behind a frame are still those that its fingerprint was computed from.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, final

from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from peekproof.core.errors import DataChanged, DataError, EvaluationFailed, PeekproofError
from peekproof.data.fingerprint import Fingerprint
from peekproof.data.frame import LARGEST, Frame, empty, needs_column, unsuitable
from peekproof.data.source import Total, Unordered, sealed
from peekproof.data.spark.cluster import Lease
from peekproof.data.spark.columns import Columns
from peekproof.data.spark.job import Asking, prepared
from peekproof.data.spark.marking import on_driver, on_executors
from peekproof.query.form import Given
from peekproof.query.question import Question
from peekproof.query.schema import Kind


def part_of(frame: DataFrame, columns: Columns, part: Frame) -> DataFrame:
    """The rows of a part only: which ones depends on no question."""
    positions = _positions(frame)
    digest = f.md5(f.concat(f.lit(part.salted("")), _written(positions, columns, part.by)))
    held = positions.filter(f.substring(digest, 1, 2).isin(sorted(part.buckets)))
    return held.toDF(*frame.columns)


def check_distinct(frame: DataFrame, columns: Columns, by: str, *, rows: int) -> None:
    """Refuse a column that cannot tell all rows apart."""
    if not by:
        raise needs_column()
    positions = _positions(frame)
    key = _key(positions, columns, by)
    usable = key.isNotNull()
    if columns.schema.columns[by] is Kind.NUMBER:
        usable = (f.abs(key) < f.lit(LARGEST)) & (f.floor(key) == key)
    counted = f.sum(f.when(usable, f.lit(1)).otherwise(f.lit(0)))
    ((values, whole),) = positions.select(f.count_distinct(key), counted).collect()
    if whole != rows:
        raise unsuitable(by, "a value that is missing, not whole or too large")
    if values != rows:
        raise unsuitable(by, "a value that two rows have")


def _positions(frame: DataFrame) -> DataFrame:
    """The columns by position: what one is called reaches no expression."""
    return frame.toDF(*(f"p{place}" for place in range(len(frame.columns))))


def _key(positions: DataFrame, columns: Columns, by: str) -> Column:
    column = positions[f"p{columns.places[by]}"]
    kind = "double" if columns.schema.columns[by] is Kind.NUMBER else "string"
    return column.cast(kind)


def _written(positions: DataFrame, columns: Columns, by: str) -> Column:
    """The column as all engines write it: text as it is, whole numbers in decimal digits."""
    key = _key(positions, columns, by)
    number = columns.schema.columns[by] is Kind.NUMBER
    return key.cast("long").cast("string") if number else key


# What these do to rows depends on the rows alone. A limit, a sample or a join may give other
# rows in every job, though all files are the same.
_STEADY = frozenset({"LogicalRelation", "Project", "Filter", "Union", "SubqueryAlias", "View"})
_FILES = "HadoopFsRelation"

Token = tuple[tuple[str, int, int], ...]


@final
class Files:
    """The files of a frame: which, how long, and when they were last written."""

    def __init__(self, frame: DataFrame) -> None:
        context = frame.sparkSession.sparkContext
        jvm = context._jvm
        if jvm is None:
            raise RuntimeError("the session has been stopped")
        self._hadoop = context._jsc.hadoopConfiguration()
        self._paths = [
            (name, jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(name)))
            for name in sorted(frame.inputFiles())
        ]

    def token(self) -> Token:
        """The same as long as no file was written, replaced or removed; length −1 if gone."""
        return tuple((name, *self._status(path)) for name, path in self._paths)

    def _status(self, path: Any) -> tuple[int, int]:
        try:
            status = path.getFileSystem(self._hadoop).getFileStatus(path)
            return int(status.getLen()), int(status.getModificationTime())
        except Py4JJavaError:
            return -1, -1


def made_of_files(frame: DataFrame) -> bool:
    """Whether every job on the frame gives the same rows while its files are the same."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    return bool(plan.deterministic()) and _steady(plan) and bool(frame.inputFiles())


def _steady(plan: Any) -> bool:
    name = plan.getClass().getSimpleName()
    if name == "LogicalRelation":
        return str(plan.relation().getClass().getSimpleName()) == _FILES
    children = plan.children()
    return name in _STEADY and all(_steady(children.apply(i)) for i in range(children.size()))


T = TypeVar("T")

_ATTEMPTS = 3


@final
class SparkRows(Unordered):
    """A `Source` whose rows stay on the cluster; only totals come back.

    Frames of files are checked before and after every job: if a file was written in between,
    the fingerprint is computed again, and other rows are a DataChanged. Other frames have been
    set down on the cluster when they were opened, and cannot change.
    """

    def __init__(
        self,
        frame: DataFrame,
        columns: Columns,
        *,
        name: str,
        lease: Lease,
        files: Files | None,
        part: Frame | None = None,
    ) -> None:
        self.frame = part
        self._frame, self._columns, self._name = frame, columns, name
        self._lease, self._files = lease, files
        self._parallel = prepared(frame.sparkSession.sparkContext)
        self._token, mark = self._marked()
        self.schema = columns.schema
        self.rows = mark.rows
        self.fingerprint = mark.digest
        self._asking = Asking(frame, columns, rows=self.rows)

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in exact integers."""
        forms = {
            question.digest: question.form
            for question in questions
            if not isinstance(question.form, Given)
        }
        found = dict(
            zip(forms, self._steadily(lambda: self._asking.totals([*forms.values()])), strict=True)
        )
        if any(question.digest not in found for question in questions):
            raise EvaluationFailed()  # a quotient is drawn as its parts
        return [sealed(found[question.digest]) for question in questions]

    def restricted(self, frame: Frame) -> "SparkRows":
        """The rows of a part, on the same cluster."""
        try:
            check_distinct(self._frame, self._columns, frame.by, rows=self.rows)
            held = part_of(self._frame, self._columns, frame)
            lease = Lease(self._lease.session, started=False)
            part = SparkRows(
                held, self._columns, name=self._name, lease=lease, files=self._files, part=frame
            )
        except PeekproofError:
            raise
        except Exception as error:
            problem = f"cannot be split ({type(error).__name__})"
            hint = "every executor has to read all of its rows"
            raise DataError(source=self._name, problem=problem, hint=hint) from error
        if part.rows == 0:
            part.close()
            raise empty(frame)
        return part

    def close(self) -> None:
        """Let go of the cluster, and end it if it was started for these rows."""
        self._lease.end()

    def _steadily(self, job: Callable[[], T]) -> T:
        """What a job gives that ran while nobody wrote to the files."""
        for _ in range(_ATTEMPTS):
            self._check()
            try:
                found = job()
            except Exception:
                if self._unchanged():
                    raise EvaluationFailed() from None
                continue
            if self._unchanged():
                return found
        raise EvaluationFailed()

    def _unchanged(self) -> bool:
        try:
            return self._files is None or self._files.token() == self._token
        except Exception:
            raise EvaluationFailed() from None

    def _check(self) -> None:
        """Raise DataChanged unless the rows are still those of the fingerprint."""
        if self._unchanged():
            return
        try:
            token, mark = self._marked()
        except Exception:
            raise DataChanged(source=self._name) from None
        if mark.digest != self.fingerprint:
            raise DataChanged(source=self._name)
        self._token = token

    def _marked(self) -> tuple[Token, Fingerprint]:
        """The fingerprint, and the token of the files that it was computed from."""
        compute = on_executors if self._parallel else on_driver
        for _ in range(_ATTEMPTS):
            token = self._files.token() if self._files else ()
            mark = compute(self._frame, self._columns)
            if not self._files or self._files.token() == token:
                return token, mark
        raise RuntimeError("the files are being written")
