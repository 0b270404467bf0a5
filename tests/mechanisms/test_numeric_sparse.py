"""NumericSparse: what a run does with its noise, its price by enumeration, and broken relatives."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import product
from math import fsum, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.discrete_laws import (
    Script,
    at_least,
    first_above_law,
    folded_cdf,
    neighbours,
)
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms import sparse
from peekproof.mechanisms.protocol import Interactive, Run
from peekproof.mechanisms.sparse import NumericSparse
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9

mechanisms = st.builds(
    NumericSparse,
    threshold=st.integers(-(10**9), 10**9),
    epsilon=st.fractions(Fraction(1, 1000), 100),
    answers=st.integers(1, 1000),
    questions=st.integers(1, 10**6),
    sensitivity=st.integers(1, 100),
    comparing=st.fractions(Fraction(1, 100), Fraction(99, 100)),
)


@given(
    asked=st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=8),
    levels=st.lists(st.integers(-4, 4), min_size=3, max_size=3),
    answers=st.integers(1, 3),
)
def test_a_run_is_the_stated_function_of_its_noise(
    asked: list[tuple[int, int, int]], levels: list[int], answers: int
) -> None:
    mechanism = NumericSparse(
        threshold=1, epsilon=Fraction(9 * answers), answers=answers, questions=len(asked)
    )  # each round: 8 for comparing, 1 for answering
    threshold_scale, query_scale, answer_scale = Fraction(1, 4), Fraction(1, 2), Fraction(1)
    with pytest.MonkeyPatch.context() as patch:
        Script(
            threshold=(threshold_scale, levels),
            query=(query_scale, [noise for _, noise, _ in asked]),
            answer=(answer_scale, [noise for _, _, noise in asked]),
        ).install(patch, sparse)
        run = mechanism.start(rng=Seeded(0))
        said: list[int | None] = []
        while len(said) < len(asked) and len([a for a in said if a is not None]) < answers:
            said.append(run.release(Exact(asked[len(said)][0])))
        with pytest.raises(BudgetExhausted):
            run.release(Exact(0))

    expected: list[int | None] = []
    above = 0
    for count, compared, added in asked:
        if above == answers:
            break
        if count + compared >= 1 + levels[above]:  # a new noisy threshold after every above
            expected.append(count + added)  # and not the noise that was compared
            above += 1
        else:
            expected.append(None)
    assert said == expected


def round_laws(counts: tuple[int, ...], mechanism: NumericSparse) -> dict[tuple[bool, ...], float]:
    """Pr[verdicts] of a run, round after round; each ends at an above, the run after c of them."""
    scales = float(mechanism.round.threshold_scale), float(mechanism.round.query_scale)

    def continued(start: int, left: int) -> dict[tuple[bool, ...], float]:
        if not left or start == len(counts):
            return {(): 1.0}
        law = first_above_law(
            counts[start:],
            threshold=mechanism.threshold,
            threshold_scale=scales[0],
            query_scale=scales[1],
        )
        found = {(False,) * (len(counts) - start): law[-1]}
        for first, chance in enumerate(law[:-1]):
            for rest, after in continued(start + first + 1, left - 1).items():
                found[(False,) * first + (True, *rest)] = chance * after
        return found

    return continued(0, mechanism.answers)


def worst_loss(mechanism: NumericSparse, k: int) -> float:
    """The ε that k questions need: verdicts by their laws, counts by their most telling value."""
    laws = {counts: round_laws(counts, mechanism) for counts in product(range(-2, 3), repeat=k)}
    worst = 0.0
    for one, other in neighbours(k, reach=1):
        here, there = laws[tuple(one)], laws[tuple(other)]
        assert fsum(here.values()) == pytest.approx(1, abs=1e-9)
        for pattern, chance in here.items():
            told = sum(abs(a - b) for a, b, hit in zip(one, other, pattern, strict=False) if hit)
            verdicts = abs(log(chance / there[pattern]))
            worst = max(worst, verdicts + told / float(mechanism.answer_scale))
    return worst


@pytest.mark.parametrize(
    ("answers", "k", "comparing"),
    [
        (1, 3, Fraction(8, 9)),
        (2, 3, Fraction(8, 9)),
        (2, 3, Fraction(1, 2)),
        (3, 3, Fraction(1, 3)),
    ],
)
def test_neighbours_differ_by_no_more_than_the_cost(
    answers: int, k: int, comparing: Fraction
) -> None:
    mechanism = NumericSparse(
        threshold=0, epsilon=Fraction(4), answers=answers, questions=k, comparing=comparing
    )
    worst = worst_loss(mechanism, k)

    assert mechanism.cost().epsilon == 4
    assert 1 < worst <= 4 * (1 + 1e-9)


def test_answers_with_the_noise_of_one_alone_would_be_caught() -> None:
    """The mutant forgets to share ε between three answers; its own price is thrice the claim."""
    mutant = NumericSparse(
        threshold=0, epsilon=Fraction(12), answers=3, questions=3, comparing=Fraction(1, 3)
    )
    assert worst_loss(mutant, 3) > 4 * 1.5


@given(mechanisms)
def test_the_cost_is_epsilon_and_the_description_rebuilds(mechanism: NumericSparse) -> None:
    recorded = mechanism.describe()

    assert mechanism.cost().epsilon == mechanism.epsilon
    assert all(isinstance(value, str) for value in recorded.values())
    assert recorded["kind"] == NumericSparse.kind == "numeric-sparse"
    assert (
        NumericSparse(
            threshold=int(recorded["threshold"]),
            epsilon=Fraction(recorded["epsilon"]),
            answers=int(recorded["answers"]),
            questions=int(recorded["questions"]),
            sensitivity=int(recorded["sensitivity"]),
            comparing=Fraction(recorded["comparing"]),
        )
        == mechanism
    )


@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 10**4)])
@pytest.mark.parametrize("comparing", [Fraction(8, 9), Fraction(1, 50)])
def test_releases_err_by_no_more_than_the_radius(beta: Fraction, comparing: Fraction) -> None:
    mechanism = NumericSparse(
        threshold=0, epsilon=Fraction(6), answers=2, questions=3, comparing=comparing
    )
    reach = int(mechanism.radius(beta=beta))
    answer = 2 * at_least(reach + 1, float(mechanism.answer_scale))

    def wrong(counts: tuple[int, ...]) -> float:
        total = 0.0
        for pattern, chance in round_laws(counts, mechanism).items():
            right = all(
                count >= -reach if hit else count < reach
                for count, hit in zip(counts, pattern, strict=False)
            )
            total += chance * (1 - right * (1 - answer) ** sum(pattern))
        return total

    worst = max(wrong(counts) for counts in product((-reach - 1, reach), repeat=3))
    assert beta / 50 < worst <= beta


def test_a_run_stops_after_its_answers_or_its_questions() -> None:
    mechanism = NumericSparse(threshold=0, epsilon=Fraction(100), answers=2, questions=5)
    for counts in ([10**6, -(10**6), 10**6], [-(10**6)] * 5, [10**6, *[-(10**6)] * 4]):
        run = mechanism.start(rng=Seeded(1))
        for count in counts:
            released = run.release(Exact(count))
            assert (released is None) == (count < 0)
            assert released is None or abs(released - count) < 10**3
        for _ in range(2):
            with pytest.raises(BudgetExhausted) as refused:
                run.release(Exact(10**6))
            assert refused.value.fields() == {
                "asked": 1,
                "remaining": 0,
                "questions": 5,
                "of_several": False,
            }


def test_a_run_cannot_be_copied() -> None:
    run = NumericSparse(threshold=0, epsilon=Fraction(1), answers=1, questions=2).start(
        rng=Seeded(1)
    )
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(run)


def test_it_keeps_the_protocol() -> None:
    mechanism = NumericSparse(threshold=0, epsilon=Fraction(1), answers=1, questions=1)
    typed: Interactive[int, int | None] = mechanism
    run: Run[int, int | None] = typed.start(rng=Seeded(0))

    assert run.release(Exact(-(10**9))) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("threshold", 0.5),
        ("threshold", False),
        ("epsilon", Fraction(0)),
        ("epsilon", 1),
        ("answers", 0),
        ("answers", 10**101),
        ("questions", 0),
        ("sensitivity", 0),
        ("comparing", Fraction(0)),
        ("comparing", Fraction(1)),
        ("comparing", 0.5),
    ],
)
def test_absurd_parameters_are_refused(name: str, value: object) -> None:
    good = {"threshold": 0, "epsilon": Fraction(1), "answers": 1, "questions": 1}
    with pytest.raises(InvalidInput, match=rf"^{name} must be "):
        NumericSparse(**{**good, name: value})  # type: ignore[arg-type]


@statistical(false_alarm=2 * FALSE_ALARM)
def test_answers_follow_their_law_whatever_was_compared() -> None:
    mechanism = NumericSparse(threshold=0, epsilon=Fraction(9), answers=10, questions=10)
    rng, noise = Seeded(6), []
    for _ in range(1800):
        run = mechanism.start(rng=rng)
        for _ in range(10):
            released = run.release(Exact(10**4))
            assert released is not None
            noise.append(abs(released - 10**4))

    assert fit_p_value(noise, folded_cdf(10.0)) > FALSE_ALARM
    for wrong in (9.0, 11.0):
        assert fit_p_value(noise, folded_cdf(wrong)) < FALSE_ALARM
