"""Parts of rows: exact shares of their own rows, under a key that stays a secret."""

from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.fresh_rows import Splitting
from peekproof.noise.entropy import Seeded
from peekproof.theory.generalization.splitting import split_certificate

KEY = "0123456789abcdef" * 2


def test_a_share_is_of_the_rows_of_a_part() -> None:
    mechanism = Splitting(rows=103, parts=10, key=KEY)
    released = mechanism.release(Exact(7), rng=Seeded(1))

    assert mechanism.rows_per_part == 10
    assert released == Fraction(7, 10)
    assert mechanism.cost() == Draws(Fraction(1))
    target = Target.of(confidence=0.9, questions=10)
    assert mechanism.certify(target) == split_certificate(rows=103, rounds=10, target=target)


def test_the_key_is_recorded_and_never_printed() -> None:
    mechanism = Splitting(rows=100, parts=4, key=KEY)

    assert mechanism.describe()["key"] == KEY
    assert KEY not in repr(mechanism)
    assert KEY not in str(mechanism)


@pytest.mark.parametrize("key", ["", "0" * 31, "g" * 32, "0" * 33, "A" * 32])
def test_a_key_is_128_bits_in_hexadecimal(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^key must be 32 hexadecimal digits") as caught:
        Splitting(rows=100, parts=4, key=key)
    assert key not in str(caught.value) or not key


def test_more_parts_than_rows_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^rounds must be at most"):
        Splitting(rows=3, parts=4, key=KEY)
