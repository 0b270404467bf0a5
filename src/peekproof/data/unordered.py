"""What engines refuse that cannot number their rows."""

from collections.abc import Sequence
from typing import NoReturn

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.pairs import PairStatistic
from peekproof.data.source import Total
from peekproof.data.statistic import Statistic
from peekproof.query.question import Question


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
