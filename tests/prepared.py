"""The folders in which the commands of the pages are typed, as the pages describe them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import peekproof
from documents import ROOT, blocks, typed
from ledger.postgres_server import Database

# Fills the current folder; the database is for pages that have one.
Prepare = Callable[[Database | None], None]


def people(_: Database | None) -> None:
    """people.csv with ages and incomes, enough for a thousand questions."""
    rng = np.random.default_rng(5)
    columns = {"age": rng.integers(18, 90, 100_000), "income": rng.lognormal(10.3, 0.6, 100_000)}
    pl.DataFrame(columns).write_csv("people.csv")


def people_asked(database: Database | None) -> None:
    """people.csv, about which somebody has asked."""
    people(database)
    assert typed(["ask", "people.csv", "age > 65"]).code == 0


def people_restored(database: Database | None) -> None:
    """people.csv with a ledger from a backup that lacks the last answers."""
    people_asked(database)
    shutil.copy("people.csv.peekproof", "backup")
    assert typed(["ask", "people.csv", "age > 66"]).code == 0
    shutil.copy("backup", "people.csv.peekproof")
    assert typed(["ask", "people.csv", "age > 65"]).code == 4


def people_damaged(database: Database | None) -> None:
    """people.csv with a ledger in which a bit flipped."""
    people_asked(database)
    place = Path("people.csv.peekproof")
    place.write_bytes(place.read_bytes().replace(b"age > 65", b"age > 64"))
    assert typed(["ask", "people.csv", "age > 65"]).code == 4


def people_in_database(database: Database | None) -> None:
    """people.csv, and a ledger of other people that the database knows by name."""
    people(database)
    assert database is not None
    others = {"age": np.random.default_rng(6).integers(18, 90, 10_000)}
    peekproof.open(others, questions=100, ledger=database.place("people-2026")).close()


def flights(_: Database | None) -> None:
    """flights.csv, with two models of a label."""
    rng = np.random.default_rng(5)
    label = rng.integers(0, 2, 20_000)
    columns = {
        "delay": rng.exponential(20, 20_000) - 5,
        "carrier": rng.choice(["AA", "DL", "UA"], 20_000),
        "label": label,
        "model_1": np.where(rng.random(20_000) < 0.7, label, 1 - label),
        "model_2": np.where(rng.random(20_000) < 0.9, label, 1 - label),
    }
    pl.DataFrame(columns).write_csv("flights.csv")


def churn(_: Database | None) -> None:
    """labels.csv, predictions of some models, and candidates with what their validation said."""
    rng = np.random.default_rng(5)
    customer, churned = np.arange(4000), rng.integers(0, 2, 4000)
    region = rng.choice(["north", "south"], 4000)
    pl.DataFrame({"customer": customer, "churned": churned, "region": region}).write_csv(
        "labels.csv"
    )
    Path("candidates").mkdir()
    models = {"model": 0.81, "old": 0.6, "new": 0.95, "candidates/a": 0.6, "candidates/b": 0.9}
    for name, right in models.items():
        predicted = np.where(rng.random(4000) < right, churned, 1 - churned)
        table = pl.DataFrame({"customer": customer, "prediction": predicted})
        table.write_csv(f"{name}.csv")
        Path(f"{name}.cv").write_text(f"{right}\n")


def visits(_: Database | None) -> None:
    """The files that the page on large files makes."""
    first, *_rest = blocks(ROOT / "docs/how-to/question-large-files.md", "python")
    exec(compile(first, "question-large-files.md", "exec", dont_inherit=True), {})


def coins(_: Database | None) -> None:
    """labels.csv of a contest, and predictions.csv of a team."""
    rng = np.random.default_rng(5)
    ids, label = [f"row{number}" for number in range(6000)], rng.integers(0, 2, 6000)
    predicted = np.where(rng.random(6000) < 0.8, label, 1 - label)
    pl.DataFrame({"id": ids, "label": label}).write_csv("labels.csv")
    pl.DataFrame({"id": ids, "prediction": predicted}).write_csv("predictions.csv")


# Pages that are not here need no files.
FOLDERS: dict[str, Prepare] = {
    "README": people,
    "ask-more-than-shares": flights,
    "move-a-ledger": people_restored,
    "move-to-postgresql-or-spark": people_asked,
    "question-large-files": visits,
    "recover-a-damaged-ledger": people_damaged,
    "run-a-leaderboard": coins,
    "score-from-a-script": churn,
    "serve-a-leaderboard": coins,
    "serve-a-team": people,
    "share-a-ledger": people_in_database,
    "share-one-budget": people_asked,
}
