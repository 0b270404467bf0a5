from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guess.cells import Listed, Naive, entropy, exact, question
from peekproof.core.errors import InvalidInput
from peekproof.guess import weights as module
from peekproof.guess.domain import Weighing
from peekproof.guess.guesser import GRID, Lesson, replay
from peekproof.guess.weights import MultiplicativeWeights, tilt

Vector = npt.NDArray[np.float64]

NOTHING = Fraction(0)
USUAL: dict[str, Any] = {"cells": 2, "values": Listed([]), "error": Fraction(1, 9)}


def questions(rng: np.random.Generator, cells: int, count: int) -> list[Weighing]:
    """Half of them shares, half of them means."""
    shares: list[Weighing] = [rng.random(cells) < rng.random() for _ in range(count // 2)]
    return shares + [rng.random(cells) ** 3 for _ in range(count - count // 2)]


def guesser(cells: int, values: Listed, error: str = "1/50") -> MultiplicativeWeights:
    return MultiplicativeWeights(cells=cells, values=values, error=Fraction(error))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), cells=st.integers(1, 40), lessons=st.integers(1, 30))
def test_guesses_are_those_of_a_naive_loop(seed: int, cells: int, lessons: int) -> None:
    rng = np.random.default_rng(seed)
    held = questions(rng, cells, 8)
    values, naive = Listed(held), Naive(cells)
    ours = guesser(cells, values)
    for _ in range(lessons):
        number, answer, within = rng.integers(8), exact(rng.random()), exact(rng.random() / 10)
        plain = [float(each) for each in held[number]]
        # Where the two may decide differently whether to learn, the test would compare nothing.
        if abs(abs(float(answer) - naive.guess(plain)) - float(within)) < 1e-9:
            continue
        ours.learn(values.questions[number], answer, within=within)
        naive.learn(plain, float(answer), float(within), 1 / 50)
    for asked, q in zip(values.questions, held, strict=True):
        found = ours.guess(asked)

        assert float(found) == pytest.approx(naive.guess([float(x) for x in q]), abs=1e-10)
        assert 0 <= found <= 1
        assert (found * GRID).denominator == 1
    assert ours.distribution() == pytest.approx(naive.p, rel=1e-8, abs=1e-12)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), cells=st.integers(2, 30), heavy=st.floats(0.05, 5.0))
def test_every_lesson_brings_the_weights_closer_to_the_truth_by_what_is_proved(
    seed: int, cells: int, heavy: float
) -> None:
    rng = np.random.default_rng(seed)
    target = rng.random(cells) ** heavy
    target[rng.random(cells) < 0.3] = 0
    target[0] += 0.1
    target /= target.sum()
    held = questions(rng, cells, 12)
    values = Listed(held)
    ours = guesser(cells, values, "1/100")
    for asked, q in zip(values.questions, held, strict=True):
        truth, before = float(target @ q), ours.distribution()
        guess = float(before @ q)
        within = rng.random() / 20
        answer = min(max(truth + (2 * rng.random() - 1) * within, 0.0), 1.0)
        if abs(truth - guess) < 0.01 or abs(answer - guess) <= within + 1e-12:
            continue
        ours.learn(asked, exact(answer), within=exact(within))
        gap = max(0.01, abs(answer - guess) - within)

        fallen = entropy(target, before) - entropy(target, ours.distribution())
        assert fallen >= 2 * gap**2 - 1e-11


def updates_of_an_adversary(target: Vector, error: Fraction) -> tuple[int, int]:
    """The lessons until no guess fails, with questions that fail by little, and the bound.

    Prefixes of the cells, and the set that tells target and weights apart best: if no guess for
    that one fails, none does.
    """
    cells = len(target)
    held: list[Weighing] = [np.zeros(cells, np.bool_)]
    ours = MultiplicativeWeights(cells=cells, values=lambda _: held[0], error=error)
    while ours.updates <= ours.most_updates:
        p = ours.distribution()
        sets = [target > p, *(np.arange(cells) < end for end in range(1, cells))]
        gaps = [abs(float((target - p) @ chosen)) for chosen in sets]
        failing = [(gap, number) for number, gap in enumerate(gaps) if gap >= error]
        if not failing:
            break
        held[0] = sets[min(failing)[1]]
        asked = question(ours.updates)  # a new question each time
        ours.learn(asked, exact(float(target @ held[0])), within=NOTHING)
    return ours.updates, ours.most_updates


def peaked(cells: int, peak: float) -> Vector:
    target = np.full(cells, (1 - peak) / cells)
    target[0] += peak
    return target


