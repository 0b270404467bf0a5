"""What is derived looks like an answer, reads like one, and can be computed with like one."""

import json
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter

import pytest

from derive.answers import answer, certificate, derived
from peekproof.core.certificate import Certificate, Interval
from peekproof.core.errors import InvalidInput
from peekproof.derive import clip, conditional, difference, ratio, total
from peekproof.derive.derived import LARGEST, Range

QUARTERS = answer(0.25, 0.5, question="age > 50"), answer(0.125, 0.25, question="age > '<b>'")


def test_the_text_shows_value_interval_and_label() -> None:
    assert str(difference(*QUARTERS)) == "0.1875  [0.0000, 0.3750]  (age > 50) − (age > '<b>')"


def test_membership_is_that_of_the_interval() -> None:
    found = difference(*QUARTERS)

    assert 0.375 in found
    assert Fraction(3, 8) in found
    assert nextafter(0.375, 1) not in found
    assert Fraction(3, 8) + Fraction(1, 10**30) not in found


def test_the_dictionary_is_json_and_complete() -> None:
    found = difference(*QUARTERS)

    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == {
        "label": "(age > 50) − (age > '<b>')",
        "value": 0.1875,
        "low": 0.0,
        "high": 0.375,
        "confidence": 0.95,
        "theorems": ["T-joint-function", "T-joint", "T-noise"],
        "assumptions": list(QUARTERS[0].certificate.assumptions),
    }


def test_an_unbounded_end_is_null_in_json() -> None:
    over_zero = ratio(answer(0.25, 0.5), answer(0.0, 0.5))
    shown = json.loads(json.dumps(over_zero.to_dict(), allow_nan=False))

    assert over_zero.high == inf
    assert (shown["low"], shown["high"]) == (0.5, None)
    below_zero = ratio(difference(*reversed(QUARTERS)), answer(0.0, 0.5)).to_dict()
    assert (below_zero["low"], below_zero["high"]) == (None, 0.0)


def test_notebooks_show_a_bar_only_for_shares_and_nothing_unescaped() -> None:
    share = conditional(QUARTERS[1], given=QUARTERS[0])._repr_html_()
    signed = difference(*reversed(QUARTERS))._repr_html_()

    assert "<svg" in share
    assert "<svg" not in signed
    for shown in (share, signed):
        assert "&lt;b&gt;" in shown
        assert "<b>'" not in shown
        assert "confidence 0.95" in shown
        assert shown.count("<div>") == shown.count("</div>") == 1


def test_a_value_beyond_the_floats_is_shown_as_the_largest() -> None:
    found = derived(0.0, inf, Fraction(10) ** 400)

    assert found.value == LARGEST
    assert json.dumps(found.to_dict(), allow_nan=False)


def test_what_is_derived_can_be_computed_with() -> None:
    doubled = difference(total(QUARTERS), difference(*QUARTERS))

    assert doubled.released == 2 * QUARTERS[1].released
    assert doubled.interval == Range(low=0.0, high=0.75)


def test_what_is_unbounded_cannot_be_computed_with_before_it_is_clipped() -> None:
    open_above = ratio(answer(0.25, 0.5), answer(0.0, 0.5))

    with pytest.raises(InvalidInput, match=r"bounded interval, got \[0\.5000, ∞\] .* clip it"):
        difference(open_above, open_above)
    assert difference(clip(open_above, low=0, high=2), answer(0, 0)).interval == Range(
        low=0.5, high=2
    )


@dataclass(frozen=True)
class Elsewhere:
    """An answer of somebody else's making."""

    question: str
    released: Fraction
    interval: Interval
    certificate: Certificate


def test_anything_with_a_certificate_is_an_answer() -> None:
    foreign = Elsewhere(
        "moon is full",
        Fraction(1, 2),
        Interval(low=0.25, high=0.75),
        certificate(0, 1, session=7, beta=Fraction(1, 100)),
    )
    found = total([foreign])

    assert (found.label, found.confidence) == ("(moon is full)", 0.99)
    assert found.interval == Range(low=0.25, high=0.75)


def test_what_is_no_answer_is_refused() -> None:
    for wrong in (0.5, "age > 50", None, Range(low=0, high=1)):
        with pytest.raises(InvalidInput, match=r"^answer must be an answer, or derived from some"):
            difference(answer(0, 1), wrong)  # type: ignore[arg-type]


def test_a_list_is_a_list_and_not_empty() -> None:
    with pytest.raises(InvalidInput, match=r"^answers must be a list .* got an empty list"):
        total([])
    with pytest.raises(InvalidInput, match=r"^answers must be a list of at least one answer"):
        total(answer(0, 1))  # type: ignore[arg-type]


def test_an_empty_interval_says_that_the_promise_failed() -> None:
    with pytest.raises(InvalidInput, match=r"^interval must be two numbers"):
        total([answer(0.5, 0.25)])
