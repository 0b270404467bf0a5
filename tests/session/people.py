"""A small population for the tests of this folder."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from peekproof.mechanisms.gaussian import Gaussian
from peekproof.session import Session

ROWS = 2_000


@dataclass(frozen=True)
class Person:
    age: int
    income: int | None
    city: str
    well: bool


def people(count: int = ROWS, *, seed: int = 1) -> list[Person]:
    chance = random.Random(seed)
    return [
        Person(
            age=chance.randrange(18, 90),
            income=chance.choice([None, *range(1000, 90_000, 500)]),
            city=chance.choice(["Rome", "Oslo", "Köln"]),
            well=chance.random() < 0.7,
        )
        for _ in range(count)
    ]


def write_csv(path: Path, population: list[Person]) -> Path:
    lines = ["age,income,city,well"]
    for each in population:
        income = "" if each.income is None else each.income
        lines.append(f"{each.age},{income},{each.city},{str(each.well).lower()}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ledger_bytes(place: Path) -> bytes:
    """All that a ledger has on disk: its file and what is not yet merged into it."""
    log = place.with_name(place.name + "-wal")
    return place.read_bytes() + b"|" + (log.read_bytes() if log.exists() else b"")


def noise_of(session: Session) -> Gaussian:
    """The mechanism of a session that was opened with noise."""
    assert isinstance(session.plan.mechanism, Gaussian)
    return session.plan.mechanism
