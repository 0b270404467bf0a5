"""Whether the files behind a frame are still those that its fingerprint was computed from."""

from typing import Any, final

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame

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
