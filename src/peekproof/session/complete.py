"""Columns that are declared to have a value in every row, held against the rows."""

import sys
from typing import cast

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.query.form import Share
from peekproof.query.question import question_of
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Column, Compare, IsNull, Number, Or, Predicate

_LARGEST = sys.float_info.max
_SHOWN = 5


def check_complete(source: Source, schema: Schema) -> None:
    """Refuse columns that are declared complete where a row has no value.

    The custodian is told, before anything is answered or a ledger is made. An analyst never is:
    means of a column have one form for all rows that can be held under the declaration.
    """
    names = sorted(schema.complete - source.schema.complete)
    if not names:
        return
    asked = [
        question_of(Share(_gap(name, schema)), text=f"column {number}")
        for number, name in enumerate(names)
    ]
    whole = UnsafeEmpirical(rows=1)
    counts = [cast(Exact[int], total) for total in source.totals(asked)]
    gaps = [
        name for name, count in zip(names, counts, strict=True) if whole.release_unsafely(count) > 0
    ]
    if gaps:
        listed = ", ".join(gaps[:_SHOWN]) + (", …" if len(gaps) > _SHOWN else "")
        raise InvalidInput(
            argument="complete",
            accepted="columns with a value in every row, and a finite one if it is a number",
            given=f"{listed} of which some rows have none"[:200],
            hint="leave them out: means are then among the rows with a value",
        )


def _gap(name: str, schema: Schema) -> Predicate:
    column = Column(name)
    missing = IsNull(column, negated=False)
    if schema.columns[name] is not Kind.NUMBER:
        return missing
    above, below = (
        Compare(sign, column, Number(end)) for sign, end in ((">", _LARGEST), ("<", -_LARGEST))
    )
    return Or((missing, above, below))
