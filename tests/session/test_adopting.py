"""A ledger that takes the place of another promises what that did, unless told otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.cli.main import main
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import SECRET, shown
from peekproof.ledger.entry import Opening


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    place = tmp_path / "people.csv"
    pl.DataFrame({"age": np.random.default_rng(8).integers(0, 100, 4_000)}).write_csv(place)
    return place


PROMISES: dict[str, Mapping[str, object]] = {
    "questions and confidence": {"questions": 30, "confidence": 0.8},
    "gaussian": {"questions": 30, "mechanisms": [peekproof.Gaussian]},
    "splitting": {"questions": 4, "mechanisms": [peekproof.FreshRows]},
    "rounds": {"questions": 12, "rounds": 3, "mechanisms": [peekproof.FreshRows]},
    "checking": {"questions": 30, "mechanisms": [peekproof.Checking]},
    "limited": {"questions": 30, "failures": 4, "mechanisms": [peekproof.LimitedChecking]},
    "thresholdout": {
        "questions": 30,
        "failures": 4,
        "confidence": 0.8,
        "mechanisms": [peekproof.Thresholdout],
    },
    "open ended": {"mechanisms": [peekproof.OpenEnded], "confidence": 0.9},
}


def promise(opening: Opening) -> tuple[object, ...]:
    mechanism = shown(opening.mechanism)
    return opening.confidence, opening.questions, opening.budget, mechanism


@pytest.mark.parametrize("given", PROMISES.values(), ids=PROMISES)
def test_a_ledger_that_takes_the_place_of_a_lost_one_promises_the_same(
    given: dict[str, object], csv: Path
) -> None:
    with peekproof.open(csv, **given) as data:  # type: ignore[arg-type]
        before = data.ledger.opening
    Path(f"{csv}.peekproof").unlink()
    with peekproof.open(csv, override="the disk died") as data:
        assert promise(data.ledger.opening) == promise(before)


def test_the_command_keeps_the_promise(csv: Path) -> None:
    with peekproof.open(csv, questions=30, confidence=0.8) as data:
        before = data.ledger.opening
    Path(f"{csv}.peekproof").unlink()
    with pytest.raises(SystemExit) as ended:
        main(["ledger", "adopt", str(csv), "--reason", "the disk died"])
    assert ended.value.code == 0
    with peekproof.open(csv) as data:
        assert promise(data.ledger.opening) == promise(before)


def test_what_is_said_holds_and_the_rest_is_kept(csv: Path) -> None:
    peekproof.open(csv, questions=30, confidence=0.8, mechanisms=[peekproof.Gaussian]).close()
    Path(f"{csv}.peekproof").unlink()
    with peekproof.open(csv, questions=20, override="the disk died") as data:
        opening = data.ledger.opening
    assert (opening.questions, opening.confidence) == (20, Fraction(4, 5))
    assert opening.mechanism["kind"] == "gaussian"
    Path(f"{csv}.peekproof").unlink()
    with peekproof.open(csv, mechanisms=[peekproof.Laplace], override="again") as data:
        opening = data.ledger.opening
    assert (opening.questions, opening.mechanism["kind"]) == (20, "laplace")


def test_where_nothing_tells_the_promise_has_to_be_said(csv: Path, witness_folder: Path) -> None:
    peekproof.open(csv, questions=30, confidence=0.8).close()
    place = Path(f"{csv}.peekproof")
    place.unlink()
    (record,) = witness_folder.glob("pp1-*.json")
    record.write_bytes(b"x" + record.read_bytes()[1:])
    with pytest.raises(InvalidInput, match="confidence and questions must be given"):
        peekproof.open(csv, questions=30, override="it is lost")
    assert not place.exists()
    peekproof.open(csv, questions=30, confidence=0.8, override="it is lost").close()


def test_the_key_of_fresh_rows_is_not_told_to_the_witness(csv: Path, witness_folder: Path) -> None:
    with peekproof.open(csv, questions=4, mechanisms=[peekproof.FreshRows]) as data:
        key = data.ledger.opening.mechanism[f"{SECRET}key"]
    (record,) = witness_folder.glob("pp1-*.json")
    assert b"fresh-rows" in record.read_bytes()
    assert key.encode() not in record.read_bytes()
