"""Choices: their laws, their price on exact laws, audits, bounds and duration."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mpf, workdps

from mechanisms.choices import (
    exponential_largest,
    flipped,
    laplace_largest,
    operations,
    softmax,
    worst_loss,
)
from noise.bits import Counted
from peekproof.audit.distinguisher import Event, weighed
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.exponential import Choosing, Exponential, NoisyMax, PermuteAndFlip
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical
from peekproof.theory import selection

DRAWS = 16_000
FALSE_ALARM = 1e-9
SCORES = (21, 18, 40, 20, 19)

Kind = type[Exponential] | type[NoisyMax] | type[PermuteAndFlip]
KINDS: tuple[Kind, ...] = (Exponential, NoisyMax, PermuteAndFlip)
LAWS = {Exponential: softmax, NoisyMax: laplace_largest, PermuteAndFlip: flipped}

every_kind = pytest.mark.parametrize("kind", KINDS)


def counts(mechanism: Choosing, scores: tuple[int, ...], *, seed: int) -> list[int]:
    if not isinstance(mechanism, KINDS):
        raise TypeError
    rng = Seeded(seed)
    return [mechanism.release(Exact(scores), rng=rng) for _ in range(DRAWS)]


@statistical(false_alarm=3 * FALSE_ALARM)
def test_releases_follow_the_law() -> None:
    # In the order of the scores, where a wrong scale shows most.
    order = sorted(range(5), key=lambda y: -SCORES[y])
    for kind in KINDS:
        mechanism = kind(candidates=5, epsilon=Fraction(2, 5), sensitivity=2)
        ranks = [order.index(y) for y in counts(mechanism, SCORES, seed=1)]

        def p_value(epsilon: Fraction, kind: Kind = kind, ranks: list[int] = ranks) -> float:
            with workdps(20):
                law = LAWS[kind](SCORES, 4 / epsilon)
            return fit_p_value(ranks, lambda i: float(sum(law[y] for y in order[: i + 1])))

        assert p_value(mechanism.epsilon) > FALSE_ALARM
        assert p_value(mechanism.epsilon * Fraction(9, 10)) < FALSE_ALARM
        assert p_value(mechanism.epsilon * Fraction(11, 10)) < FALSE_ALARM
        assert p_value(mechanism.epsilon * 2) < FALSE_ALARM


@statistical(false_alarm=6 * FALSE_ALARM)
def test_an_audit_stays_below_the_claim_and_catches_a_cheat() -> None:
    def floor(mechanism: Choosing) -> float:
        near, far = (counts(mechanism, scores, seed=2) for scores in ((1, 3), (0, 4)))
        first: Event[int] = Event(name="the first", holds=lambda chosen: chosen == 0)
        (told,) = weighed([first], near, far, false_alarm=2 * FALSE_ALARM)
        return told.epsilon()

    for kind in KINDS:
        # The cheat forgets that scores may move in opposite directions: b = Δ/ε.
        honest = kind(candidates=2, epsilon=Fraction(1))
        cheat = replace(honest, epsilon=2 * honest.epsilon)

        assert 0.5 < floor(honest) <= honest.cost().epsilon < floor(cheat)


@every_kind
@pytest.mark.parametrize("scores", [(0, 0, 0), (3, 1, 0), (0, 5, 5), (2, 0), (5, 0)])
def test_no_neighbour_exceeds_epsilon_on_exact_laws(kind: Kind, scores: tuple[int, ...]) -> None:
    scores = scores[:2] if kind is NoisyMax else scores  # its quadrature is slow
    mechanism = kind(candidates=len(scores), epsilon=Fraction(3, 2), sensitivity=2)
    with workdps(20):
        worst = worst_loss(LAWS[kind], scores, mechanism.scale, sensitivity=2)
        assert worst <= mpf(3) / 2 + mpf("1e-12")


@every_kind
def test_epsilon_is_nearly_spent_and_a_smaller_scale_exceeds_it(kind: Kind) -> None:
    scale = kind(candidates=2, epsilon=Fraction(1)).scale
    with workdps(30):
        worst = worst_loss(LAWS[kind], (0, 200), scale, sensitivity=1)
        cheat = worst_loss(LAWS[kind], (0, 200), scale / 2, sensitivity=1)
        assert mpf("0.98" if kind is NoisyMax else "0.999999") < worst <= 1 + mpf("1e-12")
        assert cheat > mpf("1.9")


@given(
    kind=st.sampled_from(KINDS),
    candidates=st.integers(1, 10**6),
    epsilon=st.fractions(Fraction(1, 10**6), 100),
    sensitivity=st.integers(1, 1000),
)
def test_the_description_rebuilds_the_mechanism(
    kind: Kind, candidates: int, epsilon: Fraction, sensitivity: int
) -> None:
    mechanism = kind(candidates=candidates, epsilon=epsilon, sensitivity=sensitivity)
    recorded = mechanism.describe()

    assert recorded.pop("kind") == kind.kind
    assert mechanism.cost() == PureDP(epsilon)
    assert mechanism.scale * epsilon == 2 * sensitivity
    assert mechanism == kind(
        candidates=int(recorded["candidates"]),
        epsilon=Fraction(recorded["epsilon"]),
        sensitivity=int(recorded["sensitivity"]),
    )


def test_their_names_are_different() -> None:
    assert {kind.kind for kind in KINDS} == {"exponential", "noisy-max", "permute-and-flip"}


@pytest.mark.parametrize(
    ("kind", "loss", "shortfall"),
    [
        (Exponential, selection.exponential_loss, selection.exponential_shortfall),
        (NoisyMax, selection.noisy_max_loss, selection.noisy_max_shortfall),
        (PermuteAndFlip, selection.flip_loss, selection.flip_shortfall),
    ],
)
def test_its_bounds_are_those_of_its_theorems(
    kind: Kind, loss: Callable[..., float], shortfall: Callable[..., float]
) -> None:
    mechanism = kind(candidates=40, epsilon=Fraction(1, 2), sensitivity=3)
    beta, scale = Fraction(1, 50), Fraction(12)

    assert mechanism.radius(beta=beta) == loss(candidates=40, scale=scale, beta=beta)
    assert mechanism.shortfall(beta=beta) == shortfall(candidates=40, scale=scale, beta=beta)


@every_kind
def test_with_a_huge_epsilon_the_best_is_chosen(kind: Kind) -> None:
    mechanism = kind(candidates=5, epsilon=Fraction(10**9))
    rng = Seeded(5)

    assert {mechanism.release(Exact(SCORES), rng=rng) for _ in range(100)} == {2}


@every_kind
def test_with_a_tiny_epsilon_any_is_chosen(kind: Kind) -> None:
    mechanism = kind(candidates=5, epsilon=Fraction(1, 10**30))
    rng = Seeded(6)

    assert {mechanism.release(Exact(SCORES), rng=rng) for _ in range(100)} == set(range(5))


@every_kind
def test_the_only_candidate_is_chosen(kind: Kind) -> None:
    mechanism = kind(candidates=1, epsilon=Fraction(1, 10))

    assert mechanism.release(Exact((-7,)), rng=Seeded(7)) == 0


@every_kind
def test_neither_bits_nor_operations_depend_on_the_scores(kind: Kind) -> None:
    mechanism = kind(candidates=60, epsilon=Fraction(1, 10))
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


@every_kind
def test_another_number_of_scores_is_a_mistake_that_says_nothing(kind: Kind) -> None:
    mechanism = kind(candidates=3, epsilon=Fraction(1))
    said = set()
    for scores in ((), (1, 2), (1, 2, 3, 987654)):
        with pytest.raises(InvalidInput) as caught:
            mechanism.release(Exact(scores), rng=Seeded(9))
        said.add(str(caught.value))

    assert said == {"exact must be 3 integers, got another number of them"}


@every_kind
@pytest.mark.parametrize(
    "bad", [Fraction(0), Fraction(-1), 0.5, 1, float("nan"), float("inf"), True, None]
)
def test_absurd_epsilons_are_refused(kind: Kind, bad: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be a positive Fraction, got "):
        kind(candidates=2, epsilon=bad)


@every_kind
@pytest.mark.parametrize("bad", [0, -1, 1.5, True, Fraction(2), None])
def test_absurd_sizes_are_refused(kind: Kind, bad: int) -> None:
    with pytest.raises(InvalidInput, match=r"^candidates must be an integer of at least 1, got "):
        kind(candidates=bad, epsilon=Fraction(1))
    with pytest.raises(InvalidInput, match=r"^sensitivity must be an integer of at least 1, got "):
        kind(candidates=2, epsilon=Fraction(1), sensitivity=bad)


@pytest.mark.parametrize("gap", [0, 1, 5])
def test_quadrature_agrees_with_the_law_of_a_difference(gap: int) -> None:
    with workdps(25):
        t = mpf(gap) / 2
        behind = laplace_largest((0, gap), Fraction(2))[0]
        assert abs(behind - (1 + t / 2) * exp(-t) / 2) < mpf("1e-15")


@pytest.mark.parametrize("scores", [(0, 0), (4, 1), (3, 0, 2), (5, 5, 1, 0)])
def test_flipping_coins_and_exponential_noise_are_one_law(scores: tuple[int, ...]) -> None:
    with workdps(25):
        by_coins = flipped(scores, Fraction(3, 2))
        by_noise = exponential_largest(scores, Fraction(3, 2))
        for coin, noise in zip(by_coins, by_noise, strict=True):
            assert abs(coin - noise) < mpf("1e-15")


@pytest.mark.parametrize("scores", [(4, 1), (3, 0, 2), (5, 5, 1, 0), (9, 1, 1, 1)])
def test_it_loses_no_more_than_the_exponential_mechanism(scores: tuple[int, ...]) -> None:
    best = max(scores)
    with workdps(25):
        laws = [law(scores, Fraction(2)) for law in (flipped, softmax)]
        flip, soft = (
            sum(p * (best - score) for p, score in zip(law, scores, strict=True)) for law in laws
        )
        assert flip < soft
