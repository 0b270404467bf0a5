"""The labels of a contest have one budget, however they are cut into phases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peekproof
from learn.board.contests import OPEN, labels_of, names
from peekproof.core.errors import BudgetElsewhere, InvalidInput
from peekproof.learn.board.board import Board

pytestmark = pytest.mark.one_budget

ROWS = 400
LABELS = np.random.default_rng(5).integers(0, 2, ROWS)
TABLE = labels_of(LABELS)
HALVES = {"labels": TABLE[: ROWS // 2], "final": TABLE[ROWS // 2 :]}


def made(folder: Path, name: str, **given: object) -> Board:
    board = Board.create(folder / name, **{"labels": TABLE, "final": 0.5, **given})  # type: ignore[arg-type]
    OPEN.append(board)
    return board


@pytest.mark.parametrize("again", [{}, HALVES], ids=["another split", "halves"])
def test_a_second_contest_of_the_same_labels_is_refused(
    tmp_path: Path, again: dict[str, object]
) -> None:
    made(tmp_path, "first")
    with pytest.raises(BudgetElsewhere, match=r"first\.board"):
        made(tmp_path, "second", **again)
    assert not (tmp_path / "second.board").exists()


def test_a_holdout_and_a_contest_of_the_same_labels_are_one_too_many(tmp_path: Path) -> None:
    made(tmp_path, "first")
    with pytest.raises(BudgetElsewhere):
        peekproof.Holdout(names(ROWS), LABELS, ledger=tmp_path / "all.peekproof")

    others = LABELS[::-1].copy()
    with peekproof.Holdout(names(ROWS), others, ledger=tmp_path / "others.peekproof"):
        pass
    with pytest.raises(BudgetElsewhere, match=r"others\.peekproof"):
        made(tmp_path, "second", labels=labels_of(others))


def test_rows_of_a_final_that_were_asked_before_are_refused(tmp_path: Path) -> None:
    seen = peekproof.Holdout(
        names(ROWS)[ROWS // 2 :], LABELS[ROWS // 2 :], ledger=tmp_path / "seen.peekproof"
    )
    seen.close()
    with pytest.raises(BudgetElsewhere, match=r"seen\.peekproof"):
        made(tmp_path, "first", **HALVES)


@pytest.mark.parametrize("again", [{}, HALVES], ids=["another split", "the same rows"])
def test_a_reason_overrides_that_and_certificates_name_it(
    tmp_path: Path, again: dict[str, object]
) -> None:
    made(tmp_path, "first", **again)
    second = made(tmp_path, "second", **again, override="the first was a rehearsal")
    entry = second.submit("ann", TABLE.rename({"label": "prediction"}))
    assert entry.number == 1
    assumed = second._desk.session.plan.certificate.assumptions
    assert any("the first was a rehearsal" in each for each in assumed)
    with pytest.raises(BudgetElsewhere, match=r"second\.board"):  # the witness has moved on
        made(tmp_path, "third")


def test_a_reason_where_nothing_is_overridden_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nothing to override"):
        made(tmp_path, "first", override="just in case")


def test_a_contest_is_closed_and_opened_again_as_before(tmp_path: Path) -> None:
    board = made(tmp_path, "first", **HALVES)
    board.submit("ann", TABLE.rename({"label": "prediction"}))
    board.release()
    OPEN.remove(board)
    with Board.open(tmp_path / "first") as again:
        assert again.close().finalists[0].team == "ann"


@pytest.mark.parametrize("order", ["given", "of ids"])
def test_labels_without_their_ids_have_no_second_budget_beside_a_contest(
    tmp_path: Path, order: str
) -> None:
    shuffled = TABLE.sample(fraction=1, shuffle=True, seed=3)
    made(tmp_path, "first", labels=shuffled)
    bare = shuffled if order == "given" else shuffled.sort("id")
    with pytest.raises(BudgetElsewhere, match=r"first\.board") as caught:
        peekproof.Holdout(None, bare["label"].to_numpy())
    assert caught.value.columns == ("label",)


@pytest.mark.parametrize("order", ["given", "of ids"])
def test_a_contest_of_labels_that_had_a_holdout_without_ids_is_refused(
    tmp_path: Path, order: str
) -> None:
    with peekproof.Holdout(None, TABLE.sort("id")["label"].to_numpy()) as holdout:
        holdout.score(np.zeros(ROWS), guess=0.5)
    ordered = TABLE.sort("id")
    given = ordered if order == "given" else ordered.sample(fraction=1, shuffle=True, seed=3)
    with pytest.raises(BudgetElsewhere) as caught:
        made(tmp_path, "first", labels=given)
    assert caught.value.columns == ("label",)
    made(tmp_path, "other", labels=labels_of(1 - LABELS[::-1]))


def test_whole_numbers_as_ids_are_ordered_as_numbers(tmp_path: Path) -> None:
    with peekproof.Holdout(None, LABELS) as holdout:
        holdout.score(np.zeros(ROWS), guess=0.5)
    numbered = TABLE.with_columns(id=np.arange(ROWS))
    with pytest.raises(BudgetElsewhere):
        made(tmp_path, "first", labels=numbered.sample(fraction=1, shuffle=True, seed=3))


def test_labels_of_two_kinds_make_no_contest(tmp_path: Path) -> None:
    """As text, the numbers would be labels that no witness has seen."""
    words = TABLE.with_columns(label="class " + TABLE["label"].cast(str), id="final " + TABLE["id"])
    with pytest.raises(InvalidInput, match="the kind that the public ones have, numbers, got text"):
        made(tmp_path, "first", final=words)
