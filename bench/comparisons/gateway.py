"""What the gateway adds to an ask, alone and with 64 clients at once.

Beside it, by turns in one run: 64 threads of one process that call `session.ask` on the same rows
and the same kind of ledger, and a bare Starlette application under the same uvicorn that does
nothing. All ask different questions, none of them twice. The clients are another process, and
talk through bare sockets.

Run: make bench ARGS="--only gateway"
"""

import itertools
import os
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from comparisons.gateway_crowds import (
    CLIENTS,
    QUESTION,
    Crowded,
    asking_over_http,
    bare,
    crowd_in_process,
    crowd_over_http,
)
from measure import asked, installed, side_by_side
from result import Cell, Chart, Result, Sheet

import peekproof
from load.serving import Serving, serving
from peekproof.data.load import load
from peekproof.server.settings import Dataset
from peekproof.session.session import Session

QUESTIONS = 500_000
THREADS = f"Peekproof in process, {CLIENTS} threads"
ONE_ANALYST = f"Peekproof over HTTP, {CLIENTS} clients of one analyst"
ANALYSTS = f"Peekproof over HTTP, {CLIENTS} analysts"
BARE_CROWD = f"Bare Starlette, {CLIENTS} clients"


def flights(folder: Path, rows: int) -> Path:
    rng = np.random.default_rng(0)
    path = folder / "flights.parquet"
    pl.DataFrame(
        {"delay": rng.normal(5, 30, rows), "distance": rng.integers(100, 3000, rows)}
    ).write_parquet(path)
    return path


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured: single asks, and turns of crowds of so many seconds."""

    rows: int
    singles: int
    turns: int
    seconds: float


FULL = Size(rows=1_000_000, singles=600, turns=7, seconds=3.5)
QUICK = Size(rows=100_000, singles=100, turns=3, seconds=0.6)


def measured(gateway: Serving, session: Session, size: Size) -> tuple[Sheet, Sheet]:
    inside, outside = itertools.count(), itertools.count()

    def ask() -> object:
        return session.ask(QUESTION.format(number=next(inside)))

    over_http = asking_over_http(gateway, outside)
    with bare() as port:
        nothing_asked = asking_over_http(gateway, outside, port=port)
        contenders = {"in process": ask, "HTTP": over_http, "bare": nothing_asked}
        for _ in range(20):
            ask()
            over_http()
        single = side_by_side(contenders, rounds=size.singles)
        turns = [
            {
                THREADS: crowd_in_process(ask, seconds=size.seconds),
                ONE_ANALYST: crowd_over_http(gateway, seconds=size.seconds, first=first),
                ANALYSTS: crowd_over_http(
                    gateway, seconds=size.seconds, first=first + 25_000, analysts=CLIENTS
                ),
                BARE_CROWD: crowd_over_http(gateway, seconds=size.seconds / 2, first=0, port=port),
            }
            for first in range(100_000, 100_000 + 50_000 * size.turns, 50_000)
        ]
    alone = {THREADS: "in process", ONE_ANALYST: "HTTP", ANALYSTS: "HTTP", BARE_CROWD: "bare"}
    return one_client(single), crowds(turns, {name: single[each] for name, each in alone.items()})


def one_client(seconds: Mapping[str, float]) -> Sheet:
    times = {
        "Peekproof in process": seconds["in process"],
        "Peekproof over HTTP": seconds["HTTP"],
        "Peekproof: what HTTP adds": seconds["HTTP"] - seconds["in process"],
        "Bare Starlette": seconds["bare"],
    }
    rows = {
        name: {
            "over an ask in process": taken / seconds["in process"],
            "over bare Starlette": taken / seconds["bare"],
        }
        for name, taken in times.items()
    }
    return Sheet.of("The time of one ask by one client. Less is better", rows)


def crowds(turns: list[dict[str, Crowded]], alone: Mapping[str, float]) -> Sheet:
    """Medians of the ratios of each turn; `alone` are the seconds of a single ask."""

    def row(name: str) -> dict[str, Cell]:
        def median(ratio: Callable[[dict[str, Crowded]], float]) -> float:
            return statistics.median(map(ratio, turns))

        return {
            "over threads in process": median(lambda turn: turn[name].rate / turn[THREADS].rate),
            "over bare Starlette": median(lambda turn: turn[name].rate / turn[BARE_CROWD].rate),
            "over one client": median(lambda turn: turn[name].rate * alone[name]),
            "processor time, over threads in process": None
            if name == BARE_CROWD  # it is not the gateway's process that works
            else median(lambda turn: turn[name].work / turn[THREADS].work),
        }

    return Sheet.of(
        f"{CLIENTS} clients at once: rates, of which more is better, and the processor time of "
        "an ask, of which less is",
        {name: row(name) for name in alone},
    )


def main() -> None:
    run = asked(__doc__)
    size = QUICK if run.quick else FULL
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = flights(folder, size.rows)
        # The same data twice, with ledgers that are thrown away.
        os.environ["PEEKPROOF_WITNESS"] = f"{folder}/witness-inside"
        session = peekproof.open(
            load(source),
            questions=QUESTIONS,
            mechanisms=[peekproof.Gaussian],
            ledger=folder / "inside.peekproof",
        )
        os.environ["PEEKPROOF_WITNESS"] = f"{folder}/witness-outside"
        held = Dataset(
            name="flights",
            source=str(source),
            questions=QUESTIONS,
            mechanism="gaussian",
            ledger=str(folder / "outside.peekproof"),
        )
        analysts = tuple(f"analyst {each}" for each in range(CLIENTS))
        with session, serving(folder, held, analysts=analysts) as gateway:
            sheets = measured(gateway, session, size)
    run.keep(
        Result(
            name="gateway",
            title="The gateway",
            about=(
                f"Asks about {size.rows:,} rows over HTTP, beside the same session called in "
                "process and beside a bare Starlette application that answers nothing, under the "
                "same uvicorn. Every ask is a new question and durable before it is answered. "
                "Questions of one analyst that wait together are answered together; those of many "
                "analysts are not."
            ),
            sheets=sheets,
            charts=(
                Chart(
                    kind="bars",
                    title=f"Asks of {CLIENTS} clients at once",
                    axis=f"rate over {CLIENTS} threads in process (more is better)",
                    sheet=1,
                    column="over threads in process",
                ),
            ),
            versions=installed("starlette", "uvicorn", "uvloop", "httptools"),
        )
    )


if __name__ == "__main__":
    main()
