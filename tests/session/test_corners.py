"""Errors of Python's where an answer or an error of ours belongs."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from peekproof.cli.main import main
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.core.html import answer_html
from peekproof.core.secret import Exact
from peekproof.data.statistic import Statistic
from peekproof.derive import difference, total
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector
from peekproof.noise.entropy import Seeded
from peekproof.query.form import MOST_CELLS
from peekproof.query.question import parse_question
from peekproof.session import Session
from peekproof.session import open as open_session

ROWS = 20_000


def numbers() -> dict[str, np.ndarray]:
    return {"x": np.random.default_rng(0).random(ROWS)}


def noisy() -> Session:
    return open_session(numbers(), mechanisms=[Gaussian], questions=1000)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("x\n" + "\n".join(f"{a:.6f}" for a in numbers()["x"]))
    return path


def test_the_first_cell_of_a_quantile_is_json() -> None:
    answer = noisy().quantile("quantile(x, 0.001, 1, 10, 2)")
    assert answer.value == 5.5
    json.dumps(answer.to_dict(), allow_nan=False)


def test_the_command_line_writes_the_first_cell_of_a_quantile(csv: Path) -> None:
    with pytest.raises(SystemExit) as left:
        main(["ask", str(csv), "quantile(x, 0.001, 1, 10, 2)", "--json", "--yes"])
    assert left.value.code == 0


@pytest.mark.parametrize("shown", [str, answer_html], ids=["text", "html"])
@pytest.mark.parametrize("high", ["1e30", "8e307"])
def test_answers_of_any_size_can_be_shown(shown: Callable[[Answer], str], high: str) -> None:
    shown(cast(Answer, noisy().ask(f"mean(x * {high}, 0, {high}, 0)")))


@pytest.mark.parametrize("option", ["--price", "--explain"])
def test_the_command_line_shows_answers_of_any_size(csv: Path, option: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["ask", str(csv), "mean(x * 1e30, 0, 1e30, 0)", option])
    assert left.value.code == 0


def test_a_loss_that_no_noise_allows_is_refused() -> None:
    with pytest.raises(InvalidInput):
        noisy().best(["x > 0.5", "x > 0.6"], loss=1e-320)


def test_a_price_beyond_all_budgets_is_told(csv: Path) -> None:
    with pytest.raises(SystemExit):
        main(["best", str(csv), "x > 0.5", "x > 0.6", "--loss", "1e-200", "--price"])


@pytest.mark.parametrize(
    ("sensitivity", "high"),
    [
        (1e306, 1e308),
        (Fraction(10) ** 400, Fraction(10) ** 401),
        (Fraction(10) ** -400, Fraction(10) ** -400),
        (10**400, 1),
    ],
    ids=["wide", "huge", "tiny", "integer"],
)
def test_a_statistic_is_refused_or_shown(sensitivity: Fraction, high: Fraction) -> None:
    session = noisy()
    try:
        measured = Statistic(
            name="s", function=lambda _: 0.0, sensitivity=sensitivity, low=0, high=high
        )
        answer = session.measure(measured)
    except InvalidInput:
        assert not session.ledger.draws()
        return
    str(answer)


def test_a_name_that_is_not_text_is_refused() -> None:
    with pytest.raises(InvalidInput):
        noisy().measure(
            Statistic(
                name=b"s",  # type: ignore[arg-type]
                function=lambda _: 0.0,
                sensitivity=1.0,
                low=0,
                high=1,
            )
        )


def test_a_statistic_cannot_change_the_rows() -> None:
    session = open_session(
        {"x": numbers()["x"], "t": ["a", "b"] * (ROWS // 2)}, mechanisms=[Gaussian]
    )

    def careless(frame: object) -> float:
        frame.drop_in_place("t")  # type: ignore[attr-defined]
        return 0.0

    session.measure(Statistic(name="s", function=careless, sensitivity=1 / ROWS, low=0, high=1))
    session.ask("t = 'a'")


def test_nothing_is_derived_from_choices_and_quantiles() -> None:
    session = noisy()
    choice = session.best(["x > 0.5", "x > 0.6"])
    quantile = session.quantile("quantile(x, 0.5, 0, 1)")
    with pytest.raises(InvalidInput):
        total([choice])  # type: ignore[list-item]
    with pytest.raises(InvalidInput):
        difference(quantile, quantile)  # type: ignore[arg-type]


def test_a_radius_that_is_too_small_is_refused_in_its_units() -> None:
    with pytest.raises(InvalidInput) as refused:
        noisy().ask("mean(x, 0, 200000, 0)", radius=100.0)
    assert "100" in refused.value.given


def test_a_bare_function_is_no_statistic() -> None:
    with pytest.raises(InvalidInput):
        noisy().measure(lambda _: 0.0)  # type: ignore[arg-type]


def test_as_many_cells_as_are_allowed_can_be_written() -> None:
    edges = ",".join(map(str, range(MOST_CELLS - 1)))
    question = parse_question(f"histogram(x,({edges}))", noisy().schema)
    assert question.form.dimension == MOST_CELLS


def test_a_vector_of_another_length_is_refused() -> None:
    vector = GaussianVector(
        rows=10, sigma=Fraction(1), step=Fraction(1, 4), cells=3, ball=Fraction(2, 3)
    )
    with pytest.raises(InvalidInput):
        vector.release(Exact((1, 2, 3, 4)), rng=Seeded(1))
