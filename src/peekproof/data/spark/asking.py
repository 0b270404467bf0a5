"""Questions to one job: Ibis writes what the compiler says, and Spark adds it up."""

from collections.abc import Sequence
from typing import final

import ibis
from pyspark.sql import DataFrame

from peekproof.data.spark.columns import Columns
from peekproof.data.spark.operations import SparkOperations
from peekproof.data.spark.writing import written
from peekproof.data.sql.aggregate import Groups, Sums, Totals, aggregate, summed
from peekproof.data.sql.compile import Scope
from peekproof.data.sql.ground import Value
from peekproof.query.form import Drawn
from peekproof.query.schema import Kind

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
