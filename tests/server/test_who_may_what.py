"""Tokens: kept as digests, compared in constant time, ended at once, and good for what they say."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from peekproof.server import access, store
from peekproof.server.app import ENDPOINTS
from peekproof.server.endpoint import Endpoint
from peekproof.server.store import Scope, Store, digest_of, now
from server.contests import contest
from server.gateways import Running
from server.guests import Browser, address, browser, guarded, named, token, two, visit
from server.labelled import holdout, labelled

Gateway = tuple[Running, Path]

NAMED = re.compile(r"\{(dataset|board)\}")  # what tokens can be for


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("data")
    scored = holdout(labelled(folder / "labels", rows=40))
    boards = (contest(folder, rows=100).served,)
    given = {"audit_log": folder / "audit", "boards": boards}
    with guarded(tmp_path_factory, *two(folder), scored, **given) as found:
        yield found


# What is kept ------------------------------------------------------------------------------------


def test_no_secret_is_in_any_file_of_the_gateway(gateway: Gateway) -> None:
    running, folder = gateway
    guest = browser(running, running.analyst)
    assert guest.send("GET", "/v1/visit").status == 200
    running.ask("delay > 1")
    secrets = [each.split("_", 2)[2] for each in (running.custodian, running.analyst)]
    secrets += [guest.cookie.partition("=")[2], guest.key]
    files = [each for each in folder.rglob("*") if each.is_file()]
    files.append(Path(str(running.gateway.settings.audit_log)))
    names = [each.name for each in files]
    assert {"gateway.tokens", "gateway.tokens-wal", "audit"} <= set(names)
    for file in files:
        held = file.read_bytes()
        assert [each for each in secrets if each.encode() in held] == [], file.name
    kept = b"".join(each.read_bytes() for each in files if "tokens" in each.name)
    assert [each for each in secrets[:3] if digest_of(each) not in kept] == []


def test_only_the_owner_can_read_the_files_of_a_gateway(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("files")
    with guarded(tmp_path_factory, audit_log=folder / "audit") as (running, own):
        running.ask("delay > 1")
        files = [*own.glob("gateway.tokens*"), folder / "audit"]
        assert len(files) >= 3
        assert {each.stat().st_mode & 0o077 for each in files} == {0}


@pytest.mark.parametrize("shown", ["a wrong secret", "an unknown id", "no token at all"])
def test_a_secret_is_compared_once_and_in_constant_time_whatever_is_shown(
    shown: str, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, _ = gateway
    known = running.analyst.split("_")[1]
    given = {
        "a wrong secret": f"pp_{known}_{'x' * 43}",
        "an unknown id": f"pp_{'0' * 12}_{'x' * 43}",
        "no token at all": "hello",
    }[shown]
    compared: list[int] = []

    def counted(one: bytes, other: bytes) -> bool:
        compared.append(len(one))
        assert len(one) == len(other)
        return hmac.compare_digest(one, other)

    monkeypatch.setattr(store, "hmac", SimpleNamespace(compare_digest=counted))
    said = running.send("GET", "/v1/datasets", token=given)
    assert (said.status, compared) == (401, [32])
    assert said.json["detail"].startswith("no valid token was given")
    assert said.headers["www-authenticate"].startswith("Bearer")


# What ends ---------------------------------------------------------------------------------------


def both(running: Running, shown: str, guest: Browser) -> tuple[int, int]:
    """The statuses of the token and of its visit."""
    by_token = running.send("GET", "/v1/datasets", token=shown)
    return by_token.status, guest.send("GET", "/v1/datasets").status


def test_a_revoked_token_ends_at_once_with_its_visits(gateway: Gateway) -> None:
    running, _ = gateway
    shown = token(running)
    guest, id = browser(running, shown), shown.split("_")[1]
    assert both(running, shown, guest) == (200, 200)
    assert running.send("DELETE", f"/v1/tokens/{id}", token=running.custodian).status == 204
    assert both(running, shown, guest) == (401, 401)
    assert visit(running, shown).status == 401
    assert running.send("POST", f"/v1/tokens/{id}/rotate", token=running.custodian).status == 404


def test_a_token_revoked_by_another_process_ends_at_once(gateway: Gateway) -> None:
    running, folder = gateway
    shown = token(running)
    guest = browser(running, shown)
    elsewhere = Store(folder / "gateway.tokens")
    assert elsewhere.revoke_token(shown.split("_")[1])
    elsewhere.close()
    assert both(running, shown, guest) == (401, 401)


def test_a_rotated_token_has_another_secret_and_no_visits(gateway: Gateway) -> None:
    running, _ = gateway
    shown = token(running)
    guest, id = browser(running, shown), shown.split("_")[1]
    said = running.send("POST", f"/v1/tokens/{id}/rotate", token=running.custodian)
    assert said.status == 200
    assert both(running, shown, guest) == (401, 401)
    assert running.send("GET", "/v1/datasets", token=said.json["token"]).status == 200


def test_an_expired_token_ends_with_its_visits(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, _ = gateway
    shown = token(running, lifetime=1000)
    guest = browser(running, shown)
    assert both(running, shown, guest) == (200, 200)
    monkeypatch.setattr(access, "now", lambda: now() + 1001)
    assert both(running, shown, guest) == (401, 401)
    assert visit(running, shown).status == 401


def test_a_visit_ends_after_its_hours(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    running, _ = gateway
    guest = browser(running, running.analyst)
    assert guest.send("GET", "/v1/visit").status == 200
    monkeypatch.setattr(access, "now", lambda: now() + access.LIFETIME + 1)
    assert guest.send("GET", "/v1/visit").status == 401


def test_a_visit_that_is_left_ends(gateway: Gateway) -> None:
    running, _ = gateway
    guest, other = browser(running, running.analyst), browser(running, running.analyst)
    said = guest.send("DELETE", "/v1/visit", key=guest.key)
    assert said.status == 204
    assert "Max-Age=0" in said.headers["set-cookie"]
    assert guest.send("GET", "/v1/visit").status == 401
    assert other.send("GET", "/v1/visit").status == 200


def test_a_token_has_so_many_visits_and_no_more(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, _ = gateway
    monkeypatch.setattr(access, "MOST", 2)
    shown, bystander = token(running), browser(running, running.analyst)
    guests = [browser(running, shown) for _ in range(3)]
    assert [each.send("GET", "/v1/visit").status for each in guests] == [401, 200, 200]
    assert bystander.send("GET", "/v1/visit").status == 200


# What is allowed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=named)
def test_every_address_is_for_whom_it_says(endpoint: Endpoint, gateway: Gateway) -> None:
    running, _ = gateway
    body: dict[str, str] | None = {} if endpoint.takes else None
    callers = {
        "nobody": "",
        "analyst": running.analyst,
        "restricted analyst": token(running, datasets=("surveys",)),
        "custodian": running.custodian,
        "restricted custodian": token(running, scope=Scope.CUSTODIAN, datasets=("surveys",)),
    }
    about, keeping = bool(NAMED.search(endpoint.path)), endpoint.path.startswith("/v1/tokens")
    refused = {
        "nobody": 0 if endpoint.open else 401,
        "analyst": 403 if endpoint.custodian else 0,
        "restricted analyst": 403 if endpoint.custodian else 404 if about else 0,
        "custodian": 0,
        "restricted custodian": 403 if keeping and not endpoint.takes else 404 if about else 0,
    }
    for who, shown in callers.items():
        # Only a holdout has ids.
        path = address(endpoint, "labels" if endpoint.path.endswith("/ids") else "flights")
        said = running.send(endpoint.method, path, body, token=shown)
        if refused[who]:
            assert said.status == refused[who], who
        elif endpoint.takes:  # an empty message says too little everywhere
            assert (said.status, said.json["type"]) == (422, "/v1/problems/invalid-input"), who
        elif "nothing" in address(endpoint) or endpoint.path.endswith("/export"):  # not closed yet
            assert said.status == 404, who
        else:
            assert said.status == endpoint.success, who


@pytest.mark.parametrize(
    "endpoint", [each for each in ENDPOINTS if NAMED.search(each.path)], ids=named
)
def test_a_data_set_of_others_is_like_one_that_does_not_exist(
    endpoint: Endpoint, gateway: Gateway
) -> None:
    running, _ = gateway
    scope = Scope.CUSTODIAN if endpoint.custodian else Scope.ANALYST
    shown = token(running, datasets=("surveys",), scope=scope)
    said = []
    own = "coins" if "{board}" in endpoint.path else "flights"
    for name in (own, "no-such"[: len(own)]):
        found = running.send(endpoint.method, address(endpoint, name, name), {}, token=shown)
        headers = {name: value for name, value in found.headers.items() if name != "date"}
        said.append((found.status, headers, found.body.replace(name.encode(), b"NAME")))
    assert said[0] == said[1]
    assert said[0][0] == 404


def test_a_restricted_custodian_makes_no_tokens(gateway: Gateway) -> None:
    running, _ = gateway
    shown = token(running, scope=Scope.CUSTODIAN, datasets=("surveys",))
    before = len(running.gateway.store.tokens())
    for wanted in ([], ["flights"], ["surveys"]):
        made = {"analyst": "eve", "scope": "custodian", "datasets": wanted}
        assert running.send("POST", "/v1/tokens", made, token=shown).status == 403
    assert len(running.gateway.store.tokens()) == before


def test_a_restricted_token_sees_no_other_data_set_in_any_list(gateway: Gateway) -> None:
    running, _ = gateway
    shown = token(running, scope=Scope.CUSTODIAN, datasets=("surveys",))
    for path in ("/v1/datasets", "/v1/boards", "/metrics", "/v1/openapi.json", "/v1/visit"):
        said = running.send("GET", path, token=shown)
        assert said.status == 200
        assert b"flights" not in said.body
        assert b"coins" not in said.body
    assert b"surveys" in running.send("GET", "/metrics", token=shown).body
    everything = running.send("GET", "/metrics", token=running.custodian).body
    assert b"flights" in everything
    assert b"coins" in everything


def test_the_name_of_an_analyst_comes_from_the_token_alone(gateway: Gateway) -> None:
    running, _ = gateway
    named = {"question": "delay > 3", "analyst": "custodian"}
    assert running.send("POST", "/v1/datasets/flights/ask", named).status == 422
    for header in ("X-Analyst", "X-Peekproof-Analyst", "X-Forwarded-User"):
        said = {"question": f"delay > {len(header)}"}
        path = "/v1/datasets/flights/ask?analyst=custodian"
        found = running.send("POST", path, said, headers={header: "custodian"})
        assert found.status == 200
    listed = running.send("GET", "/v1/datasets/flights/analysts", token=running.custodian).json
    assert "custodian" not in [each["analyst"] for each in listed["analysts"]]


def test_shares_refuse_over_http(tmp_path_factory: pytest.TempPathFactory) -> None:
    with guarded(tmp_path_factory) as (running, _):
        shares = {"shares": {"ann": "1/100", "bob": "1/2"}}
        path = "/v1/datasets/flights/shares"
        assert running.send("PUT", path, shares, token=running.custodian).status == 200
        said = [running.ask(f"delay > {number}") for number in range(3)]
        assert [each.status for each in said] == [200, 200, 409]
        assert said[-1].json["type"] == "/v1/problems/share-exhausted"
        assert running.ask("delay > 0").json["replayed"]
        assert running.ask("delay > 9", token=token(running)).status == 200


def test_a_share_that_takes_long_to_compute_is_not_computed(gateway: Gateway) -> None:
    running, _ = gateway
    for text in ("1e999999999", "0.5e99999999", "-1/2", "1/2/3", "NaN", "١/٢"):
        shares = {"shares": {"ann": text}}
        said = running.send("PUT", "/v1/datasets/surveys/shares", shares, token=running.custodian)
        assert said.status == 422
