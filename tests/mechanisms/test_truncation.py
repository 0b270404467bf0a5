"""Bins: the midpoint is right, and there are no more answers than bins."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import Seeded
from peekproof.theory.generalization.truncation import truncation_certificate

RNG = Seeded(1)


@given(rows=st.integers(1, 500), bins=st.integers(1, 60), data=st.data())
def test_the_answer_is_the_midpoint_of_the_bin_that_holds_the_share(
    rows: int, bins: int, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, rows))
    released = Truncation(rows=rows, bins=bins).release(Exact(count), rng=RNG)
    share = Fraction(count, rows)
    midpoints = [Fraction(2 * i + 1, 2 * bins) for i in range(bins)]

    assert released in midpoints
    assert abs(released - share) <= Fraction(1, 2 * bins)


def test_three_answers_of_two_bins_are_eight_transcripts_at_most() -> None:
    mechanism = Truncation(rows=40, bins=2)
    transcripts = {
        tuple(mechanism.release(Exact(count), rng=RNG) for count in (a, b, c))
        for a in range(41)
        for b in range(0, 41, 5)
        for c in range(0, 41, 5)
    }
    exact = {(a, b, c) for a in range(41) for b in range(0, 41, 5) for c in range(0, 41, 5)}

    assert len(transcripts) == 8 < len(exact)  # an exact answer would have them all


def test_it_counts_draws_and_certifies_its_own_bins() -> None:
    mechanism, target = Truncation(rows=900, bins=25), Target.of(confidence=0.9, questions=8)

    assert mechanism.cost() == Draws(Fraction(1))
    assert mechanism.certify(target) == truncation_certificate(rows=900, bins=25, target=target)
    assert mechanism.record() == {"kind": "truncation", "bins": "25"}


@pytest.mark.parametrize(("rows", "bins"), [(0, 5), (5, 0), (5, 1.5), (True, 3)])
def test_absurd_sizes_are_refused(rows: int, bins: int) -> None:
    with pytest.raises(InvalidInput):
        Truncation(rows=rows, bins=bins)
