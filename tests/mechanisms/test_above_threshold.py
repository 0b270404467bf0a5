"""AboveThreshold: what a run does with its noise, its price by enumeration, its accuracy, its law.

The price is checked in two steps that meet. Runs are shown to be the stated function of their
noise, for noise that a script dictates; the transcripts of that function are then summed over all
noise, for neighbouring counts.
"""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from functools import cache
from math import fsum, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.discrete_laws import Script, first_above_law, largest_loss, neighbours
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms import sparse
from peekproof.mechanisms.protocol import Interactive, Run
from peekproof.mechanisms.sparse import AboveThreshold, Verdict
from peekproof.noise.entropy import Pool, Seeded
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9

mechanisms = st.builds(
    AboveThreshold,
    threshold=st.integers(-(10**9), 10**9),
    epsilon=st.fractions(Fraction(1, 1000), 100),
    questions=st.integers(1, 10**6),
    sensitivity=st.integers(1, 100),
)


@given(
    threshold=st.integers(-3, 3),
    level=st.integers(-5, 5),
    asked=st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=8),
)
def test_a_run_compares_noisy_counts_with_one_noisy_threshold(
    threshold: int, level: int, asked: list[tuple[int, int]]
) -> None:
    mechanism = AboveThreshold(threshold=threshold, epsilon=Fraction(1, 3), questions=len(asked))
    noises = [noise for _, noise in asked]
    with pytest.MonkeyPatch.context() as patch:
        script = Script(threshold=(Fraction(6), [level]), query=(Fraction(12), noises))
        script.install(patch, sparse)
        run = mechanism.start(rng=Seeded(0))
        said = []
        for count, _ in asked:
            said.append(run.release(Exact(count)))
            if said[-1] is Verdict.ABOVE:
                break
        with pytest.raises(BudgetExhausted):
            run.release(Exact(0))

    reaches = [count + noise >= threshold + level for count, noise in asked]
    first = reaches.index(True) if True in reaches else len(reaches)
    expected = [Verdict.BELOW] * first + [Verdict.ABOVE] * (first < len(reaches))
    assert said == expected
    assert script.asked == [Fraction(6)] + [Fraction(12)] * len(said)  # fresh noise for each


def worst_loss(k: int, *, threshold_scale: float, query_scale: float, reach: int = 1) -> float:
    """The ε that k questions need, over all neighbouring counts near the threshold."""

    @cache
    def law(counts: tuple[int, ...]) -> list[float]:
        return first_above_law(
            counts, threshold=0, threshold_scale=threshold_scale, query_scale=query_scale
        )

    return max(
        largest_loss(law(tuple(one)), law(tuple(other)))
        for one, other in neighbours(k, reach=reach)
    )


@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 2), (1.0, 3), (2.0, 4), (6.0, 3)])
def test_neighbours_differ_by_no_more_than_the_cost(epsilon: float, k: int) -> None:
    mechanism = AboveThreshold(threshold=0, epsilon=Fraction(epsilon), questions=k)
    scales = float(mechanism.threshold_scale), float(mechanism.query_scale)
    worst = worst_loss(k, threshold_scale=scales[0], query_scale=scales[1])

    assert mechanism.cost().epsilon == Fraction(epsilon)
    assert epsilon / 4 < worst <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize(
    ("name", "threshold_scale", "query_scale", "least"),
    [
        ("half the noise on counts", 1.0, 1.0, 2.5),
        ("half of all noise", 0.5, 1.0, 3.5),
        ("no noise on counts", 1.0, 0.0, inf),
    ],
)
def test_wrong_noise_is_caught_by_the_same_sums(
    name: str, threshold_scale: float, query_scale: float, least: float
) -> None:
    """At ε = 2 the right scales are 1 and 2."""
    assert worst_loss(4, threshold_scale=1.0, query_scale=2.0) <= 2
    worst = worst_loss(4, threshold_scale=threshold_scale, query_scale=query_scale)
    assert worst >= least, name


def test_a_long_run_loses_nearly_all_of_the_cost_and_never_more() -> None:
    """Counts above the threshold that stay below, then one below it that does not; ε = 1."""

    def loss(belows: int) -> float:
        near, far = (
            first_above_law(
                [away] * belows + [-away], threshold=0, threshold_scale=2.0, query_scale=4.0
            )
            for away in (1, 2)
        )
        return largest_loss(near, far)

    assert all(loss(belows) <= 1 for belows in (1, 10, 40, 200, 1000))
    assert loss(200) > 0.98


@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 10**4)])
def test_verdicts_err_by_no_more_than_the_radius(beta: Fraction) -> None:
    mechanism = AboveThreshold(threshold=50, epsilon=Fraction(2), questions=30)
    radius = mechanism.radius(beta=beta)
    reach = int(radius)
    assert radius == reach

    def law(counts: list[int]) -> list[float]:
        return first_above_law(counts, threshold=50, threshold_scale=1.0, query_scale=2.0)

    wrongly_above = fsum(law([50 - reach - 1] * 30)[:-1])
    wrongly_below = 1 - law([50 + reach])[0]
    assert max(wrongly_above, wrongly_below) <= beta
    assert fsum(law([50 - reach + 3] * 30)[:-1]) > beta  # four rows less would not do


