"""Plans: as narrow as the published map, certified as they are, and what they promise."""

import csv
import json
from dataclasses import dataclass
from fractions import Fraction
from math import asin
from pathlib import Path
from typing import Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.base import VACUOUS, Ask, Limit, Mechanism, Past, every_mechanism
from peekproof.mechanisms.gaussian import FINEST_STEPS, Gaussian
from peekproof.mechanisms.plan import MOST_QUESTIONS, MOST_ROWS, Plan, plan
from peekproof.session.queries import ANY_SHARE
from peekproof.theory.generalization.drift import gaussian_drift
from peekproof.theory.generalization.noise import normal_shortfall


@dataclass(frozen=True)
class Reference:
    """A row of the reference map: the best radius of the certificate that splits β."""

    rows: int
    questions: int
    beta: Fraction
    radius: float
    sigma: float

    @classmethod
    def parse(cls, row: dict[str, str]) -> Self:
        return cls(
            rows=int(row["n"]),
            questions=int(row["k"]),
            beta=Fraction(row["beta"]),
            radius=float(row["radius"]),
            sigma=float(row["sigma"]),
        )

    @property
    def target(self) -> Target:
        return Target(confidence=1 - self.beta, questions=self.questions)


def reference_map() -> list[Reference]:
    # The computation that made the map is not in this repository, so it is an oracle.
    with Path(__file__).with_name("radius_map.csv").open(encoding="utf-8", newline="") as file:
        return [Reference.parse(row) for row in csv.DictReader(file)]


INFORMATIVE = [row for row in reference_map() if row.radius < 1]


@dataclass(frozen=True)
class Noisy:
    """A plan with Gaussian noise."""

    plan: Plan
    mechanism: Gaussian

    @property
    def radius(self) -> float:
        return self.plan.radius

    @property
    def rows(self) -> int:
        return self.plan.rows

    @property
    def certificate(self) -> Certificate:
        return self.plan.certificate


def noisy(*, rows: int, target: Target) -> Noisy:
    found = plan(rows=rows, target=target, mechanisms=(Gaussian,))
    assert isinstance(found.mechanism, Gaussian)
    return Noisy(found, found.mechanism)


def split_radius(reference: Reference) -> float:
    """The smallest σ·ES_{β₁} + a*_{β₂} with β₁ + β₂ = β, near the σ of the map.

    The map bounds the drift by the angle a* itself, not by its sine.
    """
    shares = [reference.beta * Fraction(i, 20) for i in range(1, 20)]
    shortfalls = [normal_shortfall(beta=share, count=reference.questions) for share in shares]
    best = 1.0
    for step in range(-3, 4):
        sigma = reference.sigma * 1.02**step
        loss = GDP(reference.questions / (reference.rows * Fraction(sigma)) ** 2)
        for share, shortfall in zip(shares, shortfalls, strict=True):
            drift = gaussian_drift(loss, beta=reference.beta - share)
            best = min(best, sigma * shortfall + asin(drift))
    return best


@pytest.mark.parametrize("reference", INFORMATIVE, ids=str)
def test_splitting_the_level_reproduces_the_reference_map(reference: Reference) -> None:
    assert split_radius(reference) == pytest.approx(reference.radius, rel=0.01)


@pytest.mark.parametrize("reference", INFORMATIVE, ids=str)
def test_the_plan_is_narrower_than_the_reference_map(reference: Reference) -> None:
    # Rounding to the grid costs under a thousandth; joining the levels gains 4 to 7 in a hundred.
    best = noisy(rows=reference.rows, target=reference.target)

    assert 0.9 * reference.radius < best.radius < 0.99 * reference.radius


def test_the_reference_map_is_complete() -> None:
    assert len(reference_map()) == 15
    assert len(INFORMATIVE) == 13


def test_a_thousand_questions_on_a_hundred_thousand_rows() -> None:
    best = plan(rows=100_000, target=Target.of(confidence=0.95, questions=1000))

    assert best.radius <= 0.0640


informative = st.tuples(st.integers(1000, 10**9), st.integers(1, 10**4)).filter(
    lambda pair: pair[0] > 40 * pair[1] ** 0.5
)


@given(size=informative, confidence=st.sampled_from((0.5, 0.95, 0.999999)))
@settings(max_examples=25)
def test_no_noise_nearby_is_much_better(size: tuple[int, int], confidence: float) -> None:
    rows, questions = size
    target = Target.of(confidence=confidence, questions=questions)
    best = noisy(rows=rows, target=target)

    for percent in (50, 80, 90, 97, 103, 110, 125, 200):
        sigma = best.mechanism.sigma * percent / 100
        other = Gaussian(rows=rows, sigma=sigma, step=best.mechanism.step)
        assert best.radius < other.certify(target).radius * 1.001


