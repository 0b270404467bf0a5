"""`peekproof score`: what a script reads and obeys."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.holdouts import (
    ROWS,
    create,
    ids,
    labels,
    predicted,
    score,
    shown,
    write_labels,
    write_predictions,
)
from cli.running import Run
from peekproof.core.errors import EvaluationFailed
from peekproof.learn.holdout import Holdout
from peekproof.learn.score import MeanScore

KEYS = [
    "holdout", "metric", "value", "low", "high", "radius", "confidence", "guess", "confirmed",
    "replayed", "remaining", "failures", "digest", "require", "reached",
]  # fmt: skip


@pytest.fixture
def churn(run: Run, tmp_path: Path) -> Path:
    """A registered holdout with ids; its folder."""
    create(run, "churn", write_labels(tmp_path / "labels.csv"), "--questions", "6")
    return tmp_path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_predictions(tmp_path / "model.csv", predicted(0.8))


def test_a_score_is_one_object_with_these_keys(run: Run, churn: Path, model: Path) -> None:
    found = score(run, model, "churn", "--guess", "0.8")
    assert list(found) == KEYS
    assert (found["holdout"], found["metric"]) == ("churn", "accuracy")
    assert (found["value"], found["guess"], found["confirmed"]) == (0.8, 0.8, True)
    assert found["low"] < np.mean(predicted(0.8) == labels()) < found["high"]
    assert (found["remaining"], found["failures"], found["replayed"]) == (5, 0, False)
    receipt = run("ledger", "receipt", str(churn / "labels.csv"), found["digest"], "--json")
    assert receipt.code == 0


def test_people_get_a_line(run: Run, churn: Path, model: Path) -> None:
    done = run("score", str(model), "--holdout", "churn", "--guess", "0.8")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("0.8000  [0.")
    assert "guess confirmed; 5 of 6 scores left, 0 of 1 guesses failed" in done.out
    assert done.out.count("\n") == 1


def test_a_guess_that_fails_is_corrected_and_counted(run: Run, churn: Path, model: Path) -> None:
    found = score(run, model, "churn", "--guess", "0.2")
    assert (found["guess"], found["confirmed"], found["failures"]) == (0.2, False, 1)
    assert found["low"] < np.mean(predicted(0.8) == labels()) < found["high"]


def test_without_a_guess_it_is_the_last_score(run: Run, churn: Path, model: Path) -> None:
    score(run, model, "churn", "--guess", "0.79")
    other = write_predictions(churn / "other.csv", predicted(0.8, seed=2))
    found = score(run, other, "churn")
    assert (found["guess"], found["confirmed"], found["replayed"]) == (0.79, True, False)


def test_a_retry_is_free_in_any_order_and_format(run: Run, churn: Path, model: Path) -> None:
    first = score(run, model, "churn", "--guess", "0.8")
    rows = pl.read_csv(model, schema_overrides={"id": pl.String}).sample(
        fraction=1, shuffle=True, seed=4
    )
    rows.write_csv(churn / "shuffled.csv")
    rows.rename({"id": "row", "prediction": "out"}).write_parquet(churn / "named.parquet")
    retries: list[tuple[Path, list[str]]] = [
        (model, ["--guess", "0.3"]),
        (churn / "shuffled.csv", []),
        (churn / "named.parquet", ["--id", "row", "--column", "out"]),
    ]
    for path, words in retries:
        again = score(run, path, "churn", *words)
        assert again == {**first, "replayed": True}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.head(ROWS - 1), f"has no prediction for '{ids()[-1]}'"),
        (lambda rows: pl.concat([rows, rows.head(1)]), "more than once"),
        (
            lambda rows: rows.with_columns(
                pl.col("id").replace(ids()[0], "nobody"),
            ),
            "has predictions for 'nobody', which the holdout has not",
        ),
        (lambda rows: rows.drop("id"), "has no column 'id'"),
        (lambda rows: rows.rename({"prediction": "a"}).with_columns(b=1), "--column"),
        (
            lambda rows: rows.with_columns(
                pl.when(pl.col("id") == ids()[0]).then(None).otherwise(1).alias("prediction")
            ),
            "has nothing in column 'prediction' in row 0 (from 0)",
        ),
        (lambda rows: rows.with_columns(prediction=pl.lit("yes")), "of numbers as the labels are"),
    ],
)
def test_predictions_that_do_not_fit_cost_nothing(
    run: Run, churn: Path, model: Path, change: object, said: str
) -> None:
    assert callable(change)
    rows = pl.read_csv(model, schema_overrides={"id": pl.String})
    change(rows).write_csv(churn / "bad.csv")
    done = run("score", str(churn / "bad.csv"), "--holdout", "churn", "--guess", "0.8")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "predictions.csv" not in done.err  # of the copy that was read
    assert shown(run, "churn")["remaining"] == 6


def test_an_array_has_no_ids(run: Run, churn: Path) -> None:
    np.save(churn / "model.npy", predicted(0.8))
    done = run("score", str(churn / "model.npy"), "--holdout", "churn")
    assert done.code == 2
    assert "with a column of ids" in done.err


def test_the_exit_code_says_whether_what_is_required_was_reached(
    run: Run, churn: Path, model: Path
) -> None:
    words = ("score", str(model), "--holdout", "churn", "--guess", "0.8", "--require")
    low = score(run, model, "churn", "--guess", "0.8")["low"]
    for require, code in ((low, 0), (float(np.nextafter(low, 1)), 6)):
        done = run(*words, repr(require), "--json")
        assert (done.code, json.loads(done.out)["reached"]) == (code, code == 0)
        assert run(*words, repr(require)).code == code
    assert "not shown to be at least 0.9" in run(*words, "0.9").out


def test_a_spent_budget_is_refused_with_3_and_answers_stay_free(
    run: Run, churn: Path, model: Path
) -> None:
    for seed in range(6):
        path = write_predictions(churn / f"{seed}.csv", predicted(0.8, seed=seed))
        score(run, path, "churn", "--guess", "0.8")
    new = write_predictions(churn / "new.csv", predicted(0.8, seed=6))
    done = run("score", str(new), "--holdout", "churn", "--json")
    assert done.code == 3
    assert json.loads(done.out)["error"] == "BudgetExhausted"
    assert score(run, churn / "3.csv", "churn")["replayed"]


@pytest.mark.parametrize("header", ["", "prediction\n"])
def test_a_labels_file_will_do_and_lines_from_standard_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    path = tmp_path / "labels.csv"
    pl.DataFrame({"y": labels()}).write_csv(path)
    text = header + "".join(f"{each}\n" for each in predicted(0.8))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    first = score(run, "-", str(path), "--guess", "0.8", "--questions", "3")
    assert first["remaining"] == 2
    np.save(tmp_path / "model.npy", predicted(0.8))
    assert score(run, tmp_path / "model.npy", str(path))["replayed"]


def test_a_slip_with_a_labels_file_makes_no_ledger(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    pl.DataFrame({"y": labels()}).write_csv(path)
    (tmp_path / "short.txt").write_text("1\n0\n1\n")
    done = run("score", str(tmp_path / "short.txt"), "--holdout", str(path))
    assert done.code == 2
    assert f"for {ROWS:,} rows" in done.err
    assert not (tmp_path / "labels.csv.peekproof").exists()


def test_text_labels_that_look_like_numbers_are_compared_as_text(run: Run, tmp_path: Path) -> None:
    digits = ["x" if number == 0 else str(number % 3) for number in range(ROWS)]
    pl.DataFrame({"y": digits}).write_csv(tmp_path / "labels.csv")
    pl.DataFrame({"p": ["1", *digits[1:]]}).write_csv(tmp_path / "p.csv")
    found = score(run, tmp_path / "p.csv", str(tmp_path / "labels.csv"), "--guess", "0.999")
    assert found["confirmed"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--holdout", "chrn"), "did you mean 'churn'?"),
        (("--holdout", "churn", "--label", "y"), "--label"),
        (("--holdout", "churn", "--dataset", "d"), "--dataset"),
        (("--holdout", "churn", "--guess", "80"), "a score from 0 to 1"),
        (("--holdout", "churn", "--metric", "acuracy"), "did you mean 'accuracy'?"),
    ],
)
def test_errors_name_what_to_do(
    run: Run, churn: Path, model: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("score", str(model), *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert shown(run, "churn")["remaining"] == 6


def test_a_score_that_breaks_off_exits_5_and_stays_paid_for(
    run: Run, churn: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise EvaluationFailed()

    with monkeypatch.context() as patch:
        patch.setattr(MeanScore, "exact", broken)
        assert run("score", str(model), "--holdout", "churn", "--guess", "0.8").code == 5
    retried = score(run, model, "churn", "--guess", "0.8")
    assert (retried["confirmed"], retried["remaining"], retried["failures"]) == (True, 4, 1)


def test_an_answer_that_nobody_could_read_is_free_again(
    run: Run, churn: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("peekproof.cli.render.as_json", dies)
        words = ("--holdout", "churn", "--guess", "0.8", "--json")
        assert run("score", str(model), *words).code == 1
    retried = score(run, model, "churn")
    assert (retried["replayed"], retried["remaining"]) == (True, 5)


def test_two_processes_at_once_never_overspend(run: Run, churn: Path) -> None:
    files = [
        write_predictions(churn / f"{seed}.csv", predicted(0.8, seed=seed)) for seed in range(7)
    ]
    for path in files[:5]:
        score(run, path, "churn", "--guess", "0.8")
    command = [sys.executable, "-m", "peekproof", "score", "--holdout", "churn", "--guess", "0.8"]
    quiet = subprocess.DEVNULL
    running = [
        subprocess.Popen([*command, str(path)], stdout=quiet, stderr=quiet) for path in files[5:]
    ]
    assert sorted(each.wait() for each in running) == [0, 3]
    now = shown(run, "churn")
    assert (now["remaining"], now["asked"]) == (0, 6)


def test_an_analyst_is_kept_within_a_share(run: Run, churn: Path, model: Path) -> None:
    run("ledger", "share", str(churn / "labels.csv"), "bob=0")
    done = run("score", str(model), "--holdout", "churn", "--guess", "0.8", "--analyst", "bob")
    assert done.code == 3
    assert score(run, model, "churn", "--guess", "0.8")["remaining"] == 5


def test_a_gateway_with_a_holdout_is_scored_on_and_its_token_is_not_shown(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Holdout(None, labels())
    monkeypatch.setattr("peekproof.client.connecting.connect", lambda *_, **__: held)
    pl.read_csv(model).select("prediction").write_csv(model)
    found = score(run, model, "http://127.0.0.1:1/#token=pp_secret", "--guess", "0.8")
    assert (found["holdout"], found["confirmed"]) == ("http://127.0.0.1:1/", True)


def test_a_gateway_without_a_holdout_is_an_error_that_shows_no_token(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peekproof.client.connecting.connect", lambda *_, **__: object())
    done = run("score", str(model), "--holdout", "http://127.0.0.1:1/#token=pp_secret")
    assert done.code == 2
    assert "serves a holdout" in done.err
    assert "pp_secret" not in done.err


def test_two_predictions_are_compared(run: Run, churn: Path, model: Path) -> None:
    other = write_predictions(churn / "other.csv", predicted(0.5, seed=2))
    found = score(run, model, "churn", "--against", str(other))
    assert (found["tied"], found["predictions"]) == (False, [str(model), str(other)])
    assert 0 < found["low"] < found["value"] < found["high"]


def test_a_condition_chooses_rows(run: Run, churn: Path, model: Path) -> None:
    found = score(run, model, "churn", "--guess", "0.8", "--where", "region = 'south'")
    assert found["low"] < 0.8 < found["high"]


def test_scores_of_several_means_are_asked_for_as_any_other(
    run: Run, churn: Path, model: Path
) -> None:
    found = score(run, model, "churn", "--metric", "f1", "--guess", "0.8")
    assert (found["metric"], found["value"]) == ("f1(1)", pytest.approx(0.8))
    assert found["remaining"] == 3  # two parts, and the share of the class


def test_a_column_of_ids_is_not_passed_over_where_rows_go_by_their_order(
    run: Run, tmp_path: Path, model: Path
) -> None:
    file = write_labels(tmp_path / "labels.csv")
    words = ("score", str(model), "--holdout", str(file), "--label", "y")
    refused = run(*words)
    assert refused.code == 2
    assert "has the column 'id', as the labels have, but rows go by their order" in refused.err
    assert "--id id" in refused.err
    assert not (tmp_path / "labels.csv.peekproof").exists()
    pl.read_csv(model).select("prediction").write_csv(model)
    assert run(*words).code == 0


def test_models_that_are_compared_are_called_by_their_files(
    run: Run, churn: Path, model: Path
) -> None:
    worse = write_predictions(churn / "worse.csv", predicted(0.1))
    done = run("score", str(model), "--holdout", "churn", "--against", str(worse))
    assert done.out.startswith(f"{model} is better by")


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("nan", "a missing value (nan) in column 'prediction' in row 17 (from 0), for '0119'"),
        ("NaN", "has nothing in column 'prediction' in row 17 (from 0)"),
        ("", "has nothing in column 'prediction' in row 17 (from 0)"),
        ("one", "'one', which is no number, in column 'prediction' in row 17 (from 0), for '0119'"),
    ],
)
@pytest.mark.parametrize("kind", [int, float])
def test_a_prediction_that_is_no_number_is_named_by_its_row(
    run: Run, churn: Path, cell: str, told: str, kind: type
) -> None:
    path = write_predictions(churn / "model.csv", predicted(0.8).astype(kind))
    lines = path.read_text().splitlines()
    lines[18] = f"{lines[18].split(',')[0]},{cell}"
    path.write_text("\n".join(lines))
    done = run("score", str(path), "--holdout", "churn", "--guess", "0.8")
    assert done.code != 0
    assert told in done.err
    assert shown(run, "churn")["remaining"] == 6


def test_a_missing_prediction_in_a_list_is_named_by_its_row(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "plain.csv"
    pl.DataFrame({"y": labels()}).write_csv(file)
    values = [str(each) for each in predicted(0.8)]
    (tmp_path / "model.txt").write_text("\n".join([*values[:3], "nan", *values[4:]]))
    done = run("score", str(tmp_path / "model.txt"), "--holdout", str(file), "--guess", "0.8")
    assert done.code != 0
    assert "a missing value (nan) in column 'prediction' in row 3 (from 0)" in done.err
