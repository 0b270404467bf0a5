from fractions import Fraction

import pytest

from peekproof.accounting.conversions import Loss, conversions
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.theorem import lookup

DELTA, ORDER = Fraction(1, 10**6), Fraction(2)
ONE = Fraction(1)


CASES: list[tuple[Loss, list[type[Loss]]]] = [
    (PureDP(ONE), [ApproxDP, ApproxDP, ZCDP, RDP, TV]),
    (ApproxDP(epsilon=ONE, delta=Fraction(1, 10**9)), [ApproxDP, TV]),
    (ApproxDP(epsilon=ONE, delta=Fraction(1, 10)), [TV]),
    (GDP(ONE), [ApproxDP, ZCDP, RDP, TV]),
    (ZCDP(ONE), [ApproxDP, RDP]),
    (RDP(order=Fraction(3), epsilon=ONE), [ApproxDP]),
    (TV(Fraction(1, 3)), [ApproxDP]),
]


@pytest.mark.parametrize(("loss", "notions"), CASES)
def test_every_direction_that_exists_is_taken(loss: Loss, notions: list[type[Loss]]) -> None:
    found = conversions(loss, delta=DELTA, order=ORDER)

    assert [type(each.loss) for each in found] == notions
    for each in found:
        assert lookup(each.theorem).key == each.theorem


def test_a_chain_of_conversions_never_gains() -> None:
    direct = {type(c.loss): c.loss for c in conversions(PureDP(ONE), delta=DELTA, order=ORDER)}
    zcdp = direct[ZCDP]
    assert isinstance(zcdp, ZCDP)
    by_zcdp = conversions(zcdp, delta=DELTA, order=ORDER)
    (renyi,) = [c.loss for c in by_zcdp if isinstance(c.loss, RDP)]
    known = direct[RDP]
    assert isinstance(known, RDP)

    assert known.epsilon <= renyi.epsilon