@given(size=informative)
@settings(max_examples=25)
def test_a_plan_is_certified_for_its_own_noise_on_its_own_grid(size: tuple[int, int]) -> None:
    rows, questions = size
    target = Target.of(confidence=0.95, questions=questions)
    best = noisy(rows=rows, target=target)
    sigma, step = best.mechanism.sigma, best.mechanism.step

    assert best.certificate == best.mechanism.certify(target)
    assert (best.rows, best.radius) == (rows, best.certificate.radius)
    assert step.numerator == 1
    assert step.denominator.bit_count() == 1  # a power of two
    assert (sigma / step).denominator == 1
    # The search settles the grid before the last step or two of σ.
    assert FINEST_STEPS - 1 <= sigma / step <= 2 * FINEST_STEPS + 1


@given(size=informative, factor=st.integers(2, 20))
@settings(max_examples=25)
def test_more_questions_fewer_rows_and_more_confidence_widen_it(
    size: tuple[int, int], factor: int
) -> None:
    rows, questions = size
    base = plan(rows=rows * factor, target=Target.of(confidence=0.9, questions=questions)).radius

    for wider in (
        plan(rows=rows, target=Target.of(confidence=0.9, questions=questions)),
        plan(rows=rows * factor, target=Target.of(confidence=0.9, questions=questions * factor)),
        plan(rows=rows * factor, target=Target.of(confidence=0.99, questions=questions)),
    ):
        assert wider.radius > base


def test_the_budget_admits_every_planned_question_and_no_more() -> None:
    target = Target.of(confidence=0.95, questions=50)
    best = plan(rows=10_000, target=target)
    each = best.mechanism.offer(Ask(what=ANY_SHARE), best.nothing_asked).cost

    assert isinstance(best.budget, GDP)
    assert each * 50 == best.budget
    for drawn in (0, 1, 49, 50):
        spent = drawn * best.budget.mu_squared / 50
        assert best.mechanism.left(Past(target=target, spent=spent, draws=drawn)) == 50 - drawn


@pytest.mark.parametrize(
    ("rows", "questions"), [(1, 1), (1, MOST_QUESTIONS), (10, 10), (1000, 508), (1000, 10**5)]
)
def test_a_plan_that_says_nothing_says_so(rows: int, questions: int) -> None:
    best = plan(rows=rows, target=Target.of(confidence=0.95, questions=questions))

    assert best.vacuous
    assert VACUOUS <= best.radius <= 1


def test_a_plan_that_says_something_is_not_vacuous() -> None:
    assert not plan(rows=1000, target=Target.of(confidence=0.95, questions=470)).vacuous


def test_the_dictionary_is_json_and_complete() -> None:
    best = noisy(rows=10_000, target=Target.of(confidence=0.95, questions=50))
    back = json.loads(json.dumps(best.plan.to_dict(), allow_nan=False))

    assert back == {
        "rows": 10_000,
        "questions": 50,
        "confidence": 0.95,
        "radius": best.radius,
        "vacuous": False,
        "mechanism": {
            "kind": "gaussian",
            "sigma": float(best.mechanism.sigma),
            "step": float(best.mechanism.step),
        },
        "certificate": json.loads(json.dumps(best.certificate.to_dict())),
    }


@pytest.mark.parametrize("kind", [k for k in every_mechanism().values() if not k.open_ended])
def test_the_dictionary_of_every_mechanism_is_json(kind: type[Mechanism]) -> None:
    found = plan(
        rows=10_000,
        target=Target.of(confidence=0.95, questions=50),
        mechanisms=[kind],
        limit=Limit(failures=3) if "failures" in kind.required else None,
    )
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))["mechanism"]
    assert told["kind"] == kind.kind


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_rows_are_a_positive_integer(rows: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be an integer of at least 1, got "):
        plan(rows=rows, target=Target.of(confidence=0.95, questions=1))


@pytest.mark.parametrize(
    ("rows", "questions", "argument"),
    [
        (MOST_ROWS + 1, 1, "rows"),
        (10**400, 1, "rows"),
        (10, MOST_QUESTIONS + 1, "questions"),
        (10, 10**400, "questions"),
    ],
    ids=["too many rows", "rows beyond floats", "too many questions", "questions beyond floats"],
)
def test_sizes_that_nobody_has_are_refused(rows: int, questions: int, argument: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        plan(rows=rows, target=Target.of(confidence=0.95, questions=questions))

    assert caught.value.argument == argument


def test_the_largest_sizes_are_planned() -> None:
    best = plan(rows=MOST_ROWS, target=Target.of(confidence=0.95, questions=MOST_QUESTIONS))

    assert 0 < best.radius < 1e-5
