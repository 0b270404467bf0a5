"""Where ledgers are: places nobody knows, passwords, databases reached again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import peekproof
from ledger.postgres_server import Database, Own
from peekproof.cli.main import main
from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.postgres import address_of

DATA = {"age": np.random.default_rng(6).uniform(0, 100, 3000)}


@pytest.fixture
def guarded(own: Database, own_server: Own) -> Iterator[str]:
    """The URI of a database whose user needs the password that is in it."""
    rules = own_server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    own.execute("CREATE ROLE ann SUPERUSER LOGIN PASSWORD 'hush'")
    rules.write_text(f"local all ann scram-sha-256\n{before}")
    own.execute("SELECT pg_reload_conf()")
    yield own.uri.replace("user=peekproof", "user=ann&password=hush")
    rules.write_text(before)
    own.execute("SELECT pg_reload_conf()")
    own.execute("DROP OWNED BY ann CASCADE")
    own.execute("DROP ROLE ann")


def test_a_certificate_verifies_where_the_server_wants_a_password(guarded: str) -> None:
    assert "password=hush" in guarded
    with peekproof.open(DATA, questions=10, ledger=guarded) as session:
        answer = session.ask("age > 50")
        assert answer.certificate.verify() == answer.certificate
    assert answer.certificate.verify() == answer.certificate
    assert "hush" not in repr(answer.certificate) + repr(session)


def test_a_database_is_the_same_from_every_folder(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peekproof.open(DATA, questions=10, ledger=database.uri) as session:
        one = session.ask("age > 50").certificate.session
    monkeypatch.chdir(tmp_path)
    with peekproof.open(DATA, ledger=database.uri) as session:
        assert session.ask("age > 50").certificate.session == one


def test_a_ledger_made_anew_at_the_same_place_is_another_session(tmp_path: Path) -> None:
    place = tmp_path / "book.peekproof"
    with peekproof.open(DATA, questions=10, ledger=place) as session:
        one = session.ask("age > 50").certificate
    for file in tmp_path.glob("book.peekproof*"):
        file.unlink()
    with peekproof.open(DATA, questions=10, ledger=place, override="it is lost") as session:
        two = session.ask("age > 60").certificate
    # Two budgets were spent: whoever joins answers of both must add their levels.
    assert one.session != two.session


def test_a_password_in_the_place_of_a_port_is_not_shown() -> None:
    place = "postgresql://ann:hush/people?ledger=a"  # without the host
    with pytest.raises(InvalidInput) as caught:
        address_of(place)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "place",
    [
        "postgresql+psycopg://ann:hush@host/people",
        "Postgresql://ann:hush@host/people?ledger=a",
        "mysql://host/people?password=hush",
    ],
)
def test_an_unknown_kind_of_place_is_refused_without_its_password(place: str) -> None:
    for use in (Ledger.exists, Ledger.open):
        with pytest.raises(PeekproofError, match="postgresql://USER@HOST/DATABASE") as caught:
            use(place)
        assert "hush" not in str(caught.value)
    with pytest.raises(PeekproofError, match="postgresql://USER@HOST/DATABASE") as caught:
        peekproof.open(DATA, questions=10, ledger=place)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("more", [["--questions", "10"], ["--confidence", "0.9"]])
def test_adopting_a_database_takes_no_promise(
    more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    place = "postgresql://ann:hush@host/people?ledger=a"
    with pytest.raises(SystemExit) as ended:
        main(["ledger", "adopt", place, "--reason", "it is mine", *more])
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert "hush" not in told
    assert "--questions" in told
