from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ledger.books import without_privileges
from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import (
    DataError,
    InvalidInput,
    LedgerDamaged,
    LedgerMismatch,
    LedgerUnavailable,
    PeekproofError,
    VacuousPlan,
)
from peekproof.data.load import in_memory
from peekproof.ledger.entry import Opening
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan
from peekproof.noise.entropy import Seeded
from peekproof.session import Session
from session.people import ROWS, ledger_bytes, noise_of, people, write_csv

Opener = Callable[..., Session]


# A new promise, or the recorded one -----------------------------------------------------------


def test_the_ledger_of_a_file_lies_beside_it(csv: Path, place: Path, opened: Opener) -> None:
    for source in (csv, str(csv)):
        assert opened(source).ledger.place == str(place)
    assert place.exists()


def test_the_ledger_of_a_frame_lies_in_memory(opened: Opener) -> None:
    frame = pl.DataFrame({"a": np.arange(float(ROWS))})
    one, other = opened(frame), opened(frame)
    one.ask("a > 5")
    assert one.ledger.place == MEMORY
    assert other.remaining == one.remaining + 1


@pytest.mark.parametrize("kind", [str, Path])
def test_a_ledger_may_lie_elsewhere(
    kind: type[str] | type[Path], csv: Path, place: Path, tmp_path: Path, opened: Opener
) -> None:
    elsewhere = tmp_path / "book"
    opened(csv, ledger=kind(elsewhere)).ask("age > 50")
    assert elsewhere.exists()
    assert not place.exists()
    assert opened(csv, ledger=":memory:").remaining == 1000


def test_the_defaults_are_a_thousand_questions_at_95_percent(csv: Path, opened: Opener) -> None:
    session = opened(csv)
    assert session.plan.target == Target(confidence=Fraction(19, 20), questions=1000)
    assert session.remaining == 1000
    assert session.plan == plan(rows=ROWS, target=session.plan.target)


def test_the_promise_is_recorded_in_full(csv: Path, opened: Opener) -> None:
    session = opened(csv, confidence=0.9, questions=7)
    mechanism = noise_of(session)
    assert session.ledger.opening == Opening(
        fingerprint=in_memory(csv).fingerprint,
        rows=ROWS,
        confidence=Fraction(9, 10),
        questions=7,
        mechanism={
            "kind": "gaussian",
            "sigma": str(mechanism.sigma),
            "step": str(mechanism.step),
        },
        budget=GDP(7 / (ROWS * mechanism.sigma) ** 2),
        entropy="system",
        name=session.ledger.opening.name,
        key=session.ledger.opening.key,
    )
    assert len(session.ledger.opening.name) == 32


def test_opening_again_continues_budget_answers_and_promise(csv: Path, opened: Opener) -> None:
    with opened(csv, confidence=0.9, questions=7) as session:
        first = session.ask("age > 50")
        promise = session.plan
    again = opened(csv)
    assert again.plan == promise
    assert again.remaining == 6
    repeated = again.ask("50 < age")
    assert (repeated.released, repeated.replayed) == (first.released, True)
    assert opened(csv, confidence=0.9, questions=7).remaining == 6
    assert opened(csv, confidence=Fraction(9, 10)).remaining == 6


def test_the_budget_follows_the_data_not_the_file(
    csv: Path, place: Path, tmp_path: Path, opened: Opener
) -> None:
    opened(csv, questions=7).ask("age > 50")
    moved = tmp_path / "moved.parquet"
    pl.read_csv(csv).sample(fraction=1.0, shuffle=True, seed=3).write_parquet(moved)
    assert opened(moved, ledger=place).remaining == 6
    assert opened(pl.read_parquet(moved), ledger=place).remaining == 6


# Mismatches -----------------------------------------------------------------------------------

MISMATCHES: dict[str, tuple[dict[str, object], str, str, str, str]] = {
    "confidence": ({"confidence": 0.99}, "confidence", "9/10", "99/100", "leave the argument out"),
    "questions": ({"questions": 8}, "questions", "7", "8", "leave the argument out"),
    "entropy": ({"entropy": Seeded(5)}, "entropy", "system", "seed 5", "cannot share a promise"),
}


@pytest.mark.parametrize(
    ("arguments", "what", "recorded", "given", "hint"), MISMATCHES.values(), ids=MISMATCHES.keys()
)
def test_another_promise_is_refused_and_changes_nothing(
    arguments: dict[str, object],
    what: str,
    recorded: str,
    given: str,
    hint: str,
    csv: Path,
    place: Path,
    opened: Opener,
) -> None:
    with opened(csv, confidence=0.9, questions=7) as session:
        session.ask("age > 50")
    before = ledger_bytes(place)
    with pytest.raises(LedgerMismatch) as caught:
        opened(csv, **arguments)
    assert caught.value.what == what
    for piece in (str(place), recorded, given, hint):
        assert piece in str(caught.value)
    assert ledger_bytes(place) == before
    assert opened(csv).remaining == 6


