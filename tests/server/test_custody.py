"""What custodians do: ledgers, shares and tokens; and what others may not."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from peekproof.ledger.export import export, read_export
from peekproof.server.store import Scope, Store
from peekproof.session.replay import replay
from server.gateways import Running, flights, held, running

BASE = "/v1/datasets/flights"
STREAM = {"Accept": "application/x-ndjson"}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("gateway")
    other = folder / "other"
    other.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        late = held(other, name="späte “Flüge”")
        flights(other, seed=2)  # other rows, which have a budget of their own
        with running(folder, held(folder), late) as found:
            found.ask("delay > 10")
            found.ask("night", token=found.custodian)
            yield found


@pytest.fixture
def restricted(gateway: Running) -> str:
    """The token of a custodian of one data set."""
    made = {"analyst": "carla", "scope": "custodian", "datasets": ["flights"]}
    return made_token(gateway, **made)


def made_token(gateway: Running, **given: Any) -> str:
    said = gateway.send("POST", "/v1/tokens", given, token=gateway.custodian)
    assert said.status == 201
    return str(said.json["token"])


def listed(gateway: Running) -> dict[str, Any]:
    said = gateway.send("GET", "/v1/tokens", token=gateway.custodian)
    return {each["id"]: each for each in said.json}


def id_of(token: str) -> str:
    return token.split("_")[1]


CUSTODIAL = [
    ("GET", f"{BASE}/ledger", None),
    ("POST", f"{BASE}/verify", None),
    ("GET", f"{BASE}/analysts", None),
    ("PUT", f"{BASE}/shares", {"shares": {"eve": "1"}}),
    ("POST", f"{BASE}/close", {"confirm": "flights"}),
    ("GET", "/v1/tokens", None),
    ("POST", "/v1/tokens", {"analyst": "eve"}),
    ("POST", "/v1/tokens/0123456789ab/rotate", None),
    ("DELETE", "/v1/tokens/0123456789ab", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CUSTODIAL)
def test_an_analyst_may_do_nothing_of_it(
    gateway: Running, method: str, path: str, body: object
) -> None:
    said = gateway.send(method, path, body)
    assert said.status == 403
    assert said.json["type"] == "/v1/problems/not-allowed"


@pytest.mark.parametrize(("method", "path", "body"), CUSTODIAL)
def test_nobody_may_do_it_without_a_token(
    gateway: Running, method: str, path: str, body: object
) -> None:
    assert gateway.send(method, path, body, token="").status == 401


def test_the_export_is_the_ledgers_and_is_read_again(gateway: Running, tmp_path: Path) -> None:
    ledger, expected = gateway.gateway.dataset("flights").session.ledger, io.StringIO()
    entries = export(ledger, expected)
    said = gateway.send("GET", f"{BASE}/ledger", token=gateway.custodian)
    assert said.body == expected.getvalue().encode()
    assert said.headers["content-disposition"] == "attachment; filename*=UTF-8''flights.jsonl"
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(said.body)
    last = list(read_export(kept))[-1]
    seen = ledger.look().last
    assert seen is not None
    assert (last.sequence, last.digest) == (entries, seen.digest)


def test_an_export_has_any_name_that_a_data_set_can_have(gateway: Running) -> None:
    path = "/v1/datasets/sp%C3%A4te%20%E2%80%9CFl%C3%BCge%E2%80%9D/ledger"
    said = gateway.send("GET", path, token=gateway.custodian)
    assert said.status == 200
    assert said.headers["content-disposition"].endswith(
        "sp%C3%A4te%20%E2%80%9CFl%C3%BCge%E2%80%9D.jsonl"
    )


def test_verifying_replays_the_whole_ledger(gateway: Running) -> None:
    ledger = gateway.gateway.dataset("flights").session.ledger
    said = gateway.send("POST", f"{BASE}/verify", token=gateway.custodian)
    assert said.status == 200
    expected = replay(ledger).to_dict()
    assert said.json == json.loads(json.dumps(expected))
    assert said.json["certificates"] >= 2
    assert str(ledger.place) not in said.body.decode()


def test_verifying_is_streamed_to_those_who_accept_it(gateway: Running) -> None:
    said = gateway.send("POST", f"{BASE}/verify", token=gateway.custodian, headers=STREAM)
    lines = [json.loads(line) for line in said.body.splitlines()]
    assert said.headers["content-type"].startswith("application/x-ndjson")
    assert [each["event"] for each in lines if each["event"] != "progress"] == ["end"]
    assert lines[-1]["replay"]["entries"] == sum(lines[-1]["replay"]["kinds"].values())


def test_shares_are_set_aside_and_shown(gateway: Running) -> None:
    given = {"shares": {"ann": "1/4", "bob": "0.05"}}
    said = gateway.send("PUT", f"{BASE}/shares", given, token=gateway.custodian)
    assert said.status == 200
    assert said.json == gateway.send("GET", f"{BASE}/analysts", token=gateway.custodian).json
    assert said.json["rest"] == "7/10"
    found = {each["analyst"]: each for each in said.json["analysts"]}
    assert (found["ann"]["share"], found["bob"]["share"]) == ("1/4", "1/20")
    assert found["custodian"]["share"] is None
    assert found["ann"]["asked"] == 1
    assert 0 < found["ann"]["spent_part"] < 0.25
    accounts = gateway.gateway.dataset("flights").session.ledger.look().accounts
    assert accounts.shares == {"ann": Fraction(1, 4), "bob": Fraction(1, 20)}


def test_what_is_left_for_an_analyst_is_what_their_session_says(gateway: Running) -> None:
    gateway.send("PUT", f"{BASE}/shares", {"shares": {"ann": "1/4"}}, token=gateway.custodian)
    planned = gateway.send("GET", f"{BASE}/budget").json["next_radius"]
    # Narrower than planned, it takes more of the budget than one question's part.
    narrow = gateway.ask("distance > 1000", radius=0.9 * planned)
    assert narrow.status == 200
    said = gateway.send("GET", f"{BASE}/analysts", token=gateway.custodian).json
    found = {each["analyst"]: each for each in said["analysts"]}
    assert found["ann"]["questions_left"] == gateway.send("GET", f"{BASE}/budget").json["remaining"]


@pytest.mark.parametrize(
    "shares",
    [{"ann": "half"}, {"ann": "1/0"}, {"ann": "-1/4"}, {"ann": "3/4", "bob": "0.2500001"}],
)
def test_shares_that_are_none_change_nothing(gateway: Running, shares: dict[str, str]) -> None:
    before = gateway.send("GET", f"{BASE}/analysts", token=gateway.custodian).json
    said = gateway.send("PUT", f"{BASE}/shares", {"shares": shares}, token=gateway.custodian)
    assert said.status == 422
    assert said.json["fields"]["argument"] in ("shares", "the body")
    assert gateway.send("GET", f"{BASE}/analysts", token=gateway.custodian).json == before


def test_a_token_is_made_for_a_time_and_some_data_sets(gateway: Running) -> None:
    made = made_token(gateway, analyst="dora", datasets=["flights"], days=2)
    known = listed(gateway)[id_of(made)]
    assert (known["analyst"], known["scope"], known["datasets"]) == ("dora", "analyst", ["flights"])
    assert known["expires"] - known["created"] == 2 * 86_400
    assert not known["revoked"]
    assert not known["own"]
    seen = gateway.send("GET", "/v1/datasets", token=made).json
    assert [each["name"] for each in seen] == ["flights"]
    assert gateway.ask("night", token=made).status == 200


def test_secrets_are_not_listed_and_the_own_token_is_marked(gateway: Running) -> None:
    made = made_token(gateway, analyst="dora")
    said = gateway.send("GET", "/v1/tokens", token=gateway.custodian)
    assert made.split("_", 2)[2] not in said.body.decode()
    assert [each["id"] for each in said.json if each["own"]] == [id_of(gateway.custodian)]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"analyst": ""}, 422),
        ({"analyst": " dora "}, 422),
        ({"analyst": "dora", "scope": "owner"}, 422),
        ({"analyst": "dora", "days": 0}, 422),
        ({"analyst": "dora", "datasets": ["ships"]}, 404),
        ({"analyst": "dora", "secret": "mine"}, 422),
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(
    gateway: Running, given: dict[str, object], status: int
) -> None:
    before = listed(gateway)
    said = gateway.send("POST", "/v1/tokens", given, token=gateway.custodian)
    assert said.status == status
    assert listed(gateway) == before


def test_a_rotated_token_has_a_new_secret_and_the_old_one_ends(gateway: Running) -> None:
    old = made_token(gateway, analyst="dora")
    path = f"/v1/tokens/{id_of(old)}/rotate"
    new = gateway.send("POST", path, token=gateway.custodian).json["token"]
    assert id_of(new) == id_of(old)
    assert gateway.send("GET", "/v1/datasets", token=old).status == 401
    assert gateway.send("GET", "/v1/datasets", token=new).status == 200


def test_a_revoked_token_is_refused_for_good(gateway: Running) -> None:
    made = made_token(gateway, analyst="dora")
    path = f"/v1/tokens/{id_of(made)}"
    assert gateway.send("DELETE", path, token=gateway.custodian).status == 204
    assert gateway.send("GET", "/v1/datasets", token=made).status == 401
    assert listed(gateway)[id_of(made)]["revoked"]
    assert gateway.send("DELETE", path, token=gateway.custodian).status == 404
    assert gateway.send("POST", f"{path}/rotate", token=gateway.custodian).status == 404


def test_a_custodian_of_one_data_set_keeps_that_one_alone(
    gateway: Running, restricted: str
) -> None:
    assert gateway.send("GET", f"{BASE}/analysts", token=restricted).status == 200
    assert gateway.send("POST", f"{BASE}/verify", token=restricted).status == 200
    other = "/v1/datasets/sp%C3%A4te%20%E2%80%9CFl%C3%BCge%E2%80%9D"
    for method, path in (("GET", "analysts"), ("GET", "ledger"), ("POST", "verify")):
        assert gateway.send(method, f"{other}/{path}", token=restricted).status == 404


@pytest.mark.parametrize(
    ("method", "path", "body"), [each for each in CUSTODIAL if each[1].startswith("/v1/tokens")]
)
def test_a_custodian_of_one_data_set_makes_no_tokens(
    gateway: Running, restricted: str, method: str, path: str, body: object
) -> None:
    said = gateway.send(method, path, body, token=restricted)
    assert said.status == 403
    assert said.json["type"] == "/v1/problems/not-allowed"


def test_a_ledger_is_closed_by_its_name_only_and_stays_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    with running(tmp_path) as gateway:
        first = gateway.ask("night")
        wrong = gateway.send(
            "POST", f"{BASE}/close", {"confirm": "Flights"}, token=gateway.custodian
        )
        assert wrong.status == 422
        assert gateway.ask("delay > 0").status == 200
        said = gateway.send(
            "POST", f"{BASE}/close", {"confirm": "flights"}, token=gateway.custodian
        )
        assert (said.status, said.json) == (200, {"closed": True})
        again, fresh = gateway.ask("night"), gateway.ask("delay > 20")
        assert (again.status, again.json["value"]) == (200, first.json["value"])
        assert (fresh.status, fresh.json["type"]) == (409, "/v1/problems/ledger-closed")
        assert str(tmp_path) not in fresh.body.decode()


def test_an_expired_token_is_refused(gateway: Running) -> None:
    store = Store(gateway.gateway.settings.store)
    made = store.create_token(analyst="dora", scope=Scope.ANALYST, lifetime=-1)
    store.close()
    said = gateway.send("GET", "/v1/datasets", token=made)
    assert said.status == 401
    assert "expired" in said.json["detail"]
