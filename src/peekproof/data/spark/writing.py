"""Expressions of Ibis as text that Spark reads as they are meant."""

import math
from typing import Any, final

import ibis.expr.datatypes as kinds
import sqlglot.expressions as syntax
from ibis.backends.sql.compilers import PySparkCompiler
from ibis.backends.sql.compilers.base import SQLGlotCompiler


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
