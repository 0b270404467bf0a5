"""Gaussian noise alone: exact, whatever the number of answers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event
from peekproof.accounting.reading import as_gaussian
from peekproof.core.charge import GDP
from peekproof.theory.composition import gdp
from peekproof.theory.conversion import gdp_to_approx, gdp_to_approx_at


@final
@dataclass(frozen=True, slots=True)
class GaussianExact:
    """√(Σμ²), and the exact curve of the Gaussian mechanism."""

    NAME: ClassVar[str] = "Gaussian, exact"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-gdp-comp", "T-gdp-dp")

    def covers(self, event: Event) -> bool:
        return as_gaussian(event) is not None

    def total(self, conversation: Conversation) -> GDP:
        """The μ² of the whole conversation."""
        return gdp(read_all(conversation, as_gaussian, accountant=self.NAME))

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        return gdp_to_approx(self.total(conversation), delta=delta).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        return gdp_to_approx_at(self.total(conversation), epsilon=epsilon).delta
