"""A certificate's radius is its parts, and its words and its dictionary say the same."""

import json
import re
from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import ASSUMPTIONS, Certificate, Part, Target
from peekproof.core.theorem import SOURCES
from peekproof.theory.generalization import drift, gaussian, noise

PROVIDERS = (drift, gaussian, noise)  # imported so that their theorems register


def certificate(*radii: float, confidence: Fraction = Fraction(19, 20)) -> Certificate:
    """A certificate with parts of the given radii, theorems in rotation."""
    keys = ("T-noise", "T-drift-gauss", "T-rounding")
    parts = tuple(
        Part(theorem=keys[i % 3], covers=f"part {i}", radius=radius, numbers=(("x", i + 0.5),))
        for i, radius in enumerate(radii)
    )
    target = Target(confidence=confidence, questions=2000)
    return Certificate(target=target, rows=1_000_000, joins="T-joint", parts=parts)


@given(st.lists(st.floats(0, 0.3), min_size=1, max_size=5))
def test_the_radius_is_the_exact_sum_rounded_up_once(radii: list[float]) -> None:
    exact = sum(map(Fraction, radii), Fraction(0))
    radius = certificate(*radii).radius

    if exact >= 1:
        assert radius == 1
    else:
        assert Fraction(nextafter(radius, -inf)) < exact <= Fraction(radius)


def test_a_float_sum_would_be_too_small() -> None:
    radii = (0.1, 2.0**-60, 2.0**-60)

    assert sum(radii) == 0.1  # the mutant: adding in floating point
    assert certificate(*radii).radius > 0.1


def test_two_shares_differ_by_at_most_one() -> None:
    assert certificate(0.9, 0.9).radius == 1


@pytest.mark.parametrize("radius", [float("nan"), inf])
def test_a_part_that_is_no_number_certifies_nothing(radius: float) -> None:
    with pytest.raises((ValueError, OverflowError)):
        certificate(0.1, radius).radius  # noqa: B018 (reading it is the test)


def test_theorems_are_named_once_joint_first() -> None:
    assert certificate(0.1, 0.1, 0.1, 0.1).theorems == (
        "T-joint",
        "T-noise",
        "T-drift-gauss",
        "T-rounding",
    )


def test_every_theorem_is_cited_with_its_source() -> None:
    given = certificate(0.1, 0.1)
    citations = given.citations()

    assert len(citations) == len(given.theorems)
    for key, line in zip(given.theorems, citations, strict=True):
        assert line.startswith(f"{key}: ")
        assert any(text in line for text in SOURCES.values())


def test_a_theorem_nobody_registered_cannot_be_cited() -> None:
    target = Target(confidence=Fraction(1, 2), questions=1)
    with pytest.raises(KeyError):
        Certificate(target=target, rows=1, joins="T-hearsay", parts=()).citations()


def test_the_explanation_has_every_part_number_assumption_and_citation() -> None:
    given = certificate(0.125, 0.25, 0.0625)
    text = given.explain()

    assert text.startswith(
        "With probability at least 0.95, the intervals of all of at most 2,000 answers from "
        "1,000,000 rows hold together; this one reaches at most 0.4375 of its scale (T-joint):\n"
    )
    assert "  0.1250  part 0 (T-noise: x = 0.5)\n" in text
    assert "  0.2500  part 1 (T-drift-gauss: x = 1.5)\n" in text
    assert "  0.0625  part 2 (T-rounding: x = 2.5)\n" in text
    assert f"Assumed: {'; '.join(ASSUMPTIONS)}.\n" in text
    assert text.endswith("\n".join(given.citations()))


@given(radius=st.floats(1e-6, 0.9))
def test_the_explanation_never_understates_the_radius(radius: float) -> None:
    found = re.search(r"reaches at most (\S+) of its scale \(", certificate(radius).explain())

    assert found
    assert Fraction(found[1]) >= Fraction(radius)


@pytest.mark.parametrize(
    "exponent",
    [*range(1, 16), 20],
)
def test_the_explanation_never_overstates_the_confidence(exponent: int) -> None:
    confidence = 1 - Fraction(1, 10**exponent)
    found = re.match(
        r"With probability at least ([\d.]+),", certificate(0.1, confidence=confidence).explain()
    )

    assert found
    assert Fraction(found[1]) <= confidence


def test_the_dictionary_is_json_and_complete() -> None:
    given = certificate(0.125, 0.25)
    back = json.loads(json.dumps(given.to_dict(), allow_nan=False))

    assert back == {
        "confidence": 0.95,
        "questions": 2000,
        "rows": 1_000_000,
        "radius": 0.375,
        "joined_by": "T-joint",
        "parts": [
            {"theorem": "T-noise", "covers": "part 0", "radius": 0.125, "numbers": {"x": 0.5}},
            {"theorem": "T-drift-gauss", "covers": "part 1", "radius": 0.25, "numbers": {"x": 1.5}},
        ],
        "assumptions": list(ASSUMPTIONS),
        "citations": list(given.citations()),
    }
