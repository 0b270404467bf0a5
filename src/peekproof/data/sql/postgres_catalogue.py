"""What PostgreSQL's catalogue says of a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

from psycopg import sql

from peekproof.core.errors import DataError
from peekproof.data.sql.missing import no_such_table, not_a_table
from peekproof.data.sql.postgres_table import Typed

Run = Callable[[Any, Sequence[Any]], list[tuple[Any, ...]]]

_REFUSED = {"v": "view", "f": "foreign table"}
_KEPT = ("r", "p", "m")

_RELATIONS = """
    SELECT n.nspname, c.relname, c.relkind::text, c.oid::bigint, pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
"""
_FOREIGN_PARTS = """
    SELECT count(*) FROM pg_catalog.pg_partition_tree($1::bigint::oid::regclass) t
    JOIN pg_catalog.pg_class c ON c.oid = t.relid WHERE c.relkind = 'f'
"""
# A domain is followed to the type that it is made of.
_COLUMNS = """
    WITH RECURSIVE based AS (
        SELECT a.attnum, a.attname, a.attcollation, a.atttypid AS type, a.atttypmod AS modifier
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = $1::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL
        SELECT b.attnum, b.attname, b.attcollation, t.typbasetype, t.typtypmod
        FROM based b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
    )
    SELECT b.attname, t.typname, t.typtype = 'e', b.modifier, coalesce(c.collisdeterministic, true)
    FROM based b JOIN pg_catalog.pg_type t ON t.oid = b.type
    LEFT JOIN pg_catalog.pg_collation c ON c.oid = b.attcollation
    WHERE t.typtype <> 'd' ORDER BY b.attnum
"""
_DEFINITION = """
    SELECT attnum, attname, atttypid::bigint, atttypmod, attcollation::bigint
    FROM pg_catalog.pg_attribute
    WHERE attrelid = $1::bigint::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
_VERSIONS = """
    SELECT count(*), sum(x), sum(x * x), count(DISTINCT x)
    FROM (SELECT xmin::text::numeric AS x FROM {}) AS held
"""


@final
@dataclass(frozen=True, slots=True)
class Relation:
    """A table of a database."""

    schema: str
    table: str
    oid: int


def found(run: Run, schema: str | None, table: str, source: str) -> Relation:
    """The table of this name, in the schema or where the user's search path finds it."""
    known = run(_RELATIONS, [])
    for held, name, kind, oid, visible in known:
        if name == table and (held == schema if schema is not None else visible):
            if kind in _REFUSED:
                raise not_a_table(source, table, _REFUSED[kind])
            ((foreign,),) = run(_FOREIGN_PARTS, [oid]) if kind == "p" else ((0,),)
            if foreign:
                raise not_a_table(source, table, "table with foreign partitions")
            return Relation(held, table, oid)
    names = [
        f"{held}.{name}" if schema or not visible else name
        for held, name, kind, _, visible in known
        if kind in _KEPT
    ]
    wanted = table if schema is None else f"{schema}.{table}"
    raise no_such_table(source, wanted, names)


def columns(run: Run, relation: Relation) -> list[Typed]:
    """The columns with their types."""
    return [Typed(*row) for row in run(_COLUMNS, [relation.oid])]


def version(run: Run, relation: Relation) -> tuple[Any, ...]:
    """A token that changes with the rows: which transactions wrote how many of them."""
    place = sql.Identifier(relation.schema, relation.table)
    held = run(sql.SQL(_VERSIONS).format(place), [])
    return (relation.oid, *held, *run(_DEFINITION, [relation.oid]))


def check_encoding(run: Run, source: str) -> None:
    """Refuse a database that cannot hold every text."""
    ((encoding,),) = run("SELECT current_setting('server_encoding')", [])
    if encoding != "UTF8":
        raise DataError(
            source=source,
            problem=f"is in a database with the encoding {encoding}",
            hint="text is compared in UTF8 only; copy the table to a database with that encoding",
        )