def test_other_data_is_refused_and_changes_nothing(
    csv: Path, place: Path, tmp_path: Path, opened: Opener
) -> None:
    opened(csv, questions=7).close()
    before = ledger_bytes(place)
    population = people()
    population[17] = replace(population[17], age=population[17].age + 1)
    other = write_csv(tmp_path / "other.csv", population)
    with pytest.raises(LedgerMismatch) as caught:
        opened(other, ledger=place)
    assert caught.value.recorded == in_memory(csv).fingerprint
    assert caught.value.given == in_memory(other).fingerprint
    assert "name another ledger for other data" in str(caught.value)
    assert ledger_bytes(place) == before


def test_a_changed_file_does_not_get_a_second_budget(csv: Path, opened: Opener) -> None:
    opened(csv, questions=7).close()
    csv.write_text(csv.read_text() + "30,1000,Rome,true\n")
    with pytest.raises(LedgerMismatch, match="records the fingerprint pp1-"):
        opened(csv)


def forged(place: Path, csv: Path, **changes: object) -> Path:
    """A ledger for `csv` with a sound chain whose first entry was never written by a session."""
    Ledger.create(str(place), replace(honest(csv), **changes)).close()  # type: ignore[arg-type]
    return place


GAUSSIAN = {"kind": "gaussian", "sigma": "1/8", "step": "1/64"}


def honest(csv: Path) -> Opening:
    target = Target.of(confidence=0.9, questions=7)
    best = plan(rows=ROWS, target=target, mechanisms=(Gaussian,))
    return Opening(
        fingerprint=in_memory(csv).fingerprint,
        rows=ROWS,
        confidence=best.target.confidence,
        questions=7,
        mechanism=best.mechanism.record(),
        budget=best.budget,
        entropy="system",
    )


def test_the_forgeries_below_start_from_an_honest_opening(
    csv: Path, place: Path, opened: Opener
) -> None:
    forged(place, csv)
    assert opened(csv).remaining == 7


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"budget": GDP(Fraction(10**9))}, "records a budget its plan does not have"),
        ({"questions": 8}, "records a budget its plan does not have"),
        ({"rows": ROWS + 1}, "records a budget its plan does not have"),
        ({"rows": 0}, "describes no known mechanism"),
        ({"mechanism": {}}, "describes no known mechanism"),
        ({"mechanism": GAUSSIAN | {"step": "2/3"}}, "describes no known mechanism"),
        ({"mechanism": GAUSSIAN | {"sigma": "-1"}}, "describes no known mechanism"),
        ({"mechanism": GAUSSIAN | {"sigma": "much"}}, "describes no known mechanism"),
        ({"mechanism": GAUSSIAN | {"sigma": "1/0"}}, "describes no known mechanism"),
        ({"mechanism": {"sigma": "1/8", "step": "1/64"}}, "describes no known mechanism"),
    ],
)
def test_an_opening_that_contradicts_itself_is_damaged(
    changes: dict[str, object], problem: str, csv: Path, place: Path, opened: Opener
) -> None:
    forged(place, csv, **changes)
    with pytest.raises(LedgerDamaged, match=problem):
        opened(csv)


def test_another_mechanism_is_not_taken_for_a_gaussian(
    csv: Path, place: Path, opened: Opener
) -> None:
    forged(place, csv, mechanism={**honest(csv).mechanism, "kind": "laplace"})
    with pytest.raises(LedgerDamaged):
        opened(csv)


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "questions", "confidence"), [(100, 1000, 0.95), (60, 20, 0.9), (5, 1, 0.99)]
)
def test_a_vacuous_plan_is_refused_with_numbers_that_work(
    rows: int, questions: int, confidence: float, opened: Opener
) -> None:
    def frame(count: int) -> pl.DataFrame:
        return pl.DataFrame({"a": np.arange(float(count))})

    def refusal(count: int, asked: int) -> VacuousPlan:
        with pytest.raises(VacuousPlan) as caught:
            opened(frame(count), questions=asked, confidence=confidence)
        return caught.value

    error = refusal(rows, questions)
    assert (error.rows, error.questions) == (rows, questions)
    for number in (rows, questions, error.rows_needed):
        assert f"{number:,}" in str(error)
    opened(frame(error.rows_needed), questions=questions, confidence=confidence)
    refusal(error.rows_needed - 1, questions)
    if error.questions_affordable:
        assert f"at most {error.questions_affordable:,} questions" in str(error)
        opened(frame(rows), questions=error.questions_affordable, confidence=confidence)
    else:
        assert "at most" not in str(error)
    refusal(rows, error.questions_affordable + 1)


def test_a_vacuous_plan_leaves_no_ledger(tmp_path: Path, opened: Opener) -> None:
    small = write_csv(tmp_path / "small.csv", people(50))
    with pytest.raises(VacuousPlan):
        opened(small)
    assert list(tmp_path.iterdir()) == [small]


