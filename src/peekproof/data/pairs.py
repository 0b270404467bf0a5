"""A mean over all pairs of rows, counted by whoever holds them."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import polars as pl

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.theory.generalization.pairs import pairs_apart

# How texts of pairs begin; no question can.
NAMED = "pairs: "


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairStatistic:
    """How often two rows that are drawn without replacement stand in some relation.

        U = Σ_{i<j} h(z_i, z_j) / (n(n−1)/2),        h symmetric, into {0, ½, 1}

    `function` gives twice the sum, an integer from 0 to n(n−1). That it is such a sum, of a kernel
    that is fixed before the rows are looked at, is a promise of whoever wrote it. Where it fails
    or gives something else, it counts as 0. `name` is what makes it the same statistic when it is
    asked again; it is public, and so is the text.
    """

    name: str
    function: Callable[[pl.DataFrame], int]

    def __post_init__(self) -> None:
        given: object = self.name
        if not isinstance(given, str) or not given.strip():
            raise InvalidInput(argument="name", accepted="some text", given=repr(given)[:80])
        if not callable(self.function):
            raise InvalidInput(
                argument="function", accepted="a function of the rows", given=repr(self.function)
            )

    @property
    def text(self) -> str:
        return f"{NAMED}{self.name}"

    @property
    def digest(self) -> str:
        """The same for the same name."""
        return hashlib.sha256(json.dumps(["pairs", self.name]).encode()).hexdigest()

    def total(self, frame: pl.DataFrame, *, levels: int) -> Exact[int]:
        """U in units of 1/(⌊n/2⌋·levels), which is exact where these are n(n−1).

        A function that fails counts as 0: an error that some rows cause and others do not would
        tell.
        """
        rows = frame.height
        units, most = pairs_apart(rows) * levels, rows * (rows - 1)
        try:
            found = int(self.function(frame))
        except Exception:
            found = 0
        return Exact(max(0, min(most, found)) * units // most)
