"""Every accountant obeys the laws, and accountants that lie do not."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import pytest

from peekproof.accounting.accountants import Accountant, Zcdp
from peekproof.accounting.events import Conversation, Event
from peekproof.accounting.library import BRIDGES, PROVEN
from peekproof.testing.accountants import LAWS
from peekproof.testing.statistics import Violation

Law = Callable[[Accountant], None]
every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


@every_law
@pytest.mark.parametrize("accountant", [*PROVEN, *BRIDGES], ids=lambda a: type(a).__name__)
def test_the_law_holds(law: Law, accountant: Accountant) -> None:
    law(accountant)


@final
@dataclass(frozen=True)
class Altered:
    """zCDP, with the conversation and the result bent."""

    NAME: ClassVar[str] = "altered"
    THEOREMS: ClassVar[tuple[str, ...]] = ()

    seen: Callable[[Conversation], Conversation] = lambda conversation: conversation
    factor: Fraction = Fraction(1)
    covers_all: bool = False

    def covers(self, event: Event) -> bool:
        return self.covers_all or Zcdp().covers(event)

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        return Zcdp().epsilon(self.seen(conversation), delta=delta) * self.factor

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        return Zcdp().delta(self.seen(conversation), epsilon=epsilon / self.factor)


def forgets_counts(conversation: Conversation) -> Conversation:
    return Conversation.of(*conversation.counts)


def broken(accountant: Accountant) -> set[str]:
    names = set()
    for law in LAWS:
        try:
            law(accountant)
        except Violation:
            names.add(law.__name__)
        except Exception:
            names.add(law.__name__)
    return names


def test_the_unbent_one_passes() -> None:
    assert broken(Altered()) == set()


def test_forgetting_how_often_is_caught() -> None:
    assert broken(Altered(seen=forgets_counts)) >= {
        "more_costs_more",
        "never_below_what_is_reached",
    }


def test_an_optimistic_conversion_is_caught() -> None:
    assert "never_below_what_is_reached" in broken(Altered(factor=Fraction(1, 2)))


def test_pretending_to_cover_everything_is_caught() -> None:
    assert broken(Altered(covers_all=True))


def test_an_accountant_that_admits_is_caught() -> None:
    @final
    class Gatekeeper:
        NAME: ClassVar[str] = "gatekeeper"
        THEOREMS: ClassVar[tuple[str, ...]] = ()
        covers = Altered().covers
        epsilon = Altered().epsilon
        delta = Altered().delta

        def admit(self) -> bool:
            return True

    assert "it_is_no_gate" in broken(Gatekeeper())
