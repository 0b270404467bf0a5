"""T-jung: the best c and d, the published form, and the joint form on small channels."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, expm1, mpf, mpmathify, sqrt, tanh, workdps

from peekproof.core.charge import GDP, ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.conversion import gdp_to_approx_at
from peekproof.theory.generalization.jung import jung, jung_joint
from peekproof.theory.generalization.monitor import two_sided_leak
from peekproof.theory.generalization.noise import SampleAccuracy, Shortfall
from theory.generalization.channels import OUTPUTS, Channel, channels

TIGHT = mpf("1e-9")
losses = st.builds(
    ApproxDP,
    epsilon=st.fractions(0, Fraction(1, 2)),
    delta=st.fractions(0, Fraction(1, 1000)),
)
samples = st.builds(
    SampleAccuracy,
    radius=st.floats(1e-6, 0.3),
    beta=st.fractions(Fraction(1, 10**9), Fraction(1, 100)),
)
betas = st.fractions(Fraction(1, 1000), Fraction(99, 100))


@given(sample=samples, loss=losses, beta=betas, c=st.floats(1e-6, 1))
def test_it_is_the_least_over_c_and_d(
    sample: SampleAccuracy, loss: ApproxDP, beta: Fraction, c: float
) -> None:
    bound = jung(sample, loss, beta=beta)
    with workdps(50):
        b_s, delta, b = map(mpmathify, (sample.beta, loss.delta, beta))
        base = mpf(sample.radius) + expm1(mpmathify(loss.epsilon))
        root = sqrt(b_s) + sqrt(2 * delta)
        best_c = sqrt(b_s) * root / b
        best_d = sqrt(delta / 2) * root / b
        spent = b_s / best_c + (delta / best_d if delta else 0)
        exact = base + best_c + 2 * best_d

        assert abs(spent - b) < mpf("1e-40")
        assert min(1, exact) <= bound.radius <= min(1, exact * (1 + TIGHT))
        if b_s / c < b:  # any other c, with the d it leaves
            assert bound.radius <= (base + c + 2 * delta / (b - b_s / c)) * (1 + TIGHT)
    assert bound.beta == beta


@given(loss=losses, beta=betas, noise=st.floats(0, 1))
def test_the_joint_form_is_its_formula(loss: ApproxDP, beta: Fraction, noise: float) -> None:
    bound = jung_joint(Shortfall(radius=noise, beta=beta), loss)
    with workdps(50):
        eps = mpmathify(loss.epsilon)
        missed = 2 * mpmathify(loss.delta) / ((1 + exp(eps)) * mpmathify(beta))
        exact = noise + tanh(eps / 2) + missed

        assert min(1, exact) <= bound.radius <= min(1, exact * (1 + TIGHT) + mpf("1e-300"))


def events() -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(OUTPUTS), r) for r in range(1, OUTPUTS + 1)))


@given(channel=channels, epsilon=st.floats(0, 3))
def test_no_small_channel_drifts_further_on_any_event(channel: Channel, epsilon: float) -> None:
    delta, chances, drift = channel.delta(epsilon), channel.marginal(), abs(channel.drift())
    for event in events():
        chosen = list(event)
        p = float(chances[chosen].sum())
        mean = float((chances[chosen] * drift[chosen]).sum()) / p

        assert mean <= np.tanh(epsilon / 2) + 2 * delta / ((1 + np.exp(epsilon)) * p) + 1e-12
        # The published lemma, with its factor e^ε − 1, follows.
        assert mean <= np.expm1(epsilon) + delta / p + 1e-12


@pytest.mark.parametrize("mu", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("copies", [2, 20, 1000])
def test_over_all_epsilon_the_joint_form_is_the_two_sided_leak(mu: float, copies: int) -> None:
    """Two proofs meet: the lines of all (ε, δ) envelop the trade-off curve of the Gaussian."""
    beta, loss = Fraction(1, copies), GDP(Fraction(mu) ** 2)
    silent = Shortfall(radius=0.0, beta=beta)
    grid = [Fraction(mu * i / 200) for i in range(100, 900)]
    least = min(
        jung_joint(silent, gdp_to_approx_at(loss, epsilon=epsilon)).radius for epsilon in grid
    )
    leak = two_sided_leak(mu, copies)

    assert leak * (1 - 1e-9) <= least <= leak * (1 + 1e-4)


def test_vacuous_losses_certify_nothing() -> None:
    loss = ApproxDP(epsilon=Fraction(10**9), delta=Fraction(1))
    sample = SampleAccuracy(radius=0.1, beta=Fraction(1, 100))

    assert jung(sample, loss, beta=Fraction(1, 20)).radius == 1
    assert jung_joint(Shortfall(radius=0.1, beta=Fraction(1, 20)), loss).radius == 1
    with pytest.raises(InvalidInput):
        jung(sample, loss, beta=Fraction(0))
