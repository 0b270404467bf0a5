"""One row cannot be seen in errors, logs, warnings or output, whatever is in it."""

from __future__ import annotations

import logging
import os
import random
import shutil
import sys
import warnings
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import cache, partial
from math import inf, nan
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import peekproof
from peekproof.audit.channels import Calls, Difference, Heard, Public, compared, listen
from peekproof.cli.main import main
from peekproof.core.errors import DataError, EvaluationFailed, PeekproofError
from peekproof.core.secret import Exact
from peekproof.data.evaluate import Columns
from peekproof.data.table import Table
from peekproof.mechanisms.base import Ask, Draw
from peekproof.noise import entropy
from peekproof.noise.entropy import Seeded
from peekproof.query.question import Question, parse_question
from peekproof.session.local_backend import LocalBackend
from peekproof.session.session import Session

ROWS = 1_500
FINITE = 1.7976931348623157e308

Cell = float | str | bool | date | datetime | None
Way = tuple[str, Cell]


@cache
def frame(way: Way | None = None) -> pl.DataFrame:
    """Ordinary rows, but for one cell; dates and moments may be given by their numbers."""
    rng = random.Random(3)
    numbers = [rng.uniform(0, 3) for _ in range(ROWS)]
    columns = {
        "x": pl.Series("x", numbers, dtype=pl.Float64),
        "y": pl.Series("y", numbers[::-1], dtype=pl.Float64),
        "k": pl.Series("k", [rng.randrange(9) for _ in range(ROWS)], dtype=pl.Int64),
        "s": pl.Series("s", [rng.choice("abc") for _ in range(ROWS)], dtype=pl.String),
        "f": pl.Series("f", [rng.random() < 0.4 for _ in range(ROWS)], dtype=pl.Boolean),
        "d": pl.Series("d", [rng.randrange(20_000) for _ in range(ROWS)], dtype=pl.Int32),
        "m": pl.Series("m", [rng.randrange(10**15) for _ in range(ROWS)], dtype=pl.Int64),
    }
    if way is not None:
        name, cell = way
        held = columns[name].to_list()
        columns[name] = pl.Series(name, [cell, *held[1:]], dtype=columns[name].dtype)
    columns["d"] = columns["d"].cast(pl.Date)
    columns["m"] = columns["m"].cast(pl.Datetime("us"))
    return pl.DataFrame(list(columns.values()))


WAYS: dict[str, Way] = {
    "NaN": ("x", nan),
    "infinity": ("x", inf),
    "minus infinity": ("x", -inf),
    "the largest double": ("x", FINITE),
    "what overflows below": ("x", -FINITE),
    "the smallest double": ("x", 5e-324),
    "minus zero": ("x", -0.0),
    "no number": ("x", None),
    "the largest integer": ("k", 2**63 - 1),
    "the smallest integer": ("k", -(2**63)),
    "no integer": ("k", None),
    "text with NUL": ("s", "a\0b"),
    "long text": ("s", "secret " * 100_000),
    "text that terminals obey": ("s", "\x1b[2J\u202e"),
    "no characters": ("s", ""),
    "no text": ("s", None),
    "no flag": ("f", None),
    "no date": ("d", None),
    "the last day of the calendar": ("d", 2_932_896),
    "a day behind every calendar": ("d", 2**31 - 1),
    "a day before every calendar": ("d", -(2**31)),
    "no moment": ("m", None),
    "a moment behind every calendar": ("m", 2**62),
    "a moment before every calendar": ("m", -(2**62)),
}

# What fails before any row is read, and what does not fail.
ASKED = (
    "x > 1", "x / y > 1", "x / x > 0", "x - x = 0", "x * 1e308 > 0", "x * x * x > 1e300",
    "abs(x) > 1", "x + 1e308 + y > 0", "x in (1, 2)", "x is null", "clip(x, 0, 1) > 0.5",
    "if(f, x, null) > 1",
    "y > 1", "k > 3", "k * k > 9", "k + 1 > 1e300", "s = 'a'", "s like '%a%'", "s is null", "f",
    "d > '2013-01-01'", "d - '2013-01-01' > 1", "d + 1e300 > '2013-01-01'", "year(d) = 2013",
    "weekday(d) = 1", "m > '2013-01-01'", "m - d > 0", "mean(x, 0, 1)", "mean(y, 0, 1)",
    "mean(x / y, -1e300, 1e300)", "mean(k, 0, 9)", "histogram(x, (0, 1))",
    "histogram(s, ('a', 'b'))",
    "histogram(d, ('2013-01-01'), mean(x, 0, 1))", "f by x (0, 1)", "mean(x, 0, 1) by s ('a')",
    "f given x > 1", "mean(x, 0, 1) given f", "mean(y, 0, 1) given y > 1",
    "x >", "nosuch > 1", "s > 1", "x = 'a'", "x > 1e999", "1e308 * 10 > x", "x + 1e308 + 1e308 > 0",
    "mean(x, 1, 0)", "mean(x, 0, 1e999)", "x / 0 > 1", "d > 'never'", "hour(d) = 1", "s like '_'",
    "x > 1 and x < 1", "x = 1 given x = 1", "histogram(x)", "histogram(s)", "f by s", "'\x1b' = s",
    "quantile(x, 2, 0, 1)", '["share",["<",["column","x"],1e999]]', "(" * 60, "x" * 200_000,
)  # fmt: skip
PARTS = ("year(m) = 2001", "hour(m) = 12", "weekday(m) = 3", "mean(second(m), 0, 59)")


