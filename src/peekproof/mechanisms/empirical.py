"""The exact share: the baseline that every attack breaks. Never for a session."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.secret import Exact


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafeEmpirical:
    """count/rows as it is, without noise.

    Guarantees: nothing. Answers to adaptively chosen questions describe the sample, not the
    population. It exists so that audits have a control; it has no cost, so no session, which
    needs one, can be built on it.
    """

    rows: int

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)

    def release_unsafely(self, count: Exact[int]) -> Fraction:
        return Fraction(count.reveal(), self.rows)
