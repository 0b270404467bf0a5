"""Fresh rows: exact shares of a part's rows, under a key that stays a secret."""

from __future__ import annotations

from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import SECRET, Exact
from peekproof.mechanisms.base import Ask, Paid, Past, recorded_mechanism
from peekproof.mechanisms.fresh_rows import FreshRows, FreshShare
from peekproof.noise.entropy import Seeded
from peekproof.session.queries import ANY_SHARE
from peekproof.theory.generalization.splitting import split_certificate

KEY = "0123456789abcdef" * 2


def test_a_share_is_of_the_rows_of_a_round() -> None:
    mechanism = FreshRows(rows=103, rounds=10, key=KEY)
    target = Target.of(confidence=0.9, questions=25)

    assert mechanism.rows_per_round == 10
    assert mechanism.release(Exact(7), rng=Seeded(1)) == Fraction(7, 10)
    assert mechanism.radius(beta=Fraction(1, 20)) == 0
    assert (mechanism.cost(), mechanism.budget(target)) == (Draws(Fraction(1)), Draws(Fraction(10)))
    assert mechanism.certify(target) == split_certificate(rows=103, rounds=10, target=target)


def test_the_key_is_recorded_and_never_printed() -> None:
    mechanism = FreshRows(rows=100, rounds=4, key=KEY)

    assert mechanism.record() == {"kind": "fresh-rows", "rounds": "4", f"{SECRET}key": KEY}
    assert recorded_mechanism(mechanism.record(), rows=100) == mechanism
    assert mechanism.described == {"kind": "fresh-rows", "rounds": "4"}
    assert KEY not in repr(mechanism) + str(mechanism)


@pytest.mark.parametrize("key", ["", "0" * 31, "g" * 32, "0" * 33, "A" * 32])
def test_a_key_is_128_bits_in_hexadecimal(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^key must be 32 hexadecimal digits") as caught:
        FreshRows(rows=100, rounds=4, key=key)
    assert key not in str(caught.value) or not key


@pytest.mark.parametrize("rounds", [0, -1, 101, True, 2.0])
def test_rounds_are_at_least_one_and_at_most_the_rows(rounds: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rounds must be"):
        FreshRows(rows=100, rounds=rounds, key=KEY)


APART, TOGETHER = (Target.of(confidence=0.9, questions=count) for count in (4, 20))


def test_every_question_or_every_batch_has_a_part() -> None:
    mechanism = FreshRows(rows=100, rounds=4, key=KEY)

    assert [mechanism.apart(target) for target in (APART, TOGETHER)] == [True, False]
    for target, parts, cost in ((APART, [2, 3], Fraction(1)), (TOGETHER, [2, 2], Fraction(1, 2))):
        past = Past(target=target, spent=Fraction(2), draws=2)
        draws = [
            mechanism.offer(Ask(what=ANY_SHARE), past, place=place, batch=2) for place in (0, 1)
        ]
        assert [each.part for each in draws] == parts
        assert {each.cost for each in draws} == {Draws(cost)}


def test_a_record_in_which_two_batches_share_rows_is_refused() -> None:
    mechanism = FreshRows(rows=100, rounds=4, key=KEY)

    def paid(*entries: list[tuple[int, int]]) -> list[Paid]:
        return [
            Paid(number, FreshShare(rows=100, rounds=4, number=part, shared=shared))
            for number, entry in enumerate(entries, start=2)
            for part, shared in entry
        ]

    mechanism.audit(TOGETHER, paid([(0, 2), (0, 2)], [(1, 1)]))
    mechanism.audit(APART, paid([(0, 1), (1, 1)], [(2, 1)]))
    for target, entries in (
        (TOGETHER, [[(0, 1)], [(0, 1)]]),  # the same part twice
        (TOGETHER, [[(1, 1)]]),  # a part out of turn
        (TOGETHER, [[(0, 2)], [(1, 1)]]),  # a batch that paid for half of its part
        (APART, [[(0, 1), (0, 1)]]),
        (APART, [[(0, 2), (0, 2)]]),
    ):
        with pytest.raises(ValueError, match="other rows than those that were paid for"):
            mechanism.audit(target, paid(*entries))
