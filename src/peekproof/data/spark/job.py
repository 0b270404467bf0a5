"""Spark jobs: questions become one job, for which Ibis writes the SQL and Spark adds up the rows.

`SparkOperations` is what Spark does in its own way, and `written` gives expressions of Ibis as
text that Spark reads as they are meant.
"""

import math
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import ibis
import ibis.expr.datatypes as kinds
import sqlglot.expressions as syntax
from ibis.backends.sql.compilers import PySparkCompiler
from ibis.backends.sql.compilers.base import SQLGlotCompiler
from pyspark.sql import DataFrame

import peekproof.data as here
from peekproof.data.spark.columns import Columns
from peekproof.data.sql.aggregate import Groups, Sums, Totals, aggregate, summed
from peekproof.data.sql.compile import Operations, Scope, Value
from peekproof.query.form import Drawn
from peekproof.query.schema import Kind

if TYPE_CHECKING:
    from pyspark import SparkContext


@final
class SparkOperations(Operations):
    """Texts are written as the hexadecimal digits of their bytes: nothing in them is syntax."""

    def text(self, text: str) -> Value | None:
        """A text that a question gives; None for one that is not Unicode, which no row holds."""
        try:
            content = text.encode()
        except UnicodeEncodeError:
            return None
        return self.ground.literal(content, "binary").cast("string")


@final
class _Compiler(PySparkCompiler):  # type: ignore[misc]
    """Without Ibis's options for Spark, which only a connection of its own brings along."""

    __slots__ = ()

    def visit_Field(self, op: Any, *, rel: Any, name: str) -> Any:  # noqa: N802
        return SQLGlotCompiler.visit_Field(self, op, rel=rel, name=name)

    def visit_NonNullLiteral(  # noqa: N802
        self, op: Any, *, value: Any, dtype: kinds.DataType
    ) -> Any:
        """A double has an exponent: without one Spark would take it for a decimal."""
        if not dtype.is_floating():
            return super().visit_NonNullLiteral(op, value=value, dtype=dtype)
        if not math.isfinite(value):
            return self.cast(syntax.Literal.string(str(value)), dtype)
        digits = repr(abs(value))
        number = syntax.Literal.number(digits if "e" in digits else f"{digits}e0")
        return syntax.Neg(this=number) if math.copysign(1.0, value) < 0 else number


_COMPILER = _Compiler()


def written(expression: Any) -> str:
    """The text of a table expression."""
    text: str = _COMPILER.to_sqlglot(expression).sql(_COMPILER.dialect)
    return text


_VIEW = "held"
_TYPES = {Kind.TEXT: "string", Kind.FLAG: "boolean"}


@final
class Asking:
    """A frame, in a session of its own, that forms are asked of."""

    def __init__(self, frame: DataFrame, columns: Columns, *, rows: int) -> None:
        self._session = frame.sparkSession
        self._rows = rows
        columns.asked(frame).createOrReplaceTempView(_VIEW)
        kinds = columns.schema.columns
        types = {columns.plain(name): _TYPES.get(kind, "float64") for name, kind in kinds.items()}
        self._table = ibis.table(types, name=_VIEW)
        self._scope = Scope(
            column=lambda name: self._table[columns.plain(name)],
            kind=lambda name: kinds[name],
            with_nan=lambda name: name in columns.with_nan,
            does=SparkOperations(),
        )

    def totals(self, forms: Sequence[Drawn]) -> list[Totals]:
        """What all rows contribute to each of the forms."""
        plans = [aggregate(form, self._scope, self._rows) for form in forms]
        summed = [each for plan in plans if isinstance(plan, Sums) for each in plan.sums]
        sums = iter(self._sums(summed) if summed else ())
        return [
            plan.read([next(sums) for _ in plan.sums])
            if isinstance(plan, Sums)
            else self._groups(plan)
            for plan in plans
        ]

    def _sums(self, values: Sequence[Value]) -> list[int]:
        named = {f"s{place}": summed(value, self._table) for place, value in enumerate(values)}
        ((*found,),) = self._collected(self._table.aggregate(**named))
        return [int(each) for each in found]

    def _groups(self, plan: Groups) -> Totals:
        rows = self._table.select(cell=plan.cell, weight=plan.weight)
        grouped = rows.group_by("cell").aggregate(held=rows.count(), added=rows.weight.sum())
        return plan.totals(self._collected(grouped))

    def _collected(self, expression: Value) -> list[tuple[int, ...]]:
        return [tuple(row) for row in self._session.sql(written(expression)).collect()]


def prepared(context: "SparkContext") -> bool:
    """Whether all workers agree with this process; sends them the package if they do not."""
    if _agreed(context):
        return True
    context.addPyFile(str(_zipped(Path(context._temp_dir))))
    return _agreed(context)


def _agreed(context: "SparkContext") -> bool:
    probe, several = _probe(), 2 * context.defaultParallelism
    try:
        found = context.parallelize(range(several), several).map(probe).collect()
    except Exception:
        return False  # not even the same Python
    return set(found) == {probe(0)}


def _probe() -> Callable[[int], str]:
    # A function inside a function travels as code: workers need not have this module.
    def probe(_: int) -> str:
        try:
            import polars  # noqa: PLC0415
            import pyarrow  # noqa: PLC0415

            from peekproof.data.spark.marking import of_arrow  # noqa: PLC0415

            cells = {"a": [1.5, None, -0.0], "b": ["", "é", None], "c": [True, None, False]}
            types = {"a": polars.Float64(), "b": polars.String(), "c": polars.Boolean()}
            found = of_arrow([pyarrow.table(cells)], types, {name: name for name in cells})
            return found.digest
        except Exception:
            return ""

    return probe


def _zipped(folder: Path) -> Path:
    package, target = Path(here.__file__).parents[1], folder / "peekproof.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(package.rglob("*.py")):
            archive.write(file, file.relative_to(package.parent))
    return target
