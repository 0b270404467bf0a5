"""What multiplicative weights take beside one pass over the weights, in the same run.

A pass is the mean of adding the weights up and of scaling them in place. A guess is the mean of a
question whose values are at hand; an update tilts the weights by it. Finding the values comes on
top: by column, on the product of the columns that the question mentions, or by cell, on all of it.

Run: make bench ARGS="--only weights"
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from measure import asked, installed, side_by_side
from result import Chart, Result, Sheet

from peekproof.data.table import PublicTable
from peekproof.guess.domain import Domain, Masses, Ranges, Weighing
from peekproof.guess.weights import MultiplicativeWeights, ProductValues
from peekproof.query.question import parse_question

BITS, QUICK_BITS = (17, 20, 22), (17, 20)
ROUNDS, QUICK_ROUNDS = 200, 40
ANSWERS = (Fraction(1, 4), Fraction(3, 4))


def domain(bits: int) -> Domain:
    """2^bits cells: an age in 64 ranges, 64 places, and flags."""
    flags = {f"flag{number}": [False, True] for number in range(bits - 12)}
    ages = Ranges([float(age) for age in range(0, 130, 2)])
    return Domain({"age": ages, "place": [f"place {number}" for number in range(64)], **flags})


def measured(bits: int, *, rounds: int) -> dict[str, float]:
    """How many passes each takes."""
    cells = 2**bits
    declared = domain(bits)
    share = parse_question("age > 50 and flag0", declared.schema)
    mean = parse_question("mean(age, 0, 130, 0)", declared.schema)
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
        "Bare sum": plain.sum,
        "Bare scaling": lambda: np.multiply(plain, 1.0, out=plain),
        "Peekproof guess, share": lambda: masses.mean(flags),
        "Peekproof guess, mean": lambda: masses.mean(numbers),
        "Peekproof update, share": lambda: tilted("flags", flags),
        "Peekproof update, mean": lambda: tilted("numbers", numbers),
    }
    by_column: dict[str, Callable[[], object]] = {
        "Peekproof values by column, share": lambda: product(share),
        "Peekproof values by column, mean": lambda: product(mean),
        "Peekproof question and failed guess, share": failed,
    }
    by_cell: dict[str, Callable[[], object]] = {
        "Peekproof values by cell, share": lambda: table.values(share),
        "Peekproof values by cell, mean": lambda: table.values(mean),
    }
    seconds = side_by_side(passes, rounds=rounds)
    passed = (seconds["Bare sum"] + seconds["Bare scaling"]) / 2
    # Apart, for what fills the caches with temporary columns slows down whatever follows it.
    seconds |= side_by_side(by_column, rounds=rounds) | side_by_side(by_cell, rounds=rounds // 4)
    return {name: taken / passed for name, taken in seconds.items()}


def main() -> None:
    run = asked(__doc__)
    most = QUICK_ROUNDS if run.quick else ROUNDS
    found = {
        f"{2**bits:,}": measured(bits, rounds=most if bits <= 20 else most // 4)
        for bits in (QUICK_BITS if run.quick else BITS)
    }
    names, largest = next(iter(found.values())), list(found)[-1]
    rows = {name: {cells: each[name] for cells, each in found.items()} for name in names}
    run.keep(
        Result(
            name="weights",
            title="Multiplicative weights",
            about=(
                "What guesses and updates take over a bare NumPy pass through an array of as many "
                "numbers as the domain has cells; a pass is the mean of adding them up and of "
                "scaling them in place. The values of a question are found by column, as sessions "
                "do, or by cell. Less is better, and 1 is one pass."
            ),
            sheets=(Sheet.of("Passes over the weights, by the number of cells", rows),),
            charts=(
                Chart(
                    kind="bars",
                    title=f"Multiplicative weights on {largest} cells",
                    axis="time over a bare pass through the weights",
                    column=largest,
                ),
            ),
            versions=installed("numpy"),
        )
    )


if __name__ == "__main__":
    main()