# What an analyst can see -------------------------------------------------------------------------


def _answered(answer: object, *, free: bool) -> Public:
    """All of what the row has no part in; else only of which kind it is."""
    answers = answer if isinstance(answer, list) else [answer]
    kinds = [type(each).__name__ for each in answers]
    return Public("\n".join([*kinds, *map(str, answers)] if free else kinds))


def _calls(session: Session) -> list[tuple[str, Callable[[], object]]]:
    """Calls and the columns they are about, as text; a batch is about all."""
    calls: list[tuple[str, Callable[[], object]]] = [
        (text, partial(session.respond, [text])) for text in (*ASKED, *PARTS)
    ]
    calls += [
        ("x", lambda: session.quantile("quantile(x, 0.5, 0, 3)")),
        ("y", lambda: session.quantile("quantile(y, 0.5, 0, 3)")),
        ("xy", lambda: session.best(["x > 1", "y > 1", "f"])),
        ("xs", lambda: session.best(["x > 1", "mean(x, 0, 1)"])),
        ("x", lambda: session.ask("x > 1.5", radius=1e-12)),
        ("x", lambda: session.ask("x > 1.5", radius=-1.0)),
        ("x", lambda: session.ask("x > 1.5", radius=nan)),
        ("x", lambda: session.ask("x > 1.5", guess=0.5)),
        ("x", lambda: session.ask("histogram(x, (0, 1))")),
        ("x", lambda: session.price_of("x > 1.5", radius=0.1)),
        ("x", lambda: session.ask_many([f"x > {i}" for i in range(320)])),
        ("", lambda: session.remaining),
    ]
    return calls


def conversation(way: Way | None, column: str) -> Calls:
    """A conversation about the table; answers are shown as far as the column is not in them."""
    with peekproof.open(
        frame(way),
        questions=300,
        ledger=":memory:",
        entropy=Seeded(11),
        mechanisms=[peekproof.Gaussian],
    ) as session:
        for about, call in _calls(session):
            free = column not in _columns(about, session)
            yield about[:80], partial(_shown, call, free=free)
        yield "session", lambda: Public(f"{session!r} {session.ledger.verify()}")
    for questions in (10**12, 0):
        yield "opening", partial(peekproof.open, frame(way), ledger=":memory:", questions=questions)


def _shown(call: Callable[[], object], *, free: bool) -> Public:
    return _answered(call(), free=free)


def seen_in_session(way: Way | None, column: str) -> list[Heard]:
    return listen(partial(conversation, column=column), way)


def kind(heard: Heard) -> str:
    """What was raised or answered."""
    text = heard.channels.get("raised") or heard.channels["returned"].removeprefix("str ")
    return text.split("\n")[0]


def _columns(about: str, session: Session) -> set[str]:
    try:
        form = repr(parse_question(about, session.schema).form)
    except PeekproofError:
        return set(about)
    return {name for name in session.schema.columns if f"Column(name='{name}')" in form}


@pytest.fixture(scope="module")
def ordinary() -> dict[str, list[Heard]]:
    """What is seen of the table without the odd row, by the column that is not compared."""
    return {}


def differences(way: Way, ordinary: dict[str, list[Heard]]) -> tuple[Difference, ...]:
    column = way[0]
    if column not in ordinary:
        ordinary[column] = seen_in_session(None, column)
    return compared(ordinary[column], seen_in_session(way, column))


@pytest.mark.parametrize("name", WAYS)
def test_a_row_is_not_seen_in_a_session(name: str, ordinary: dict[str, list[Heard]]) -> None:
    assert differences(WAYS[name], ordinary) == ()


