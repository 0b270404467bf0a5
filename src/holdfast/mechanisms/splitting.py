"""Fresh rows for every question: exact shares, each of rows that nothing has seen before."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from holdfast.core import check
from holdfast.core.certificate import Certificate
from holdfast.core.errors import InvalidInput
from holdfast.core.loss import Draws
from holdfast.core.secret import Exact
from holdfast.core.target import Target
from holdfast.noise.entropy import Entropy
from holdfast.theory.generalization.splitting import rows_per_round, split_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """count/⌊rows/parts⌋ of one of `parts` disjoint parts, without noise.

    Guarantees: `certify(target)`, because an answer's rows are independent of all before it
    (T-split). It is not differentially private: it protects the analysis, not the records.
    `key` decides which row belongs to which part, whatever the order of the rows; it must be
    secret from analysts, for a question that knew its part could describe it.
    Public: `rows`, `parts`.  Secret: `key`, and the count given to `release`.
    """

    KIND: ClassVar[str] = "splitting"

    rows: int
    parts: int
    key: str

    def __post_init__(self) -> None:
        rows_per_round(rows=self.rows, rounds=self.parts)
        check.positive_integer(parts=self.parts)
        if len(self.key) != 32 or set(self.key) - set("0123456789abcdef"):
            raise InvalidInput(
                argument="key",
                accepted="32 hexadecimal digits",
                given=f"{len(self.key)} characters",
            )

    @property
    def rows_per_part(self) -> int:
        return rows_per_round(rows=self.rows, rounds=self.parts)

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, count: Exact[int], *, rng: Entropy) -> Fraction:  # noqa: ARG002 no noise
        return Fraction(count.reveal(), self.rows_per_part)

    def certify(self, target: Target) -> Certificate:
        return split_certificate(rows=self.rows, rounds=self.parts, target=target)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {"kind": self.KIND, "parts": str(self.parts), "key": self.key}

    def __repr__(self) -> str:
        return f"Splitting(rows={self.rows}, parts={self.parts}, key=…)"


def without_key(description: Mapping[str, str]) -> dict[str, str]:
    """A description of any mechanism that analysts may see."""
    return {name: value for name, value in description.items() if name != "key"}
