"""Second budgets: whoever opens the same rows again, by whatever door, gains no answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import peekproof
from peekproof.core.errors import IN_MEMORY, PART, RESPLIT, BudgetElsewhere, PeekproofError
from peekproof.data.source import Source
from peekproof.learn.label_file import LabelColumns, LabelFile, read_labels
from peekproof.learn.registry import Registry, open_labels
from peekproof.ledger.ledger import Ledger

pytestmark = pytest.mark.one_budget

ROWS = 2_000


def coins(seed: int, rows: int = ROWS) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, rows)


@pytest.fixture
def spent(tmp_path: Path) -> Path:
    """A file about which all that may be asked was asked."""
    file = tmp_path / "people.csv"
    ages = np.random.default_rng(5).normal(40, 12, ROWS).round(3)
    file.write_text("age\n" + "\n".join(map(str, ages)))
    with peekproof.open(file, questions=3) as session:
        session.ask_many([f"age > {age}" for age in (20, 30, 40)])
        assert session.remaining == 0
    return file


def test_a_spent_file_has_no_fresh_budget_in_memory(spent: Path) -> None:
    places = set()
    for _ in range(200):
        with pytest.raises(BudgetElsewhere) as caught:
            peekproof.open(spent, questions=3, ledger=":memory:")
        places.add(caught.value.place)
    assert places == {f"{spent}.peekproof"}


def test_rows_that_were_read_into_memory_are_those_of_the_spent_file(spent: Path) -> None:
    ages = [float(line) for line in spent.read_text().splitlines()[1:]]
    with pytest.raises(BudgetElsewhere):
        peekproof.open({"age": ages}, questions=3)


def test_a_cell_that_runs_again_and_again_certifies_nothing_about_a_coin() -> None:
    labels, tosses = coins(1), np.random.default_rng(2)
    scored, places = [], []
    for _ in range(400):
        try:
            holdout = peekproof.Holdout(None, labels, questions=1)
            scored.append(holdout.score(tosses.integers(0, 2, ROWS), guess=0.5))
        except BudgetElsewhere as refused:
            places.append(refused.place)
    assert all(each.startswith(IN_MEMORY) for each in places)
    assert len(scored) == 1
    assert scored[0].low <= 0.5


def test_a_cell_that_closes_its_session_gains_nothing_either() -> None:
    table = {"label": coins(3), "age": np.random.default_rng(3).normal(size=ROWS)}
    answers = 0
    for attempt in range(50):
        try:
            with peekproof.open(table, questions=1) as session:
                session.ask(f"age > {attempt / 50}")
                answers += 1
        except BudgetElsewhere:
            pass
    assert answers == 1


SPENDING = """
import sys, numpy as np, peekproof
table = {"age": np.random.default_rng(7).normal(size=2000)}
with peekproof.open(table, questions=1) as session:
    session.ask("age > 0")
