"""The tightest accountant, and what is said when there is none."""

from fractions import Fraction

import pytest

from peekproof.accounting import library
from peekproof.accounting.accountants import Basic
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    Gaussian,
    Laplace,
    Pure,
    SampledGaussian,
)
from peekproof.accounting.library import BRIDGES, PROVEN, available, compare, covering, tightest
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import lookup

DELTA = Fraction(1, 10**6)
TALK = Conversation.of((Laplace(scale=Fraction(9)), 20), (Pure(epsilon=Fraction(1, 7)), 10))
SAMPLED = Conversation.of(SampledGaussian(sigma=Fraction(1), rate=Fraction(1, 10)))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library of the bridges."""
    monkeypatch.setattr(library, "find_spec", lambda _: None)


def test_names_are_different_and_theorems_registered() -> None:
    everyone = (*PROVEN, *BRIDGES)
    assert len({accountant.NAME for accountant in everyone}) == len(everyone)
    for accountant in everyone:
        for key in accountant.THEOREMS:
            assert lookup(key).key == key


def test_rows_are_what_each_says_the_smallest_first() -> None:
    rows = compare(TALK, delta=DELTA)
    assert {row.accountant for row in rows} == set(covering(TALK))
    epsilons = [row.epsilon for row in rows]
    assert epsilons == sorted(epsilons)
    for row in rows:
        assert row.epsilon == row.accountant.epsilon(TALK, delta=DELTA)
    assert tightest(TALK, delta=DELTA) == rows[0]


@pytest.mark.usefixtures("alone")
def test_without_the_library_only_proven_ones_answer() -> None:
    assert available() == PROVEN
    assert {row.accountant for row in compare(TALK, delta=DELTA)} <= set(PROVEN)
    with pytest.raises(InvalidInput, match=r"pip install"):
        tightest(SAMPLED, delta=DELTA)


@pytest.mark.usefixtures("alone")
def test_one_that_cannot_reach_the_delta_is_left_out() -> None:
    talk = Conversation.of((Approximate(epsilon=DELTA, delta=Fraction(1, 100)), 100))
    delta = Fraction(64, 100)  # below Σδ = 1, above 1 − 0.99¹⁰⁰
    assert Basic() not in {row.accountant for row in compare(talk, delta=delta)}
    assert tightest(talk, delta=delta).epsilon <= 100 * DELTA


@pytest.mark.usefixtures("alone")
def test_kinds_that_no_accountant_covers_together_are_refused() -> None:
    failing = Approximate(epsilon=Fraction(1), delta=Fraction(1, 10**9))
    with pytest.raises(InvalidInput, match=r"got Approximate, Concentrated"):
        tightest(Conversation.of(failing, Concentrated(rho=DELTA)), delta=DELTA)
    assert tightest(Conversation.of(failing, Gaussian(sigma=Fraction(5))), delta=DELTA).epsilon > 1


@pytest.mark.usefixtures("alone")
def test_nothing_costs_nothing_and_absurd_deltas_are_refused() -> None:
    assert tightest(Conversation.of(), delta=DELTA).epsilon == 0
    for delta in (Fraction(0), Fraction(1), Fraction(-1), 0.5):
        with pytest.raises(InvalidInput):
            tightest(TALK, delta=delta)  # type: ignore[arg-type]
