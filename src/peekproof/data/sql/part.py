"""A part of a split, decided row by row inside the database."""

from dataclasses import replace

import ibis

from peekproof.data.drawing import LARGEST, needs_column
from peekproof.data.frame import Frame
from peekproof.data.sql.bound import statement
from peekproof.data.sql.ground import Value
from peekproof.data.sql.layout import Layout
from peekproof.query.schema import Kind


def part_of(layout: Layout, frame: Frame) -> Layout:
    """The table with the rows of a part only: which ones depends on no question."""
    does = layout.operations()
    salted = ibis.literal(frame.salted(""), type="string") + _written(layout, frame.by)
    digest = does.ground.call("md5", "string > string", salted)
    held = digest.substr(0, 2).isin(sorted(frame.buckets))
    return replace(layout, table=layout.table.filter(held))


def suitable(layout: Layout, by: str) -> str:
    """The statement that counts the values of a column, and the rows that can be written."""
    if not by:
        raise needs_column()
    key, does = _key(layout, by), layout.operations()
    usable = key.notnull()
    if layout.columns[by].kind is Kind.NUMBER:
        small = (key < does.constant(LARGEST)) & (key > does.constant(-LARGEST))
        usable = small & (key.floor() == key)
    found = layout.table.aggregate(
        values=key.nunique(), usable=usable.ifelse(does.whole(1), does.whole(0)).sum()
    )
    return statement(found, layout.dialect)


def _key(layout: Layout, by: str) -> Value:
    return layout.columns[by].asked(layout.table[by], layout.operations())


def _written(layout: Layout, by: str) -> Value:
    """The column as all engines write it: text as it is, whole numbers in decimal digits."""
    key = _key(layout, by)
    return key if layout.columns[by].kind is Kind.TEXT else key.cast("int64").cast("string")