@pytest.mark.parametrize("cells", [2, 16, 128])
@pytest.mark.parametrize("error", ["1/20", "1/5"])
@pytest.mark.parametrize("peak", [0.0, 0.5, 1.0])
def test_no_adversary_gets_more_updates_than_proved(cells: int, error: str, peak: float) -> None:
    updates, most = updates_of_an_adversary(peaked(cells, peak), Fraction(error))

    assert updates <= most
    assert (updates > 0) == (peak > 0)


def test_a_wrong_sign_gets_more_updates_than_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "tilt", lambda **given: 1 / tilt(**given))
    updates, most = updates_of_an_adversary(peaked(16, 0.5), Fraction(1, 5))

    assert updates > most


def test_too_long_a_step_gets_more_updates_than_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "tilt", lambda **given: tilt(**given) ** 2.5)
    updates, most = updates_of_an_adversary(peaked(16, 0.5), Fraction(1, 5))

    assert updates > most


def test_guesses_converge_to_a_population() -> None:
    rng = np.random.default_rng(3)
    cells = 500
    target = rng.dirichlet(np.full(cells, 0.1))
    held = questions(rng, cells, 400)
    values = Listed(held)
    ours = guesser(cells, values, "1/100")
    failures, sizes = [], []
    for _ in range(3):
        failed, errors = 0, []
        for asked, q in zip(values.questions, held, strict=True):
            truth = float(target @ q)
            miss = abs(truth - float(ours.guess(asked)))
            errors.append(miss)
            if miss > 0.02:
                failed += 1
                ours.learn(asked, exact(truth), within=NOTHING)
        failures.append(failed)
        sizes.append(float(np.mean(errors)))

    assert failures[0] > 20
    assert failures[2] < failures[0] / 4
    assert sizes[2] < sizes[0] / 2
    assert ours.updates == sum(failures) <= ours.most_updates


def test_one_lesson_moves_a_share_to_the_near_end_of_its_answer() -> None:
    values = Listed([np.arange(10) < 1])
    ours = guesser(10, values)
    ours.learn(values.questions[0], Fraction(7, 10), within=Fraction(1, 10))

    assert float(ours.guess(values.questions[0])) == pytest.approx(0.6, abs=1e-11)
    assert ours.updates == 1


@pytest.mark.parametrize(
    ("answer", "within"), [(Fraction(1, 5), Fraction(1, 10)), (Fraction(1, 10), NOTHING)]
)
def test_an_answer_that_the_guess_fits_teaches_nothing(answer: Fraction, within: Fraction) -> None:
    values = Listed([np.arange(10) < 1])
    ours = guesser(10, values)
    ours.learn(values.questions[0], answer, within=within)

    assert ours.updates == 0
    assert (ours.distribution() == 0.1).all()


@pytest.mark.parametrize("held", [np.zeros(4, np.bool_), np.ones(4, np.bool_), np.zeros(4)])
def test_a_question_that_is_the_same_in_all_cells_teaches_nothing(held: Weighing) -> None:
    values = Listed([held])
    ours = guesser(4, values)
    ours.learn(values.questions[0], Fraction(1, 2), within=NOTHING)

    assert ours.updates == 0
    assert ours.guess(values.questions[0]) == int(held[0])


@pytest.mark.parametrize(
    ("guess", "answer", "within", "error", "aim"),
    [
        (0.5, 0.9, 0.1, 0.05, 0.8),  # the near end of the answer
        (0.5, 0.6, 0.05, 0.08, 0.58),  # what a failed guess misses at least
        (0.5, 0.6, 0.05, 0.3, 0.65),  # but not past the answer
        (0.5, 0.1, 0.1, 0.05, 0.2),
    ],
)
def test_a_lesson_aims_where_the_truth_must_lie_beyond(
    guess: float, answer: float, within: float, error: float, aim: float
) -> None:
    odds = tilt(guess=guess, answer=answer, within=within, error=error)

    assert odds * guess / (1 + (odds - 1) * guess) == pytest.approx(aim, rel=1e-12)


def test_no_lesson_is_larger_than_the_limit() -> None:
    assert tilt(guess=1e-9, answer=1.0, within=0.0, error=0.1) == math.exp(8)
    assert tilt(guess=1e-9, answer=0.5, within=0.0, error=0.1) == math.exp(8)
    assert tilt(guess=1 - 1e-9, answer=0.0, within=0.0, error=0.1) == math.exp(-8)


