"""Statements with parameters: values go to the engine beside the statement, never in it."""

from typing import Any, final

import ibis
import ibis.expr.datashape as shapes
import ibis.expr.datatypes as kinds
import ibis.expr.operations as ops
import sqlglot.expressions as syntax
from ibis.backends.sql.compilers import DuckDBCompiler, PostgresCompiler

from peekproof.data.sql.ground import Ground, Value


class Bound(ops.Value):  # type: ignore[misc]
    """A parameter of a statement, by its number from 1."""

    number: int
    dtype: kinds.DataType
    shape = shapes.scalar


@final
class Binding(Ground):
    """A ground on which what questions give are parameters, numbered as they are asked for."""

    def __init__(self) -> None:
        self._count = 0

    def literal(self, value: Any, kind: str) -> Value:  # noqa: ARG002
        self._count += 1
        return Bound(number=self._count, dtype=ibis.dtype(kind)).to_expr()


def _parameter(compiler: Any, number: int, dtype: kinds.DataType) -> Any:
    return compiler.cast(syntax.Parameter(this=syntax.Literal.number(number)), dtype)


@final
class _DuckDB(DuckDBCompiler):  # type: ignore[misc]
    __slots__ = ()

    def visit_Bound(self, op: Any, *, number: int, dtype: kinds.DataType) -> Any:  # noqa: ARG002, N802
        return _parameter(self, number, dtype)


@final
class _Postgres(PostgresCompiler):  # type: ignore[misc]
    __slots__ = ()

    def visit_Bound(self, op: Any, *, number: int, dtype: kinds.DataType) -> Any:  # noqa: ARG002, N802
        return _parameter(self, number, dtype)

    def visit_Limit(self, op: Any, *, parent: Any, n: Any, offset: Any) -> Any:  # noqa: N802
        """No limit and an offset of 0 stay: PostgreSQL does not look through them."""
        inner = parent.this if isinstance(parent, syntax.Subquery) else None
        if n is not None or offset or inner is None:
            return super().visit_Limit(op, parent=parent, n=n, offset=offset)
        return inner.offset(0, copy=False)


_COMPILERS: dict[str, Any] = {"duckdb": _DuckDB(), "postgres": _Postgres()}


def statement(table: Any, dialect: str) -> str:
    """The text of a table expression for an engine, with $1, $2, … for its parameters."""
    made: str = _COMPILERS[dialect].to_sqlglot(table).sql(dialect)
    return made