"""


def test_another_process_has_no_second_budget_and_no_file_has() -> None:
    subprocess.run([sys.executable, "-c", SPENDING], check=True, timeout=120)
    again = subprocess.run(
        [sys.executable, "-c", SPENDING], capture_output=True, text=True, timeout=120, check=False
    )
    assert "BudgetElsewhere" in again.stderr
    table = {"age": np.random.default_rng(7).normal(size=2000)}
    for ledger in (None, "mine.peekproof"):
        with pytest.raises(BudgetElsewhere, match="all of it counts as spent"):
            peekproof.open(table, questions=1, ledger=ledger)
    assert not Ledger.exists("mine.peekproof")


def test_of_two_that_were_opened_before_anybody_asked_one_answers(
    tmp_path: Path,
) -> None:
    table = {"age": np.random.default_rng(8).normal(size=ROWS)}
    first = peekproof.open(table, questions=5)
    second = peekproof.open(table, questions=5, ledger=tmp_path / "b.peekproof")
    assert second.ask("age > 0").radius < 1
    with pytest.raises(PeekproofError, match=r"b\.peekproof"):
        first.ask("age > 1")


def people(seed: int = 11) -> dict[str, np.ndarray]:
    """Rows with a measurement, whole numbers, a flag and a number for each row."""
    rng = np.random.default_rng(seed)
    return {
        "income": rng.lognormal(10, 1, ROWS),
        "age": rng.integers(18, 90, ROWS),
        "member": rng.random(ROWS) < 0.4,
        "id": np.arange(ROWS),
    }


def shuffled(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    order = np.random.default_rng(12).permutation(ROWS)
    return {name: column[order] for name, column in table.items()}


DISGUISES: dict[str, Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]] = {
    "renamed": lambda table: {f"{name}_2": column for name, column in table.items()},
    "flags as numbers": lambda table: {**table, "member": table["member"].astype(int)},
    "rounded to 32 bits": lambda table: {**table, "income": table["income"].astype(np.float32)},
    "whole numbers as floats": lambda table: {"years": table["age"].astype(float)},
    "only a measurement": lambda table: {"x": table["income"]},
    "only a flag": lambda table: {"yes": table["member"].astype(np.int8)},
    "one more column": lambda table: {**table, "noise": np.random.default_rng(1).random(ROWS)},
    "renamed, rounded and shuffled": lambda table: shuffled(
        {"a": table["income"].astype(np.float32), "b": table["age"].astype(np.float32)}
    ),
}


@pytest.mark.parametrize("ledger", [None, "mine.peekproof"])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_rows_in_disguise_have_no_second_budget(
    disguise: str, ledger: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with peekproof.open(people(), questions=1, ledger=ledger) as session:
        session.ask("age > 50")
    with pytest.raises(BudgetElsewhere, match="recognised by the values of") as caught:
        peekproof.open(DISGUISES[disguise](people()), questions=1, ledger="again.peekproof")
    assert caught.value.columns
    assert not Path("again.peekproof").exists()


def test_disguises_that_were_opened_before_anybody_asked_have_one_budget() -> None:
    names = [f"x{number}" for number in range(40)]
    opened = [peekproof.open({name: people()["income"]}, questions=1) for name in names]
    answers = 0
    for name, session in zip(names, opened, strict=True):
        try:
            session.ask(f"{name} > {1000 * answers}")
            answers += 1
        except BudgetElsewhere:
            pass
    assert answers == 1


@pytest.mark.parametrize("features", ["rounded", "none", "cut"])
def test_labels_have_no_second_budget_with_other_features(features: str) -> None:
    table, coin = np.random.default_rng(13).normal(size=(ROWS, 3)), coins(14)
    with peekproof.Holdout(table, coin, questions=1) as holdout:
        holdout.score(coins(15), guess=0.5)
    shown = {"rounded": table.round(3), "none": None, "cut": table[:, :2]}
    with pytest.raises(BudgetElsewhere) as caught:
        peekproof.Holdout(shown[features], coin.astype(bool), questions=1)
    assert caught.value.columns == ("label",)
    with peekproof.Holdout(table, coins(17), questions=1) as other:  # the labels of another task
        assert other.left == 1


UNTELLING: dict[str, np.ndarray] = {
    "sorted": np.sort(coins(14)),
    "in blocks": np.repeat(coins(14, ROWS // 100), 100),
    "rare": (np.arange(ROWS) % 677 == 5).astype(int),
}
FEATURES = np.random.default_rng(13).normal(size=(ROWS, 3))
SHUFFLE = np.random.default_rng(12).permutation(ROWS)
COUNTS = np.random.default_rng(16).integers(0, 30, (ROWS, 3))
OTHER_FEATURES: dict[str, tuple[object, object, np.ndarray]] = {
    "32 bits": (FEATURES, FEATURES.astype(np.float32), np.arange(ROWS)),
    "32 bits, shuffled": (FEATURES, FEATURES[SHUFFLE].astype(np.float32), SHUFFLE),
    "one left out": (FEATURES, FEATURES[:, :2], np.arange(ROWS)),
    "one left out, shuffled": (FEATURES, FEATURES[SHUFFLE][:, 1:], SHUFFLE),
    "one added": (FEATURES, np.c_[FEATURES, COUNTS], np.arange(ROWS)),
    "of few values, one left out": (COUNTS, COUNTS[:, :2].astype(float), np.arange(ROWS)),
    "of few values, 32 bits, shuffled": (
        COUNTS / 7,
        (COUNTS[SHUFFLE] / 7).astype(np.float32),
        SHUFFLE,
    ),
    "names in another order": (
        pd.DataFrame(COUNTS / 7, columns=list("abc")),
        pd.DataFrame(COUNTS[SHUFFLE] / 7, columns=list("abc"))[["c", "a", "b"]],
        SHUFFLE,
    ),
}


@pytest.mark.parametrize("other", OTHER_FEATURES)
@pytest.mark.parametrize("labels", UNTELLING)
def test_labels_that_tell_nothing_are_recognised_with_their_features(
    labels: str, other: str
) -> None:
    held, shown, order = OTHER_FEATURES[other]
    with peekproof.Holdout(held, UNTELLING[labels], questions=1) as holdout:
        holdout.score(coins(15), guess=0.5)
    with pytest.raises(BudgetElsewhere) as caught:
        peekproof.Holdout(shown, UNTELLING[labels][order], questions=1)
    assert caught.value.columns == ("label",)


@pytest.mark.parametrize("labels", UNTELLING)
def test_other_labels_of_the_same_rows_have_a_budget_of_their_own(labels: str) -> None:
    for features in (FEATURES, COUNTS):
        with peekproof.Holdout(features, UNTELLING[labels], questions=1) as holdout:
            holdout.score(coins(15), guess=0.5)
        one = UNTELLING[labels].copy()
        one[7] = 1 - one[7]
        for another in (one, coins(17), np.zeros(ROWS)):
            with peekproof.Holdout(features, another, questions=1) as other:
                assert other.left == 1


@pytest.mark.parametrize("again", [pd.Series, pl.Series, list])
def test_documents_in_another_order_have_no_second_budget(
    again: Callable[[list[str]], object],
) -> None:
    texts, coin = [f"document {row}" for row in range(ROWS)], coins(14)
    with peekproof.Holdout(pd.Series(texts), coin, questions=1) as holdout:
        holdout.score(coins(15), guess=0.5)
    with pytest.raises(BudgetElsewhere):
        peekproof.Holdout(again([texts[row] for row in SHUFFLE]), coin[SHUFFLE], questions=1)


@pytest.fixture
def by_id(tmp_path: Path) -> LabelFile:
    """A file of labels with ids, which are in no order."""
    file, ids = tmp_path / "labels.csv", np.random.default_rng(18).permutation(ROWS) + 10**6
    pl.DataFrame({"id": ids, "y": coins(14)}).write_csv(file)
    return read_labels(file, LabelColumns(label="y", id="id"))


SAME_LABELS: dict[str, Callable[[LabelFile], object]] = {
    "without features": lambda file: peekproof.Holdout(None, file.given.to_numpy(), questions=1),
    "as a table": lambda file: peekproof.open({"y": file.given.to_numpy()}, questions=1),
    "as a table of the file": lambda file: peekproof.open(
        file.path, questions=1, ledger=":memory:"
    ),
    "without ids": lambda file: open_labels(
        read_labels(file.path, LabelColumns(label="y")),
        registry=Registry(file.path.parent / "another registry"),
        ledger=str(file.path.with_name("again.peekproof")),
    ),
    "in the order of ids": lambda file: peekproof.Holdout(
        None, file.labels.to_numpy(), questions=1
    ),
}


@pytest.mark.parametrize("same", SAME_LABELS)
def test_labels_of_a_file_with_ids_have_one_budget_without_them(
    same: str, by_id: LabelFile
) -> None:
    kept = open_labels(by_id, registry=Registry(by_id.path.parent / "registry"), questions=1)
    with peekproof.Holdout.at(kept.desk) as holdout:
        holdout.score(coins(15), guess=0.5)
    with pytest.raises(BudgetElsewhere, match="recognised by the values of"):
        SAME_LABELS[same](by_id)


def test_a_file_with_ids_has_no_second_budget_either(by_id: LabelFile) -> None:
    with peekproof.Holdout(None, by_id.given.to_numpy(), questions=1) as holdout:
        holdout.score(coins(15), guess=0.5)
    with pytest.raises(BudgetElsewhere, match="recognised by the values of 'label'"):
        open_labels(by_id, registry=Registry(by_id.path.parent / "registry"), questions=1)


def test_leaving_out_the_columns_that_tell_most_gains_nothing() -> None:
    rng = np.random.default_rng(21)
    flags = {f"f{number}": rng.random(ROWS) < 0.3 for number in range(5)}
    wide = {f"x{number}": rng.normal(size=ROWS) for number in range(300)}
    with peekproof.open({**wide, **flags}, questions=1) as session:
        session.ask("x0 > 0")
    with pytest.raises(BudgetElsewhere) as caught:
        peekproof.open(flags, questions=1)
    assert set(caught.value.columns) == set(flags)


def test_a_ledger_from_under_another_witness_has_no_second_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peekproof.open(people(), questions=1) as session:
        session.ask("age > 50")
    cut, place = {"x": people()["income"]}, tmp_path / "made-elsewhere.peekproof"
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PEEKPROOF_WITNESS", str(tmp_path / "elsewhere"))
        peekproof.open(cut, questions=1, ledger=place).close()
    for _ in range(2):
        with pytest.raises(BudgetElsewhere) as caught:
            peekproof.open(cut, ledger=place)
        assert caught.value.columns == ("x",)
    with peekproof.open(cut, ledger=place, override="another machine") as session:
        assert "'x'" in str(session.ledger.overrides[0]["against"])
    with peekproof.open(cut, ledger=place) as session:  # by now it is known
        assert session.remaining == 1


def test_an_override_names_what_was_recognised() -> None:
    with peekproof.open(people(), questions=1) as session:
        session.ask("age > 50")
    cut = {"income": people()["income"]}
    with peekproof.open(cut, questions=1, override="the first was for practice") as again:
        assert "'income'" in str(again.ledger.overrides[0]["against"])
        said = again.ask("income > 9").certificate.assumptions
    assert "the budget was overridden: the first was for practice" in said


def test_an_override_of_what_columns_tell_has_the_usual_promise() -> None:
    with peekproof.open(people(), questions=7, confidence=0.9) as session:
        session.ask("age > 50")
    cut = {"income": people()["income"]}
    with peekproof.open(cut, override="the first was for practice") as again:
        promise = again.plan.target
        assert (promise.questions, float(promise.confidence)) == (1_000, 0.95)
    coin = coins(18)
    with peekproof.Holdout(None, coin) as holdout:
        holdout.score(coins(19), guess=0.5)
    with peekproof.Holdout(coins(20)[:, None], coin, override="I looked") as holdout:
        assert holdout.left == 10_000


INNOCENT: dict[str, Callable[[dict[str, np.ndarray]], dict[str, object]]] = {
    "other rows of the same population": lambda _: dict(people(seed=99)),
    "the same numbers for rows": lambda table: {"id": table["id"], "x": coins(3)},
    "ranks": lambda table: {"rank": np.argsort(table["income"]) / ROWS},
    "a constant": lambda _: {"one": np.ones(ROWS), "x": coins(4)},
    "a sorted flag": lambda table: {"member": np.sort(table["member"])},
    "fewer rows": lambda table: {name: column[:-1] for name, column in table.items()},
}


def test_strata_of_one_label_have_a_budget_each() -> None:
    label = np.random.default_rng(22).integers(0, 50, ROWS) ** 2
    halves = [np.repeat(np.unique(label), np.bincount(label)[np.unique(label)] // 2)] * 2
    for seed, half in enumerate(halves):
        mixed = np.random.default_rng(seed).permutation(half)
        with peekproof.Holdout(None, mixed, questions=1) as holdout:
            holdout.score(np.zeros(len(half)), guess=0.02)


@pytest.mark.parametrize("innocent", INNOCENT)
def test_other_data_has_a_budget_of_its_own(innocent: str) -> None:
    first = {**people(), "rank": np.arange(ROWS) / ROWS, "one": np.ones(ROWS)}
    with peekproof.open(first, questions=1) as session:
        session.ask("age > 50")
    with peekproof.open(INNOCENT[innocent](first), questions=1) as other:
        assert other.remaining == 1


# Parts of splits ------------------------------------------------------------------------------

KEY = "0123456789abcdef" * 2
MOST = {"most": 0.999, "rest": 0.001}
HALVES = {"a": 0.5, "b": 0.5}


def tossed(count: int = 60) -> dict[str, np.ndarray]:
    """Coins, and one more that they are to predict."""
    rng = np.random.default_rng(23)
    coins = {f"f{number}": rng.integers(0, 2, ROWS) for number in range(count)}
    return {**coins, "x": rng.normal(size=ROWS), "y": rng.integers(0, 2, ROWS)}


def asked(part: Source, question: str = "age > 50", ledger: Path | None = None) -> None:
    with peekproof.open(part, questions=1, ledger=ledger) as session:
        session.ask(question)


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_splitting_again_and_again_certifies_nothing_about_a_coin(
    kind: str, tmp_path: Path
) -> None:
    whole, answers, refused = peekproof.load(tossed()), 0, list[BudgetElsewhere]()
    for number in range(60):
        place = tmp_path / f"{number}.peekproof" if kind == "file" else None
        try:
            asked(peekproof.split(whole, MOST)["most"], f"f{number} = y", place)
            answers += 1
        except BudgetElsewhere as error:
            refused.append(error)
    assert answers == 1
    assert {each.met for each in refused} == {RESPLIT}
    for piece in ("by another split", "key=", "nothing was asked", 'override="…"'):
        assert piece in str(refused[0])
    assert len(list(tmp_path.glob("*.peekproof"))) == (kind == "file")


def test_splits_that_were_opened_before_anybody_asked_have_one_budget(tmp_path: Path) -> None:
    whole, place = peekproof.load(people()), tmp_path / "part.peekproof"
    first, second, third = (peekproof.split(whole, HALVES)["a"] for _ in range(3))
    in_memory = peekproof.open(first, questions=1)  # of which the witness hears when it is asked
    with pytest.raises(BudgetElsewhere, match=IN_MEMORY):
        peekproof.open(second, questions=1)
    asked(third, ledger=place)
    with pytest.raises(BudgetElsewhere) as caught:
        in_memory.ask("age > 60")
    assert (caught.value.place, caught.value.met) == (str(place), RESPLIT)


@pytest.mark.parametrize("by", [None, "id"])
def test_all_parts_of_one_split_have_a_budget_each(by: str | None) -> None:
    whole, shares = peekproof.load(people()), {"a": 0.5, "b": 0.25, "c": 0.25}
    for name in shares:  # drawn anew each time, as by several scripts
        asked(peekproof.split(whole, shares, by=by, key=KEY)[name])
    with pytest.raises(BudgetElsewhere) as caught:
        asked(peekproof.split(whole, shares, by=by, key=KEY)["b"])
    assert caught.value.met == ""


def test_other_shares_by_the_same_key_are_another_split_where_they_overlap() -> None:
    whole = peekproof.load(people())
    asked(peekproof.split(whole, HALVES, key=KEY)["a"])
    other = peekproof.split(whole, {"a": 0.4, "b": 0.2, "c": 0.4}, key=KEY)
    for name in ("a", "b"):
        with pytest.raises(BudgetElsewhere) as caught:
            asked(other[name])
        assert caught.value.met == RESPLIT
    asked(other["c"])


@pytest.mark.parametrize("nested", [False, True])
def test_a_whole_is_refused_once_a_part_was_asked_about(nested: bool, tmp_path: Path) -> None:
    part = peekproof.split(peekproof.load(people()), HALVES)["a"]
    asked(peekproof.split(part, HALVES)["b"] if nested else part)
    for ledger in (None, tmp_path / "whole.peekproof"):
        with pytest.raises(BudgetElsewhere, match="a part of this data has its budget") as caught:
            peekproof.open(people(), questions=1, ledger=ledger)
        assert caught.value.met == PART
    with peekproof.open(people(), questions=1, override="the part was for practice") as session:
        (recorded,) = session.ledger.overrides
        assert str(recorded["against"]).startswith("the budget of a part of this data at")
        said = session.ask("age > 50").certificate.assumptions
        assert "the budget was overridden: the part was for practice" in said


def test_a_whole_is_refused_while_a_part_of_it_is_open_in_memory() -> None:
    part = peekproof.open(peekproof.split(peekproof.load(people()), HALVES)["a"], questions=1)
    with pytest.raises(BudgetElsewhere) as caught:
        peekproof.open(people(), questions=1)
    assert caught.value.met == PART
    assert caught.value.place.startswith(IN_MEMORY)
    part.close()
    peekproof.open(people(), questions=1).close()  # nothing was asked about the part


def test_parts_of_parts_have_a_budget_each_and_no_second_one() -> None:
    whole = peekproof.load(people())
    halves = peekproof.split(whole, HALVES, key=KEY)
    for part in (*peekproof.split(halves["a"], HALVES).values(), halves["b"]):
        asked(part)
    for taken in (halves["a"], peekproof.split(whole, HALVES)["a"]):
        inside = peekproof.split(taken, {"a": 0.3, "b": 0.7})
        for part in (taken, *inside.values()):
            with pytest.raises(BudgetElsewhere) as caught:
                asked(part)
            assert caught.value.met in (PART, RESPLIT)


def test_a_column_that_is_renamed_makes_no_new_split() -> None:
    asked(peekproof.split(peekproof.load(people()), HALVES)["a"])
    renamed = peekproof.load({f"{name}_2": column for name, column in people().items()})
    for again in (renamed, *peekproof.split(renamed, HALVES).values()):
        with pytest.raises(BudgetElsewhere, match="recognised by the values of"):
            asked(again, "age_2 > 50")


def test_a_ledger_of_a_part_that_goes_on_tells_a_new_witness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, place = peekproof.load(people()), tmp_path / "part.peekproof"
    part = peekproof.split(whole, HALVES)["a"]
    asked(part, ledger=place)
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "new"))
    peekproof.open(part, ledger=place).close()
    with pytest.raises(BudgetElsewhere) as caught:
        peekproof.open(whole, questions=1)
    assert caught.value.place == str(place)


def test_another_split_goes_on_for_a_reason(tmp_path: Path) -> None:
    whole = peekproof.load(people())
    asked(peekproof.split(whole, HALVES)["a"])
    again, place = peekproof.split(whole, HALVES, key=KEY), tmp_path / "again.peekproof"
    reason = "the first was for practice"
    with peekproof.open(again["a"], questions=3, ledger=place, override=reason) as data:
        assert "a part by another split" in str(data.ledger.overrides[0]["against"])
    with pytest.raises(BudgetElsewhere):  # the first split may hold some of these rows as well
        asked(again["b"])