def test_the_last_moment_of_all_is_not_seen_in_a_session(ordinary: dict[str, list[Heard]]) -> None:
    assert differences(("m", 2**63 - 1), ordinary) == ()


def test_the_questions_fail_in_many_ways() -> None:
    """So that the tests above are about errors of every kind that can be provoked."""
    kinds = {kind(heard) for heard in seen_in_session(None, "x")}
    wanted = {
        "QuestionError", "TypeMismatch", "UnknownColumn", "InvalidInput", "VacuousPlan",
        "BudgetExhausted", "Answer", "HistogramAnswer", "GroupedAnswer", "ConditionalAnswer",
    }  # fmt: skip
    assert kinds >= wanted


# Engines that fail -------------------------------------------------------------------------------

Total = Exact[int] | Exact[tuple[int, ...]]


def _row(table: Table) -> str:
    return repr(table._frame.row(0))


def _cells(columns: Columns) -> str:
    return repr([series[0] for series in columns._series.values()])


def _fails_inside(self: Columns, name: str) -> bool:
    raise ValueError(f"cannot convert {_cells(self)}")


def _panics_inside(self: Columns, name: str) -> bool:
    raise pl.exceptions.PanicException(f"invalid {_cells(self)}")


@pytest.mark.parametrize("fails", [_fails_inside, _panics_inside])
@pytest.mark.parametrize("name", ["NaN", "long text", "the last day of the calendar"])
def test_a_row_is_not_seen_when_the_engine_fails(
    fails: Callable[[Columns, str], bool],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Columns, "doubles", fails)
    monkeypatch.setattr(Columns, "series", fails)
    column = WAYS[name][0]
    one = seen_in_session(None, column)
    assert sum(kind(heard) == "EvaluationFailed" for heard in one) > 20
    assert compared(one, seen_in_session(WAYS[name], column)) == ()


def _passes_on(self: Table, questions: Sequence[Question]) -> list[Total]:
    raise DataError(source="engine", problem=f"says {_row(self)}", hint="")


def _names_the_cause(self: Table, questions: Sequence[Question]) -> list[Total]:
    raise EvaluationFailed() from ValueError(_row(self))


def _forgets_the_context(self: Table, questions: Sequence[Question]) -> list[Total]:
    try:
        raise ValueError(_row(self))
    except ValueError:
        raise EvaluationFailed()  # noqa: B904 (what the check must find)


def _logs(self: Table, questions: Sequence[Question]) -> list[Total]:
    logging.getLogger("polars").debug("row %s", _row(self))
    raise EvaluationFailed()


def _warns(self: Table, questions: Sequence[Question]) -> list[Total]:
    warnings.warn(_row(self), stacklevel=2)
    raise EvaluationFailed()


def _prints(self: Table, questions: Sequence[Question]) -> list[Total]:
    sys.stdout.write(_row(self))
    raise EvaluationFailed()


def _panics(self: Table, questions: Sequence[Question]) -> list[Total]:
    os.write(2, _row(self).encode())  # as libraries do that are not Python
    raise EvaluationFailed()


def _fails_for_some(self: Table, questions: Sequence[Question]) -> list[Total]:
    if self._frame["s"].str.len_bytes().max() != 1:
        raise EvaluationFailed()
    return [Exact(0)] * len(questions)


