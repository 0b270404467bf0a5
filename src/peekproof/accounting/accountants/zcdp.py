"""Zero-concentrated losses, added."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event
from peekproof.accounting.reading import as_zcdp
from peekproof.core.charge import ZCDP
from peekproof.theory.composition import zcdp
from peekproof.theory.conversion import zcdp_to_approx, zcdp_to_approx_at


@final
@dataclass(frozen=True, slots=True)
class Zcdp:
    """Σρ, and the best order for its conversion."""

    NAME: ClassVar[str] = "zCDP"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-zcdp-comp", "T-zcdp-dp")

    def covers(self, event: Event) -> bool:
        return as_zcdp(event) is not None

    def total(self, conversation: Conversation) -> ZCDP:
        """The ρ of the whole conversation."""
        return zcdp(read_all(conversation, as_zcdp, accountant=self.NAME))

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        return zcdp_to_approx(self.total(conversation), delta=delta).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        return zcdp_to_approx_at(self.total(conversation), epsilon=epsilon).delta
