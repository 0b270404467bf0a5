"""Descriptions accept exact, sensible parameters alone."""

from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from math import inf, nan, tanh

import pytest

from peekproof.accounting.accountants import Numerical, Optimal
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Neighbours,
    Pure,
    SampledGaussian,
)
from peekproof.core.errors import InvalidInput

ONE = Fraction(1)
KINDS: dict[type[Event], dict[str, Fraction]] = {
    Laplace: {"scale": ONE, "sensitivity": ONE},
    Gaussian: {"sigma": ONE, "sensitivity": ONE},
    DiscreteGaussian: {"sigma": ONE, "sensitivity": ONE},
    Exponential: {"epsilon": ONE},
    Pure: {"epsilon": ONE},
    Approximate: {"epsilon": ONE, "delta": Fraction(1, 10)},
    Concentrated: {"rho": ONE},
    SampledGaussian: {"sigma": ONE, "rate": Fraction(1, 10), "sensitivity": ONE},
}
PLACES = [(kind, name) for kind, given in KINDS.items() for name in given]


@pytest.mark.parametrize(("kind", "name"), PLACES)
@pytest.mark.parametrize("value", [nan, inf, 1.0, 1, True, None, "1", Fraction(-1, 10**400)])
def test_absurd_parameters_are_refused_by_name(kind: type[Event], name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=rf"^{name} must be"):
        kind(**{**KINDS[kind], name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "name"), PLACES)
def test_zero_is_accepted_only_where_it_means_something(kind: type[Event], name: str) -> None:
    given = {**KINDS[kind], name: Fraction(0)}
    if kind is Approximate:
        assert getattr(kind(**given), name) == 0  # type: ignore[arg-type]
        return
    with pytest.raises(InvalidInput, match=rf"^{name} must be a positive Fraction"):
        kind(**given)  # type: ignore[arg-type]


def test_probabilities_end_at_one() -> None:
    assert Approximate(epsilon=ONE, delta=ONE).delta == 1
    assert SampledGaussian(sigma=ONE, rate=ONE).rate == 1
    more = 1 + Fraction(1, 10**400)
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        Approximate(epsilon=ONE, delta=more)
    with pytest.raises(InvalidInput, match=r"^rate must be"):
        SampledGaussian(sigma=ONE, rate=more)


@pytest.mark.parametrize("kind", KINDS)
def test_events_are_frozen_values(kind: type[Event]) -> None:
    one, other = kind(**KINDS[kind]), kind(**KINDS[kind])  # type: ignore[arg-type]
    assert one == other
    assert hash(one) == hash(other)
    with pytest.raises(FrozenInstanceError):
        setattr(one, fields(one)[0].name, ONE)


def test_events_of_the_same_size_and_another_kind_differ() -> None:
    events: set[Event] = {
        Pure(epsilon=ONE),
        Exponential(epsilon=ONE),
        Gaussian(sigma=ONE),
        DiscreteGaussian(sigma=ONE),
        Pure(epsilon=ONE, neighbours=Neighbours.ADD_OR_REMOVE_ONE),
    }
    assert len(events) == 5


def test_a_poisson_sample_has_one_relation() -> None:
    with pytest.raises(InvalidInput, match=r"^neighbours must be to add or remove"):
        SampledGaussian(sigma=ONE, rate=ONE, neighbours=Neighbours.REPLACE_ONE)


def test_noise_on_integers_is_worse_than_the_laplace_law() -> None:
    """P(z) ∝ e^{−|z|} moved by 1 has total variation tanh(½): that of randomised response."""
    reached, nothing = tanh(0.5), Fraction(0)
    integers = Conversation.of(Pure(epsilon=ONE))
    assert float(Optimal().delta(integers, epsilon=nothing)) >= reached
    continuous = Conversation.of(Laplace(scale=ONE))
    assert float(Numerical().delta(continuous, epsilon=nothing)) < reached


def test_the_laplace_event_does_not_claim_noise_on_integers() -> None:
    assert "or on integers" not in str(Laplace.__doc__)
