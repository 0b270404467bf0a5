"""Thresholdout: what a run does with its noise, its price by enumeration, and broken relatives."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import floor, fsum, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.discrete_laws import Script, at_least, first_above_law, folded_cdf, mass
from peekproof.core.certificate import Target
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms import sparse
from peekproof.mechanisms.protocol import Run
from peekproof.mechanisms.thresholdout import Corrected, Stands, Thresholdout
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9
ROWS = 10
HALF = Fraction(1, 2)

# count, guess, noise compared, noise added
Asked = tuple[int, Fraction, int, int]


def stated(asked: Sequence[Asked], levels: Sequence[int], *, budget: int) -> list[object]:
    """What a run with threshold 2 says, from the definition."""
    said: list[object] = []
    crossed = 0
    for count, guess, compared, added in asked:
        if crossed == budget:
            break
        near = floor(guess * ROWS + Fraction(1, 2))
        if abs(count - near) + compared >= 2 + levels[crossed]:
            said.append(Corrected(Fraction(min(ROWS, max(0, count + added)), ROWS)))
            crossed += 1
        else:
            said.append(Stands(Fraction(near, ROWS)))
    return said


def played(asked: Sequence[Asked], levels: Sequence[int], *, budget: int) -> list[object]:
    """The same, by the mechanism with its noise handed to it."""
    mechanism = Thresholdout(
        rows=ROWS,
        threshold=2,
        epsilon=Fraction(9 * budget),
        corrections=budget,
        questions=len(asked),
    )  # each round: 8 for comparing, 1 for answering
    with pytest.MonkeyPatch.context() as patch:
        Script(
            threshold=(Fraction(1, 4), levels),
            query=(Fraction(1, 2), [noise for _, _, noise, _ in asked]),
            answer=(Fraction(1), [noise for _, _, _, noise in asked]),
        ).install(patch, sparse)
        run = mechanism.start_run(rng=Seeded(0))
        said: list[object] = []
        while len(said) < len(asked) and sum(isinstance(one, Corrected) for one in said) < budget:
            count, guess, _, _ = asked[len(said)]
            said.append(run.release(Exact(count), guess=guess))
        with pytest.raises(BudgetExhausted):
            run.release(Exact(0))
    return said


@given(
    asked=st.lists(
        st.tuples(
            st.integers(0, ROWS), st.fractions(0, 1), st.integers(-4, 4), st.integers(-12, 12)
        ),
        min_size=1,
        max_size=8,
    ),
    levels=st.lists(st.integers(-4, 4), min_size=3, max_size=3),
    budget=st.integers(1, 3),
)
def test_a_run_is_the_stated_function_of_its_noise(
    asked: list[Asked], levels: list[int], budget: int
) -> None:
    assert played(asked, levels, budget=budget) == stated(asked, levels, budget=budget)


def test_threshold_noise_kept_after_a_crossing_or_compared_noise_told_would_be_seen() -> None:
    asked = [(9, HALF, 1, -3), (8, HALF, 0, 1), (5, HALF, 0, 0)]
    levels = [0, 4, 0]
    said = played(asked, levels, budget=2)

    assert said == [Corrected(Fraction(6, 10)), Stands(HALF), Stands(HALF)]
    assert said != stated(asked, [0, 0, 0], budget=2)  # the first noisy threshold, kept
    told = [(count, guess, compared, compared) for count, guess, compared, _ in asked]
    assert said != stated(told, levels, budget=2)


def verdict_laws(
    distances: tuple[int, ...], mechanism: Thresholdout
) -> dict[tuple[bool, ...], float]:
    """Pr[verdicts] of a run, round after round; each ends at a crossing, the run after B."""
    each = mechanism.sparse.round

    def continued(start: int, left: int) -> dict[tuple[bool, ...], float]:
        if not left or start == len(distances):
            return {(): 1.0}
        law = first_above_law(
            distances[start:],
            threshold=mechanism.threshold,
            threshold_scale=float(each.threshold_scale),
            query_scale=float(each.query_scale),
        )
        found = {(False,) * (len(distances) - start): law[-1]}
        for first, chance in enumerate(law[:-1]):
            for rest, after in continued(start + first + 1, left - 1).items():
                found[(False,) * first + (True, *rest)] = chance * after
        return found

    return continued(0, mechanism.corrections)


def worst_loss(mechanism: Thresholdout) -> float:
    """The ε that all questions together need, over all counts, guesses and neighbours of 3 rows."""
    rows, k = mechanism.rows, mechanism.questions
    one_question = {
        (abs(count - guess), abs(moved - guess), abs(count - moved))
        for count, moved, guess in product(range(rows + 1), repeat=3)
        if abs(count - moved) <= 1
    }
    laws = {
        distances: verdict_laws(distances, mechanism)
        for distances in product(range(rows + 1), repeat=k)
    }
    worst = 0.0
    for questions in product(sorted(one_question), repeat=k):
        here, there, moved = zip(*questions, strict=True)
        assert fsum(laws[here].values()) == pytest.approx(1, abs=1e-9)
        for pattern, chance in laws[here].items():
            told = sum(move for move, hit in zip(moved, pattern, strict=False) if hit)
            verdicts = abs(log(chance / laws[there][pattern]))
            worst = max(worst, verdicts + told / float(mechanism.sparse.answer_scale))
    return worst


def tiny(*, epsilon: int, budget: int, comparing: Fraction) -> Thresholdout:
    return Thresholdout(
        rows=3,
        threshold=1,
        epsilon=Fraction(epsilon),
        corrections=budget,
        questions=3,
        comparing=comparing,
    )


@pytest.mark.parametrize(
    ("budget", "comparing"), [(1, Fraction(8, 9)), (2, Fraction(1, 2)), (3, Fraction(1, 3))]
)
def test_neighbours_differ_by_no_more_than_the_cost(budget: int, comparing: Fraction) -> None:
    mechanism = tiny(epsilon=4, budget=budget, comparing=comparing)

    assert mechanism.cost().epsilon == 4
    assert 1.5 < worst_loss(mechanism) <= 4 * (1 + 1e-9)


def test_crossings_with_the_noise_of_one_alone_would_be_caught() -> None:
    """The mutant forgets to share ε between three crossings; its own price is thrice the claim."""
    assert worst_loss(tiny(epsilon=12, budget=3, comparing=Fraction(1, 3))) > 4 * 1.5


def test_telling_the_noise_that_was_compared_would_be_caught() -> None:
    """After many guesses that stood, a low count + M tells that the noisy threshold was low."""
    mechanism = Thresholdout(
        rows=100, threshold=1, epsilon=Fraction(1), corrections=1, questions=31
    )
    each = mechanism.sparse.round
    v = np.arange(-400, 401)
    threshold = np.array([mass(int(z), float(each.threshold_scale)) for z in v])
    query, answer = float(each.query_scale), float(mechanism.sparse.answer_scale)
    reached = 1 + v  # what a distance and its noise must reach

    def stood(distance: int) -> np.ndarray:
        return np.array([1 - at_least(int(z) - distance, query) for z in reached])

    def chance(early: int, *, told: int, shared: bool) -> float:
        """Pr[30 guesses at distance `early` stand, then a count of 50, guessed right, is told]."""
        compared = told - 50
        crossing = (
            (compared >= reached) * mass(compared, query)
            if shared
            else np.array([at_least(int(z), query) for z in reached]) * mass(compared, answer)
        )
        return float(np.sum(threshold * stood(early) ** 30 * crossing))

    def loss(*, shared: bool) -> float:
        return max(
            abs(log(chance(0, told=told, shared=shared) / chance(1, told=told, shared=shared)))
            for told in range(0, 100, 5)
        )

    assert loss(shared=False) <= mechanism.cost().epsilon < 2 < loss(shared=True)


@given(
    rows=st.integers(1, 10**6),
    threshold=st.fractions(Fraction(1, 10**6), 1),
    scale=st.fractions(Fraction(1, 10**4), 10),
    budget=st.integers(1, 1000),
    questions=st.integers(1, 10**6),
)
def test_the_published_parameters_cost_what_was_published(
    rows: int, threshold: Fraction, scale: Fraction, budget: int, questions: int
) -> None:
    mechanism = Thresholdout.classic(
        rows=rows, threshold=threshold, scale=scale, corrections=budget, questions=questions
    )
    on_counts = rows * scale

    assert mechanism.sparse.round.threshold_scale == 2 * on_counts
    assert mechanism.sparse.round.query_scale == 4 * on_counts
    assert mechanism.sparse.answer_scale == on_counts
    a_round = 1 / (2 * on_counts) + 2 / (4 * on_counts) + 1 / on_counts
    assert mechanism.cost().epsilon == budget * a_round == 2 * budget / (scale * rows)
    assert mechanism.threshold - 1 < threshold * rows <= mechanism.threshold


@given(
    st.builds(
        Thresholdout,
        rows=st.just(10**9),
        threshold=st.integers(1, 10**9),
        epsilon=st.fractions(Fraction(1, 1000), 100),
        corrections=st.integers(1, 1000),
        questions=st.integers(1, 10**6),
        comparing=st.fractions(Fraction(1, 100), Fraction(99, 100)),
    )
)
def test_the_cost_is_epsilon_and_the_description_rebuilds(mechanism: Thresholdout) -> None:
    recorded = mechanism.record()

    assert mechanism.cost().epsilon == mechanism.epsilon
    assert recorded["kind"] == Thresholdout.kind == "thresholdout"
    assert (
        Thresholdout(
            rows=mechanism.rows,
            threshold=int(recorded["threshold"]),
            epsilon=Fraction(recorded["epsilon"]),
            corrections=int(recorded["corrections"]),
            questions=int(recorded["questions"]),
            comparing=Fraction(recorded["comparing"]),
        )
        == mechanism
    )


@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 10**4)])
@pytest.mark.parametrize("comparing", [Fraction(8, 9), Fraction(1, 50)])
def test_releases_err_by_no_more_than_the_radius(beta: Fraction, comparing: Fraction) -> None:
    mechanism = Thresholdout(
        rows=1000, threshold=2, epsilon=Fraction(6), corrections=2, questions=3, comparing=comparing
    )
    radius = mechanism.radius(beta=beta)
    reach = floor(radius * 1000 + 1e-6)
    assert reach == pytest.approx(radius * 1000, abs=1e-6)
    told_well = 1 - 2 * at_least(reach + 1, float(mechanism.sparse.answer_scale))

    def wrong(distances: tuple[int, ...]) -> float:
        total = 0.0
        for pattern, chance in verdict_laws(distances, mechanism).items():
            right = all(
                hit or distance <= reach for distance, hit in zip(distances, pattern, strict=False)
            )
            total += chance * (1 - right * told_well ** sum(pattern))
        return total

    assert beta / 50 < wrong((reach + 1,) * 3) <= beta
    assert wrong((reach + 1, 0, reach + 1)) <= beta


def test_a_guess_at_the_threshold_is_too_far() -> None:
    """Without noise to speak of, guesses up to one row below it stand: no more may be claimed."""
    mechanism = Thresholdout(
        rows=1000, threshold=100, epsilon=Fraction(2000), corrections=1, questions=2
    )
    assert mechanism.radius(beta=Fraction(1, 100)) == pytest.approx(0.099, abs=1e-12)
    run = mechanism.start_run(rng=Seeded(3))

    assert run.release(Exact(599)) == Stands(HALF)
    assert run.release(Exact(600)) == Corrected(Fraction(600, 1000))


def test_a_run_stops_after_its_crossings_or_its_questions() -> None:
    mechanism = Thresholdout(
        rows=10**6, threshold=10**5, epsilon=Fraction(100), corrections=2, questions=5
    )
    for counts in ([10**6, 500_000, 0], [500_000] * 5, [0, *[500_000] * 4]):
        run = mechanism.start_run(rng=Seeded(1))
        for count in counts:
            released = run.release(Exact(count))
            if count == 500_000:
                assert released == Stands(HALF)
            else:
                assert isinstance(released, Corrected)
                assert abs(released.share * 10**6 - count) < 100
                assert 0 <= released.share <= 1
        for _ in range(2):
            with pytest.raises(BudgetExhausted) as refused:
                run.release(Exact(0))
            assert refused.value.fields() == {
                "asked": 1,
                "remaining": 0,
                "questions": 5,
                "of_several": False,
            }


def test_a_bad_guess_costs_nothing() -> None:
    mechanism = Thresholdout(
        rows=100, threshold=100, epsilon=Fraction(100), corrections=1, questions=1
    )
    run = mechanism.start_run(rng=Seeded(1))
    for guess in (Fraction(-1, 2), Fraction(3, 2), 0.5, True, None):
        with pytest.raises(InvalidInput, match=r"^guess must be "):
            run.release(Exact(50), guess=guess)  # type: ignore[arg-type]
    assert run.release(Exact(50), guess=Fraction(495, 1000)) == Stands(HALF)


def test_a_run_cannot_be_copied() -> None:
    run = tiny(epsilon=1, budget=1, comparing=Fraction(1, 2)).start_run(rng=Seeded(1))
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(run)


def test_it_keeps_the_protocol() -> None:
    mechanism = Thresholdout(
        rows=100, threshold=100, epsilon=Fraction(9), corrections=1, questions=1
    )
    run: Run[int, Stands | Corrected] = mechanism.start_run(rng=Seeded(0))

    assert run.release(Exact(50)) == Stands(HALF)


def test_a_promise_is_for_as_many_questions_as_a_run_has() -> None:
    mechanism = tiny(epsilon=1, budget=1, comparing=Fraction(1, 2))
    for certify in (mechanism.certify_standing, mechanism.certify_corrected):
        assert certify(Target.of(confidence=0.9, questions=3)).target.questions == 3
        with pytest.raises(InvalidInput, match=r"^target must be one of 3 questions"):
            certify(Target.of(confidence=0.9, questions=4))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 0),
        ("rows", 10**101),
        ("threshold", 0),
        ("threshold", 11),
        ("threshold", 0.5),
        ("threshold", True),
        ("epsilon", Fraction(0)),
        ("epsilon", 1),
        ("epsilon", float("nan")),
        ("corrections", 0),
        ("corrections", 10**101),
        ("questions", 0),
        ("questions", 10**101),
        ("comparing", Fraction(0)),
        ("comparing", Fraction(1)),
        ("comparing", 0.5),
    ],
)
def test_absurd_parameters_are_refused(name: str, value: object) -> None:
    good = {"rows": 10, "threshold": 2, "epsilon": Fraction(1), "corrections": 1, "questions": 1}
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        Thresholdout(**{**good, name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 0),
        ("threshold", Fraction(0)),
        ("threshold", Fraction(11, 10)),
        ("threshold", 0.1),
        ("scale", Fraction(0)),
        ("scale", 0.1),
        ("corrections", 0),
        ("questions", 0),
    ],
)
def test_absurd_published_parameters_are_refused(name: str, value: object) -> None:
    good = {
        "rows": 10,
        "threshold": Fraction(1, 5),
        "scale": Fraction(1, 10),
        "corrections": 1,
        "questions": 1,
    }
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        Thresholdout.classic(**{**good, name: value})  # type: ignore[arg-type]


@statistical(false_alarm=2 * FALSE_ALARM)
def test_corrections_follow_their_law_whatever_was_compared() -> None:
    mechanism = Thresholdout(
        rows=10**5, threshold=1, epsilon=Fraction(9), corrections=10, questions=10
    )
    rng, noise = Seeded(6), []
    for _ in range(1800):
        run = mechanism.start_run(rng=rng)
        for _ in range(10):
            released = run.release(Exact(10**4))
            assert isinstance(released, Corrected)
            noise.append(abs(int(released.share * 10**5) - 10**4))

    assert fit_p_value(noise, folded_cdf(10.0)) > FALSE_ALARM
    for wrong in (9.0, 11.0):
        assert fit_p_value(noise, folded_cdf(wrong)) < FALSE_ALARM