@pytest.mark.parametrize(
    "leak",
    [
        _logs,
        _warns,
        _prints,
        _panics,
        _fails_for_some,
    ],
)
def test_an_engine_that_tells_a_row_is_found(
    leak: Callable[[Table, Sequence[Question]], list[Total]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "totals", leak)
    monkeypatch.setitem(_calls.__globals__, "ASKED", ("y > 1", "x > 1"))
    one, other = (seen_in_session(way, "s") for way in (None, ("s", "secret")))
    assert compared(one, other) != ()


def _lets_through(self: LocalBackend, asks: Sequence[Ask], made: Sequence[Draw]) -> list[Any]:
    """A session that trusts its source."""
    return self.plan.mechanism.read(self.table, [each.what for each in asks], made)


@pytest.mark.parametrize("leak", [_passes_on, _names_the_cause, _forgets_the_context])
def test_an_error_that_tells_a_row_is_withheld_and_would_be_found(
    leak: Callable[[Table, Sequence[Question]], list[Total]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "totals", leak)
    monkeypatch.setitem(_calls.__globals__, "ASKED", ("y > 1", "x > 1"))
    one, other = (seen_in_session(way, "s") for way in (None, ("s", "secret")))
    assert compared(one, other) == ()
    monkeypatch.setattr(LocalBackend, "_read", _lets_through)
    one, other = (seen_in_session(way, "s") for way in (None, ("s", "secret")))
    assert compared(one, other) != ()


def test_what_a_source_raises_against_its_contract_is_withheld(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(self: Table, questions: Sequence[Question]) -> list[Total]:
        raise ValueError(_row(self))

    monkeypatch.setattr(Table, "totals", breaks)
    monkeypatch.setitem(_calls.__globals__, "ASKED", ("y > 1", "x > 1"))
    one, other = (seen_in_session(way, "s") for way in (None, ("s", "secret")))
    assert compared(one, other) == ()


# The command line --------------------------------------------------------------------------------

# Answers in which the row may have a part.
ANSWERED: tuple[tuple[str, ...], ...] = (
    ("ask", "FILE", "x > 1", "x / y > 1", "mean(x, 0, 1)", "f by x (0, 1)", "s = 'a'", "k > 3"),
    ("ask", "FILE", "x > 1 given y > 1", "histogram(d, ('2013-01-01'))", "m > '2013-01-01'"),
)
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("ask", "FILE", "--questions", "40", "y > 1"),
    ("ask", "FILE", "y > 1", "y > 2", "--json"),
    *ANSWERED,
    ("ask", "FILE", "nosuch > 1"),
    ("ask", "FILE", "nosuch > 1", "--json"),
    ("ask", "FILE", "s > 1"),
    ("ask", "FILE", "x >", "--json"),
    ("ask", "FILE", "1e308 * 10 > x"),
    ("ask", "FILE", "x > 2", "--radius", "1e-9"),
    ("ask", "FILE", "x > 2", "--radius", "1e-9", "--json"),
    ("ask", "FILE", "x > 2", "--price"),
    ("ask", "FILE", "x > 2", "--guess", "0.5"),
    ("ask", "FILE", "x > 2", "--questions", "41"),
    ("ask", "FILE", "x > 2", "--categories", "x=1"),
    ("ask", "FILE", "--", *(f"x > {i}" for i in range(50))),
    ("ask", "FILE", "--json", "--", *(f"x > {i}" for i in range(50))),
    ("best", "FILE", "x > 1", "y > 1", "--price"),
    ("best", "FILE", "x > 1", "mean(x, 0, 1)"),
    ("ask", "FILE", "x > 1", "--ledger", "other.peekproof", "--questions", "1000000000000"),
)


def commands(way: Way | None, folder: Path, patch: pytest.MonkeyPatch) -> Calls:
    """All commands, on a new file in a folder that was not there before."""
    patch.setattr(entropy, "_system", random.Random(5))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
    patch.chdir(folder)
    file = folder / "data.parquet"
    frame(way).write_parquet(file)
    for command in COMMANDS:
        words = [str(file) if each == "FILE" else each for each in command]
        yield " ".join(command)[:80], partial(main, words)


def seen_on_the_command_line(
    way: Way | None, folder: Path, patch: pytest.MonkeyPatch
) -> list[Heard]:
    """Exit codes and all that is printed; of answers that may differ only that there are some."""
    found = listen(partial(commands, folder=folder, patch=patch), way)
    for command, heard in zip(COMMANDS, found, strict=True):
        if command in ANSWERED:
            heard.channels.pop("stdout", None)
    return found


def exits(found: list[Heard]) -> set[str]:
    return {heard.channels["exit"] for heard in found}


@pytest.mark.parametrize(
    "name", ["NaN", "infinity", "what overflows below", "long text", "a day behind every calendar"]
)
def test_a_row_is_not_seen_on_the_command_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (
        seen_on_the_command_line(way, tmp_path / "work", monkeypatch) for way in (None, WAYS[name])
    )
    assert exits(one) == {"0", "2", "3", "4"}
    assert compared(one, other) == ()


def test_a_row_is_not_seen_on_the_command_line_when_the_engine_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Columns, "doubles", _fails_inside)
    monkeypatch.setattr(Columns, "series", _fails_inside)
    one, other = (
        seen_on_the_command_line(way, tmp_path / "work", monkeypatch)
        for way in (None, WAYS["long text"])
    )
    assert "5" in exits(one)
    assert compared(one, other) == ()


def test_an_engine_that_tells_a_row_on_the_command_line_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "totals", _passes_on)
    monkeypatch.setattr(LocalBackend, "_read", _lets_through)
    one, other = (
        seen_on_the_command_line(way, tmp_path / "work", monkeypatch) for way in (None, WAYS["NaN"])
    )
    assert compared(one, other) != ()