BAD_ARGUMENTS: list[tuple[dict[str, object], str]] = [
    ({"confidence": 1.5}, "confidence must be strictly between 0 and 1, such as 0.95, got 1.5"),
    ({"confidence": float("nan")}, "such as 0.95, got nan"),
    ({"confidence": 0}, "such as 0.95, got 0"),
    ({"confidence": 1.0}, "such as 0.95, got 1.0"),
    ({"confidence": "high"}, "such as 0.95, got 'high'"),
    ({"questions": 0}, "questions must be an integer of at least 1, got 0"),
    ({"questions": -3}, "of at least 1, got -3"),
    ({"questions": 2.5}, "of at least 1, got 2.5"),
    ({"questions": True}, "of at least 1, got True"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
@pytest.mark.parametrize("existing", [False, True], ids=["new", "existing"])
def test_bad_arguments_are_named_before_anything_is_touched(
    arguments: dict[str, object],
    message: str,
    existing: bool,
    csv: Path,
    place: Path,
    opened: Opener,
) -> None:
    if existing:
        opened(csv, questions=7).close()
    before = ledger_bytes(place) if existing else b""
    with pytest.raises(InvalidInput) as caught:
        opened(csv, **arguments)
    assert message in str(caught.value)
    assert (ledger_bytes(place) if existing else b"") == before
    assert place.exists() is existing


@pytest.mark.parametrize(
    "arguments",
    [
        {"questions": 10**400},
        {"confidence": 1 - Fraction(1, 10**400)},
    ],
    ids=["questions", "confidence"],
)
def test_arguments_beyond_all_floats_are_refused(
    arguments: dict[str, object], csv: Path, opened: Opener
) -> None:
    with pytest.raises(PeekproofError):
        opened(csv, **arguments)


@pytest.mark.parametrize("ledger", [5, b"book"])
def test_a_ledger_that_is_no_path_is_refused(ledger: object, csv: Path, opened: Opener) -> None:
    with pytest.raises(InvalidInput, match="ledger"):
        opened(csv, ledger=ledger)


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "does not exist"), ("", "is an empty file"), ("age,city\n", "has no rows")],
    ids=["missing", "empty", "header only"],
)
def test_data_that_cannot_be_held_gets_no_ledger(
    content: str | None, problem: str, tmp_path: Path, opened: Opener
) -> None:
    source = tmp_path / "data.csv"
    if content is not None:
        source.write_text(content)
    with pytest.raises(DataError) as caught:
        opened(source)
    assert f"{source} {problem}; " in str(caught.value)
    assert not (tmp_path / "data.csv.peekproof").exists()


def test_a_read_only_folder_is_named_with_a_way_out(
    public_folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", "none")
    csv = write_csv(public_folder / "people.csv", people())
    with without_privileges(public_folder), pytest.raises(LedgerUnavailable) as caught:
        opened(csv)
    assert f"{csv}.peekproof cannot be created (permission denied)" in str(caught.value)
    assert "name another place for the ledger" in str(caught.value)
    assert "memory" not in str(caught.value)
    assert list(public_folder.iterdir()) == [csv]


def test_a_read_only_ledger_is_named_and_stays_as_it_is(
    public_folder: Path, opened: Opener
) -> None:
    csv = write_csv(public_folder / "people.csv", people())
    place = public_folder / "people.csv.peekproof"
    opened(csv, questions=7).close()
    place.chmod(0o444)
    before = ledger_bytes(place)
    with without_privileges(public_folder), pytest.raises(LedgerUnavailable) as caught:
        opened(csv)
    assert str(place) in str(caught.value)
    assert ledger_bytes(place) == before


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_a_truncated_ledger_is_never_a_fresh_start(
    share: float, csv: Path, place: Path, opened: Opener
) -> None:
    with opened(csv, questions=7) as session:
        session.ask("age > 50")
    os.truncate(place, int(place.stat().st_size * share))
    before = place.read_bytes()
    with pytest.raises(LedgerDamaged, match="Restore the file from a backup"):
        opened(csv)
    assert place.read_bytes() == before


def test_a_file_that_is_no_ledger_is_left_alone(csv: Path, opened: Opener) -> None:
    before = csv.read_bytes()
    with pytest.raises(LedgerDamaged):
        opened(csv, ledger=csv)
    assert csv.read_bytes() == before


# Seeds ----------------------------------------------------------------------------------------


def test_a_seeded_session_says_so_and_repeats_itself(csv: Path, opened: Opener) -> None:
    one, other = (opened(csv, questions=7, ledger=":memory:", entropy=Seeded(11)) for _ in range(2))
    answer = one.ask("age > 50")
    assert answer.released == other.ask("age > 50").released
    said = answer.certificate.assumptions[-1]
    assert said == "noise from seed 11: for tests only, promises nothing"
    assert said in answer.certificate.explain()
    assert one.ledger.opening.entropy == "seed 11: for tests only, promises nothing"


def test_an_unseeded_session_assumes_nothing_about_noise(csv: Path, opened: Opener) -> None:
    assumptions = opened(csv).plan.certificate.assumptions
    assert not any("noise" in each for each in assumptions)
