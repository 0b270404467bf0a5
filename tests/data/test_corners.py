"""What careful readers once found wrong in the engines for memory and files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof.data.files as types_module
from peekproof.core.errors import DataChanged, DataError
from peekproof.data.frame import split
from peekproof.data.load import VARIABLE, in_memory, load, memory, shown
from peekproof.data.scan import scan
from peekproof.data.source import Source
from peekproof.query.question import parse_question
from peekproof.query.tree import Constant

KEYS = ("1" * 32, "2" * 32, "3" * 32)


def count(source: Source, text: str) -> int:
    (found,) = source.totals([parse_question(text, source.schema)])
    held = found.reveal()
    assert isinstance(held, int)
    return held


def test_what_is_the_same_for_all_rows_is_counted_twice_alike() -> None:
    engine = in_memory({"x": np.arange(4000.0)})._engine
    for _ in range(2):
        assert engine.counts([Constant(True)]) == [4000]
        assert engine.counts([Constant(False)]) == [0]


def test_an_array_that_its_owner_changes_later_changes_no_rows() -> None:
    x, gaps = np.arange(5.0), np.array([1.0, np.nan, 3.0, 4.0, 5.0])
    table = in_memory({"x": x, "gaps": gaps})
    x[:] = gaps[:] = 100.0
    assert (count(table, "x > 50"), count(table, "gaps > 50")) == (0, 0)


def test_two_names_that_are_the_same_as_text_are_refused() -> None:
    with pytest.raises(DataError, match="two columns of the same name"):
        in_memory({1: [1.0], "1": [2.0]})


def test_the_last_moments_that_64_bits_hold_have_their_fields() -> None:
    moments = pl.Series([2**63 - 2, -(2**63) + 1, 0]).cast(pl.Datetime("us", "UTC"))
    table = in_memory(pl.DataFrame({"m": moments}))
    asked = ("year(m) = 294247", "hour(m) = 4 and second(m) = 54", "day(m) = 10", "year(m) < 0")
    assert [count(table, text) for text in asked] == [1, 1, 1, 1]


def test_a_moment_that_is_too_far_away_is_an_error_of_the_data() -> None:
    far = pl.DataFrame({"m": pl.Series([2**62, 0]).cast(pl.Datetime("ms"))})
    with pytest.raises(DataError, match="cannot be read"):
        in_memory(far)


# Files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "\na,b\n" + "1,2\n" * 40,
        "\r\n\r\na,b\r\n" + "1,2.5\r\n" * 40 + "x,y\r\n",
        ",b\n" + "1,2\n" * 40,  # as pandas writes its index
        "a\n" + "1\n" * 40 + "9223372036854775808\n" + "3\n" * 40,
        "a\n" + "1\n" * 30 + "-9223372036854775809\n" + "3.5\n" * 30,
    ],
    ids=["empty line first", "empty lines first", "no name", "beyond 64 bits", "all numbers"],
)
def test_a_file_is_the_same_data_in_memory_and_outside(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(types_module, "BLOCK", 64)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    outside, inside = scan(path), in_memory(path)
    assert outside.schema == inside.schema
    assert outside.fingerprint == inside.fingerprint


def test_a_column_keeps_a_name_that_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"": [1.0, 2.0], "column_0": [3.0, 4.0]}).write_parquet(path)
    assert list(in_memory(path).schema.columns) == ["", "column_0"]
    assert scan(path).fingerprint == in_memory(path).fingerprint


def test_a_file_that_is_written_over_under_its_old_time_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x\n1\n2\n")
    source, before = scan(path), path.stat()
    with path.open("r+") as file:
        file.write("x\n9\n9\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DataChanged):
        count(source, "x > 5")


def test_a_part_of_a_part_holds_no_other_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": np.arange(3000.0), "x": np.arange(3000.0) % 7})
    path = tmp_path / "t.parquet"
    frame.write_parquet(path)
    found = []
    for part in (scan(path), in_memory(frame)):
        source: Source = part
        for key in KEYS:
            parts = split(source, {"a": 0.5, "b": 0.5}, by="id", key=key)
            assert sum(each.rows for each in parts.values()) == source.rows
            source = parts["b"]
        found.append((source.rows, source.fingerprint, count(source, "x > 3")))
    assert found[0] == found[1]


# Words -----------------------------------------------------------------------------------------


def test_a_message_shows_no_password_with_a_hash_in_it() -> None:
    assert shown("mysql://me:pass#word@host/db#t") == "mysql://host/db#t"
    with pytest.raises(DataError) as caught:
        load("mysql://me:pass#word@host/db")
    assert "pass" not in str(caught.value)


@pytest.mark.parametrize("source", ["", "x" * 5000, "\0"])
def test_a_path_that_cannot_be_is_an_error_of_the_data(source: str) -> None:
    with pytest.raises(DataError):
        load(source)


def test_any_number_of_bytes_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "9" * 400)
    assert memory() > 2**63
    monkeypatch.setenv(VARIABLE, "1.5 kB")
    assert memory() == 1536
