"""What is printed, quoted or charged must not promise more than the theorems give."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from peekproof.cli.main import main
from peekproof.core.errors import PeekproofError
from peekproof.data.load import in_memory
from peekproof.data.statistic import Statistic
from peekproof.mechanisms.gaussian import Gaussian, NoisyCells
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.query.form import FINE
from peekproof.query.question import parse_question
from peekproof.session import Session
from peekproof.session import open as open_session

ROWS = 20_000


def numbers() -> dict[str, np.ndarray]:
    drawn = np.random.default_rng(0).random(ROWS)
    return {"x": drawn, "y": drawn[::-1].copy()}


def noisy(**arguments: object) -> Session:
    arguments.setdefault("mechanisms", [Gaussian])
    arguments.setdefault("questions", 1000)
    return open_session(numbers(), **arguments)  # type: ignore[arg-type]


def command(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit):
        main(list(words))
    return capsys.readouterr().out


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    x = numbers()["x"]
    path.write_text("x,y\n" + "\n".join(f"{a:.6f},{1 - a:.6f}" for a in x))
    return path


def test_the_ball_of_a_weighted_histogram_holds_what_records_contribute() -> None:
    question = "histogram(x, (1, 2, 3), mean(y, -1, 2, -1))"
    session = noisy()
    drawn = session.price_of(question).draw
    assert isinstance(drawn, NoisyCells)
    points = []
    for cell in range(4):  # one record with the largest weight in each cell
        table = in_memory({"x": [cell + 0.5], "y": [2.0]})
        (exact,) = table.totals([parse_question(question, table.schema)])
        totals = exact.reveal()
        assert isinstance(totals, tuple)
        points.append([Fraction(total, FINE) for total in totals])
    centre = [sum(column, Fraction(0)) / 4 for column in zip(*points, strict=True)]
    # The mean of squared distances from any centre is at least that from the centroid.
    least = sum(
        (a - c) ** 2 for point in points for a, c in zip(point, centre, strict=True)
    ) / Fraction(4)
    assert drawn.ball >= least


def test_a_whole_sensitivity_is_taken_as_it_is() -> None:
    declared = 2**53 + 1
    measured = Statistic(
        name="s", function=lambda _: 0.0, sensitivity=declared, low=0, high=2**53 + 1
    )
    assert measured.moved_by >= declared


def test_a_printed_gap_is_not_below_the_certified_one() -> None:
    session = noisy()
    choices = [session.best([f"x > {n}", "y > 2"]) for n in range(8)]
    choices += [session.best([f"x > {n}", "y > 2"], loss=0.07 + n / 1000) for n in range(8, 12)]
    for choice in choices:
        printed = str(choice).rpartition("up to ")[2].rstrip(")")
        assert Fraction(printed) >= Fraction(choice.gap)


def test_the_command_line_prints_no_gap_below_the_certified_one(
    csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("best", str(csv), "x > 0.5", "y > 2", "--yes")
    said = command(capsys, *words)
    gap = json.loads(command(capsys, *words, "--json"))["gap"]
    printed = said.split("more than ")[1].split()[0]
    assert Fraction(printed) >= Fraction(gap)


def test_a_recorded_gap_of_means_is_in_their_units(
    csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("mean(x, 0, 1000, 0)", "mean(y, 0, 1000, 0)")
    chosen = json.loads(command(capsys, "best", str(csv), *words, "--yes", "--json"))
    shown = json.loads(command(capsys, "ledger", "show", str(csv), "--json"))
    assert shown["answers"][0]["gap"] >= chosen["gap"]


def test_a_quoted_gap_of_means_is_in_their_units(
    csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("best", str(csv), "mean(x, 0, 1000, 0)", "mean(y, 0, 1000, 0)", "--yes", "--json")
    quoted = json.loads(command(capsys, *words, "--price"))
    assert quoted["gap"] >= json.loads(command(capsys, *words))["gap"]


@pytest.mark.parametrize(
    "question",
    ["mean(x, 0, 1, 0)", "histogram(x, (0.5), mean(y, 0, 1, 0))"],
    ids=["mean", "histogram"],
)
def test_an_answer_keeps_the_radius_that_was_quoted(question: str) -> None:
    session = noisy()
    quoted = session.price_of(question).certificate.radius
    (answer,) = session.respond([question])
    assert answer.certificate.radius <= quoted


def test_questions_quoted_together_keep_their_radius(
    csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ask", str(csv), "x > 0.1", "x > 0.2", "x > 0.3", "x > 0.4"]
    words += ["--mechanism", OpenEnded.kind, "--ledger", str(tmp_path / "open"), "--json"]
    quoted = json.loads(command(capsys, *words, "--price"))["prices"]
    answers = json.loads(command(capsys, *words))["answers"]
    for quote, answer in zip(quoted, answers, strict=True):
        assert answer["radius"] <= quote["radius"]


def test_a_printed_quantile_is_the_value() -> None:
    session = noisy()
    answer = session.quantile("quantile(x + 1600000000, 0.5, 1600000000, 1600000001)")
    assert float(str(answer).split()[0]) == answer.value


def test_whether_a_statistic_fails_on_the_rows_is_not_told() -> None:
    def fails_if(present: float) -> Statistic:
        def function(frame: object) -> float:
            return 1.0 / (0 if frame["x"].max() > present else 1)  # type: ignore[index]

        return Statistic(name=f"s{present}", function=function, sensitivity=1 / ROWS, low=0, high=1)

    def told(present: float) -> str:
        try:
            noisy().measure(fails_if(present))
        except PeekproofError as error:
            return type(error).__name__
        return "an answer"

    assert told(0.5) == told(2.0)


def test_a_declared_sensitivity_is_among_the_assumptions() -> None:
    declared = Statistic(name="s", function=lambda _: 0.0, sensitivity=1 / ROWS, low=0, high=1)
    session = noisy()
    answer = session.measure(declared)
    assert any("sensitivity" in each for each in answer.certificate.assumptions)
