"""T-pure-kl: the formula, that it holds, and that nothing smaller does."""

from fractions import Fraction
from math import inf

from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf, mpmathify, tanh, workdps

from peekproof.core.charge import PureDP
from peekproof.core.numerics import MARGIN
from peekproof.theory.divergence import LaplacePair, Pair, exp_of, pure_to_kl
from theory.divergence.pairs import few, full_pairs

epsilons = st.fractions(Fraction(1, 10**6), 50)


def worst_loss(pair: Pair) -> PureDP:
    """An ε that bounds the max-divergence both ways, just above it."""
    worst = max(pair.max_divergence(), pair.swapped().max_divergence())
    return PureDP(Fraction(worst) * (1 + Fraction(1, 10**14)))


def randomised_response(epsilon: Fraction) -> Pair:
    """Tell the truth e^ε times as often as not."""
    odds = Fraction(exp_of(epsilon))
    truth = odds / (1 + odds)
    return Pair(p=(truth, 1 - truth), q=(1 - truth, truth))


@few
@given(epsilons | st.builds(lambda power: Fraction(1, 10**power), st.integers(1, 140)))
def test_the_bound_to_fifty_digits(epsilon: Fraction) -> None:
    claimed = pure_to_kl(PureDP(epsilon))
    with workdps(50):
        exact = mpmathify(epsilon) * tanh(mpmathify(epsilon) / 2)
        # The chain may use an eighth of the margin.
        assert exact * (1 + 7 * mpf(MARGIN) / 8) <= claimed
        assert claimed <= exact * (1 + 2 * mpf(MARGIN))
        assert claimed <= mpmathify(epsilon) ** 2 / 2 * (1 + 2 * mpf(MARGIN))


@few
@given(full_pairs)
def test_no_pair_of_bounded_ratio_exceeds_it(pair: Pair) -> None:
    assert pair.kl() <= pure_to_kl(worst_loss(pair))


@few
@given(st.fractions(Fraction(1, 100), 20))
def test_randomised_response_attains_it(epsilon: Fraction) -> None:
    pair = randomised_response(epsilon)

    assert pair.kl() <= pure_to_kl(worst_loss(pair)) <= pair.kl() * (1 + 1e-11)


@few
@given(epsilons)
def test_laplace_noise_stays_below_it(epsilon: Fraction) -> None:
    assert LaplacePair(shift=epsilon, scale=1).kl() < pure_to_kl(PureDP(epsilon))


def test_the_ends() -> None:
    assert pure_to_kl(PureDP(Fraction(0))) == 0
    assert pure_to_kl(PureDP(Fraction(10) ** 400)) == inf
