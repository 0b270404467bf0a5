"""`peekproof holdout`: names come and go, budgets stay."""

import json
from pathlib import Path

import polars as pl
import pytest

from cli.holdouts import create, labels, predicted, score, shown, write_labels, write_predictions
from cli.running import Run, in_pipe


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_labels(tmp_path / "labels.csv")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_predictions(tmp_path / "model.csv", predicted(0.8))


def test_a_holdout_is_made_listed_shown_and_forgotten(run: Run, file: Path) -> None:
    made = create(run, "churn", file, "--questions", "7", "--confidence", "0.9")
    assert (made["questions"], made["remaining"], made["continued"]) == (7, 7, False)
    assert made["ledger"] == f"{file}.peekproof"
    (listed,) = json.loads(run("holdout", "list", "--json").out)
    assert (listed["name"], listed["id"], listed["groups"]) == ("churn", "id", ["region"])
    assert "churn" in run("holdout", "list").out
    assert json.loads(run("holdout", "forget", "churn", "--json").out)["forgotten"]
    assert json.loads(run("holdout", "list", "--json").out) == []
    assert Path(made["ledger"]).exists()


def test_what_is_left_is_said_in_words_with_the_next_interval(
    run: Run, file: Path, model: Path
) -> None:
    create(run, "churn", file)
    before = shown(run, "churn")["next_radius"]
    score(run, model, "churn", "--guess", "0.1")  # fails
    now = shown(run, "churn")
    assert (now["remaining"], now["failures"], now["asked"]) == (9_999, 1, 1)
    words = run("holdout", "show", "churn").out
    assert "9,999 of 10,000 scores left, 1 of 1 guesses failed" in words
    assert "for the next score, if a guess of" in words
    assert 0 < now["next_radius"] < 1
    assert before != now["next_radius"]


@pytest.mark.parametrize("forgotten", [True, False])
def test_another_name_and_path_for_the_same_rows_goes_on_with_their_budget(
    run: Run, file: Path, model: Path, forgotten: bool
) -> None:
    create(run, "churn", file, "--questions", "5")
    score(run, model, "churn", "--guess", "0.8")
    if forgotten:
        run("holdout", "forget", "churn")
    moved = file.parent / "elsewhere" / "renamed.csv"
    moved.parent.mkdir()
    file.rename(moved)
    again = create(run, "other", moved)
    assert again["continued"]
    assert (again["remaining"], again["ledger"]) == (4, f"{file}.peekproof")
    assert score(run, model, "other")["replayed"]


def test_rows_in_another_order_and_format_are_the_same_rows(
    run: Run, file: Path, model: Path, tmp_path: Path
) -> None:
    create(run, "churn", file, "--questions", "5")
    score(run, model, "churn", "--guess", "0.8")
    rows = pl.read_csv(file, schema_overrides={"id": pl.String}).reverse()
    rows.write_parquet(tmp_path / "reversed.parquet")
    again = create(run, "other", tmp_path / "reversed.parquet")
    assert (again["continued"], again["remaining"]) == (True, 4)
    assert score(run, model, "other")["replayed"]


def test_a_ledger_that_moved_along_is_found(run: Run, file: Path, model: Path) -> None:
    create(run, "churn", file, "--questions", "5")
    score(run, model, "churn", "--guess", "0.8")
    folder = file.parent / "moved"
    folder.mkdir()
    for path in (file, Path(f"{file}.peekproof")):
        path.rename(folder / path.name)
    done = run("score", str(model), "--holdout", "churn")
    assert (done.code, done.out) == (2, "")
    assert "peekproof holdout create churn LABELS --label y --id id --group region" in done.err
    assert create(run, "churn", folder / file.name)["remaining"] == 4


@pytest.mark.parametrize("witness", [True, False])
def test_a_ledger_that_is_gone_is_not_begun_anew(
    run: Run, file: Path, model: Path, monkeypatch: pytest.MonkeyPatch, witness: bool
) -> None:
    if not witness:
        monkeypatch.setenv("PEEKPROOF_HOLDOUTS", str(file.parent / "names"))
        monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    ledger = Path(create(run, "churn", file)["ledger"])
    ledger.unlink()
    done = run("score", str(model), "--holdout", "churn", "--guess", "0.8")
    assert (done.code, done.out) == (4, "")
    assert "put it back" in done.err
    assert not ledger.exists()


