"""Means of columns with missing values: among the rows with a value, and how many have none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.cli.main import main
from peekproof.core.errors import InvalidInput
from peekproof.derive.linear import affine
from peekproof.noise.entropy import Seeded

ROWS = 40_000
GAUSSIAN = (peekproof.Gaussian,)


def people(seed: int = 1) -> pl.DataFrame:
    """A third of the ages are missing: counted as 0, their mean is a third lower."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(ROWS) < 0.3, np.nan, rng.normal(45.0, 10.0, ROWS))
    return pl.DataFrame(
        {
            "age": pl.Series(age).fill_nan(None),
            "height": rng.normal(1.7, 0.1, ROWS),
            "city": rng.choice(["Ulm", "Bonn"], ROWS, p=[0.7, 0.3]),
        }
    )


FRAME = people()


def mean_age(frame: pl.DataFrame = FRAME) -> float:
    return float(np.mean(np.clip(frame["age"].drop_nulls().to_numpy(), 0, 100)))


def opened(**arguments: object) -> peekproof.Session:
    arguments = {"questions": 50, "mechanisms": GAUSSIAN, "entropy": Seeded(3), **arguments}
    return peekproof.open(FRAME, **arguments)  # type: ignore[arg-type]


def test_the_mean_of_the_known_ages_lies_in_its_interval() -> None:
    answer = opened().ask("mean(age, 0, 100)")
    assert mean_age() in answer
    assert isinstance(answer, peekproof.ConditionalAnswer)
    assert answer.missing is not None
    assert FRAME["age"].null_count() / ROWS in answer.missing
    assert answer.missing.released == 1 - answer.under.released
    # What it was before does not hold the mean of the known ages.
    filled = opened().ask("mean(age, 0, 100, 0)")
    assert mean_age() not in filled
    assert filled.missing is None
    assert float(FRAME["age"].clip(0, 100).fill_null(0.0).mean()) in filled  # type: ignore[arg-type]


def test_how_many_have_a_value_is_paid_for_once() -> None:
    session = opened()
    assert session.price_of("mean(age, 0, 100)").questions == 2
    session.ask("mean(age, 0, 100)")
    assert session.remaining == 48
    assert session.price_of("mean(age, 0, 90)").questions == 1
    session.ask("mean(age, 0, 90)")
    assert session.remaining == 47
    for text in ("mean(age, 0, 100) given age is not null", "mean(coalesce(age, 0), 0, 100)",
                 "age is not null", "mean(age, 0, 100, 0)", "mean(age, 0, 100)"):  # fmt: skip
        assert session.ask(text).replayed
    assert session.remaining == 47


def test_the_radius_is_in_the_units_of_the_mean() -> None:
    """How many have a value is then as certain, in shares, as the mean is between its bounds."""
    session = opened()
    price = session.price_of("mean(age, 0, 200)", radius=24.0)
    answer = session.conditional("mean(age, 0, 200)", radius=24.0)
    assert answer.over.radius <= 24.0
    assert answer.under.radius <= 24.0 / 200
    assert 0 < price.questions < 2  # wider than planned
    assert session.price_of("mean(age, 0, 200)", radius=24.0).known
    with pytest.raises(InvalidInput, match="radius must be"):
        session.ask("mean(age, 0, 100)", radius="x")  # type: ignore[arg-type]


def test_the_text_of_the_parts_is_the_question() -> None:
    session = opened()
    session.ask("mean(age, 0, 100)")
    assert [each.question for each in session.answers()] == [
        "mean(age, 0, 100, 0)",
        "age is not null",
    ]
    for each in session.answers():
        assert session.ask(each.question).replayed


def test_a_column_that_is_declared_complete_costs_one_question() -> None:
    session = opened(complete=["height"])
    assert session.price_of("mean(height, 1, 2)").questions == 1
    answer = session.ask("mean(height, 1, 2)")
    assert isinstance(answer, peekproof.Answer)
    assert session.remaining == 49
    assert float(FRAME["height"].clip(1, 2).mean()) in answer  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "complete"),
    [("age", ["height", "age"]), ("age", ["*"]), ("infinite", ["infinite"]), ("no", ["no"]),
     ("flag", ["flag"])],
)  # fmt: skip
def test_rows_that_contradict_a_declaration_are_refused_before_there_is_a_ledger(
    column: str, complete: list[str], tmp_path: Path
) -> None:
    frame = FRAME.with_columns(
        pl.Series("infinite", [np.inf] + [1.0] * (ROWS - 1)),
        pl.Series("no", [np.nan] + [1.0] * (ROWS - 1)),
        pl.Series("flag", [None] + [True] * (ROWS - 1)),
    )
    place = tmp_path / "l.peekproof"
    with pytest.raises(InvalidInput, match=f"complete must be columns.* {column}") as refused:
        peekproof.open(frame, complete=complete, ledger=place)
    assert "leave them out" in refused.value.hint
    assert not place.exists()


@pytest.mark.parametrize("complete", ["age", ["agee"], [3], 3])
def test_complete_is_a_list_of_columns(complete: object) -> None:
    with pytest.raises(InvalidInput, match="complete must be"):
        opened(complete=complete)


def test_all_columns_can_be_complete() -> None:
    session = peekproof.open(FRAME.drop("age"), complete=["*"])
    assert session.schema.complete == {"height", "city"}


def test_the_form_does_not_depend_on_whether_there_are_gaps() -> None:
    """What the rows show is no reason to ask otherwise: that would tell it."""
    full = FRAME.with_columns(pl.col("age").fill_null(45.0))
    prices = [
        peekproof.open(frame, questions=50).price_of("mean(age, 0, 100)") for frame in (FRAME, full)
    ]
    assert prices[0] == prices[1]
    assert prices[0].questions == 2


