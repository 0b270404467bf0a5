"""Losses of choices: formulas against mpmath, and bounds against the exact laws of the losses.

The hardest case has one best candidate and all others level at a distance t·b behind it.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, findroot, log, mpf, mpmathify, quad, workdps
from mpmath import inf as infinity

from peekproof.core.errors import InvalidInput
from peekproof.theory.selection import (
    choice_gap,
    exponential_loss,
    exponential_mean_loss,
    exponential_shortfall,
    flip_loss,
    flip_shortfall,
    noisy_max_loss,
    noisy_max_shortfall,
)

CLOSE = mpf("1e-11")
sizes = st.integers(2, 10**6)
scales = st.fractions(Fraction(1, 10**6), 10**6)
levels = st.fractions(Fraction(1, 10**9), Fraction(99, 100))


def barely_above(claimed: float, exact: mpf) -> bool:
    return bool(exact <= claimed <= exact * (1 + CLOSE) + mpf("1e-300"))


@given(candidates=sizes, scale=scales, beta=levels)
def test_formulas_agree_with_mpmath(candidates: int, scale: Fraction, beta: Fraction) -> None:
    with workdps(50):
        b, level = mpmathify(scale), mpmathify(beta)
        r = (candidates - 1) / (2 * level)
        union = b * log(candidates / level)

        assert barely_above(exponential_loss(candidates=candidates, scale=scale, beta=beta), union)
        assert barely_above(
            exponential_shortfall(candidates=candidates, scale=scale, beta=beta), union + b
        )
        assert barely_above(
            exponential_mean_loss(candidates=candidates, scale=scale), b * log(candidates)
        )
        assert barely_above(
            flip_loss(candidates=candidates, scale=scale, beta=beta), b * max(0, log(r))
        )
        assert barely_above(
            flip_shortfall(candidates=candidates, scale=scale, beta=beta),
            b * (1 + log(r) if r >= 1 else r),
        )


@given(candidates=sizes, scale=scales, beta=levels)
def test_noisy_max_solves_its_equation(candidates: int, scale: Fraction, beta: Fraction) -> None:
    claimed = noisy_max_loss(candidates=candidates, scale=scale, beta=beta)
    average = noisy_max_shortfall(candidates=candidates, scale=scale, beta=beta)
    with workdps(50):
        b = mpmathify(scale)
        r = (candidates - 1) / (2 * mpmathify(beta))
        t = claimed / b

        assert r * (1 + t / 2) * exp(-t) <= 1
        if r > 1:
            less = t * (1 - CLOSE)
            assert r * (1 + less / 2) * exp(-less) > 1
            exact = findroot(lambda s: s - log(r) - log(1 + s / 2), t)
            assert barely_above(average, b * (exact + (3 + exact) / (2 + exact)))
        else:
            assert claimed == 0
            assert barely_above(average, b * r * 3 / 2)


def softmax_tail(t: mpf, others: int) -> mpf:
    return others * exp(-t) / (1 + others * exp(-t))


def flip_tail(t: mpf, others: int) -> mpf:
    """1 − E[1/(1 + Binomial(others, e^{−t}))]."""
    p = exp(-t)
    return 1 - (1 - (1 - p) ** (others + 1)) / ((others + 1) * p)


def noisy_max_tail(t: mpf, others: int) -> mpf:
    """1 − E F(L + t)^others, by quadrature over the noise of the best."""

    def cdf(x: mpf) -> mpf:
        return exp(x) / 2 if x < 0 else 1 - exp(-x) / 2

    return 1 - quad(lambda x: exp(-abs(x)) / 2 * cdf(x + t) ** others, [-infinity, -t, 0, infinity])


Bound = Callable[..., float]
Tail = Callable[[mpf, int], mpf]
# How much of each bound the hardest case attains at |Y| = 100 and β = 1/20.
ATTAINED = [
    (exponential_loss, softmax_tail, "0.99"),
    (flip_loss, flip_tail, "0.98"),
    (noisy_max_loss, noisy_max_tail, "0.9"),
]


@pytest.mark.parametrize(("bound", "tail", "share"), ATTAINED)
def test_losses_in_probability_hold_and_are_nearly_attained(
    bound: Bound, tail: Tail, share: str
) -> None:
    beta = Fraction(1, 20)
    radius = bound(candidates=100, scale=Fraction(1), beta=beta)
    with workdps(25):
        assert tail(mpf(radius), 99) <= mpmathify(beta)
        assert tail(mpf(radius) * mpf(share), 99) > mpmathify(beta)


MEANS = [
    (exponential_shortfall, softmax_tail),
    (flip_shortfall, flip_tail),
    (noisy_max_shortfall, noisy_max_tail),
]


@pytest.mark.parametrize(("bound", "tail"), MEANS)
@pytest.mark.parametrize("beta", [Fraction(1, 20), Fraction(1, 2), Fraction(9, 10)])
def test_shortfalls_hold_for_the_hardest_case(bound: Bound, tail: Tail, beta: Fraction) -> None:
    # The worst event of probability β holds all of the bad choices, or nothing else.
    for others in (1, 9):
        average = bound(candidates=others + 1, scale=Fraction(1), beta=beta)
        with workdps(15):
            worst = max(
                t * min(mpf(1), tail(mpf(t), others) / mpmathify(beta))
                for t in (0.1, 0.5, 1, 2, 3, 4, 6, 8)
            )
            assert worst <= average


def test_the_mean_holds_and_is_not_off_by_a_factor_of_two() -> None:
    bound = exponential_mean_loss(candidates=1000, scale=Fraction(1))
    with workdps(20):
        worst = max(t * softmax_tail(mpf(t), 999) for t in [i / 10 for i in range(1, 150)])
        assert bound / 2 < worst <= bound


@given(
    gaps=st.lists(st.integers(0, 60), min_size=1, max_size=7),
    scale=st.fractions(Fraction(1, 2), 20),
    beta=levels,
)
def test_every_exact_law_of_the_exponential_mechanism_keeps_the_bounds(
    gaps: list[int], scale: Fraction, beta: Fraction
) -> None:
    losses = sorted([0, *gaps], reverse=True)
    count = len(losses)
    with workdps(30):
        weights = [exp(-mpmathify(loss / scale)) for loss in losses]
        law = [weight / sum(weights) for weight in weights]
        mean = sum(p * loss for p, loss in zip(law, losses, strict=True))
        radius = exponential_loss(candidates=count, scale=scale, beta=beta)
        beyond = sum(p for p, loss in zip(law, losses, strict=True) if loss >= radius)
        # The mean of the worst β-fraction, largest losses first.
        left, worst = mpmathify(beta), mpf(0)
        for p, loss in zip(law, losses, strict=True):
            worst += min(p, left) * loss
            left -= min(p, left)

        assert beyond <= mpmathify(beta)
        assert mean <= exponential_mean_loss(candidates=count, scale=scale)
        assert worst / mpmathify(beta) <= exponential_shortfall(
            candidates=count, scale=scale, beta=beta
        )


def test_the_only_candidate_loses_nothing() -> None:
    for bound in (flip_loss, flip_shortfall, noisy_max_loss, noisy_max_shortfall):
        assert bound(candidates=1, scale=Fraction(7), beta=Fraction(1, 20)) == 0
    assert exponential_mean_loss(candidates=1, scale=Fraction(7)) == 0


BOUNDS = [
    exponential_loss,
    exponential_shortfall,
    flip_loss,
    flip_shortfall,
    noisy_max_loss,
    noisy_max_shortfall,
]


@pytest.mark.parametrize("bound", BOUNDS)
def test_scales_and_levels_beyond_the_floats_are_safe(bound: Bound) -> None:
    tiny = Fraction(1, 10**199)

    assert bound(candidates=10**400, scale=Fraction(1), beta=tiny) > 1000
    assert bound(candidates=3, scale=Fraction(10**400), beta=Fraction(1, 2)) == inf
    assert 0 < bound(candidates=3, scale=Fraction(1, 10**400), beta=tiny) < 1e-300


@pytest.mark.parametrize("bound", BOUNDS)
def test_absurd_arguments_are_refused(bound: Bound) -> None:
    good = {"candidates": 2, "scale": Fraction(1), "beta": Fraction(1, 2)}
    for bad in (0, -1, 1.5, True, None):
        with pytest.raises(InvalidInput, match=r"^candidates must be"):
            bound(**{**good, "candidates": bad})
    for wrong in (Fraction(0), Fraction(-1), 1.0, float("nan"), True, None):
        with pytest.raises(InvalidInput, match=r"^scale must be"):
            bound(**{**good, "scale": wrong})
    for level in (Fraction(0), Fraction(1), float("nan"), inf, True, None):
        with pytest.raises(InvalidInput, match=r"^beta must be"):
            bound(**{**good, "beta": level})


@given(shortfall=st.floats(0, 10**6), rows=st.integers(1, 10**9), drift=st.floats(0, 1))
def test_the_gap_is_the_share_and_twice_the_drift(
    shortfall: float, rows: int, drift: float
) -> None:
    claimed = choice_gap(shortfall=shortfall, rows=rows, drift=drift)
    exact = Fraction(shortfall) / rows + 2 * Fraction(drift)
    above = exact * (1 + Fraction(1, 10**11)) + Fraction(1, 10**300)

    assert min(Fraction(1), exact) <= Fraction(claimed) <= min(Fraction(1), above)


@given(
    data=st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=5),
    prior=st.lists(st.integers(1, 9), min_size=5, max_size=5),
    posterior=st.lists(st.integers(0, 9), min_size=5, max_size=5),
)
def test_no_posterior_exceeds_the_gap(
    data: list[tuple[int, ...]], prior: list[int], posterior: list[int]
) -> None:
    """One record, three scores in quarters, any posterior: the gap covers every candidate."""
    p = [Fraction(w, sum(prior[: len(data)])) for w in prior[: len(data)]]
    total = sum(posterior[: len(data)])
    q = [Fraction(w, total) if total else x for w, x in zip(posterior, p, strict=False)]
    drift = sum((max(x - y, Fraction(0)) for x, y in zip(q, p, strict=True)), Fraction(0))
    for chosen in range(3):
        loss = sum(x * Fraction(max(r) - r[chosen], 4) for x, r in zip(q, data, strict=True))
        gap = choice_gap(shortfall=float(loss), rows=1, drift=float(drift))
        for y in range(3):
            ahead = sum(x * Fraction(r[y] - r[chosen], 4) for x, r in zip(p, data, strict=True))
            assert ahead <= Fraction(gap) + Fraction(1, 10**15)


def test_one_drift_instead_of_two_would_not_do() -> None:
    # Two kinds of record, (1, 0) and (0, 1): the choice looks level and is behind by all of 2d.
    drift = Fraction(1, 4)  # posterior (½, ½), population (¾, ¼)
    ahead = Fraction(3, 4) - Fraction(1, 4)

    assert ahead == 2 * drift <= choice_gap(shortfall=0.0, rows=1, drift=float(drift))


@pytest.mark.parametrize("bad", [-1.0, float("nan"), inf, True, None, "1"])
def test_absurd_gaps_are_refused(bad: object) -> None:
    with pytest.raises(InvalidInput, match=r"^shortfall must be"):
        choice_gap(shortfall=bad, rows=1, drift=0.0)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^drift must be"):
        choice_gap(shortfall=0.0, rows=1, drift=bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^rows must be"):
        choice_gap(shortfall=0.0, rows=0, drift=0.0)
