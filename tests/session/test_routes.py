"""What the planner chose is what a session runs; known faults are marked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import EvaluationFailed, InvalidInput, LedgerMismatch, VacuousPlan
from peekproof.data import table as table_module
from peekproof.mechanisms.base import Mechanism
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import Seeded
from peekproof.session import Session


def numbers(rows: int) -> dict[str, object]:
    return {"a": np.arange(float(rows))}


def split(rows: int = 2000, *, ledger: Path | str = ":memory:") -> Session:
    return peekproof.open(
        numbers(rows), questions=5, mechanisms=[FreshRows], ledger=ledger, entropy=Seeded(1)
    )


@pytest.mark.parametrize(
    ("rows", "questions", "kind"),
    [(1000, 10, Truncation), (100_000, 5, FreshRows), (100_000, 200, Gaussian)],
)
def test_the_narrowest_route_is_run(rows: int, questions: int, kind: type[Mechanism]) -> None:
    with peekproof.open(numbers(rows), questions=questions, ledger=":memory:") as session:
        assert type(session.plan.mechanism) is kind
        assert 0.5 in session.ask(f"a < {rows // 2}")


def test_reopening_keeps_mechanism_key_and_the_next_part(tmp_path: Path) -> None:
    place = tmp_path / "book"
    with split(ledger=place) as session:
        before = session.plan.mechanism
        session.ask("a < 100")
    with split(ledger=place) as session:
        assert session.plan.mechanism == before
        assert session.ledger.draws() == 1
        assert session.remaining == 4


def test_another_mechanism_than_the_recorded_one_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "book"
    split(ledger=place).close()
    with pytest.raises(LedgerMismatch, match="the mechanism"):
        peekproof.open(numbers(2000), mechanisms=[Gaussian], ledger=place, entropy=Seeded(1))


def test_the_key_is_not_in_what_a_session_shows() -> None:
    with split() as session:
        mechanism = session.plan.mechanism
        assert isinstance(mechanism, FreshRows)
        for shown in (session, session.plan, session.plan.to_dict(), mechanism):
            assert mechanism.key not in repr(shown)


def test_the_key_is_not_in_the_opening_as_printed() -> None:
    with split() as session:
        mechanism = session.plan.mechanism
        assert isinstance(mechanism, FreshRows)
        assert mechanism.key not in repr(session.ledger.opening)


def test_a_vacuous_split_is_refused_with_numbers() -> None:
    with pytest.raises(VacuousPlan):
        peekproof.open(numbers(100), questions=50, mechanisms=[FreshRows])


def test_wide_radii_do_not_break_the_ledger_and_absurd_ones_are_refused() -> None:
    with peekproof.open(
        numbers(50_000), questions=1000, mechanisms=[Gaussian], ledger=":memory:"
    ) as session:
        for number in range(200):
            session.ask(f"a > {number}", radius=0.3 + number / 1001)
            with pytest.raises(InvalidInput, match=r"radius must be below 0\.5"):
                session.ask(f"a > {number}", radius=10.0 ** (15 + number / 3))


def test_a_failing_order_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise ValueError("row 17 holds s3cr3t")

    with split() as session:
        monkeypatch.setattr(table_module, "keyed_order", broken)
        with pytest.raises(EvaluationFailed):
            session.ask("a > 1")