def test_a_run_ends_at_its_last_question_and_refuses_alike_whatever_ended_it() -> None:
    refusals = []
    for count, questions in ((-(10**9), 3), (10**9, 3)):
        run = AboveThreshold(threshold=0, epsilon=Fraction(1), questions=questions).start(
            rng=Seeded(0)
        )
        verdict = Verdict.ABOVE if count > 0 else Verdict.BELOW
        for _ in range(1 if count > 0 else 3):
            assert run.release(Exact(count)) is verdict
        for _ in range(2):
            with pytest.raises(BudgetExhausted) as refused:
                run.release(Exact(count))
            refusals.append(str(refused.value))
    assert len(set(refusals)) == 1


class Counting:
    """Counts the bits bought, and can fail."""

    description = "counting"

    def __init__(self) -> None:
        self.bought: list[int] = []
        self.broken = False
        self._inner = Seeded(1)

    def bits(self, count: int) -> int:
        if self.broken:
            raise OSError("no entropy")
        self.bought.append(count)
        return self._inner.bits(count)


def test_nothing_is_left_in_a_pool_between_releases() -> None:
    rng = Counting()
    run = AboveThreshold(threshold=10**9, epsilon=Fraction(1), questions=50).start(rng=rng)
    assert rng.bought
    for _ in range(50):
        before = len(rng.bought)
        run.release(Exact(0))
        assert rng.bought[before:]  # every release buys for itself
        assert rng.bought[before] == Pool.WHOLESALE


def test_a_release_that_fails_counts_as_asked() -> None:
    rng = Counting()
    run = AboveThreshold(threshold=0, epsilon=Fraction(1), questions=1).start(rng=rng)
    rng.broken = True
    with pytest.raises(OSError, match="no entropy"):
        run.release(Exact(0))
    rng.broken = False
    with pytest.raises(BudgetExhausted):
        run.release(Exact(0))


def test_a_run_shows_nothing_and_cannot_be_copied() -> None:
    runs = [
        AboveThreshold(threshold=77, epsilon=Fraction(1), questions=5).start(rng=Seeded(s))
        for s in (1, 2)
    ]
    for run in runs:
        assert "77" not in repr(run).partition(" at ")[0]
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied"):
                attempt(run)


@given(mechanisms)
def test_the_cost_is_epsilon_and_the_description_rebuilds(mechanism: AboveThreshold) -> None:
    recorded = mechanism.describe()

    assert mechanism.cost().epsilon == mechanism.epsilon
    assert all(isinstance(value, str) for value in recorded.values())
    assert recorded["kind"] == AboveThreshold.kind == "above-threshold"
    assert (
        AboveThreshold(
            threshold=int(recorded["threshold"]),
            epsilon=Fraction(recorded["epsilon"]),
            questions=int(recorded["questions"]),
            sensitivity=int(recorded["sensitivity"]),
        )
        == mechanism
    )


def test_it_keeps_the_protocol() -> None:
    mechanism = AboveThreshold(threshold=0, epsilon=Fraction(1), questions=1)
    typed: Interactive[int, Verdict] = mechanism
    run: Run[int, Verdict] = typed.start(rng=Seeded(0))

    assert isinstance(run.release(Exact(0)), Verdict)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 0.5),
        ("threshold", True),
        ("threshold", Fraction(1)),
        ("threshold", 2**5000),
        ("epsilon", Fraction(0)),
        ("epsilon", 1.0),
        ("epsilon", Fraction(10**101)),
        ("questions", 0),
        ("questions", 10**101),
        ("sensitivity", 0),
        ("sensitivity", True),
        ("sensitivity", 10**101),
    ],
)
def test_absurd_parameters_are_refused(name: str, value: object) -> None:
    good = {"threshold": 0, "epsilon": Fraction(1), "questions": 1, "sensitivity": 1}
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        AboveThreshold(**{**good, name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("epsilon", "sensitivity"), [(Fraction(1, 10**100), 1), (Fraction(1, 10**60), 10**50)]
)
def test_noise_that_is_absurd_only_together_is_refused(epsilon: Fraction, sensitivity: int) -> None:
    with pytest.raises(InvalidInput, match=r"^scale must be "):
        AboveThreshold(threshold=0, epsilon=epsilon, questions=1, sensitivity=sensitivity)


@statistical(false_alarm=FALSE_ALARM)
def test_the_first_above_follows_its_law() -> None:
    counts, draws = (-8, -8, -8, -8), 15_000
    mechanism = AboveThreshold(threshold=0, epsilon=Fraction(1), questions=4)
    rng, sample = Seeded(4), []
    for _ in range(draws):
        run = mechanism.start(rng=rng)
        first = 0
        while first < 4 and run.release(Exact(counts[first])) is Verdict.BELOW:
            first += 1
        sample.append(first)

    def p_value(factor: float) -> float:
        law = first_above_law(
            counts, threshold=0, threshold_scale=2 * factor, query_scale=4 * factor
        )
        return fit_p_value(sample, lambda i: fsum(law[: i + 1]) if i >= 0 else 0.0)

    assert p_value(1.0) > FALSE_ALARM
    assert p_value(0.9) < FALSE_ALARM
    assert p_value(1.1) < FALSE_ALARM
