"""How much memory there is, and what has room in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from peekproof.core.errors import InvalidInput
from peekproof.data.load import VARIABLE, fits, memory


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1000", 1000), ("2k", 2048), ("1.5 MB", 1.5 * 2**20), ("8GiB", 2**33), ("1t", 2**40)],
)
def test_the_environment_says_how_much(
    text: str, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, text)
    assert memory() == expected


@pytest.mark.parametrize("text", ["lots", "-1", "1 elephant", "1e9"])
def test_what_is_no_number_of_bytes_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InvalidInput, match="8GB"):
        memory()


def test_without_it_there_is_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert memory() > 2**20


def test_parquet_needs_twice_the_room_of_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("t.csv", "t.parquet"):
        (tmp_path / name).write_bytes(b"x" * 1000)
    found = []
    for room in ("1999", "2000", "3999", "4000"):
        monkeypatch.setenv(VARIABLE, room)
        found.append((fits(tmp_path / "t.csv"), fits(tmp_path / "t.parquet")))
    assert found == [(False, False), (True, False), (True, False), (True, True)]
