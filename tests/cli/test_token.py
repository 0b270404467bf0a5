"""`peekproof token`: made, listed, renewed and revoked, while a gateway runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.running import Run
from peekproof.server.store import parts_of
from server.gateways import Running, running


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder) as found:
            yield found


@pytest.fixture
def store(gateway: Running) -> str:
    return str(gateway.gateway.settings.store)


def made(run: Run, *words: str) -> Any:
    done = run("token", *words, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def status(gateway: Running, token: str, path: str = "/v1/datasets") -> int:
    return gateway.send("GET", path, token=token).status


def test_a_running_gateway_knows_tokens_at_once_until_they_end(
    run: Run, gateway: Running, store: str
) -> None:
    first = made(run, "create", "bob", "--tokens", store)
    assert status(gateway, first["token"]) == 200
    second = made(run, "rotate", first["id"], "--tokens", store)
    assert second["id"] == first["id"]
    assert (status(gateway, first["token"]), status(gateway, second["token"])) == (401, 200)
    assert (
        run("token", "revoke", first["id"], "--tokens", store).out == f"{first['id']} is revoked\n"
    )
    assert status(gateway, second["token"]) == 401
    for command in ("rotate", "revoke"):
        done = run("token", command, first["id"], "--tokens", store)
        assert (done.code, done.out) == (2, "")
        assert "peekproof token list" in done.err


def test_scopes_data_sets_and_days_are_kept(run: Run, gateway: Running, store: str) -> None:
    head = made(run, "create", "head", "--custodian", "--tokens", store)
    other = made(run, "create", "eve", "--dataset", "b", "--dataset", "c", "--tokens", store)
    brief = made(run, "create", "joe", "--days", "3", "--tokens", store)
    assert status(gateway, head["token"], "/v1/tokens") == 200
    assert status(gateway, brief["token"], "/v1/tokens") == 403
    assert status(gateway, other["token"], "/v1/datasets/flights") == 404
    listed = {each["id"]: each for each in made(run, "list", "--tokens", store)}
    assert listed[head["id"]]["scope"] == "custodian"
    assert listed[other["id"]]["datasets"] == ["b", "c"]
    assert listed[brief["id"]]["expires"] - listed[brief["id"]]["created"] == 3 * 86_400
    assert listed[head["id"]]["expires"] is None


def test_the_list_shows_no_secret(run: Run, store: str) -> None:
    token = made(run, "create", "dan", "--tokens", store)["token"]
    parts = parts_of(token)
    assert parts is not None
    shown = run("token", "list", "--tokens", store).out
    assert parts[0] in shown
    assert parts[1] not in shown
    assert "always" in shown


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("http://127.0.0.1:8417/", "http://127.0.0.1:8417/#token="),
        ("127.0.0.1:8417", "http://127.0.0.1:8417/#token="),
        ("data.example", "https://data.example/#token="),
    ],
)
def test_a_link_is_printed_for_an_address(run: Run, store: str, address: str, link: str) -> None:
    done = run("token", "create", "ann", "--tokens", store, "--address", address)
    token, shown = done.out.splitlines()
    assert shown == f"{link}{token}"


def test_the_only_token_file_of_the_folder_is_the_default(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nothing = run("token", "list")
    assert (nothing.code, nothing.out) == (2, "")
    assert "got none" in nothing.err
    first = run("token", "create", "ann", "--tokens", "a.peekproof-tokens")
    assert "a.peekproof-tokens is new" in first.out
    assert "is new" not in run("token", "create", "bob").out
    assert [each["analyst"] for each in made(run, "list")] == ["ann", "bob"]
    made(run, "create", "eve", "--tokens", "b.peekproof-tokens")
    both = run("token", "list")
    assert both.code == 2
    assert "a.peekproof-tokens, b.peekproof-tokens" in both.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("create", ""), "NAME must be the name of an analyst"),
        (("create", " ann"), "without spaces around"),
        (("create", "ann", "--dataset", "a b"), "--dataset must be of letters"),
        (("list", "--tokens", "nothing"), "nothing does not exist"),
        (("revoke", "x", "--tokens", "nothing"), "nothing does not exist"),
        (("list", "--tokens", "data.csv"), "data.csv cannot hold the tokens"),
    ],
    ids=" ".join,
)
def test_a_slip_is_told_and_makes_nothing(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("age\n1\n" * 2000)
    given = words if "--tokens" in words else (*words, "--tokens", "t.peekproof-tokens")
    done = run("token", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert not Path("t.peekproof-tokens").exists()
