"""What a session that a number of failures ends opens with, and the checks it makes."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import recorded_mechanism
from peekproof.mechanisms.checking import Failed, Passed
from peekproof.mechanisms.limited_checking import LimitedChecking, finest_tolerance
from peekproof.noise.entropy import Seeded

TARGET = Target(confidence=Fraction(19, 20), questions=200)


@st.composite
def conversations(draw: st.DrawFn) -> LimitedChecking:
    rows = draw(st.integers(1, 60))
    tolerance = draw(st.fractions(finest_tolerance(rows), 1))
    return LimitedChecking(rows=rows, tolerance=tolerance, failures=draw(st.integers(1, 9)))


@given(mechanism=conversations(), guess=st.fractions(0, 1), levels=st.integers(1, 5))
def test_a_guess_passes_if_and_only_if_the_sample_is_within_the_tolerance(
    mechanism: LimitedChecking, guess: Fraction, levels: int
) -> None:
    check, units = mechanism.check(guess, levels=levels), mechanism.rows * levels
    assert check.bins == mechanism.bins == ceil(2 / mechanism.tolerance)
    for total in range(units + 1):
        share = Fraction(total, units)
        match check.release(Exact(total), rng=Seeded(1)):
            case Passed():
                assert abs(share - guess) <= mechanism.tolerance
            case Failed(bin=held):
                assert abs(share - guess) > mechanism.tolerance
                middle = Fraction(2 * held + 1, 2 * check.bins)
                assert abs(share - middle) <= Fraction(1, 2 * check.bins)
                assert Fraction(1, 2 * check.bins) <= mechanism.tolerance / 4


@given(mechanism=conversations())
def test_its_description_is_enough_to_build_it(mechanism: LimitedChecking) -> None:
    assert recorded_mechanism(mechanism.record(), rows=mechanism.rows) == mechanism
    assert mechanism.cost() == Draws(Fraction(1))


def test_more_failures_and_a_wider_tolerance_promise_less() -> None:
    def radius(failures: int, tolerance: Fraction) -> float:
        mechanism = LimitedChecking(rows=10_000, tolerance=tolerance, failures=failures)
        assert mechanism.certify_failed(TARGET).radius < mechanism.certify(TARGET).radius
        return mechanism.certify(TARGET).radius

    narrow = Fraction(1, 50)
    assert radius(1, narrow) < radius(2, narrow) < radius(20, narrow) < radius(20, 4 * narrow)


@pytest.mark.parametrize(
    ("rows", "tolerance", "failures", "named"),
    [
        (0, Fraction(1, 2), 1, "rows"),
        (10, Fraction(0), 1, "tolerance"),
        (10, Fraction(-1, 2), 1, "tolerance"),
        (10, 0.5, 1, "tolerance"),
        (10, Fraction(2, 11) - Fraction(1, 10**9), 1, "tolerance"),
        (10, Fraction(1, 10**5_000), 1, "tolerance"),
        (10, Fraction(10**5_000), 1, "tolerance"),
        (10, Fraction(1, 2), 0, "failures"),
        (10, Fraction(1, 2), True, "failures"),
    ],
)
def test_what_makes_no_sense_is_refused(
    rows: int, tolerance: Fraction, failures: int, named: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        LimitedChecking(rows=rows, tolerance=tolerance, failures=failures)
    assert refused.value.argument == named
    assert str(refused.value)


def test_guesses_and_levels_are_checked() -> None:
    mechanism = LimitedChecking(rows=10, tolerance=Fraction(1, 4), failures=1)
    for guess, levels in ((Fraction(3, 2), 1), (0.5, 1), (Fraction(1, 2), 0)):
        with pytest.raises(InvalidInput):
            mechanism.check(guess, levels=levels)  # type: ignore[arg-type]