def test_replayed_lessons_give_the_same_bits() -> None:
    rng = np.random.default_rng(8)
    held = questions(rng, 20_000, 10)
    values = Listed(held)
    first, second = guesser(20_000, values), guesser(20_000, values)
    lessons = [
        Lesson(
            question=values.questions[rng.integers(10)],
            answer=exact(rng.random()),
            within=Fraction(1, 1000),
        )
        for _ in range(150)
    ]
    for lesson in lessons:
        for asked in values.questions[:3]:  # guesses in between change nothing
            first.guess(asked)
        first.learn(lesson.question, lesson.answer, within=lesson.within)
    replay(second, lessons)

    assert first.distribution().tobytes() == second.distribution().tobytes()
    assert [first.guess(q) for q in values.questions] == [second.guess(q) for q in values.questions]
    assert first.updates == second.updates > 100


TAUGHT = """
import hashlib
from fractions import Fraction
import numpy as np
from peekproof.guess.weights import MultiplicativeWeights
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema

rng, schema = np.random.default_rng(0), Schema({"x": Kind.NUMBER})
asked = [parse_question(f"x > {number}", schema) for number in range(6)]
values = [rng.random(300_001) < 0.3 if number % 2 else rng.random(300_001) for number in range(6)]
held = dict(zip((each.digest for each in asked), values))
ours = MultiplicativeWeights(
    cells=300_001, values=lambda each: held[each.digest], error=Fraction(1, 50)
)
for number in range(18):
    ours.learn(asked[number % 6], Fraction(rng.random()), within=Fraction(1, 1000))
print(hashlib.sha256(ours.distribution().tobytes()).hexdigest(), *map(ours.guess, asked))
"""


def test_processes_with_other_numbers_of_threads_agree_bit_by_bit() -> None:
    def run(threads: str) -> str:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
        command = [sys.executable, "-c", TAUGHT]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return done.stdout

    alone = run("1")
    assert alone == run("2")
    assert len(alone.split()) == 7


def test_a_million_cells_are_learnt_as_their_marginals_say() -> None:
    """Two independent columns: after a lesson on each, shares of both are products."""
    cells = 2**20
    low, even = np.arange(cells) < cells // 4, np.arange(cells) % 2 == 0
    values = Listed([low, even, low & even])
    ours = guesser(cells, values)
    ours.learn(values.questions[0], Fraction(7, 10), within=NOTHING)
    ours.learn(values.questions[1], Fraction(2, 10), within=NOTHING)

    guesses = [float(ours.guess(each)) for each in values.questions]
    assert guesses == pytest.approx([0.7, 0.2, 0.14], abs=1e-11)
    assert ours.distribution().sum() == pytest.approx(1, abs=1e-11)


@pytest.mark.parametrize(
    "given",
    [
        {"cells": 0},
        {"cells": True},
        {"cells": 2**24 + 1},
        {"cells": 10**30},
        {"error": Fraction(0)},
        {"error": Fraction(1)},
        {"error": Fraction(1, 2**17)},
        {"error": 0.1},
        {"error": math.nan},
    ],
)
def test_absurd_parameters_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        MultiplicativeWeights(**(USUAL | given))

    assert caught.value.argument in given


@pytest.mark.parametrize(
    ("answer", "within"),
    [
        (Fraction(3, 2), NOTHING),
        (Fraction(-1), NOTHING),
        (Fraction(1), Fraction(-1)),
        (0.5, NOTHING),
    ],
)
def test_an_absurd_lesson_is_refused_and_changes_nothing(answer: Any, within: Any) -> None:
    values = Listed([np.arange(4) < 1])
    ours = guesser(4, values)
    with pytest.raises(InvalidInput):
        ours.learn(values.questions[0], answer, within=within)
    with pytest.raises(InvalidInput):
        Lesson(question=values.questions[0], answer=answer, within=within)

    assert (ours.distribution() == 0.25).all()


@pytest.mark.parametrize("held", [np.ones(3, np.bool_), np.ones(4, np.int64), np.ones((4, 1))])
def test_values_of_another_shape_or_type_are_refused(held: Any) -> None:
    values = Listed([held])
    with pytest.raises(InvalidInput):
        guesser(4, values).guess(values.questions[0])


def test_a_description_holds_the_parameters_alone() -> None:
    values = Listed([np.arange(4) < 1])
    ours = guesser(4, values)
    ours.learn(values.questions[0], Fraction(1), within=NOTHING)

    assert ours.describe() == {"kind": "multiplicative-weights", "cells": "4", "error": "1/50"}