def test_the_same_labels_cannot_be_held_twice_by_other_columns(run: Run, file: Path) -> None:
    create(run, "churn", file)
    run("holdout", "forget", "churn")
    for words in ([], ["--group", "region"]):
        done = run("holdout", "create", "new", str(file), "--label", "y", *words)
        assert (done.code, done.out) == (2, "")
        assert "--label y --id id --group region" in done.err
    done = run("holdout", "create", "new", str(file), "--label", "y", "--id", "id")
    assert (done.code, done.out) == (4, "")
    assert "give the same groups" in done.err


def test_rows_without_ids_cannot_be_held_in_another_order(run: Run, tmp_path: Path) -> None:
    rows = pl.DataFrame({"y": labels()})
    for name, frame in (("a", rows), ("b", rows.reverse())):
        frame.write_csv(tmp_path / f"{name}.csv")
    assert run("holdout", "create", "a", str(tmp_path / "a.csv"), "--label", "y").code == 0
    done = run("holdout", "create", "b", str(tmp_path / "b.csv"), "--label", "y")
    assert done.code == 2
    assert "in another order" in done.err


def test_a_name_stands_for_its_rows_alone(run: Run, file: Path, tmp_path: Path) -> None:
    create(run, "churn", file)
    pl.DataFrame({"y": labels()}).write_csv(tmp_path / "other.csv")
    taken = run("holdout", "create", "churn", str(tmp_path / "other.csv"), "--label", "y")
    assert taken.code == 2
    assert "peekproof holdout forget churn" in taken.err
    assert not (tmp_path / "other.csv.peekproof").exists()


def test_a_file_whose_labels_changed_is_refused(run: Run, file: Path, model: Path) -> None:
    create(run, "churn", file)
    file.write_text(file.read_text().replace(",1,", ",0,", 1))
    done = run("score", str(model), "--holdout", "churn")
    assert done.code == 2
    assert "no longer holds the rows of churn" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bad.name", "{}", "--label", "y"), "letters, digits"),
        (("a", "{}", "--label", "z"), "id, y, region"),
        (("a", "{}", "--label", "y", "--id", "region"), "more than once"),
        (("a", "{}", "--label", "y", "--id", "y"), "different columns"),
        (("a", "{}", "--label", "y", "--metric", "acuracy"), "did you mean 'accuracy'?"),
        (("a", "{}x", "--label", "y"), "does not exist"),
        (("a", "{}", "--label", "y", "--ledger", ":memory:"), "outlives this command"),
    ],
)
def test_a_slip_names_what_to_do_and_makes_nothing(
    run: Run, file: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("holdout", "create", *(each.format(file) for each in words))
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert not Path(f"{file}.peekproof").exists()
    assert json.loads(run("holdout", "list", "--json").out) == []


def test_the_folder_of_names_can_be_chosen(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_HOLDOUTS", str(tmp_path / "names"))
    create(run, "churn", file)
    names = tmp_path / "names" / "holdouts.json"
    assert names.exists()
    names.write_text("{")
    done = run("holdout", "show", "churn")
    assert done.code == 2
    assert f"{names}" in done.err
    assert "PEEKPROOF_HOLDOUTS" in done.err


def test_a_budget_outlives_the_process(run: Run, file: Path, model: Path) -> None:
    create(run, "churn", file, "--questions", "5")
    words = ("-m", "peekproof", "score", str(model), "--holdout", "churn", "--guess", "0.8")
    assert in_pipe(*words).code == 0
    assert shown(run, "churn")["remaining"] == 4
    assert score(run, model, "churn")["replayed"]


def test_predictions_of_classes_that_were_not_declared_are_refused(
    run: Run, file: Path, tmp_path: Path
) -> None:
    made = create(run, "churn", file, "--classes", "0, 1")
    assert made["classes"] == ["0", "1"]
    other = write_predictions(tmp_path / "other.csv", predicted(0.8) * 2)
    refused = run("score", str(other), "--holdout", "churn", "--guess", "0.8")
    assert refused.code != 0
    assert "of the classes 0, 1, got 2.0" in refused.err
    assert create(run, "churn", file)["classes"] == ["0", "1"]  # as before, if nothing is said
    assert shown(run, "churn")["remaining"] == 10_000


@pytest.mark.parametrize(
    ("classes", "told"),
    [
        ("0", "labels of the declared classes, 0, got 1.0"),
        ("no,yes", "--classes must be numbers, which the labels are, got 'no,yes'"),
        ("", "classes must be"),
        ("0,1,1", "each once"),
    ],
)
def test_classes_that_labels_are_not_are_refused(
    run: Run, file: Path, classes: str, told: str
) -> None:
    done = run("holdout", "create", "churn", str(file), "--label", "y", "--classes", classes)
    assert done.code != 0
    assert told in done.err
    assert json.loads(run("holdout", "list", "--json").out) == []
