"""What closeness says about means, against mpmath and against pairs that attain it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mpf, mpmathify, workdps

from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.conversion import approx_to_mean
from peekproof.theory.divergence import Pair
from theory.divergence.pairs import laws, pairs_of

epsilons = st.fractions(Fraction(1, 10**6), 10) | st.sampled_from((Fraction(0), Fraction(10**4)))
shares = st.fractions(0, 1)


@given(epsilons, shares, shares)
def test_the_bound_to_fifty_digits(epsilon: Fraction, delta: Fraction, mean: Fraction) -> None:
    claimed = approx_to_mean(ApproxDP(epsilon=epsilon, delta=delta), mean=mean)
    with workdps(50):
        exact = exp(mpmathify(min(epsilon, Fraction(2000)))) * mpmathify(mean) + mpmathify(delta)
        least = min(mpf(1), exact)
        assert least <= claimed <= least * (1 + mpf("1e-11")) + mpf("1e-300")


@given(pairs_of(4), laws(4), st.fractions(0, 3))
def test_no_score_of_a_close_pair_exceeds_it_and_an_event_attains_it(
    pair: Pair, weights: tuple[Fraction, ...], epsilon: Fraction
) -> None:
    loss = ApproxDP(epsilon=epsilon, delta=Fraction(pair.hockey_stick(epsilon=epsilon)))
    scores = [weight / max(weights) for weight in weights]
    x, y = (sum(s * m for s, m in zip(scores, law, strict=True)) for law in (pair.p, pair.q))
    assert float(x) <= approx_to_mean(loss, mean=Fraction(y)) + 1e-15

    with workdps(50):
        event = [
            p > exp(mpmathify(epsilon)) * mpmathify(q) for p, q in zip(pair.p, pair.q, strict=True)
        ]
    x, y = (sum(m for e, m in zip(event, law, strict=True) if e) for law in (pair.p, pair.q))
    assert approx_to_mean(loss, mean=Fraction(y)) == pytest.approx(float(x), abs=1e-11)


def test_a_mean_of_a_score_is_a_share() -> None:
    loss = ApproxDP(epsilon=Fraction(1), delta=Fraction(0))
    for mean in (Fraction(-1), Fraction(2), 0.5):
        with pytest.raises(InvalidInput, match=r"^mean must be a Fraction between 0 and 1"):
            approx_to_mean(loss, mean=mean)  # type: ignore[arg-type]
