"""Sessions on rows that are not in memory, and on parts of a split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.core.errors import BudgetElsewhere, DataChanged, DataError, InvalidInput
from peekproof.data.scan import Scan
from peekproof.data.table import Table
from peekproof.noise.entropy import Seeded

ROWS = 6_000
KEY = "5" * 32


def frame(seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {"id": np.arange(ROWS), "x": rng.random(ROWS), "c": rng.choice(["a", "b"], ROWS)}
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The rows in two files."""
    (tmp_path / "rows").mkdir()
    frame()[: ROWS // 3].write_parquet(tmp_path / "rows" / "1.parquet")
    frame()[ROWS // 3 :].write_parquet(tmp_path / "rows" / "2.parquet")
    return tmp_path / "rows"


def test_files_in_pieces_are_asked_like_rows_in_memory(folder: Path) -> None:
    texts = [
        "x < 0.3 and c = 'a'",
        "mean(x, 0, 1)",
        "histogram(c, ('a', 'b'))",
        "x < 0.3 by c ('a', 'b')",
        "x < 0.3 given c = 'a'",
    ]

    def answers(source: object) -> list[object]:
        with peekproof.open(
            source,
            questions=60,
            mechanisms=[peekproof.Gaussian],
            entropy=Seeded(1),
            ledger=":memory:",
        ) as session:
            return [each.to_dict() for each in session.respond(texts)]

    pieces = peekproof.load(folder)
    assert isinstance(pieces, Scan)
    assert pieces.fingerprint == peekproof.load(frame()).fingerprint
    assert answers(folder) == answers(frame())


def test_the_same_rows_elsewhere_have_no_second_budget(folder: Path, tmp_path: Path) -> None:
    with peekproof.open(folder, questions=50, ledger=tmp_path / "l.peekproof"):
        pass
    file = tmp_path / "all.csv"
    frame().write_csv(file)
    with pytest.raises(BudgetElsewhere):
        peekproof.open(file, questions=50)


@pytest.mark.parametrize("pattern", ["rows", "rows/*.parquet"])
def test_several_files_need_a_ledger_by_name(
    pattern: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    with pytest.raises(InvalidInput, match="ledger must be named"):
        peekproof.open(pattern, questions=50)
    with pytest.raises(InvalidInput, match="ledger must be named"):
        peekproof.open("postgresql://nowhere.invalid/db#t", questions=50, ledger=None)


def test_an_address_of_no_engine_is_refused_without_its_password() -> None:
    with pytest.raises(DataError, match="unknown scheme 'mysql'") as refused:
        peekproof.load("mysql://me:hush@host/db?password=hush#t")
    assert "hush" not in str(refused.value)


def test_a_file_too_large_for_memory_stays_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.parquet"
    frame().write_parquet(file)
    assert isinstance(peekproof.load(file), Table)
    monkeypatch.setenv("PEEKPROOF_MEMORY", "1kB")
    source = peekproof.load(file)
    assert isinstance(source, Scan)
    with peekproof.open(file, questions=50) as session:
        assert session.ledger.place == f"{file}.peekproof"


def test_progress_is_told_of_every_pass(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    source = peekproof.load(folder, progress=lambda done, whole: told.append((done, whole)))
    opening = len(told)
    assert told[opening - 1][0] == told[opening - 1][1]
    session = peekproof.open(source, questions=50)
    session.ask("x < 0.5")
    assert len(told) > opening
    assert told[-1][0] == told[-1][1]


# Without numbers ------------------------------------------------------------------------------


def test_rows_without_numbers_promise_without_fresh_rows(folder: Path, tmp_path: Path) -> None:
    few = peekproof.open(frame(), questions=3, ledger=":memory:")
    assert isinstance(few.plan.mechanism, peekproof.FreshRows)
    source = peekproof.load(folder)
    other = peekproof.open(source, questions=3)
    assert not isinstance(other.plan.mechanism, peekproof.FreshRows)
    for arguments in ({"mechanisms": [peekproof.FreshRows]}, {"rounds": 2}):
        with pytest.raises(InvalidInput, match="rows in memory"):
            peekproof.open(source, questions=3, **arguments)
    place = tmp_path / "split.peekproof"
    with peekproof.open(frame(), questions=3, ledger=place):
        pass
    with pytest.raises(InvalidInput, match="rows in memory"):
        peekproof.open(source, ledger=place)


def test_a_statistic_is_refused_before_it_costs(folder: Path) -> None:
    session = peekproof.open(peekproof.load(folder), questions=50, mechanisms=[peekproof.Gaussian])
    statistic = peekproof.Statistic(
        name="s", function=lambda _: 0.5, sensitivity=1 / ROWS, low=0, high=1
    )
    with pytest.raises(InvalidInput, match="rows in memory"):
        session.measure(statistic)
    assert session.remaining == 50


def test_changed_files_stop_the_session(folder: Path) -> None:
    session = peekproof.open(peekproof.load(folder), questions=50)
    first = session.ask("x < 0.5")
    other = frame().with_columns(pl.lit(0.5).alias("x"))[: ROWS // 3]
    other.write_parquet(folder / "1.parquet")
    with pytest.raises(DataChanged, match="no longer holds the rows"):
        session.ask("x < 0.6")
    assert session.ask("x < 0.5").released == first.released
    assert session.remaining == 48  # charged, then looked


# Parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("held", ["memory", "files"])
def test_a_guesser_looks_at_one_part_and_the_other_checks(held: str, folder: Path) -> None:
    source = peekproof.load(frame() if held == "memory" else folder)
    parts = peekproof.split(source, {"guess": 0.5, "check": 0.5}, by="id", key=KEY)
    session = peekproof.open(
        parts["check"],
        questions=100,
        mechanisms=[peekproof.Checking],
        guesser=peekproof.Training(parts["guess"]),
    )
    assert session.plan.rows == parts["check"].rows
    for text, truth in (("x < 0.3", 0.3), ("mean(x, 0, 1)", 0.5)):
        assert truth in session.ask(text)
    assert session.failures == 0


def test_all_engines_agree_on_the_parts(folder: Path) -> None:
    kinds = [peekproof.load(frame()), peekproof.load(folder)]
    parts = [peekproof.split(each, {"a": 0.25, "b": 0.75}, by="id", key=KEY) for each in kinds]
    for name in ("a", "b"):
        assert parts[0][name].fingerprint == parts[1][name].fingerprint
        assert parts[0][name].rows == parts[1][name].rows


@pytest.mark.parametrize(("by", "why"), [(None, "for rows that are not in memory"), ("c", "two")])
def test_files_are_split_by_a_column_that_tells_rows_apart(
    by: str | None, why: str, folder: Path
) -> None:
    with pytest.raises(InvalidInput, match=why):
        peekproof.split(peekproof.load(folder), {"a": 0.5}, by=by)


def test_the_ledger_of_a_part_says_how_it_was_drawn(tmp_path: Path) -> None:
    whole = peekproof.load(frame())
    part = peekproof.split(whole, {"guess": 0.5, "check": 0.5}, key=KEY)["check"]
    place = tmp_path / "part.peekproof"
    with peekproof.open(part, questions=50, ledger=place) as session:
        answer = session.ask("x < 0.5")
        recorded = session.ledger.opening.frame
        assert KEY not in repr(session.ledger.opening)
    assert recorded["of"] == whole.fingerprint
    said = " ".join(answer.certificate.assumptions)
    assert f"random part of {session.ledger.opening.public.whole}, which" in said
    assert whole.fingerprint not in said
    again = peekproof.split(whole, {"guess": 0.5, "check": 0.5}, key=recorded["key"])["check"]
    with peekproof.open(again, ledger=place) as session:
        assert session.ask("x < 0.5").replayed
    answer.certificate.verify()


def test_a_part_of_data_that_has_a_ledger_is_refused(tmp_path: Path) -> None:
    whole = peekproof.load(frame())
    with peekproof.open(whole, questions=50, ledger=tmp_path / "whole.peekproof"):
        pass
    part = peekproof.split(whole, {"check": 0.5})["check"]
    with pytest.raises(BudgetElsewhere):
        peekproof.open(part, questions=50, ledger=tmp_path / "part.peekproof")


def test_a_guesser_that_looks_at_the_rows_it_is_checked_on_is_refused() -> None:
    part = peekproof.split(peekproof.load(frame()), {"check": 0.5})["check"]
    with pytest.raises(InvalidInput, match="other rows"):
        peekproof.open(
            part,
            questions=50,
            mechanisms=[peekproof.Checking],
            guesser=peekproof.Training(part),
        )
