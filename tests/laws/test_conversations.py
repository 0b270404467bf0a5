"""Every mechanism that a session can be opened with keeps the laws; sloppy ones break them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import pytest

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP, Charge, Draws
from peekproof.core.secret import Exact
from peekproof.mechanisms import base
from peekproof.mechanisms.base import (
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Past,
    Value,
    every_mechanism,
    fixed_point,
    is_number,
)
from peekproof.noise.entropy import Entropy
from peekproof.testing.conversations import LAWS, check_mechanism
from peekproof.testing.statistics import Violation
from peekproof.theory.generalization.truncation import best_bins, truncation_certificate

ALL = every_mechanism()


@pytest.mark.parametrize("name", ALL)
def test_our_own_keep_every_law(name: str) -> None:
    check_mechanism(ALL[name])


def test_fresh_rows_keep_them_in_rounds() -> None:
    """In which a question alone is a round, and more than so many are refused."""
    for law in LAWS[:-2]:
        law(ALL["fresh-rows"], {"rounds": 4})


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> type[Mechanism]:
    """A mechanism that cuts answers to bins, made anew for each test and forgotten after it."""
    monkeypatch.setattr(base, "_MECHANISMS", dict(base._MECHANISMS))
    monkeypatch.setattr(base, "_DRAWS", dict(base._DRAWS))
    return made()


ONE = Draws(Fraction(1))


def made(*, cost: Charge = ONE, forgets: bool = False, noisy: bool = False) -> type[Mechanism]:
    @final
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Mine(Mechanism):
        kind: ClassVar[str] = "mine"
        rows: int
        bins: int

        @classmethod
        def plan(cls, rows: int, target: Target, options: Options) -> "Mine":
            return cls(rows=rows, bins=best_bins(rows=rows, target=target))

        def budget(self, target: Target) -> Draws:
            return Draws(Fraction(target.questions))

        def certify(self, target: Target) -> Certificate:
            return truncation_certificate(rows=self.rows, bins=self.bins, target=target)

        def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> Draw:
            return Cut(rows=self.rows, bins=self.bins, levels=ask.what.levels)

    @final
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Cut(Draw):
        kind: ClassVar[str] = "mine"
        rows: int
        bins: int
        levels: int = 1

        @property
        def cost(self) -> Charge:
            return cost

        def record(self) -> dict[str, str]:
            said = Draw.record(self)
            if forgets:
                said.pop("levels", None)
            return said

        def made_for(self, asked: Demand) -> bool:
            return is_number(asked, levels=self.levels)

        def release(self, exact: Exact[Any], *, rng: Entropy) -> Value:
            if noisy:
                return (Fraction(rng.bits(8), 255),)
            held = exact.reveal() * self.bins // (self.rows * self.levels)
            return (Fraction(2 * max(0, min(self.bins - 1, held)) + 1, 2 * self.bins),)

        def certificate(
            self, promise: Mechanism, target: Target, *, failed: bool = False
        ) -> Certificate:
            return fixed_point(promise.certify(target), self.levels)

    return Mine


def test_a_new_one_is_one_class_and_its_draw(mine: type[Mechanism]) -> None:
    check_mechanism(mine)


def test_one_that_costs_in_another_unit_is_found(mine: type[Mechanism]) -> None:
    with pytest.raises(Violation, match="another unit"):
        check_mechanism(made(cost=GDP(Fraction(1, 100))))


def test_one_that_forgets_a_field_is_found(mine: type[Mechanism]) -> None:
    with pytest.raises(Violation, match="not what its record gives"):
        check_mechanism(made(forgets=True))


def test_one_that_costs_nothing_ends_all_the_same(mine: type[Mechanism]) -> None:
    """The ledger counts the questions whatever they cost."""
    check_mechanism(made(cost=Draws(Fraction(0))))
