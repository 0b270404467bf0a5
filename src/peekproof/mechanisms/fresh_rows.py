"""Sample splitting: exact shares of fresh rows, for every question or for every round of them.

A round is a batch of questions that wait for no answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import exact_share, with_levels
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.splitting import rows_per_round, split_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """total/(⌊rows/parts⌋·levels) of one of `parts` disjoint parts, without noise.

    Guarantees: `certify(target)`, because an answer's rows are independent of all before it
    (T-split). It is not differentially private: it protects the analysis, not the records.
    `key` decides which row belongs to which part, whatever the order of the rows; it must be
    secret from analysts, for a question that knew its part could describe it.
    Proof: T-split.
    Public: `rows`, `parts`.  Secret: `key`, and the total given to `release`.
    """

    KIND: ClassVar[str] = "splitting"

    rows: int
    parts: int
    key: str
    levels: int = 1

    def __post_init__(self) -> None:
        rows_per_round(rows=self.rows, rounds=self.parts)
        check.positive_integer(parts=self.parts)
        check.positive_integer(levels=self.levels)
        checked_key(self.key)

    @property
    def rows_per_part(self) -> int:
        return rows_per_round(rows=self.rows, rounds=self.parts)

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:  # noqa: ARG002 no noise
        return exact_share(total.reveal(), whole=self.rows_per_part * self.levels)

    def radius(self, *, beta: Fraction) -> float:
        """Nothing: a release is the share of its own part, as it is."""
        check.probability(beta=beta)
        return 0.0

    def certify(self, target: Target) -> Certificate:
        return split_certificate(rows=self.rows, rounds=self.parts, target=target)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {"kind": self.KIND, "parts": str(self.parts), "key": self.key}
        return with_levels(described, self.levels)

    def __repr__(self) -> str:
        return f"Splitting(rows={self.rows}, parts={self.parts}, key=…)"


def checked_key(key: str) -> str:
    """The key that assigns rows to parts, if it can be one; an error does not show it."""
    if len(key) != 32 or set(key) - set("0123456789abcdef"):
        raise InvalidInput(
            argument="key", accepted="32 hexadecimal digits", given=f"{len(key)} characters"
        )
    return key


def without_key(description: Mapping[str, str]) -> dict[str, str]:
    """A description of any mechanism that analysts may see."""
    return {name: value for name, value in description.items() if name != "key"}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """total/(⌊rows/rounds⌋·levels) of one of `rounds` disjoint parts, the same for a whole batch.

    Guarantees: `certify(target)`, because the rows of a batch are independent of all answers that
    its questions could have seen (T-split). It is not differentially private: it protects the
    analysis, not the records. `key` decides which row belongs to which round, as in Splitting.
    Proof: T-split.
    Public: `rows`, `rounds`.  Secret: `key`, and the total given to `release`.
    """

    KIND: ClassVar[str] = "rounds"

    rows: int
    rounds: int
    key: str
    levels: int = 1

    def __post_init__(self) -> None:
        rows_per_round(rows=self.rows, rounds=self.rounds)
        check.positive_integer(levels=self.levels)
        checked_key(self.key)

    @property
    def rows_per_round(self) -> int:
        return rows_per_round(rows=self.rows, rounds=self.rounds)

    def cost(self) -> Draws:
        """One round, however many questions are in it."""
        return Draws(Fraction(1))

    def budget(self) -> Draws:
        return Draws(Fraction(self.rounds))

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:  # noqa: ARG002 no noise
        return exact_share(total.reveal(), whole=self.rows_per_round * self.levels)

    def radius(self, *, beta: Fraction) -> float:
        """Nothing: a release is the share of its own rows, as it is."""
        check.probability(beta=beta)
        return 0.0

    def certify(self, target: Target) -> Certificate:
        return split_certificate(rows=self.rows, rounds=self.rounds, target=target)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {"kind": self.KIND, "rounds": str(self.rounds), "key": self.key}
        return with_levels(described, self.levels)

    def __repr__(self) -> str:
        return f"Rounds(rows={self.rows}, rounds={self.rounds}, key=…)"
