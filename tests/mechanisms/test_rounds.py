"""Rounds: exact shares of a round's rows, under a key that stays a secret."""

from __future__ import annotations

from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.noise.entropy import Seeded
from peekproof.planner.recorded import described_mechanism
from peekproof.theory.generalization.splitting import split_certificate

KEY = "0123456789abcdef" * 2


def test_a_share_is_of_the_rows_of_a_round() -> None:
    mechanism = Rounds(rows=103, rounds=10, key=KEY)
    target = Target.of(confidence=0.9, questions=25)

    assert mechanism.rows_per_round == 10
    assert mechanism.release(Exact(7), rng=Seeded(1)) == Fraction(7, 10)
    assert mechanism.radius(beta=Fraction(1, 20)) == 0
    assert (mechanism.cost(), mechanism.budget()) == (Draws(Fraction(1)), Draws(Fraction(10)))
    assert mechanism.certify(target) == split_certificate(rows=103, rounds=10, target=target)


def test_the_key_is_recorded_and_never_printed() -> None:
    mechanism = Rounds(rows=100, rounds=4, key=KEY)

    assert mechanism.describe() == {"kind": "rounds", "rounds": "4", "key": KEY}
    assert described_mechanism(mechanism.describe(), rows=100) == mechanism
    assert KEY not in repr(mechanism) + str(mechanism)


@pytest.mark.parametrize("key", ["", "0" * 31, "g" * 32, "0" * 33, "A" * 32])
def test_a_key_is_128_bits_in_hexadecimal(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^key must be 32 hexadecimal digits") as caught:
        Rounds(rows=100, rounds=4, key=key)
    assert key not in str(caught.value) or not key


@pytest.mark.parametrize("rounds", [0, -1, 101, True, 2.0])
def test_rounds_are_at_least_one_and_at_most_the_rows(rounds: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rounds must be"):
        Rounds(rows=100, rounds=rounds, key=KEY)
