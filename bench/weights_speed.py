"""What multiplicative weights take beside one pass over the weights, in the same run.

A pass is the mean of adding the weights up and of scaling them in place. A guess is the mean of a
question whose values are at hand; an update tilts the weights by it. Finding the values comes on
top: by column, on the product of the columns that the question mentions, or by cell, on all of it.

Run: make bench, or python bench/weights_speed.py
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from measure import record, side_by_side

from holdfast.data.public import PublicTable
from holdfast.guess.domain import Domain, Ranges
from holdfast.guess.masses import Masses, Weighing
from holdfast.guess.product import ProductValues
from holdfast.guess.weights import MultiplicativeWeights
from holdfast.query.question import parse_question

SIZES = (17, 20, 22)
ROUNDS = 200
ANSWERS = (Fraction(1, 4), Fraction(3, 4))


def domain(bits: int) -> Domain:
    """2^bits cells: an age in 64 ranges, 64 places, and flags."""
    flags = {f"flag{number}": [False, True] for number in range(bits - 12)}
    ages = Ranges([float(age) for age in range(0, 130, 2)])
    return Domain({"age": ages, "place": [f"place {number}" for number in range(64)], **flags})


def measured(bits: int) -> dict[str, float]:
    cells = 2**bits
    declared = domain(bits)
    share = parse_question("age > 50 and flag0", declared.schema)
    mean = parse_question("mean(age, 0, 130)", declared.schema)
    table = PublicTable(declared.columns_as_arrays())
    product = ProductValues(declared, lambda columns: PublicTable(columns).values)
    flags, numbers = table.values(share), table.values(mean)
    plain, masses = np.ones(cells), Masses(cells)
    guesser = MultiplicativeWeights(cells=cells, values=product, error=Fraction(1, 100))
    turns = dict.fromkeys(("flags", "numbers", "asked"), 0)

    def tilted(name: str, values: Weighing) -> None:
        # Up and down in turn, as answers do, so that the weights stay where they began.
        turns[name] += 1
        masses.tilt(values, odds=1.25 if turns[name] % 2 else 0.8, mean=0.5)

    def failed() -> None:
        turns["asked"] += 1
        guesser.guess(share)
        guesser.learn(share, ANSWERS[turns["asked"] % 2], within=Fraction(1, 100))

    passes: dict[str, Callable[[], object]] = {
        "sum": plain.sum,
        "scale": lambda: np.multiply(plain, 1.0, out=plain),
        "guess, share": lambda: masses.mean(flags),
        "guess, mean": lambda: masses.mean(numbers),
        "update, share": lambda: tilted("flags", flags),
        "update, mean": lambda: tilted("numbers", numbers),
    }
    by_column: dict[str, Callable[[], object]] = {
        "values by column, share": lambda: product(share),
        "values by column, mean": lambda: product(mean),
        "whole question with a failed guess, share": failed,
    }
    by_cell: dict[str, Callable[[], object]] = {
        "values by cell, share": lambda: table.values(share),
        "values by cell, mean": lambda: table.values(mean),
    }
    rounds = ROUNDS if bits <= 20 else ROUNDS // 4
    seconds = side_by_side(passes, rounds=rounds)
    passed = (seconds["sum"] + seconds["scale"]) / 2
    # Apart, for what fills the caches with temporary columns slows down whatever follows it.
    seconds |= side_by_side(by_column, rounds=rounds) | side_by_side(by_cell, rounds=rounds // 4)
    results = {f"{name}, ms": 1e3 * taken for name, taken in seconds.items()}
    for name in [*list(passes)[2:], *by_column, *by_cell]:
        results[f"{name}, passes"] = seconds[name] / passed
    return results


def main() -> None:
    record("weights_speed", {f"2^{bits} cells": measured(bits) for bits in SIZES})


if __name__ == "__main__":
    main()
