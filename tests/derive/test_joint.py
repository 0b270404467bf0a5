"""Answers of one session hold together at its level; the levels of several sessions add."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peekproof
from derive.answers import answer
from peekproof.core.errors import InvalidInput
from peekproof.derive import Derived, clip, difference, isotonic, project, ratio, total
from peekproof.derive.joint import Itself, Joint, joint_confidence
from peekproof.noise.entropy import Seeded

TWENTIETH, TENTH = Fraction(1, 20), Fraction(1, 10)


def test_answers_of_one_session_hold_at_its_level() -> None:
    both = difference(answer(0.1, 0.2), answer(0.3, 0.4))

    assert both.joint.confidence == 1 - TWENTIETH
    assert both.confidence == 0.95


def test_the_levels_of_two_sessions_add() -> None:
    one, other = answer(0.1, 0.2), answer(0.3, 0.4, session="two", beta=TENTH)

    for each in (difference(one, other), ratio(one, other), total([one, other, one])):
        assert each.joint.confidence == 1 - TWENTIETH - TENTH
        assert each.confidence == 0.85
    assert {each.confidence for each in isotonic([one, other])} == {0.85}
    assert {each.confidence for each in project([one, other], total=0.5)} == {0.85}


def test_a_session_counts_once_however_deep_the_computation() -> None:
    one, other = answer(0.1, 0.2), answer(0.3, 0.4, session="two", beta=TENTH)
    deep = difference(total([one, other]), difference(other, clip(one, low=0, high=1)))

    assert deep.confidence == 0.85


def test_a_session_with_two_levels_counts_at_the_larger() -> None:
    for first, second in ((TENTH, TWENTIETH), (TWENTIETH, TENTH)):
        both = difference(answer(0.1, 0.2, beta=first), answer(0.3, 0.4, beta=second))
        assert both.joint.confidence == 1 - TENTH


def test_answers_of_an_unknown_session_are_taken_to_be_of_several() -> None:
    one, other = answer(0.1, 0.2, session=None), answer(0.1, 0.2, session=None)

    assert one == other
    assert difference(one, other).confidence == 0.9
    assert difference(one, one).confidence == 0.95
    assert Itself(one) != Itself(other)


def test_levels_that_leave_nothing_are_refused() -> None:
    half = [answer(0.1, 0.2, session=name, beta=Fraction(1, 2)) for name in "ab"]

    with pytest.raises(InvalidInput, match=r"^answers must be of sessions whose levels β add up"):
        total(half)
    assert total(half[:1]).joint.confidence == Fraction(1, 2)


@given(st.lists(st.integers(0, 30), max_size=6))
def test_the_confidence_is_what_sessions_leave_that_never_miss_together(misses: list[int]) -> None:
    """The worst case: of 100 outcomes each session misses its own."""
    left = set(range(100))
    for count in misses:
        left -= set(sorted(left)[:count])
    betas = [Fraction(count, 100) for count in misses]
    if not left:
        with pytest.raises(InvalidInput):
            joint_confidence(betas)
    else:
        assert joint_confidence(betas) == Fraction(len(left), 100)


def test_independent_sessions_hold_at_the_sum_but_not_at_the_larger_level() -> None:
    outcomes = list(product(range(20), range(10)))  # one misses on 0 of 20, the other on 0 of 10
    held = Fraction(sum(1 for one, two in outcomes if one and two), len(outcomes))
    claimed = total([answer(0.1, 0.2), answer(0.1, 0.2, session="two", beta=TENTH)])

    assert held >= claimed.joint.confidence
    assert held < 1 - TENTH  # what would be claimed if the two were taken for one session


def test_theorems_and_assumptions_are_those_of_the_answers() -> None:
    one = answer(0.1, 0.2)
    joint = difference(one, answer(0.1, 0.3)).joint

    assert joint.theorems == one.certificate.theorems
    assert joint.assumptions == one.certificate.assumptions
    assert Joint.of([joint, joint]) == joint


# With real sessions ---------------------------------------------------------------------------


def both(one: peekproof.Session, other: peekproof.Session) -> Derived:
    return difference(one.ask("x < 10"), other.ask("x < 20"))


def test_sessions_in_memory_are_different_even_on_the_same_rows() -> None:
    rows = {"x": list(range(2000))}
    with peekproof.open(rows, questions=10) as one, peekproof.open(rows, questions=10) as other:
        assert both(one, one).confidence == 0.95
        assert both(one, other).confidence == 0.9


def test_all_who_open_a_file_are_one_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"x": range(2000)}).write_csv("x.csv")
    with peekproof.open("x.csv", questions=10) as one, peekproof.open(tmp_path / "x.csv") as other:
        assert both(one, other).confidence == 0.95
        asked = one.ask("x < 10")

    with peekproof.open("x.csv") as again:
        assert difference(asked, again.ask("x < 10")).confidence == 0.95


def test_a_new_ledger_for_other_rows_in_the_same_place_is_another_session(tmp_path: Path) -> None:
    place = tmp_path / "x.peekproof"
    with peekproof.open({"x": list(range(2000))}, questions=10, ledger=place) as data:
        old = data.ask("x < 10")
    place.unlink()
    with peekproof.open({"x": list(range(3000))}, questions=10, ledger=place) as data:
        assert difference(old, data.ask("x < 10")).confidence == 0.9


def test_the_same_relative_path_in_two_folders_is_two_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name in "ab":
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("PEEKPROOF_WITNESS", f"witness of {name}")  # on another machine
        with peekproof.open({"x": list(range(2000))}, questions=10, ledger="x.peekproof") as data:
            found.append(data.ask("x < 10"))

    assert difference(*found).confidence == 0.9


def test_seeded_noise_stays_among_the_assumptions() -> None:
    with peekproof.open({"x": list(range(2000))}, questions=10, entropy=Seeded(1)) as data:
        assumptions = both(data, data).joint.assumptions

    assert any(line.startswith("noise from") for line in assumptions)
