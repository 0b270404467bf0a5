"""Scoring predictions in the page of a holdout."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Page, expect

from browser.sites import Site, Sites
from browser.visitors import Visitors, answer_of, expect_left, open_view
from server.labelled import Labelled, holdout, ids, labelled

ROWS = 1000


_seeds = count(8)


@pytest.fixture
def labels(tmp_path: Path) -> Labelled:
    """Labels that nobody else holds: a database has one ledger for the same rows."""
    folder = tmp_path / "labels"
    folder.mkdir()
    return labelled(folder, rows=ROWS, seed=next(_seeds))


@pytest.fixture
def scored(sites: Sites, labels: Labelled) -> Site:
    folder = sites.folder()
    ledger = str(folder / "labels.peekproof")
    return sites.start(folder, holdout(labels, ledger=ledger), sites.flights(folder))


def written(folder: Path, name: str, values: list[object], known: list[str]) -> Path:
    path = folder / name
    pl.DataFrame({"id": known, "prediction": values}).write_csv(path)
    return path


def score(page: Page, file: Path, guess: str) -> None:
    page.get_by_label("A CSV file").set_input_files(file)
    expect(page.get_by_label("Column of predictions")).to_have_value("1")
    page.get_by_label("Your guess").fill(guess)
    page.get_by_role("button", name="Score", exact=True).click()


def test_a_file_is_scored_in_any_order_of_rows_and_again_for_free(
    scored: Site, labels: Labelled, visitors: Visitors, tmp_path: Path
) -> None:
    values: list[object] = [int(each) for each in labels.right(0.8)]
    page = visitors.sign_in(scored)
    score(page, written(tmp_path, "model.csv", values[::-1], ids(ROWS)[::-1]), "0.8")
    card = answer_of(page, "accuracy of model.csv")
    expect(card).to_contain_text("the guess holds")
    expect_left(page, 199)

    score(page, written(tmp_path, "again.csv", values, ids(ROWS)), "0.1")
    expect(answer_of(page, "accuracy of again.csv")).to_contain_text("answered before: free")
    expect_left(page, 199)

    open_view(page, "History")
    past = page.get_by_role("heading", name="accuracy of predictions")
    expect(past).to_have_count(1)
    expect(page.get_by_role("button", name="Ask again")).to_have_count(0)


def test_what_cannot_be_scored_costs_nothing(
    scored: Site, labels: Labelled, visitors: Visitors, tmp_path: Path
) -> None:
    page = visitors.sign_in(scored)
    score(page, written(tmp_path, "words.csv", ["yes"] * ROWS, ids(ROWS)), "0.5")
    expect(page.locator("main").get_by_text("where labels are numbers")).to_be_visible()
    values: list[object] = [int(each) for each in labels.right(0.8)]
    score(page, written(tmp_path, "short.csv", values[1:], ids(ROWS)[1:]), "0.5")
    expect(page.locator("main").get_by_text("got 999 ids")).to_be_visible()
    score(page, written(tmp_path, "model.csv", values, ids(ROWS)), "")
    expect(page.locator("main").get_by_text("A guess is a number from 0 to 1.")).to_be_visible()
    expect_left(page, 200)


def test_the_view_is_there_for_holdouts_alone(scored: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(scored)
    views = page.get_by_role("navigation", name="Views").get_by_role("link")
    expect(views).to_have_text(["Score", "Ask", "History"])
    page.get_by_label("Data set", exact=True).select_option("flights")
    expect(views).to_have_text(["Ask", "Histogram", "Batch", "History"])
    open_view(page, "Batch")
    page.get_by_label("Data set", exact=True).select_option("labels")
    expect(page.get_by_role("heading", level=1, name="Score")).to_be_attached()
