"""The laws of sources hold for all engines, and see a source that breaks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

from engines.opening import in_duckdb, in_files, in_postgres
from ledger.postgres_server import Database
from peekproof.data.load import in_memory
from peekproof.data.source import Source, Total
from peekproof.query.question import Question
from peekproof.testing.sources import LAWS, Held, Law
from peekproof.testing.statistics import Violation


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("engine", ["memory", "files", "duckdb", "postgres"])
def test_a_law_holds(law: Law, engine: str, database: Database, tmp_path: Path) -> None:
    openers: dict[str, Callable[[pl.DataFrame], Source]] = {
        "memory": in_memory,
        "files": in_files(tmp_path),
        "duckdb": in_duckdb,
        "postgres": in_postgres(database),
    }
    law(Held(engine, openers[engine]))


class Forgetful:
    """Leaves out one row, and the causes of failures in."""

    ordered = False

    def __init__(self, frame: pl.DataFrame) -> None:
        self._table = in_memory(frame[1:])
        self.schema, self.rows = self._table.schema, self._table.rows
        self.fingerprint = self._table.fingerprint
        self._asked = 0

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        self._asked += 1
        table = in_memory(self._table._frame[self._asked :])
        try:
            return table.totals(questions)
        except Exception as error:
            raise error from KeyError("a name")

    totals_part = totals_round = measure = totals

    def close(self) -> None: ...


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_can_be_broken(law: Law) -> None:
    with pytest.raises(Violation):
        law(Held("forgetful", Forgetful))  # type: ignore[arg-type]
