"""All answers so far: free, as they were given, and shown without harm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import peekproof
from core.markup import read
from peekproof.core.errors import InvalidInput
from peekproof.core.finding import Chosen, Level, Numbers
from peekproof.core.secret import SECRET
from peekproof.data.table import Table
from peekproof.ledger import log
from peekproof.noise.entropy import Seeded
from peekproof.query.question import Question
from peekproof.session import Session
from peekproof.session.history import COLUMNS, History, Recorded
from peekproof.session.receipt import receipts

RNG = np.random.default_rng(1)
ROWS = 20_000
CARRIERS = ["AA", "</td><script>x"]
DATA = {"delay": RNG.exponential(20, ROWS) - 5, "carrier": RNG.choice(CARRIERS, ROWS)}
HOSTILE = "carrier = '<script>alert(1)</script>\x1b[31m'"


def opened(**arguments: object) -> Session:
    given = {"questions": 400, "mechanisms": [peekproof.Gaussian], **arguments}
    given = {"categories": {"carrier": CARRIERS}, **given}
    return peekproof.open(DATA, entropy=Seeded(1), **given)  # type: ignore[arg-type]


@pytest.fixture
def session() -> Iterator[Session]:
    with opened() as found:
        yield found


def numbers(recorded: Recorded) -> Numbers:
    assert isinstance(recorded.found, Numbers)
    return recorded.found


def test_answers_are_those_that_were_given_in_their_order(session: Session) -> None:
    first = session.as_analyst("ann").ask("delay > 30")
    second, third = session.ask_many(["mean(delay, -20, 120, -20)", "delay > 60"])
    session.as_analyst("bob").ask("30 < delay")  # Ann's, in another spelling
    found = session.answers()

    assert isinstance(found, History)
    assert [each.number for each in found] == [1, 2, 3]
    assert [each.question for each in found] == ["delay > 30", second.question, "delay > 60"]
    assert [each.analyst for each in found] == ["ann", "", ""]
    for recorded, answer in zip(found, (first, second, third), strict=True):
        told = numbers(recorded)
        assert (told.value, told.low, told.high) == (answer.value, answer.low, answer.high)
        assert recorded.certificate == answer.certificate
    assert [each.digest for each in found] == [each.digest for each in receipts(session.ledger)]


def test_the_certificate_of_a_recorded_answer_can_be_verified(session: Session) -> None:
    answer = session.ask("delay > 30")
    (recorded,) = session.answers()
    assert recorded.certificate.verify() == answer.certificate
    assert recorded.certificate.session == answer.certificate.session


def test_cells_have_the_labels_and_numbers_that_were_told(session: Session) -> None:
    histogram = session.histogram("histogram(delay, (0, 15, 60))")
    grouped = session.grouped("delay > 30 by carrier")
    means = session.grouped("mean(delay, -20, 120, -20) by carrier")
    found = [numbers(each) for each in session.answers()]

    assert [each.labels for each in found] == [histogram.labels, grouped.labels, means.labels]
    assert found[0].cells == tuple((cell.value, cell.interval) for cell in histogram)
    for told, answer in zip(found[1:], (grouped, means), strict=True):
        assert [(value, span.low, span.high) for value, span in told.cells] == [
            (cell.value, cell.low, cell.high) for cell in answer.cells
        ]
    assert (float(found[2].span.low), float(found[2].span.high)) == (-20, 120)
    with pytest.raises(InvalidInput, match="4 cells"):
        found[0].value  # noqa: B018


def test_quantiles_and_choices_are_told_as_they_were(session: Session) -> None:
    quantile = session.quantile("quantile(delay, 0.5, -20, 120)", loss=0.1)
    choice = session.best(["delay > 30", "delay > 0"], loss=0.1)
    level, chosen = session.answers()

    assert level.found == Level(quantile.value, quantile.levels)
    assert chosen.found == Chosen(choice.index, 2, choice.gap, choice.chosen)
    assert "delay > 0" in repr(session.answers())


def test_candidates_are_told_apart_whatever_is_quoted_in_them(session: Session) -> None:
    choice = session.best(["delay > 30", "carrier != 'a; b'"], loss=0.1)
    (recorded,) = session.answers()
    assert recorded.found == Chosen(choice.index, 2, choice.gap, choice.chosen)
    assert recorded.to_dicts()[0]["cell"] == choice.chosen


def test_long_lists_of_candidates_are_not_read_again(session: Session) -> None:
    choice = session.best([f"delay > {n}" for n in range(101)], loss=0.1)
    (recorded,) = session.answers()
    assert recorded.found == Chosen(choice.index, 101, choice.gap)
    assert len(repr(session.answers())) < 200
    assert len(session.answers()._repr_html_()) < 3_000


def test_cells_whose_names_nobody_declared_again_are_numbered(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger")
    with opened(ledger=place) as first:
        histogram = first.histogram("histogram(carrier)")
    with opened(ledger=place, categories={}) as again:
        (recorded,) = again.answers()
    assert numbers(recorded).cells == tuple((cell.value, cell.interval) for cell in histogram)
    assert [row["cell"] for row in recorded.to_dicts()] == ["cell 1", "cell 2"]


@pytest.mark.parametrize(
    ("mechanism", "arguments", "asked"),
    [
        (peekproof.Checking, {}, {"guess": 0.2, "tolerance": 0.2}),
        (peekproof.Checking, {}, {"guess": 0.9, "tolerance": 0.2}),
        (peekproof.LimitedChecking, {"failures": 3, "questions": 20}, {"guess": 0.9}),
        (peekproof.Thresholdout, {"questions": 20}, {"guess": 0.9}),
        (peekproof.FreshRows, {"questions": 3}, {}),
        (peekproof.Truncation, {"questions": 3}, {}),
    ],
)
def test_answers_of_every_mechanism_are_told_as_they_were(
    mechanism: type, arguments: dict[str, object], asked: dict[str, Any]
) -> None:
    with opened(mechanisms=[mechanism], **arguments) as session:
        answer = session.ask("delay > 30", **asked)
        (recorded,) = session.answers()
        left = session.remaining
        told = numbers(recorded)
        assert (told.value, told.interval) == (answer.value, answer.interval)
        assert recorded.certificate == answer.certificate
        assert left == answer.remaining
        read(session._repr_html_())
        read(session.plan._repr_html_())
        guess, tolerance = asked.get("guess"), asked.get("tolerance")
        read(session.price_of("delay > 31", guess=guess, tolerance=tolerance)._repr_html_())


def test_open_ended_answers_are_told_as_they_were() -> None:
    with opened(mechanisms=[peekproof.OpenEnded], questions=None) as session:
        answers = session.ask_many([f"delay > {n}" for n in range(5)])
        found = session.answers()
        assert [numbers(each).interval for each in found] == [each.interval for each in answers]


def test_looking_back_charges_nothing_and_reads_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0
    read_rows = Table.totals

    def counting(self: Table, questions: Sequence[Question]) -> object:
        nonlocal reads
        reads += 1
        return read_rows(self, questions)

    monkeypatch.setattr(Table, "totals", counting)
    session.ask("delay > 30")
    session.grouped("delay > 30 by carrier")
    before = reads, session.remaining, session.ledger.spent(), len(session.ledger.entries())
    assert reads > 0

    for found in (session.answers(), session.answers(analyst="ann")):
        repr(found)
        found._repr_html_()
        found.to_pandas()
    session._repr_html_()
    session.ledger._repr_html_()

    assert before == (
        reads, session.remaining, session.ledger.spent(), len(session.ledger.entries())
    )  # fmt: skip


def test_an_analysts_answers_keep_their_numbers(session: Session) -> None:
    ann, bob = session.as_analyst("ann"), session.as_analyst("bob")
    for who, question in ((ann, "delay > 1"), (bob, "delay > 2"), (ann, "delay > 3")):
        who.ask(question)
    session.ask("delay > 4")

    assert [each.number for each in bob.answers(analyst="ann")] == [1, 3]
    assert [each.question for each in session.answers(analyst="")] == ["delay > 4"]
    assert len(session.answers(analyst="eve")) == 0
    with pytest.raises(InvalidInput, match="analyst must be a name, got 3"):
        session.answers(analyst=3)  # type: ignore[arg-type]


def test_a_history_is_a_sequence(session: Session) -> None:
    session.ask_many([f"delay > {n}" for n in range(5)])
    found = session.answers()
    assert len(found) == 5
    assert found[-1].number == 5
    assert isinstance(found[1:3], History)
    assert [each.number for each in found[1:3]] == [2, 3]
    assert found == session.answers()
    assert found[0] in found


def test_another_sessions_answers_are_there_at_the_next_look(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger")
    with opened(ledger=place) as one, opened(ledger=place) as other:
        other.ask("delay > 30")
        assert [each.question for each in one.answers()] == ["delay > 30"]


def test_answers_before_a_snapshot_are_told_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_DUE", 4)
    place = str(tmp_path / "ledger")
    with opened(ledger=place) as first:
        answers = [first.ask(f"delay > {n}") for n in range(6)]
    with opened(ledger=place) as again:
        found = again.answers()
        shown = again.ledger._repr_html_()
    assert [numbers(each).value for each in found] == [each.value for each in answers]
    assert "delay &gt; 5" in shown


def test_a_data_frame_has_a_row_for_each_number(session: Session) -> None:
    answer = session.as_analyst("ann").ask("delay > 30")
    histogram = session.histogram("histogram(carrier)")
    quantile = session.quantile("quantile(delay, 0.5, -20, 120)", loss=0.1)
    table = session.answers().to_pandas()

    assert tuple(table.columns[: len(COLUMNS)]) == COLUMNS
    assert list(table["number"]) == [1, 2, 2, 3]
    assert list(table["value"]) == [answer.value, *histogram.values, quantile.value]
    assert list(table["low"][:3]) == [answer.low, *(cell.low for cell in histogram)]
    assert list(table["cell"]) == ["", *histogram.labels, ""]
    assert list(table["analyst"]) == ["ann", "", "", ""]
    assert pd.isna(table["high"][3])
    assert table["lowest_level"][3] == quantile.levels.low
    assert list(table["digest"].drop_duplicates()) == [each.digest for each in session.answers()]


def test_a_history_of_nothing_is_an_empty_table(session: Session) -> None:
    assert tuple(session.answers().to_pandas().columns) == COLUMNS
    assert repr(session.answers()) == "0 answers"
    assert "0 answers so far" in read(session.answers()._repr_html_()).text


def test_dicts_are_json_and_polars_takes_them(session: Session) -> None:
    session.ask("delay > 30")
    session.best(["delay > 30", "delay > 0"], loss=0.1)
    rows = session.answers().to_dicts()
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert pl.DataFrame(rows)["number"].to_list() == [1, 2]


def test_nothing_that_anybody_wrote_is_markup_or_a_terminal_code(session: Session) -> None:
    ann = session.as_analyst("<img src=x onerror=alert(1)>")
    ann.ask(HOSTILE)
    session.histogram("histogram(carrier)")
    session.best([HOSTILE, "delay > 0"], loss=0.1)
    found = session.answers()

    shown = read(found._repr_html_())
    for written in (ann.analyst, "<script>alert(1)</script>", CARRIERS[1]):
        assert written in shown.text
    assert ann.analyst in read(ann._repr_html_()).text
    assert "\x1b" not in repr(found)
    assert r"\x1b[31m" in repr(found)


def test_a_long_history_is_cut_and_says_so() -> None:
    with opened(questions=300) as session:
        session.ask_many([f"delay > {n}" for n in range(250)])
        found = session.answers()
    shown = read(found._repr_html_()).text
    assert "250 answers so far" in shown
    assert "delay > 199\n" in shown
    assert "delay > 200\n" not in shown
    assert "the first 200 of 250 rows" in shown
    assert repr(found).count("\n") == 21
    assert repr(found).endswith("… 230 more")
    assert len(found.to_dicts()) == 250


def test_bars_are_on_one_axis_if_there_is_one(session: Session) -> None:
    session.ask("delay > 30")
    assert "0 to 1" in read(session.answers()._repr_html_()).text
    session.ask("mean(delay, -20, 120, -20)")
    shown = read(session.answers()._repr_html_())
    assert "in its range" in shown.text
    assert shown.tags.count("svg") == 2


@pytest.fixture
def closed() -> Session:
    with opened() as session:
        session.ask("delay > 30")
    return session


@pytest.mark.parametrize(
    "show", [lambda each: each._repr_html_(), lambda each: each.ledger._repr_html_()]
)
def test_what_is_closed_can_still_be_shown(closed: Session, show: Callable[[Session], str]) -> None:
    assert "1 asked" in read(show(closed)).text


def test_a_session_shows_its_promise_and_what_is_left(session: Session) -> None:
    session.ask("delay > 30")
    shown = read(session._repr_html_()).text
    assert "20,000 rows, shares within ±" in shown
    assert "1 asked, 399 left; 0.2% of the budget used" in shown
    assert ":memory:" in shown


def test_rounds_show_how_many_are_left_and_no_key() -> None:
    with opened(mechanisms=[peekproof.FreshRows], rounds=3, questions=20) as session:
        session.ask_many(["delay > 30", "delay > 60"])
        key = session.ledger.opening.mechanism[f"{SECRET}key"]
        shown = [each._repr_html_() for each in (session, session.plan, session.ledger)]
    assert "2 asked, 18 left in 2 more rounds" in read(shown[0]).text
    assert all(key not in each for each in shown)


def test_a_session_of_an_analyst_shows_what_is_left_for_them(session: Session) -> None:
    session.ledger.set_aside({"ann": Fraction(1, 4)})
    shown = read(session.as_analyst("ann")._repr_html_()).text
    assert "Session of ann" in shown
    assert "100 left" in shown
