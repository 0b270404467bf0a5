from __future__ import annotations

import sys
import traceback
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from peekproof.core.errors import InvalidInput, LedgerUnavailable, PeekproofError
from peekproof.ledger import places
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import named
from peekproof.ledger.postgres import address_of
from peekproof.ledger.postgres_place import is_postgres, separated
from peekproof.ledger.sqlite import MEMORY

PRINT = "pp1-0123456789abcdef0123456789abcdef"


def test_a_place_is_postgresql_by_how_it_starts() -> None:
    assert is_postgres("postgresql://host/db")
    assert is_postgres("postgres://host/db")
    assert not any(map(is_postgres, ("postgresql", "people.csv.peekproof", MEMORY, "", "/pg://")))


@pytest.mark.parametrize(
    ("place", "uri", "name"),
    [
        ("postgresql://h/d?ledger=a", "postgresql://h/d", "a"),
        ("postgresql://h/d", "postgresql://h/d", None),
        ("postgresql://h/d?sslmode=require", "postgresql://h/d?sslmode=require", None),
        ("postgres://h?x=1&ledger=a%20b%26&y=2", "postgres://h?x=1&y=2", "a b&"),
        ("postgresql://u:p?ledger=x@h/d?ledger=a", "postgresql://u:p?ledger=x@h/d", "a"),
        ("postgresql:///?ledger=a", "postgresql:///", "a"),
        ("postgresql://?ledger=ü", "postgresql://", "ü"),
    ],
)
def test_the_name_is_taken_off(place: str, uri: str, name: str | None) -> None:
    assert separated(place) == (uri, name)


@pytest.mark.parametrize("name", ["?ledger=", "?ledger=a&ledger=b", "?ledger=%00"])
def test_a_name_is_one_and_not_empty(name: str) -> None:
    with pytest.raises(InvalidInput, match="one name for the ledger"):
        separated(f"postgresql://h/d{name}")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("postgresql://h/d", f"postgresql://h/d?ledger={PRINT}"),
        ("postgresql://h/d?a=b@c", f"postgresql://h/d?a=b@c&ledger={PRINT}"),
        ("postgresql://u:p?x@h/d", f"postgresql://u:p?x@h/d?ledger={PRINT}"),
        ("postgresql://h/d?ledger=mine", "postgresql://h/d?ledger=mine"),
        ("people.csv.peekproof", "people.csv.peekproof"),
        (MEMORY, MEMORY),
    ],
)
def test_data_gives_its_ledger_a_name(place: str, expected: str) -> None:
    assert named(place, PRINT) == expected
    if is_postgres(place):
        assert separated(named(place, PRINT))[1] in (PRINT, "mine")


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("postgres://h/d?ledger=a", "postgresql://h/d?ledger=a"),
        ("postgresql://u:hush@h:5433/d?ledger=a", "postgresql://u@h:5433/d?ledger=a"),
        ("postgresql://h/d?password=hush&user=u&ledger=a", "postgresql://u@h/d?ledger=a"),
        ("postgresql://h/d?sslpassword=hush&ledger=a", "postgresql://h/d?ledger=a"),
        ("postgresql://h1,h2:1/d?ledger=a", "postgresql://h1,h2:,1/d?ledger=a"),
        ("postgresql:///d?host=/run/pg&ledger=a", "postgresql:///d?host=/run/pg&ledger=a"),
        ("postgresql:///?service=s&ledger=a%20b", "postgresql:///?service=s&ledger=a%20b"),
        ("postgresql://u%40x:hush@h/d?ledger=a", "postgresql://u%40x@h/d?ledger=a"),
    ],
)
def test_a_place_is_shown_without_passwords(place: str, shown: str) -> None:
    address = address_of(place)
    assert address.shown == shown
    assert "hush" not in repr(address)


def test_libpq_gets_what_the_place_says() -> None:
    address = address_of("postgresql://u:hu%40sh@h/d?connect_timeout=3&ledger=a")
    given = conninfo_to_dict(address.connection)
    assert given["password"] == "hu@sh"
    assert (given["user"], given["host"], given["dbname"]) == ("u", "h", "d")
    assert str(given["connect_timeout"]) == "3"
    assert "ledger" not in given


def test_a_place_without_a_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"the ledger's name: \?ledger=NAME"):
        Ledger.exists("postgresql://u:hush@h/d")


@pytest.mark.parametrize(
    "place",
    [
        "postgresql://u:hush@hush@h/d?ledger=a",
        "postgresql://u:hush/hush@h/d?ledger=a",
        "postgresql://u:hush%hush@h/d?ledger=a",
        "postgresql://u:hush/x?hush@h/d?ledger=a",
        "postgresql://h/d?hush=1&ledger=a",
    ],
)
def test_a_password_that_libpq_takes_for_something_else_is_not_shown(place: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Ledger.open(place)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.fields())
    assert "hush" not in told.replace(place, "")  # the call itself may be quoted by a traceback
    assert "%40 for an @" in str(caught.value)


def shown(place: str) -> str:
    """What is said about a place, good or bad."""
    try:
        return address_of(place).shown
    except PeekproofError as error:
        return str(error)


@given(st.text(min_size=6).filter(lambda text: text not in "postgresql://user@host/database"))
def test_no_password_is_ever_shown(password: str) -> None:
    for secret in (quote(password, safe=""), password):
        place = f"postgresql://user:{secret}@host/database?ledger=x"
        assert secret not in shown(place)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_a_quoted_password_arrives(password: str) -> None:
    place = f"postgresql://user:{quote(password, safe='')}@host/database?ledger=x"
    assert conninfo_to_dict(address_of(place).connection)["password"] == password


def test_an_unreachable_server_is_named_without_the_password() -> None:
    place = "postgresql://u:hush@127.0.0.1:1/d?ledger=a"
    for use in (Ledger.exists, Ledger.open):
        with pytest.raises(LedgerUnavailable, match="cannot be used") as caught:
            use(place)
        assert "hush" not in str(caught.value)
        assert caught.value.ledger == "postgresql://u@127.0.0.1:1/d?ledger=a"


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peekproof.ledger.postgres", None)
    for use in (places.has_store, places.open_store):
        with pytest.raises(LedgerUnavailable, match=r"pip install 'peekproof\[postgres\]'"):
            use("postgresql://h/d?ledger=a")
