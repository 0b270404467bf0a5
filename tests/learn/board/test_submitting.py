"""What a submission costs and what it is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from learn.board.contests import Contest, frame_of, labels_of, names
from peekproof.core.errors import (
    BudgetElsewhere,
    BudgetExhausted,
    DataError,
    InvalidInput,
    ShareExhausted,
)
from peekproof.learn.board.board import Board
from peekproof.learn.board.submission import Told
from peekproof.learn.holdout import Holdout


def test_the_first_entry_is_told_and_a_worse_one_is_not(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    first = contest.board.submit("ann", contest.right(0.8))
    worse = contest.board.submit("bob", contest.right(0.6))
    assert first.told is Told.CORRECTED
    assert first.low < 0.8 < first.high
    assert worse.told is Told.NO_BETTER
    assert (worse.low, worse.shown) == (0.0, f"not above {worse.high:.4f}")
    assert contest.board.standings().failures == 1


def test_what_is_told_of_entries_that_are_no_better_does_not_depend_on_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    for share in (0.2, 0.75):
        folder = tmp_path / str(share)
        monkeypatch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))  # the same labels again
        contest = Contest(folder)
        contest.board.submit("ann", contest.right(0.8))
        entry = contest.board.submit("bob", contest.right(share))
        told.append((entry.told, entry.value, entry.low, entry.high))
    assert told[0] == told[1]


def test_the_same_labels_make_no_second_board(tmp_path: Path) -> None:
    Contest(tmp_path / "one")
    with pytest.raises(BudgetElsewhere):
        Contest(tmp_path / "two")
    assert list((tmp_path / "two").iterdir()) == []


def test_labels_of_a_holdout_with_these_ids_make_no_board(tmp_path: Path) -> None:
    contest = Contest(tmp_path / "one")
    contest.board.release()
    public = pl.read_parquet(contest.board.folder / "public.parquet")
    with pytest.raises(BudgetElsewhere):
        Holdout(public["id"].to_list(), public["label"], ledger=tmp_path / "other.peekproof")


def test_large_whole_numbers_are_told_apart(tmp_path: Path) -> None:
    large = [str(2**53 + each) for each in range(400)]
    table = pl.DataFrame({"id": names(400), "label": large})
    with Board.create(tmp_path / "large", labels=table[:200], final=table[200:]) as board:
        assert board.settings.labels == "text"
        shifted = pl.DataFrame({"id": names(400), "prediction": [*large[1:], "0"]})
        assert board.submit("ann", shifted, declared=0.0).value == 0


def test_a_share_for_the_final_is_split_off_at_random(tmp_path: Path) -> None:
    table = labels_of(np.arange(1000) % 2)
    with Board.create(tmp_path / "coins", labels=table, final=0.25) as board:
        assert (board.settings.public_rows, board.settings.final_rows) == (750, 250)
        assert board.ids == sorted(names(1000))
        assert board._reader.final != names(1000)[750:]
        kept = pl.read_parquet(board.folder / "final.parquet")
        assert kept.equals(
            table.filter(pl.col("id").is_in(board._reader.final)).cast({"label": pl.Float64})
        )


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"final": 0.0}, "final"),
        ({"final": 1}, "final"),
        ({"final": labels_of(np.zeros(3, int))}, "final"),
        ({"labels": pl.DataFrame({"id": [1.5], "label": [1]})}, "labels"),
        ({"per_team": "1/2000"}, "per_team"),
        ({"per_team": "a"}, "per_team"),
        ({"step": 0.0}, "step"),
        ({"title": "a\nb"}, "title"),
        ({"metric": "beauty"}, "metric"),
        ({"confidence": 1.5}, "confidence"),
        ({"submissions": 0}, "submissions"),
    ],
)
def test_what_makes_no_board_leaves_nothing_behind(
    tmp_path: Path, given: dict[str, object], argument: str
) -> None:
    with pytest.raises(InvalidInput, match=argument):
        Contest(tmp_path, rows=200, **given)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_overwritten_and_another_is_no_board(tmp_path: Path) -> None:
    contest = Contest(tmp_path, rows=200)
    with pytest.raises(DataError, match="exists already"):
        Contest(tmp_path, rows=200)
    with pytest.raises(DataError, match="is not a board"):
        Board.open(tmp_path / "other")
    (contest.board.folder / "board.json").write_text('{"version": 2}')
    with pytest.raises(DataError, match="cannot be read as a board"):
        Board.open(contest.board.folder)


def test_an_improvement_is_told_from_both_sides(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    contest.board.submit("ann", contest.right(0.6))
    better = contest.board.submit("bob", contest.right(0.9))
    assert better.bounded
    assert better.low < 0.9 < better.high
    assert [each.team for each in contest.board.standings().running] == ["ann", "bob"]


def test_less_than_a_step_is_no_improvement(tmp_path: Path) -> None:
    contest = Contest(tmp_path, step=0.2)
    contest.board.submit("ann", contest.right(0.7))
    assert contest.board.submit("bob", contest.right(0.8)).told is Told.NO_BETTER
    assert contest.board.submit("bob", contest.right(0.98)).told is Told.CORRECTED


def test_a_perfect_entry_is_told_even_if_the_best_is_a_step_away_from_perfect(
    tmp_path: Path,
) -> None:
    contest = Contest(tmp_path, step=0.1)
    contest.board.submit("ann", contest.right(0.97))
    assert contest.board.submit("bob", contest.right(1.0)).bounded


def test_a_declared_score_that_holds_costs_no_failure(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    entry = contest.board.submit("ann", contest.right(0.8), declared=0.8, name="forest")
    assert (entry.told, entry.value, entry.name) == (Told.CONFIRMED, 0.8, "forest")
    assert contest.board.standings().failures == 0
    assert contest.draws == 1


def test_a_wrong_declaration_is_corrected_and_after_so_many_not_looked_at(tmp_path: Path) -> None:
    contest = Contest(tmp_path, corrections=2)
    board = contest.board
    told = [board.submit("ann", contest.right(0.6), declared=0.95).told for _ in range(4)]
    assert told == [Told.CORRECTED, Told.CORRECTED, Told.NO_BETTER, Told.NO_BETTER]
    assert board.submit("bob", contest.right(0.6), declared=0.95).told is Told.CORRECTED


def test_the_same_predictions_are_the_same_entry_and_free(tmp_path: Path) -> None:
    contest = Contest(tmp_path)
    given = contest.right(0.7)
    first = contest.board.submit("ann", given)
    path = tmp_path / "again.csv"
    given.sample(fraction=1, shuffle=True, seed=2).write_csv(path)
    assert contest.board.submit("ann", path, declared=0.2) == first
    other = contest.board.submit("bob", dict(given.iter_rows()))
    assert (other.value, other.low, other.high) == (first.value, first.low, first.high)
    assert other.number == 2
    assert contest.draws == 1


def changed(rows: pl.DataFrame, value: float, name: str = "r7") -> pl.DataFrame:
    """The predictions, with another one for one row."""
    other = pl.when(pl.col("id") == name).then(pl.lit(value))
    return rows.with_columns(prediction=other.otherwise(pl.col("prediction").cast(pl.Float64)))


@pytest.mark.parametrize(("metric", "value"), [("accuracy", 0.5), ("brier", 2.0)])
def test_a_refusal_does_not_tell_which_phase_a_row_is_of(
    tmp_path: Path, metric: str, value: float
) -> None:
    contest = Contest(tmp_path, rows=200, metric=metric)
    given = contest.right(0.7)
    for name in ("r7", "r107"):  # of the public phase, and of the final
        with pytest.raises(InvalidInput) as refused:
            contest.board.submit("ann", changed(given, value, name))
        assert f"got {value} for {name!r}; " in f"{refused.value}; "
    assert contest.draws == 0


def test_numbers_are_no_names_of_classes(tmp_path: Path) -> None:
    labels = {each: "no" if int(each[1:]) % 2 else "yes" for each in names(200)}
    board = Board.create(tmp_path / "texts", labels=labels, final=0.5)
    with pytest.raises(InvalidInput, match="texts, as the labels are, got numbers for 'r0'"):
        board.submit("ann", dict.fromkeys(labels, float("nan")))
    assert board.left() == 1000
    board.release()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda rows: rows.head(5), "none for 'r10'"),
        (lambda rows: pl.concat([rows, rows.head(1)]), "more than once"),
        (lambda rows: rows.with_columns(pl.col("id") + "x"), "none for 'r0'"),
        (lambda rows: rows.rename({"prediction": "label"}), "columns id and prediction"),
        (lambda rows: rows.with_columns(prediction=pl.lit("cat")), "finite numbers"),
        (lambda rows: rows.with_columns(prediction=pl.lit(None)), "no prediction for 'r0', 'r1'"),
        (lambda rows: rows.with_columns(prediction=pl.lit(float("nan"))), "finite numbers"),
        (lambda rows: changed(rows, float("nan")), "got others for 'r7'"),
        (lambda rows: changed(rows, 0.5), "classes: text or whole numbers, got 0.5 for 'r7'"),
        (lambda rows: [1, 2, 3], "a list"),
    ],
)
def test_what_cannot_be_scored_costs_nothing(tmp_path: Path, change: object, what: str) -> None:
    contest = Contest(tmp_path, rows=200)
    with pytest.raises(InvalidInput, match=what):
        contest.board.submit("ann", change(contest.right(0.7)))  # type: ignore[operator]
    assert contest.draws == 0
    assert contest.board.entries() == []


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"declared": 1.5}, "declared"),
        ({"declared": True}, "declared"),
        ({"trained_on": 5}, "trained_on"),
        ({"declared": 0.5, "trained_on": 0}, "trained_on"),
        ({"name": "a\nb"}, "name"),
    ],
)
def test_what_a_team_says_is_checked(
    tmp_path: Path, given: dict[str, object], argument: str
) -> None:
    contest = Contest(tmp_path, rows=200)
    with pytest.raises(InvalidInput, match=argument):
        contest.board.submit("ann", contest.right(0.7), **given)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="team"):
        contest.board.submit("", contest.right(0.7))


def test_texts_are_compared_as_texts(tmp_path: Path) -> None:
    kinds = ["cat", "dog"] * 500
    labels = pl.DataFrame({"id": range(1000), "label": kinds})
    with Board.create(tmp_path / "pets", labels=labels, final=0.3) as board:
        entry = board.submit("ann", {number: kinds[number] for number in range(1000)})
    assert entry.high == 1.0
    assert entry.low > 0.9


def test_numbers_in_files_are_numbers_however_they_are_written(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("id,label\n" + "".join(f"{n},{n % 2}\n" for n in range(400)))
    given = tmp_path / "given.csv"
    given.write_text("id,prediction\n" + "".join(f"{n},{n % 2}.0\n" for n in range(400)))
    with Board.create(tmp_path / "odd", labels=labels, final=0.5) as board:
        assert board.submit("ann", given).high == 1.0


def test_labels_and_predictions_may_be_pandas_frames_with_groups_and_categories(
    tmp_path: Path,
) -> None:
    pandas = pytest.importorskip("pandas")
    kinds = pandas.Series(["cat", "dog"] * 200, dtype="category")
    table = pandas.DataFrame({"id": range(400), "label": kinds, "region": ["n", "s"] * 200})
    with Board.create(tmp_path / "pets", labels=table, final=0.5) as board:
        assert board.settings.labels == "text"
        given = pandas.DataFrame({"id": range(400), "prediction": kinds})
        assert board.submit("ann", given).high == 1.0
        assert board.close().finalists[0].high == 1.0


def test_every_team_has_its_share(tmp_path: Path) -> None:
    contest = Contest(tmp_path, submissions=6, per_team="1/3")
    board = contest.board
    assert board.left("ann") == 2
    for _ in range(2):
        board.submit("ann", contest.right(0.5))
    with pytest.raises(ShareExhausted):
        board.submit("ann", contest.right(0.5))
    assert [board.left(team) for team in ("ann", "bob")] == [0, 2]
    board.submit("bob", contest.right(0.5))
    board.submit("cy", contest.right(0.5))
    assert board.left("dee") == 0
    with pytest.raises(InvalidInput, match="shares of 1/3 are taken"):
        board.submit("dee", contest.right(0.5))
    assert {each.entry.team: each.left for each in board.standings().teams} == {
        "ann": 0, "bob": 1, "cy": 1,
    }  # fmt: skip


def test_all_submissions_together_have_an_end(tmp_path: Path) -> None:
    contest = Contest(tmp_path, submissions=2)
    for _ in range(2):
        contest.board.submit("ann", contest.right(0.5))
    with pytest.raises(BudgetExhausted):
        contest.board.submit("bob", contest.right(0.5))
    assert contest.board.left("bob") == 0
    assert len(contest.board.entries()) == 2


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (float("nan"), "got nan for 'r3', a decimal number after a whole number in column predict"),
        ("yes", "got 'yes' for 'r3', text after a whole number in column prediction"),
        (0.5, "got 0.5 for 'r3', a decimal number after a whole number in column prediction"),
    ],
)
def test_a_prediction_of_another_kind_is_named_by_its_id(
    tmp_path: Path, odd: object, told: str
) -> None:
    contest = Contest(tmp_path)
    given: dict[str, object] = dict.fromkeys(names(2000), 1)
    with pytest.raises(InvalidInput, match=told):
        contest.board.submit("ann", {**given, "r3": odd})
    with pytest.raises(InvalidInput, match="got 2,000 in id, 1,999 in prediction"):
        contest.board.submit("ann", {"id": names(2000), "prediction": [1] * 1999})
    assert contest.draws == 0


def test_a_prediction_beyond_the_bounds_is_named_by_its_id(tmp_path: Path) -> None:
    contest = Contest(tmp_path, metric="absolute_error(0, 1)")
    wrong = frame_of(np.where(np.arange(2000) == 1234, 6, 1))
    with pytest.raises(InvalidInput, match=r"bounds of the metric, got 6\.0 for 'r1234'; no error"):
        contest.board.submit("ann", wrong)
    assert contest.draws == 0


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_labels_that_are_no_numbers_are_named_by_their_ids(tmp_path: Path, odd: float) -> None:
    values = [0.5] * 10
    table = pl.DataFrame({"id": names(10), "label": [*values[:7], odd, *values[8:]]})
    with pytest.raises(InvalidInput, match=f"labels must be finite numbers.* got {odd} for 'r7'"):
        Board.create(tmp_path / "odd", labels=table, final=0.5, metric="brier")
