"""Rows on a Spark cluster, as a session holds them."""

from collections.abc import Callable, Sequence
from typing import TypeVar, final

from pyspark.sql import DataFrame

from peekproof.core.errors import DataChanged, DataError, EvaluationFailed, PeekproofError
from peekproof.data.drawing import empty
from peekproof.data.fingerprint import Fingerprint
from peekproof.data.frame import Frame
from peekproof.data.source import Total, sealed
from peekproof.data.spark.asking import Asking
from peekproof.data.spark.cluster import Lease
from peekproof.data.spark.columns import Columns
from peekproof.data.spark.files import Files, Token
from peekproof.data.spark.marking import on_driver, on_executors
from peekproof.data.spark.part import check_distinct, part_of
from peekproof.data.spark.workers import prepared
from peekproof.data.unordered import Unordered
from peekproof.query.form import Given
from peekproof.query.question import Question

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
