"""Report noisy max: its law by quadrature, its price on exact laws, audits and duration."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mpf, workdps

from holdfast.core.errors import InvalidInput
from holdfast.core.loss import PureDP
from holdfast.core.secret import Exact
from holdfast.mechanisms.noisy_max import NoisyMax
from holdfast.noise.entropy import Seeded
from holdfast.testing.epsilon import epsilon_floor
from holdfast.testing.statistics import fit_p_value, statistical
from holdfast.theory import selection
from mechanisms.choices import laplace_largest, operations, worst_loss
from noise.bits import Counted

DRAWS = 16_000
FALSE_ALARM = 1e-9
SCORES = (21, 18, 40, 20, 19)


def counts(mechanism: NoisyMax, scores: tuple[int, ...], *, seed: int) -> list[int]:
    rng = Seeded(seed)
    return [mechanism.release(Exact(scores), rng=rng) for _ in range(DRAWS)]


@statistical(false_alarm=FALSE_ALARM)
def test_releases_follow_the_law() -> None:
    mechanism = NoisyMax(candidates=5, epsilon=Fraction(2, 5), sensitivity=2)
    # In the order of the scores, where a wrong scale shows most.
    order = sorted(range(5), key=lambda y: -SCORES[y])
    ranks = [order.index(y) for y in counts(mechanism, SCORES, seed=1)]

    def p_value(epsilon: Fraction) -> float:
        with workdps(20):
            law = laplace_largest(SCORES, 2 * mechanism.sensitivity / epsilon)
        return fit_p_value(ranks, lambda i: float(sum(law[y] for y in order[: i + 1])))

    assert p_value(mechanism.epsilon) > FALSE_ALARM
    assert p_value(mechanism.epsilon * Fraction(9, 10)) < FALSE_ALARM
    assert p_value(mechanism.epsilon * Fraction(11, 10)) < FALSE_ALARM
    assert p_value(mechanism.epsilon * 2) < FALSE_ALARM


@statistical(false_alarm=2 * FALSE_ALARM)
def test_an_audit_stays_below_the_claim_and_catches_a_cheat() -> None:
    # The cheat forgets that scores may move in opposite directions: b = Δ/ε.
    honest = NoisyMax(candidates=2, epsilon=Fraction(1))
    cheat = replace(honest, epsilon=2 * honest.epsilon)

    def floor(mechanism: NoisyMax) -> float:
        near, far = (counts(mechanism, scores, seed=2) for scores in ((1, 3), (0, 4)))
        return epsilon_floor(near.count(0), far.count(0), trials=DRAWS, false_alarm=FALSE_ALARM)

    assert 0.5 < floor(honest) <= honest.cost().epsilon < floor(cheat)


@pytest.mark.parametrize("scores", [(0, 0), (2, 0), (5, 0)])
def test_no_neighbour_exceeds_epsilon_on_exact_laws(scores: tuple[int, ...]) -> None:
    mechanism = NoisyMax(candidates=len(scores), epsilon=Fraction(3, 2), sensitivity=2)
    with workdps(20):
        worst = worst_loss(laplace_largest, scores, mechanism.scale, sensitivity=2)
        assert worst <= mpf(3) / 2 + mpf("1e-12")


def test_epsilon_is_nearly_spent_and_a_smaller_scale_exceeds_it() -> None:
    mechanism = NoisyMax(candidates=2, epsilon=Fraction(1))
    with workdps(30):
        worst = worst_loss(laplace_largest, (0, 200), mechanism.scale, sensitivity=1)
        cheat = worst_loss(laplace_largest, (0, 200), mechanism.scale / 2, sensitivity=1)
        assert mpf("0.98") < worst <= 1 + mpf("1e-12")
        assert cheat > mpf("1.9")


@given(
    candidates=st.integers(1, 10**6),
    epsilon=st.fractions(Fraction(1, 10**6), 100),
    sensitivity=st.integers(1, 1000),
)
def test_the_description_rebuilds_the_mechanism(
    candidates: int, epsilon: Fraction, sensitivity: int
) -> None:
    mechanism = NoisyMax(candidates=candidates, epsilon=epsilon, sensitivity=sensitivity)
    recorded = mechanism.describe()

    assert recorded.pop("kind") == NoisyMax.KIND == "noisy-max"
    assert mechanism.cost() == PureDP(epsilon)
    assert mechanism.scale * epsilon == 2 * sensitivity
    assert mechanism == NoisyMax(
        candidates=int(recorded["candidates"]),
        epsilon=Fraction(recorded["epsilon"]),
        sensitivity=int(recorded["sensitivity"]),
    )


def test_its_bounds_are_those_of_its_theorems() -> None:
    mechanism = NoisyMax(candidates=40, epsilon=Fraction(1, 2), sensitivity=3)
    beta, scale = Fraction(1, 50), Fraction(12)

    assert mechanism.radius(beta=beta) == selection.noisy_max_loss(
        candidates=40, scale=scale, beta=beta
    )
    assert mechanism.shortfall(beta=beta) == selection.noisy_max_shortfall(
        candidates=40, scale=scale, beta=beta
    )


def test_with_a_huge_epsilon_the_best_is_chosen() -> None:
    mechanism = NoisyMax(candidates=5, epsilon=Fraction(10**9))
    rng = Seeded(5)

    assert {mechanism.release(Exact(SCORES), rng=rng) for _ in range(100)} == {2}


def test_with_a_tiny_epsilon_any_is_chosen() -> None:
    mechanism = NoisyMax(candidates=5, epsilon=Fraction(1, 10**30))
    rng = Seeded(6)

    assert {mechanism.release(Exact(SCORES), rng=rng) for _ in range(100)} == set(range(5))


def test_the_only_candidate_is_chosen() -> None:
    mechanism = NoisyMax(candidates=1, epsilon=Fraction(1, 10))

    assert mechanism.release(Exact((-7,)), rng=Seeded(7)) == 0


def test_neither_bits_nor_operations_depend_on_the_scores() -> None:
    mechanism = NoisyMax(candidates=60, epsilon=Fraction(1, 10))
    vectors = [
        (0,) * 60,
        tuple(range(60)),
        (10**6, *(0,) * 59),
        tuple(10**6 * (y % 2) - y for y in range(60)),
    ]

    def work(scores: tuple[int, ...]) -> tuple[int, int]:
        exact, rng = Exact(scores), Counted(Seeded(8))
        mechanism.release(exact, rng=Seeded(8))  # tables of public parameters are made once
        return operations(lambda: mechanism.release(exact, rng=rng)), rng.served

    done = {work(scores) for scores in vectors}
    assert len(done) == 1
    assert min(done)[0] > 60 * 10  # so the count saw the work on every candidate


def test_another_number_of_scores_is_a_mistake_that_says_nothing() -> None:
    mechanism = NoisyMax(candidates=3, epsilon=Fraction(1))
    said = set()
    for scores in ((), (1, 2), (1, 2, 3, 987654)):
        with pytest.raises(InvalidInput) as caught:
            mechanism.release(Exact(scores), rng=Seeded(9))
        said.add(str(caught.value))

    assert said == {"exact must be 3 integers, got another number of them"}


@pytest.mark.parametrize(
    "bad", [Fraction(0), Fraction(-1), 0.5, 1, float("nan"), float("inf"), True, None]
)
def test_absurd_epsilons_are_refused(bad: object) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be a positive Fraction, got "):
        NoisyMax(candidates=2, epsilon=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, Fraction(2), None])
def test_absurd_sizes_are_refused(bad: object) -> None:
    with pytest.raises(InvalidInput, match=r"^candidates must be an integer of at least 1, got "):
        NoisyMax(candidates=bad, epsilon=Fraction(1))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^sensitivity must be an integer of at least 1, got "):
        NoisyMax(candidates=2, epsilon=Fraction(1), sensitivity=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("gap", [0, 1, 5])
def test_quadrature_agrees_with_the_law_of_a_difference(gap: int) -> None:
    with workdps(25):
        t = mpf(gap) / 2
        behind = laplace_largest((0, gap), Fraction(2))[0]
        assert abs(behind - (1 + t / 2) * exp(-t) / 2) < mpf("1e-15")