def test_means_within_cells_are_among_the_rows_with_a_value() -> None:
    session = opened()
    among = session.grouped("mean(age, 0, 100) by city ('Ulm', 'Bonn')", radius=0.1)
    filled = session.grouped("mean(age, 0, 100, 0) by city ('Ulm', 'Bonn')", radius=0.1)
    for place, city in enumerate(("Ulm", "Bonn")):
        cell, low, size = among.cells[place], filled.cells[place], among.sizes[place]
        inside = FRAME.filter(pl.col("city") == city)
        assert mean_age(inside) in cell
        assert low.value < cell.value
        assert inside["age"].drop_nulls().len() / ROWS in size


def test_means_of_some_are_among_those_with_a_value() -> None:
    session = opened()
    answer = session.ask("mean(age, 0, 100) given city = 'Ulm'")
    assert mean_age(FRAME.filter(pl.col("city") == "Ulm")) in answer
    assert answer.missing is None
    assert session.remaining == 48


def test_guesses_answer_both_parts_and_none_is_taken_for_the_quotient() -> None:
    session = opened(
        mechanisms=[peekproof.Checking], guesser=peekproof.Training(people(seed=2)), entropy=None
    )
    assert mean_age() in session.ask("mean(age, 0, 100)")
    with pytest.raises(InvalidInput, match="say what a missing value counts as"):
        session.ask("mean(age, 0, 90)", guess=45.0)
    filled = session.ask("mean(coalesce(age, 0), 0, 90)", guess=31.5, tolerance=3)
    assert 31.5 in filled


def test_the_largest_is_sought_among_numbers_that_are_one() -> None:
    session = opened()
    with pytest.raises(InvalidInput, match="say what a missing value counts as"):
        session.best(["mean(age, 0, 100)", "mean(height, 0, 100)"])
    assert session.best(["mean(age, 0, 100, 0)", "mean(height, 0, 100, 0)"]).index == 0


def test_what_follows_from_a_mean_among_some_rests_on_both_answers() -> None:
    session = opened(questions=10)
    answer = session.ask("mean(age, 0, 100)")
    doubled = affine(answer, scale=2, shift=0)
    assert (doubled.low, doubled.high) == (2 * answer.low, 2 * answer.high)
    assert 2 * mean_age() in doubled


def test_all_ways_to_show_it_tell_how_many_are_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = opened().ask("mean(age, 0, 100)")
    assert isinstance(answer, peekproof.ConditionalAnswer)
    assert answer.missing is not None
    assert answer.missing_text in str(answer)
    assert answer.missing_text in answer._repr_html_()
    told = answer.to_dict()["missing"]
    assert told == {
        "value": answer.missing.value,
        "low": answer.missing.low,
        "high": answer.missing.high,
    }
    file = tmp_path / "people.csv"
    FRAME.write_csv(file)
    assert _said(capsys, "ask", str(file), "mean(age, 0, 100)").count("missing: ") == 1
    (again,) = json.loads(_said(capsys, "ask", str(file), "mean(age, 0, 100)", "--json"))["answers"]
    assert again["replayed"]
    assert again["missing"]["low"] <= 0.3 <= again["missing"]["high"]
    plain = _said(capsys, "ask", str(file), "mean(height, 1, 2)", "--complete", "height, city")
    assert "missing" not in plain


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_a_wide_radius_does_not_widen_what_other_means_need() -> None:
    """How many have a value stays for everybody: nobody gets it nearly free, and useless."""
    session = opened()
    told = session.price_of("mean(age, 0, 100)", radius=49.0)
    wide = session.conditional("mean(age, 0, 100)", radius=49.0)
    assert wide.over.radius > 30
    assert wide.under.radius <= session.plan.radius
    assert isinstance(session.plan.mechanism, peekproof.Gaussian)
    planned_cost = session.plan.mechanism.cost().amount
    assert told.questions == session.ledger.spent().amount / planned_cost
    planned = opened().ask("mean(age, 0, 90)")
    assert session.ask("mean(age, 0, 90)").radius == pytest.approx(planned.radius, rel=0.2)


def test_a_wide_radius_does_not_widen_a_condition() -> None:
    session = opened()
    wide = session.conditional("height > 1.7 given city = 'Ulm'", radius=0.4)
    assert wide.over.radius > 0.3
    assert wide.under.radius <= session.plan.radius
    assert session.ask("city = 'Bonn'", radius=0.4).radius > 0.3  # asked by itself


@pytest.mark.parametrize("order", [1, -1])
def test_what_several_need_is_as_narrow_as_the_narrowest(order: int) -> None:
    """Whatever their order in the batch."""
    session = opened()
    radius = 98 * session.plan.radius
    asked = ["mean(age, 0, 100)", "mean(age, 0, 90)"][::order]
    for each in session.ask_many(asked, radius=radius):
        assert isinstance(each, peekproof.ConditionalAnswer)
        assert each.under.radius <= radius / 100


def test_a_mean_among_some_says_that_rows_without_a_value_are_left_out() -> None:
    rows = {"x": [None if each % 4 == 0 else float(each % 80) for each in range(4000)],
            "g": [each % 2 for each in range(4000)]}  # fmt: skip
    said = "rows without a value are left out"
    with peekproof.open(rows, questions=20, ledger=":memory:") as session:
        some = session.conditional("mean(x, 0, 80) given g = 1")
        assert some.leaves_out
        assert said in str(some)
        assert said in some._repr_html_()
        for text in ("mean(x, 0, 80, 0) given g = 1", "x > 5 given g = 1", "mean(x, 0, 80)"):
            other = session.conditional(text)
            assert not other.leaves_out
            assert said not in str(other)
