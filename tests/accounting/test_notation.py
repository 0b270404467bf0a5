from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.accounting.events import (
    KINDS,
    LOSSES,
    Approximate,
    Gaussian,
    Laplace,
    Neighbours,
    SampledGaussian,
    number,
    parse,
    parse_all,
    parse_loss,
)
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput


def test_places_and_names_mean_the_same() -> None:
    by_place, _ = parse("laplace(3, 1/2)")
    by_name, count = parse(" 12 × Laplace ( sensitivity = 0.5 , scale=3 ) ")

    assert by_place == by_name == Laplace(scale=Fraction(3), sensitivity=Fraction(1, 2))
    assert count == 12
    assert parse("approximate(0.1, delta=1e-9)")[0] == Approximate(
        epsilon=Fraction(1, 10), delta=Fraction(1, 10**9)
    )


def test_the_relation_is_stated_for_every_event() -> None:
    relation = Neighbours.ADD_OR_REMOVE_ONE
    both = parse_all(["gaussian(2)", "sampled-gaussian(2, 0.1)"], neighbours=relation)

    assert set(both.counts) == {
        Gaussian(sigma=Fraction(2), neighbours=relation),
        SampledGaussian(sigma=Fraction(2), rate=Fraction(1, 10)),
    }


def test_losses_are_exact() -> None:
    assert parse_loss("gdp(mu=0.1)") == GDP(Fraction(1, 100))


@given(st.text(max_size=60))
def test_any_text_is_an_event_or_refused(text: str) -> None:
    for read in (parse, parse_loss):
        try:
            read(text)
        except InvalidInput:
            continue


@given(
    st.sampled_from(sorted({*KINDS, *LOSSES})),
    st.text(alphabet="0123456789.eE+-/,= abcdelnrsty", max_size=40),
)
def test_nearly_right_text_is_an_event_or_refused(kind: str, inside: str) -> None:
    for read in (parse, parse_loss):
        try:
            read(f"{kind}({inside})")
        except InvalidInput:
            continue


@pytest.mark.parametrize(
    "text", ["1e9999", "1/0", "-1", "0x10", "1__0", "inf", "", "١", "1e-1/2e3"]
)
def test_what_is_no_plain_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^rate must be"):
        number(text, argument="rate")


@given(st.fractions(0, 10**9, max_denominator=10**9))
def test_fractions_come_back_exactly(value: Fraction) -> None:
    assert number(str(value), argument="x") == value
