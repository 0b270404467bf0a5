"""The audit of digits: what it looks at, whom it catches, and whom it lets pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from laws import cheats
from laws.cheats import STRAIGHT, reachable
from laws.mechanism_cases import CASES, EVENTS
from peekproof.audit.precision import (
    Precision,
    denominator,
    exact,
    exponent,
    finest_digit,
    leaves,
    low_digits,
    multiples_of,
    precision,
    spare_digits,
)
from peekproof.core.charge import GDP, Draws, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import statistical

FALSE_ALARM = 1e-9
Release = Callable[[], Any]


def audited(one: Release, other: Release, *, trials: int = 4_000, **more: Any) -> Precision:
    asked: dict[str, Any] = {"claim": PureDP(Fraction(1)), "false_alarm": FALSE_ALARM} | more
    return precision(one, other, trials=trials, **asked)


def of(draw: Callable[..., Any], count: int, *, seed: int = 1) -> Release:
    return partial(draw, STRAIGHT, count, Seeded(seed))


def test_digits_of_textbook_noise_tell() -> None:
    """Its size keeps the claim; the last digits of small numbers show what they were added to."""
    for one, other in ((0, 1), (1, 2)):
        found = audited(of(cheats.in_floats, one), of(cheats.in_floats, other, seed=2))
        assert found.exceeds
        assert found.tells
        assert not found.strays
        assert "place of the last digit" in str(found)
        assert "grid" not in str(found)


def test_digits_of_noise_by_numpy_tell() -> None:
    rng = np.random.default_rng(1)
    found = audited(rng.laplace, lambda: 1 + rng.laplace())
    assert found.epsilon > 2
    found = audited(rng.normal, lambda: 1 + rng.normal(), claim=GDP(Fraction(1)))
    assert found.exceeds


def test_a_feature_of_your_own_sees_what_others_do_not() -> None:
    """Of 1/2 and 3/4 plus textbook noise few draws show which; its inverse shows it."""
    one, other = of(cheats.in_floats, 2), of(cheats.in_floats, 3, seed=2)
    features = {"can be noise on 1/2": lambda number: reachable(number, 0.5)}

    assert not audited(one, other, trials=1_000).exceeds
    found = audited(one, other, trials=1_000, features=features)
    assert found.exceeds
    assert "can be noise on 1/2: is True" in str(found)


@statistical(false_alarm=FALSE_ALARM)
def test_digits_of_our_mechanisms_tell_nothing() -> None:
    """The mutants leave the grid by the count, draw textbook noise, or half the noise."""
    claim = PureDP(Fraction(1))
    audits: list[Precision] = []
    for case in CASES:
        if type(case.mechanism) not in EVENTS:
            continue
        one, other = (partial(case.transcript, x, rng=Seeded(3)) for x in case.neighbours[0])
        audits.append(
            precision(
                one,
                other,
                claim=case.mechanism.cost(),  # type: ignore[arg-type]
                trials=400,
                false_alarm=FALSE_ALARM / len(EVENTS),
                outputs=lambda seen, case=case: all(map(case.outputs, seen)),  # type: ignore[misc]
            )
        )
        assert not audits[-1].tells, case.name
    assert len(audits) == len(EVENTS)

    on_grid = multiples_of(Fraction(1, 8))
    for cheat in (cheats.off_the_grid, cheats.in_floats):
        found = audited(of(cheat, 0), of(cheat, 1, seed=2), trials=600, outputs=on_grid)
        assert found.strays
        assert found.tells
    halved = [of(cheats.half_the_noise, count, seed=5 + count) for count in (0, 1)]
    assert audited(halved[0], halved[1], claim=claim, outputs=on_grid).exceeds


def test_specks_below_the_grid_tell_even_if_nobody_names_the_grid() -> None:
    found = audited(of(cheats.off_the_grid, 1), of(cheats.off_the_grid, 2, seed=2))
    assert found.exceeds


def test_noise_that_is_not_drawn_again_tells() -> None:
    assert audited(lambda: 0.7310585786300049, lambda: 1.7310585786300049).exceeds


def test_each_number_of_a_vector_is_looked_at() -> None:
    rng = np.random.default_rng(2)

    def release(speck: float) -> list[float]:
        whole = rng.integers(0, 9, 3).astype(float)
        whole[2] += speck
        return [float(each) for each in whole]

    found = audited(lambda: release(0.0), lambda: release(2.0**-30), trials=400)
    assert found.exceeds
    assert "number 2" in str(found)


@dataclass(frozen=True)
class Held:
    share: Fraction
    names: tuple[str, ...]


def test_releases_are_taken_apart() -> None:
    assert [*leaves((1, [2.5, None], Held(Fraction(1, 3), ("a",))))] == [
        1, 2.5, None, Fraction(1, 3), "a",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "finest", "odd", "size", "spare", "low"),
    [
        (0.75, -2, 1, -1, 51, 0),
        (Fraction(3, 4), -2, 1, -1, None, None),
        (8, 3, 1, 3, None, None),
        (-8.0, 3, 1, 3, 52, 0),
        (Fraction(5, 12), -2, 3, -1, None, None),
        (1 + 2.0**-52, -52, 1, 0, 0, 1),
        (0.0, None, 1, -1, 53, 0),
        (nan, None, None, None, None, None),
        (-inf, None, None, None, None, None),
        ("8", None, None, None, None, None),
    ],
)
def test_what_is_looked_at(
    number: Any,
    finest: int | None,
    odd: int | None,
    size: int | None,
    spare: int | None,
    low: int | None,
) -> None:
    assert finest_digit(number) == finest
    assert denominator(number) == odd
    assert exponent(number) == size
    assert spare_digits(number) == spare
    assert low_digits(number) == low


def test_numbers_are_taken_as_they_are() -> None:
    assert exact(0.1) == Fraction(0.1) != Fraction(1, 10)
    assert exact(np.float32(0.1)) == Fraction(float(np.float32(0.1)))
    assert exact(np.int64(3)) == 3


def test_multiples_are_exact() -> None:
    on_grid = multiples_of(Fraction(1, 10))
    assert on_grid((Fraction(3, 10), 2, "name"))
    assert not on_grid(0.3)
    assert not on_grid((Fraction(3, 10), inf))


def test_the_report_speaks_to_people_and_to_programs() -> None:
    found = audited(lambda: 0.5, lambda: 1.0, trials=200, outputs=lambda release: release == 1.0)
    told = json.loads(json.dumps(found.to_dict()))
    assert told["tells"] is True
    assert told["strays"] == ["0.5"] * 200
    assert told["epsilon"] == found.epsilon
    assert told["mu"] == found.mu
    assert "outside of the grid: 200 of 400 draws, such as 0.5" in str(found)


def test_a_claim_must_bound_a_loss() -> None:
    with pytest.raises(InvalidInput, match="bounds a loss"):
        audited(lambda: 1, lambda: 1, claim=Draws(Fraction(1)), trials=8)
