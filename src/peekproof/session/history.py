"""All answers so far, as whoever opens a notebook wants to see them. Free of ledgers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final, overload

from peekproof.core.certificate import Certificate
from peekproof.core.finding import Finding
from peekproof.core.frames import frame
from peekproof.session.history_view import history_html, history_text

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("number", "question", "cell", "value", "low", "high", "analyst", "digest")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An answer that was given: what was asked, by whom, what was found and why that holds.

    `number` counts all answers from 1, in the order of the ledger; `digest` is the question's, by
    which a receipt is found. `analyst` is empty for whoever gave no name.
    """

    number: int
    digest: str
    question: str
    analyst: str
    found: Finding
    certificate: Certificate = field(repr=False)

    def to_dicts(self) -> list[dict[str, object]]:
        """One row a number."""
        asked = {"number": self.number, "question": self.question}
        who = {"analyst": self.analyst, "digest": self.digest}
        return [
            {name: {**asked, **row, **who}[name] for name in (*COLUMNS, *_more(row))}
            for row in self.found.to_dicts()
        ]


def _more(row: dict[str, object]) -> list[str]:
    return [name for name in row if name not in COLUMNS]


@final
@dataclass(frozen=True, slots=True, repr=False)
class History(Sequence[Recorded]):
    """Answers in the order of the ledger, whoever asked."""

    recorded: tuple[Recorded, ...]

    def __len__(self) -> int:
        return len(self.recorded)

    def __iter__(self) -> Iterator[Recorded]:
        return iter(self.recorded)

    @overload
    def __getitem__(self, place: int) -> Recorded: ...

    @overload
    def __getitem__(self, place: slice) -> "History": ...

    def __getitem__(self, place: int | slice) -> "Recorded | History":
        """An answer by its place from 0, or several."""
        if isinstance(place, slice):
            return History(self.recorded[place])
        return self.recorded[place]

    def __repr__(self) -> str:
        return history_text(self.recorded)

    def _repr_html_(self) -> str:
        """The answers for a notebook."""
        return history_html(self.recorded)

    def to_dicts(self) -> list[dict[str, object]]:
        """One row a number."""
        return [row for each in self.recorded for row in each.to_dicts()]

    def to_pandas(self) -> "DataFrame":
        """One row a number: number, question, cell, value, low, high, analyst, digest.

        Quantiles add lowest_level and highest_level, choices gap.
        """
        return frame(self.to_dicts(), columns=COLUMNS)
