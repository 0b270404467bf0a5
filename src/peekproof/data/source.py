"""The protocol of data sources: what a session needs of whatever holds the rows.

An engine may be in memory, on disk or far away. `Unordered` has the refusals of
engines that cannot number their rows.
"""

from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol, runtime_checkable

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.core.shared_columns import Marked
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.query.question import Question
from peekproof.query.schema import Schema

Total = Exact[int] | Exact[tuple[int, ...]]

# Told how much of how much is done: rows, or bytes of files.
Progress = Callable[[int, int], None]


def sealed(total: int | tuple[int, ...]) -> Total:
    """A total as it is handed on to mechanisms."""
    if isinstance(total, tuple):  # an Exact holds one type or the other
        return Exact(total)
    return Exact(total)


@runtime_checkable
class Source(Protocol):
    """Rows behind two questions: what do they add up to, and which data is it.

    Every engine gives the same integers for the same rows. Whatever goes wrong while rows are
    read is an EvaluationFailed without a cause; rows that are no longer those of the fingerprint
    are a DataChanged.

    Whether reading fails may depend on the rows: a server may run out of memory for some of them.
    So what is asked is paid for before it is read, unless the source has `charge_first = False`,
    which says that only the question and the machine decide.
    """

    @property
    def schema(self) -> Schema: ...

    @property
    def rows(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """A name for the content: the same rows in any order and any engine have the same one."""

    @property
    def ordered(self) -> bool:
        """Whether rows can be numbered, for parts of fresh rows, and seen by a statistic."""

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in exact integers.

        A share has a count, a mean a sum of contributions in fixed point (see `data.totals`), a
        histogram one of these a cell, and a quantile the count of each cell of its grid.
        """

    def totals_part(
        self, questions: Sequence[Question], *, first: int, parts: int, key: str
    ) -> list[Total]:
        """For each question the total over a part of its own: `first`, `first` + 1, …"""

    def totals_round(
        self, questions: Sequence[Question], *, number: int, rounds: int, key: str
    ) -> list[Total]:
        """For each question the total over one part, the same for all."""

    def measure(self, statistic: Statistic | PairStatistic, *, levels: int) -> Exact[int]:
        """What the custodian's function gives for all rows, in fixed point."""

    def close(self) -> None:
        """Let go of connections and caches."""


class Unordered:
    """A source without parts of fresh rows, and without statistics. Sessions do not ask for them.

    Refused all the same: a caller that did would otherwise use rows twice.
    """

    ordered = False

    def totals_part(
        self,
        questions: Sequence[Question],  # noqa: ARG002
        *,
        first: int,  # noqa: ARG002
        parts: int,  # noqa: ARG002
        key: str,  # noqa: ARG002
    ) -> list[Total]:
        """Refused."""
        self._refuse("parts of fresh rows")

    def totals_round(
        self,
        questions: Sequence[Question],  # noqa: ARG002
        *,
        number: int,  # noqa: ARG002
        rounds: int,  # noqa: ARG002
        key: str,  # noqa: ARG002
    ) -> list[Total]:
        """Refused."""
        self._refuse("rounds of fresh rows")

    def measure(
        self,
        statistic: Statistic | PairStatistic,  # noqa: ARG002
        *,
        levels: int,  # noqa: ARG002
    ) -> Exact[int]:
        """Refused."""
        self._refuse("a statistic of all rows")

    def _refuse(self, wish: str) -> NoReturn:
        raise InvalidInput(
            argument="source",
            accepted=f"rows in memory, for {wish}",
            given=f"a {type(self).__name__}",
            hint="read the rows into memory first",
        )


def marked(source: Source) -> Marked:
    """What the columns of a source are recognised by, if its engine tells."""
    return Marked(source.rows, tuple(getattr(source, "marks", ())), ordered=source.ordered)
