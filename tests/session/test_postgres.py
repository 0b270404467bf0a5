"""Sessions whose ledger is in PostgreSQL."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import peekproof
from ledger.postgres_server import Database
from peekproof.core.errors import LedgerError
from peekproof.ledger.ledger import Ledger
from peekproof.session.receipt import receipts

DATA = {"age": np.random.default_rng(6).uniform(0, 100, 3000)}


def test_two_sessions_share_a_budget_in_a_database(database: Database) -> None:
    with peekproof.open(DATA, questions=10, ledger=database.uri) as first:
        with peekproof.open(DATA, ledger=database.uri) as second:
            answer = first.ask("age > 50")
            assert second.ask("not age <= 50").released == answer.released
            second.ask_many(["age > 60", "age > 70"])
            assert first.remaining == second.remaining == 7
            answer.certificate.verify()
        assert first.ledger.verify() == 3
        fingerprint = first.ledger.opening.fingerprint
        assert first.ledger.place.endswith(f"ledger={fingerprint}")


def test_a_receipt_names_a_ledger_by_what_tells_nothing_of_the_rows(
    database: Database,
) -> None:
    """A ledger that nobody named has the fingerprint for a name, which is no reader's business."""
    with peekproof.open(DATA, questions=10, ledger=database.uri) as session:
        answer, ledger = session.ask("age > 50"), session.ledger
        (paper,) = receipts(ledger)
        told = [paper.text(), json.dumps(paper.to_dict()), repr(session), session._repr_html_(),
                repr(session.answers()), repr(answer), str(answer.certificate)]  # fmt: skip
        ledger.retire()
        with pytest.raises(peekproof.LedgerClosed) as closed:
            session.ask("age > 60")
        told.append(str(closed.value))
        fingerprint, name = ledger.opening.fingerprint, ledger.opening.public_name
    assert not [each for each in told if fingerprint in each]
    assert paper.place.endswith(f"ledger={name}")
    # The commands on the receipt find the ledger all the same, for whoever may connect.
    with closing(Ledger.open(database.place(name))) as found:
        assert [each.to_dict() for each in receipts(found)] == [paper.to_dict()]
        assert found.verify() == 3
    assert not Ledger.exists(database.place(f"data-{0:032x}"))


def test_data_is_registered_once_whatever_it_is_called(
    database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    peekproof.open(DATA, questions=10, ledger=database.place("first")).close()
    with pytest.raises(peekproof.BudgetElsewhere, match="first"):
        peekproof.open(DATA, questions=10, ledger=database.place("second"))
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "of another machine"))
    with pytest.raises(LedgerError, match="first"):
        peekproof.open(DATA, questions=10, ledger=database.place("second"))


def test_no_password_is_shown(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    at = database.uri.index("://") + 3
    rest = database.uri[at:].split("@", 1)[-1]
    user = database.uri[at:].split("@")[0].split(":")[0] if "@" in database.uri else "peekproof"
    place = f"postgresql://{user}:hunter2@{rest}&ledger=a"
    with peekproof.open(DATA, questions=10, ledger=place) as session:
        assert "hunter2" not in repr(session) + session.ledger.place
    with pytest.raises(peekproof.BudgetElsewhere) as refused:
        peekproof.open(DATA, questions=10, ledger=place.replace("ledger=a", "ledger=b"))
    assert "hunter2" not in str(refused.value)
