"""Peekproof as it is installed, with its ledger in memory and new questions throughout."""

import itertools

from peers.asking import Ask, Numbers, answer

import peekproof


def asked(x: Numbers, y: Numbers) -> dict[str, Ask]:
    session = peekproof.open({"x": x, "y": y}, questions=100_000, ledger=None)
    numbers = itertools.count(1)
    return {"Peekproof": lambda: session.ask(f"x > 0.5 and y < {next(numbers) * 1e-6!r}")}


if __name__ == "__main__":
    answer(asked, asked)
