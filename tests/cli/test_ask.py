import json
import re
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli.running import Run, in_pipe, on_terminal
from peekproof.core.errors import EvaluationFailed
from peekproof.core.numerics import decimal_up
from peekproof.data.table import Table
from peekproof.ledger.entry import Entry
from peekproof.ledger.ledger import Ledger
from peekproof.testing.statistics import statistical

FALSE_ALARM = 1e-9
# Pr[|Z| > 7] is 2.6e-12, and the shares asked about are 19 deviations apart: nine draws in three
# formats stay far below the false alarm, with the power check included.
DEVIATIONS = 7

ASKED: dict[str, pl.Expr] = {
    "age >= 50": pl.col("age") >= 50,
    "city = 'Oslo' or city = 'Zürich'": pl.col("city").is_in(["Oslo", "Zürich"]),
    "not smoker": ~pl.col("smoker"),
}

WRITE: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "people.csv": lambda frame, path: frame.write_csv(path),
    "people.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "people.parquet": lambda frame, path: frame.write_parquet(path),
}


def entries(place: str) -> list[Entry]:
    book = Ledger.open(place)
    try:
        return book.entries()
    finally:
        book.close()


def asked(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("ask", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def costs(out: str) -> list[str]:
    """The fourth column of the table, without its head."""
    return [line.split()[3] for line in out.splitlines()[1:] if re.match(r"\d\.\d{4} ", line)]


@statistical(false_alarm=len(WRITE) * FALSE_ALARM)
def test_answers_are_about_the_file(
    run: Run, tmp_path: Path, frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, write in WRITE.items():
        monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / f"witness of {name}"))
        write(frame, tmp_path / name)
        check_answers(run, tmp_path / name, frame)


def check_answers(run: Run, path: Path, frame: pl.DataFrame) -> None:
    found = asked(run, str(path), *ASKED, "--questions", "20")
    (sigma,) = (
        part["numbers"]["sigma"]
        for part in found["certificate"]["parts"]
        if part["theorem"] == "T-noise"
    )
    shares = [float(frame.select(truth.mean()).item()) for truth in ASKED.values()]
    values = [answer["value"] for answer in found["answers"]]

    assert [answer["question"] for answer in found["answers"]] == list(ASKED)
    for value, share in zip(values, shares, strict=True):
        assert abs(value - share) < DEVIATIONS * sigma
    # Power: an answer that belongs to the next question does not pass.
    for value, share in zip(values, shares[1:] + shares[:1], strict=True):
        assert abs(value - share) > DEVIATIONS * sigma


def test_every_answer_has_its_interval_and_the_same_radius(run: Run, people: Path) -> None:
    found = asked(run, str(people), *ASKED, "--questions", "20", "--confidence", "0.9")
    radius = found["certificate"]["radius"]

    assert found["certificate"]["confidence"] == 0.9
    assert found["remaining"] == 17
    for answer in found["answers"]:
        assert answer["radius"] <= radius
        assert answer["confidence"] == 0.9
        assert answer["replayed"] is False
        assert answer["low"] >= max(0.0, answer["value"] - radius) - 1e-12
        assert answer["high"] <= min(1.0, answer["value"] + radius) + 1e-12
        longer = max(answer["value"] - answer["low"], answer["high"] - answer["value"])
        assert answer["radius"] == pytest.approx(longer, abs=1e-12)


def test_text_says_what_json_says(run: Run, people: Path) -> None:
    done = run("ask", str(people), "age < 30", "smoker", "--questions", "20")
    found = asked(run, str(people), "age < 30", "smoker")
    head, *lines = done.out.splitlines()

    assert (done.code, done.err) == (0, "")
    assert head.split() == ["share", "low", "high", "cost", "question"]
    assert len(lines) == 3
    for line, answer in zip(lines, found["answers"], strict=False):
        share, low, high, _, question = line.split(maxsplit=4)
        assert question == answer["question"]
        for shown, exact in ((share, "value"), (low, "low"), (high, "high")):
            assert float(shown) == pytest.approx(answer[exact], abs=1e-4)
    assert "20 questions together, with confidence 0.95; 18 new questions left" in lines[-1]


def test_no_printed_interval_is_narrower_than_its_own(run: Run, people: Path) -> None:
    # Nearest rounding moves an end inward for at least half of all answers.
    texts = [f"age < {30 + number}" for number in range(40)]
    done = run("ask", str(people), *texts, "--questions", "40")
    found = asked(run, str(people), *texts)
    lines = done.out.splitlines()[1:-1]

    for line, answer in zip(lines, found["answers"], strict=True):
        _, low, high, _, _ = line.split(maxsplit=4)
        assert answer["low"] - 1e-4 < float(low) <= answer["low"]
        assert answer["high"] <= float(high) < answer["high"] + 1e-4


def test_a_question_asked_again_is_free_and_the_same(run: Run, people: Path) -> None:
    first = asked(run, str(people), "age < 30", "smoker", "--questions", "20")
    again = asked(run, str(people), "30 > age", "not not smoker")

    assert [answer["replayed"] for answer in again["answers"]] == [True, True]
    assert [answer["cost"] for answer in again["answers"]] == ["0", "0"]
    assert again["remaining"] == first["remaining"] == 18
    for before, after in zip(first["answers"], again["answers"], strict=True):
        for name in ("value", "low", "high", "radius", "confidence"):
            assert before[name] == after[name]


def test_text_tells_new_from_free_even_within_one_call(run: Run, people: Path) -> None:
    first = run("ask", str(people), "age < 30", "30 > age", "--questions", "20")
    second = run("ask", str(people), "age < 30", "age < 31")

    assert costs(first.out) == ["new", "free"]
    assert costs(second.out) == ["free", "new"]
    assert "; 18 new questions left" in second.out


def test_the_budget_continues_over_calls_and_ends(run: Run, people: Path) -> None:
    left = [
        asked(run, str(people), "age < 1", "--questions", "3")["remaining"],
        asked(run, str(people), "age < 2", "--questions", "3")["remaining"],
        asked(run, str(people), "age < 3")["remaining"],
    ]

    assert left == [2, 1, 0]
    assert run("ask", str(people), "age < 4").code == 3
    assert asked(run, str(people), "age < 1")["answers"][0]["replayed"] is True


def test_a_refusal_exits_3_and_charges_nothing(run: Run, people: Path) -> None:
    asked(run, str(people), "age < 1", "--questions", "2")
    before = entries(f"{people}.peekproof")
    done = run("ask", str(people), "age < 1", "age < 2", "age < 3")
    in_json = run("ask", str(people), "age < 2", "age < 3", "--json")

    assert (done.code, done.out) == (3, "")
    assert "refused: 2 new questions asked, 1 of 2 left" in done.err
    assert (in_json.code, in_json.err) == (3, "")
    assert json.loads(in_json.out)["error"] == "BudgetExhausted"
    assert json.loads(in_json.out)["fields"] == {
        "asked": 2,
        "remaining": 1,
        "questions": 2,
        "of_several": False,
    }
    assert entries(f"{people}.peekproof") == before
    assert len(before) == 2


def test_a_file_too_small_is_refused_before_a_ledger_exists(run: Run, tmp_path: Path) -> None:
    small = tmp_path / "small.csv"
    small.write_text("a\n" + "1\n2\n" * 20)
    done = run("ask", str(small), "a > 1")

    assert (done.code, done.out) == (3, "")
    assert "n = 40 rows" in done.err
    assert sorted(tmp_path.iterdir()) == [small]


def test_another_ledger_and_another_format_of_the_same_rows(
    run: Run, people: Path, tmp_path: Path, frame: pl.DataFrame
) -> None:
    book, copy = tmp_path / "book.db", tmp_path / "copy.parquet"
    frame.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(copy)
    first = asked(run, str(people), "smoker", "--ledger", str(book), "--questions", "5")
    second = asked(run, str(copy), "smoker", "--ledger", str(book))

    assert second["answers"][0]["replayed"] is True
    assert second["answers"][0]["value"] == first["answers"][0]["value"]
    assert len(entries(str(book))) == 2
    assert not Path(f"{people}.peekproof").exists()
    assert not Path(f"{copy}.peekproof").exists()


def test_a_ledger_in_memory_leaves_no_file(run: Run, people: Path, tmp_path: Path) -> None:
    asked(run, str(people), "smoker", "--ledger", ":memory:", "--questions", "5")

    assert sorted(tmp_path.iterdir()) == [people]


def test_the_ledger_of_other_data_exits_4(run: Run, people: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("age\n" + "1\n2\n" * 2_000)
    asked(run, str(people), "smoker", "--questions", "5")
    done = run("ask", str(other), "age > 1", "--ledger", f"{people}.peekproof")

    assert (done.code, done.out) == (4, "")
    assert "fingerprint" in done.err


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [("--confidence", "0.9", "confidence"), ("--questions", "6", "questions")],
)
def test_another_promise_than_the_recorded_one_exits_4(
    run: Run, people: Path, option: str, value: str, named: str
) -> None:
    asked(run, str(people), "smoker", "--questions", "5")
    before = entries(f"{people}.peekproof")
    done = run("ask", str(people), "age > 50", option, value)

    assert (done.code, done.out) == (4, "")
    assert f"records {named} " in done.err
    assert entries(f"{people}.peekproof") == before


def test_explain_names_the_theorems_and_the_assumptions(run: Run, people: Path) -> None:
    plain = run("ask", str(people), "smoker", "--questions", "500")
    done = run("ask", str(people), "smoker", "--explain")

    assert done.code == 0
    for word in (
        "T-joint-variance",
        "T-noise",
        "T-drift-gauss",
        "T-rounding",
        "Assumed:",
        "independent",
    ):
        assert word in done.out
        assert word not in plain.out


def test_an_unknown_column_is_pointed_at_and_nothing_is_charged(run: Run, people: Path) -> None:
    asked(run, str(people), "smoker", "--questions", "5")
    before = entries(f"{people}.peekproof")
    done = run("ask", str(people), "age > 50", "smoker and agee > 50")
    first, *window = done.err.splitlines()

    assert (done.code, done.out) == (2, "")
    assert first == "unknown column 'agee' at character 12; did you mean 'age'?"
    assert window == ["    smoker and agee > 50", "               ^^^^"]
    assert entries(f"{people}.peekproof") == before


def test_a_slip_in_the_first_question_does_not_fix_the_promise(run: Run, people: Path) -> None:
    slip = run("ask", str(people), "smoker", "agee > 50")

    assert slip.code == 2
    assert not Path(f"{people}.peekproof").exists()
    assert run("ask", str(people), "age > 50", "--questions", "5").code == 0


def test_an_unknown_column_in_json_has_its_position(run: Run, people: Path) -> None:
    done = run("ask", str(people), "smoker and agee > 50", "--json")
    found = json.loads(done.out)

    assert (done.code, done.err) == (2, "")
    assert found["error"] == "UnknownColumn"
    assert found["fields"]["column"] == "agee"
    assert (found["fields"]["position"], found["fields"]["length"]) == (11, 4)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("missing.csv", None, "does not exist"),
        ("empty.csv", "", "is an empty file"),
        ("head.csv", "a,b\n", "has no rows"),
        ("table.xlsx", "a\n1\n", "unknown ending '.xlsx'"),
        ("broken.parquet", "no parquet", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_held_exits_2_and_makes_no_ledger(
    run: Run, tmp_path: Path, name: str, content: str | None, problem: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    done = run("ask", str(path), "a > 1")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"{path} ")
    assert problem in done.err
    assert not Path(f"{path}.peekproof").exists()


@pytest.mark.parametrize("force", ["", "1"])
def test_markup_in_a_question_is_printed_literally(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch, force: str
) -> None:
    monkeypatch.setenv("FORCE_COLOR", force)
    monkeypatch.setenv("COLUMNS", "120")
    done = run("ask", str(people), "city = '[red]x[/red]'", "--questions", "5")
    wrong = run("ask", str(people), "town = '[red]x[/red]'")

    assert done.code == 0
    assert "city = '[red]x[/red]'" in done.out
    assert "town = '[red]x[/red]'" in wrong.err


def test_columns_in_any_alphabet(run: Run, people: Path) -> None:
    done = run("ask", str(people), "größe > 170", "city = 'Zürich'", "--questions", "5")
    wrong = run("ask", str(people), "grösse > 170")

    assert done.code == 0
    assert "größe > 170" in done.out
    assert "city = 'Zürich'" in done.out
    assert "did you mean 'größe'?" in wrong.err


@pytest.mark.parametrize("arguments", [["--questions", "0"], ["--confidence", "1.5"]])
def test_a_promise_nobody_can_make_exits_2(run: Run, people: Path, arguments: list[str]) -> None:
    done = run("ask", str(people), "smoker", *arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"{arguments[0].removeprefix('--')} must be ")
    assert not Path(f"{people}.peekproof").exists()


def test_a_failure_after_the_data_was_read_says_nothing_about_it(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> object:
        raise EvaluationFailed

    asked(run, str(people), "smoker", "--questions", "5")
    monkeypatch.setattr(Table, "count", fail)
    done = run("ask", str(people), "age > 50")

    # 3 would say that nothing was spent.
    assert done.code not in (0, 3)
    assert done.out == ""
    assert "stays charged" in done.err


def test_a_new_process_knows_what_was_asked(run: Run, people: Path) -> None:
    command = ("-m", "peekproof", "ask", str(people))
    first = asked(run, str(people), "smoker", "--questions", "1")
    again = in_pipe(*command, "smoker", "--json")
    refused = in_pipe(*command, "age > 50")

    assert again.code == 0
    assert json.loads(again.out)["answers"][0]["value"] == first["answers"][0]["value"]
    assert (refused.code, refused.out) == (3, "")
    assert "0 of 1 left" in refused.err


def test_the_price_of_a_radius_is_told_and_nothing_is_spent(run: Run, people: Path) -> None:
    asked(run, str(people), "smoker", "--questions", "200")
    before = entries(f"{people}.peekproof")
    radius = str(0.9 * asked(run, str(people), "smoker")["certificate"]["radius"])
    price = ("ask", str(people), "age > 50", "--radius", radius, "--price")
    told = json.loads(run(*price, "--json").out)
    (found,), left = told["prices"], told["remaining"]

    assert f"age > 50: at most ±{decimal_up(found['radius'])}" in run(*price).out
    assert found["questions"] > 1
    assert found["affordable"] == int(left // found["questions"])
    assert entries(f"{people}.peekproof") == before
    bought = asked(run, str(people), "age > 50", "--radius", radius, "--yes")
    assert bought["answers"][0]["radius"] <= float(radius)
    assert bought["remaining"] == left - ceil(found["questions"])


def test_without_a_radius_the_price_is_that_of_a_planned_question(run: Run, people: Path) -> None:
    asked(run, str(people), "smoker", "--questions", "200")
    told = json.loads(run("ask", str(people), "age > 50", "--price", "--json").out)

    assert told["remaining"] == 199
    assert told["prices"][0]["questions"] == 1
    assert told["prices"][0]["affordable"] == 199


def test_what_was_answered_before_is_priced_as_free(run: Run, people: Path) -> None:
    asked(run, str(people), "smoker", "--questions", "200")
    told = json.loads(run("ask", str(people), "smoker", "--price", "--json").out)

    assert (told["prices"][0]["known"], told["prices"][0]["questions"]) == (True, 0)
    assert (
        "smoker: answered before, and free; at most ±"
        in run("ask", str(people), "smoker", "--price").out
    )


def test_a_radius_must_be_reachable(run: Run, people: Path) -> None:
    asked(run, str(people), "smoker", "--questions", "200")
    done = run("ask", str(people), "age > 50", "--radius", "0.000001")
    assert done.code == 2
    assert "which no noise takes away" in done.err


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("gaussian", "for all 20 questions together"),
        ("truncation", "for all 20 questions together"),
        ("fresh-rows", "19 new questions left in 2 more rounds"),
        ("open-ended", "open-ended"),
    ],
)
def test_a_new_ledger_promises_by_what_it_is_told(
    run: Run, people: Path, kind: str, says: str
) -> None:
    size = {"open-ended": "", "fresh-rows": "--questions 20 --rounds 3"}.get(kind, "--questions 20")
    done = run("ask", str(people), "smoker", "--mechanism", kind, *size.split())
    other = "gaussian" if kind != "gaussian" else "truncation"

    assert (done.code, says in done.out) == (0, True)
    assert run("ask", str(people), "smoker").code == 0
    assert run("ask", str(people), "smoker", "--mechanism", other).code == 4


MEDIAN = "quantile(age, 0.5, 0, 100)"


def test_what_is_dear_is_asked_for_only_by_those_who_agreed(run: Run, people: Path) -> None:
    asked(run, str(people), "smoker", "--questions", "200")
    before = entries(f"{people}.peekproof")
    refused = run("ask", str(people), MEDIAN)
    assert refused.code == 2
    assert "--yes must be given for what costs as much as" in refused.err
    assert "of 199 that are left" in refused.err
    assert "nothing was charged" in refused.err
    assert entries(f"{people}.peekproof") == before

    command = ("-m", "peekproof", "ask", str(people), MEDIAN)
    declined = on_terminal(*command, typed="n\n")
    assert (declined.code, "199 are left. Ask? [y/N]" in declined.out) == (1, True)
    assert entries(f"{people}.peekproof") == before
    agreed = on_terminal(*command, typed="y\n")
    assert agreed.code == 0
    assert "is the quantile of some level" in agreed.out
    assert len(entries(f"{people}.peekproof")) > len(before)

    again = run("ask", str(people), MEDIAN)  # free by now: nobody needs to agree
    assert (again.code, "(free)" in again.out) == (0, True)
    other = run("ask", str(people), "quantile(age, 0.25, 0, 100)", "--yes")
    assert other.code == 0


def test_what_is_dear_makes_no_ledger_before_it_is_agreed_to(run: Run, people: Path) -> None:
    refused = run("ask", str(people), MEDIAN, "--questions", "200")
    assert refused.code == 2
    assert not Path(f"{people}.peekproof").exists()
    many = [f"age > {each}" for each in range(20, 30)]
    assert run("ask", str(people), *many, "--questions", "200").code == 0  # one for each


def test_what_costs_one_question_for_each_draw_is_not_dear(run: Run, people: Path) -> None:
    first, second = (
        [f"smoker given age > {each}" for each in ages] for ages in ((31, 32, 33), (41, 42, 43))
    )
    assert run("ask", str(people), *first, "--questions", "200").code == 0  # a new ledger
    done = asked(run, str(people), *second)
    assert done["remaining"] == 200 - 2 * 6
    # Of one condition, which is paid for once: five draws.
    among = [f"age > {each} given not smoker" for each in range(51, 55)]
    assert asked(run, str(people), *among)["remaining"] == 200 - 2 * 6 - 5


@pytest.mark.parametrize(
    ("question", "footer"),
    [
        ("age > 50", "±0."),
        ("smoker and age > 97", "at most ±0."),  # cut off at 0
        ("mean(age, 0, 100)", "for all 200 questions together"),
        ("smoker given age > 50", "for all 200 questions together"),
        ("smoker by age (30, 60)", "for all 200 questions together"),
    ],
)
def test_the_last_line_tells_a_radius_only_if_it_is_that_of_the_answers(
    question: str, footer: str, run: Run, people: Path
) -> None:
    done = run("ask", str(people), question, "--questions", "200", "--mechanism", "gaussian")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].startswith(footer)


def test_a_quotient_that_nothing_is_left_of_is_refused_free(run: Run, people: Path) -> None:
    first = asked(run, str(people), "age > 900", "--questions", "50")
    for more in ([], ["--price"]):
        done = run("ask", str(people), "smoker given age > 900", *more)
        assert done.code == 2
        assert "a group of at most" in done.err
    again = asked(run, str(people), "age > 900")
    assert again["remaining"] == first["remaining"]
