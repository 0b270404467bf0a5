"""Leaderboards over HTTP: what teams are told, what costs nothing, and how a board ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import peekproof
from peekproof.core.errors import DataError, InvalidInput
from peekproof.server.dataset import open_boards
from peekproof.server.settings import Limits, Settings, from_file
from server.contests import ROWS, Contest, Team, contest, organiser, team
from server.gateways import Running, held, running
from server.guests import guarded, token


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Contest, Path]]:
    """A gateway with two boards and no data set; the tests share the first."""
    folder = tmp_path_factory.mktemp("boards")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        found, other = contest(folder, submissions=400), contest(folder, "dice", rows=400)
        limits = Limits(rate=0, body=20_000, scores=400_000)
        given = {"boards": (found.served, other.served), "limits": limits}
        with running(folder, audit_log=folder / "audit", **given) as started:
            yield started, found, folder


@pytest.fixture
def gateway(boards: tuple[Running, Contest, Path]) -> Running:
    return boards[0]


@pytest.fixture
def found(boards: tuple[Running, Contest, Path]) -> Contest:
    return boards[1]


@pytest.fixture
def ann(gateway: Running, found: Contest) -> Team:
    return team(gateway, found)


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Contest]]:
    """A board that one test may use up or close."""
    folder = tmp_path_factory.mktemp("alone")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        own = contest(folder, submissions=10, per_team="1/5", corrections=1)
        with running(folder, boards=(own.served,)) as started:
            yield started, own


# What is told --------------------------------------------------------------------------------


def test_a_declared_score_that_fits_is_confirmed_as_it_stands(ann: Team, found: Contest) -> None:
    said = ann.submit(found.right(0.7), declared=0.7, name="forest", trained_on=500)
    assert said.status == 200
    entry = said.json
    assert (entry["told"], entry["value"], entry["name"]) == ("confirmed", 0.7, "forest")
    assert (entry["team"], entry["trained_on"]) == ("ann", 500)
    assert entry["low"] < 0.7 < entry["high"]


def test_a_declared_score_that_is_wrong_is_corrected(ann: Team, found: Contest) -> None:
    entry = ann.submit(found.right(0.6), declared=0.95).json
    assert entry["told"] == "corrected"
    assert entry["high"] < 0.95
    assert entry["low"] < 0.6 < entry["high"]


def test_an_entry_that_is_no_better_is_told_nothing_else(ann: Team, found: Contest) -> None:
    ann.submit(found.right(0.7), declared=0.7)
    one, two = (ann.submit(found.right(share)).json for share in (0.3, 0.6))
    assert one["told"] == two["told"] == "no better"
    assert one["low"] == two["low"] == 0
    assert one["shown"].startswith("not above ")
    assert min(one["high"], two["high"]) > 0.7


def test_an_improvement_is_told_to_a_bin(ann: Team, found: Contest) -> None:
    ann.submit(found.right(0.7), declared=0.7)
    entry = ann.submit(found.right(0.95)).json
    assert entry["told"] == "corrected"
    assert entry["low"] < 0.95 < entry["high"]
    seen = ann.sees
    assert seen["running_best"][-1]["number"] == entry["number"]
    assert seen["teams"][0]["entry"]["number"] == entry["number"]


def test_the_same_predictions_are_the_same_entry_for_free(ann: Team, found: Contest) -> None:
    predictions = found.right(0.65)
    first = ann.submit(predictions, declared=0.65)
    left = ann.sees["left"]
    turned = {name: each[::-1] for name, each in predictions.items()}
    assert ann.submit(turned, name="again").json == first.json
    assert ann.sees["left"] == left


def test_a_team_sees_its_own_entries_and_the_best_of_others(
    gateway: Running, ann: Team, found: Contest
) -> None:
    bob = team(gateway, found, "bob")
    low = bob.submit(found.right(0.55), declared=0.55).json
    bob.submit(found.right(0.6), declared=0.6)
    assert bob.sees["yours"]["team"] == "bob"
    assert low in bob.sees["yours"]["entries"]
    ours = ann.sees
    assert {each["team"] for each in ours["yours"]["entries"]} <= {"ann"}
    shown = [each["entry"]["number"] for each in ours["teams"]]
    assert low["number"] not in shown
    assert "bob" in [each["entry"]["team"] for each in ours["teams"]]


def test_the_ids_are_those_of_both_phases_and_do_not_tell_them_apart(
    ann: Team, found: Contest
) -> None:
    assert ann.send("GET", "/ids").json == {"ids": sorted(found.ids)}
    assert ann.sees["rows"] == ROWS


# What costs nothing --------------------------------------------------------------------------


def wrong(found: Contest, **changed: Any) -> dict[str, Any]:
    return {**found.right(0.6), **changed}


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"ids": ["r0"], "values": [1]}, 422),
        ({"ids": [], "values": []}, 422),
        ({"values": [1] * (ROWS - 1)}, 422),
        ({"ids": [f"x{number}" for number in range(ROWS)]}, 422),
        ({"ids": ["r0"] * ROWS}, 422),
        ({"values": ["yes"] * ROWS}, 422),
        ({"values": ["1e999"] * ROWS}, 422),
        ({"values": [1, "yes"] * (ROWS // 2)}, 422),
        ({"values": [None] * ROWS}, 422),
        ({"values": [[1]] * ROWS}, 422),
        ({"declared": 1.5}, 422),
        ({"declared": True}, 422),
        ({"trained_on": 10}, 422),
        ({"name": "two\nlines"}, 422),
        ({"name": "x" * 101}, 422),
        ({"team": "bob"}, 422),
        ({"name": "x" * 400_000}, 413),
    ],
)
def test_what_cannot_be_scored_is_refused_for_nothing(
    changed: dict[str, Any], status: int, ann: Team, found: Contest
) -> None:
    before = ann.sees
    said = ann.submit(wrong(found, **changed))
    assert said.status == status, said.body
    assert str(found.folder).encode() not in said.body
    assert ann.sees == before


def test_predictions_may_be_longer_than_other_messages(ann: Team, found: Contest) -> None:
    assert len(json.dumps(found.right(0.6))) > 20_000
    assert ann.submit(found.right(0.6), declared=0.6).status == 200
    said = ann.send("PUT", "/choice", {"entry": 1, "more": "x" * 20_000})
    assert said.status == 413


def test_a_request_with_its_key_again_gets_the_reply_it_got(ann: Team, found: Contest) -> None:
    body, key = {**found.right(0.6), "declared": 0.6}, {"Idempotency-Key": "once"}
    first = ann.send("POST", "/entries", body, headers=key)
    again = ann.send("POST", "/entries", body, headers=key)
    assert (first.status, first.body) == (again.status, again.body)
    assert again.headers["idempotency-replayed"] == "true"
    other = ann.send("POST", "/entries", {**body, "name": "other"}, headers=key)
    assert (other.status, other.json["type"]) == (409, "/v1/problems/key-in-use")


def test_a_share_that_is_used_up_is_refused(alone: tuple[Running, Contest]) -> None:
    gateway, own = alone
    ann, bob = team(gateway, own), team(gateway, own, "bob")
    predictions = [own.right(0.6) for _ in range(3)]
    assert ann.sees["yours"]["left"] == 2
    said = [ann.submit(each, declared=0.6) for each in predictions]
    assert [each.status for each in said] == [200, 200, 409]
    assert said[-1].json["type"] == "/v1/problems/share-exhausted"
    assert ann.submit(predictions[0]).json == said[0].json
    assert (ann.sees["yours"]["left"], bob.sees["yours"]["left"]) == (0, 2)
    assert bob.submit(own.right(0.6), declared=0.6).status == 200
    for name in ("cid", "dan", "eve"):
        assert team(gateway, own, name).submit(own.right(0.6), declared=0.6).status == 200
    late = team(gateway, own, "fay").submit(own.right(0.6), declared=0.6)
    assert (late.status, late.json["fields"]["argument"]) == (422, "team")


def test_after_its_corrections_a_team_is_taken_as_if_it_declared_nothing(
    alone: tuple[Running, Contest],
) -> None:
    gateway, own = alone
    ann = team(gateway, own)
    told = [ann.submit(own.right(0.6), declared=0.99).json["told"] for _ in range(2)]
    assert told == ["corrected", "no better"]
    assert ann.sees["failures"] == 1


def test_teams_that_come_at_once_each_get_their_entries(gateway: Running, found: Contest) -> None:
    teams = [team(gateway, found, name) for name in ("gil", "hal")]
    before = teams[0].sees
    sent = [(each, found.right(0.6)) for each in teams for _ in range(4)] * 2
    with ThreadPoolExecutor(8) as together:
        said = list(together.map(lambda each: each[0].submit(each[1], declared=0.6), sent))
    assert {each.status for each in said} == {200}
    numbers = {each.json["number"] for each in said}
    assert numbers == set(range(before["entries"] + 1, before["entries"] + 9))
    after = teams[0].sees
    assert before["left"] - after["left"] == 8
    for each in teams:
        assert len(each.sees["yours"]["entries"]) == 4


# Whom it is for ------------------------------------------------------------------------------


def test_a_board_of_others_is_like_one_that_does_not_exist(gateway: Running) -> None:
    shown = token(gateway, datasets=("dice",))
    listed = gateway.send("GET", "/v1/boards", token=shown).json
    assert [each["name"] for each in listed] == ["dice"]
    said = [gateway.send("GET", f"/v1/boards/{name}", token=shown) for name in ("coins", "nope_")]
    assert [each.status for each in said] == [404, 404]
    assert said[0].body.replace(b"coins", b"nope_") == said[1].body
    assert b"/v1/boards" in said[0].body
    assert gateway.send("GET", "/v1/boards/dice", token=shown).status == 200


def test_a_token_can_be_made_for_a_board(gateway: Running) -> None:
    made = {"analyst": "ida", "datasets": ["coins"]}
    said = gateway.send("POST", "/v1/tokens", made, token=gateway.custodian)
    assert said.status == 201
    assert gateway.send("GET", "/v1/boards/coins", token=said.json["token"]).status == 200
    assert gateway.send("GET", "/v1/boards/dice", token=said.json["token"]).status == 404
    none = {"analyst": "ida", "datasets": ["nothing"]}
    assert gateway.send("POST", "/v1/tokens", none, token=gateway.custodian).status == 404


def test_a_board_is_no_data_set_and_a_data_set_no_board(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("both")
    own = contest(folder, rows=100)
    with guarded(tmp_path_factory, held(folder), boards=(own.served,)) as (gateway, _):
        assert [each["name"] for each in gateway.send("GET", "/v1/datasets").json] == ["flights"]
        assert [each["name"] for each in gateway.send("GET", "/v1/boards").json] == ["coins"]
        assert gateway.send("GET", "/v1/datasets/coins").status == 404
        assert gateway.send("GET", "/v1/boards/flights").status == 404


def test_a_team_chooses_only_among_its_own_entries(
    gateway: Running, ann: Team, found: Contest
) -> None:
    bob = team(gateway, found, "bob")
    first, second = (ann.submit(found.right(0.6), declared=0.6).json for _ in range(2))
    assert ann.choose(first["number"]).json == first
    assert ann.sees["yours"]["chosen"] == first["number"]
    assert ann.choose(second["number"]).status == 200
    assert ann.sees["yours"]["chosen"] == second["number"]
    said = bob.choose(first["number"])
    unknown = bob.choose(10**9)
    assert (said.status, unknown.status) == (422, 422)
    others, nobodys = (each.json["fields"] for each in (said, unknown))
    assert {**others, "given": ""} == {**nobodys, "given": ""}


def test_the_audit_log_names_the_board_and_the_entry_and_no_score(
    boards: tuple[Running, Contest, Path], ann: Team
) -> None:
    _, found, folder = boards
    entry = ann.submit(found.right(0.6), declared=0.6).json
    ann.submit(wrong(found, ids=["r0"]))
    lines = [json.loads(line) for line in (folder / "audit").read_text().splitlines()]
    done, refused = lines[-2:]
    assert (done["board"], done["entry"], done["dataset"]) == ("coins", entry["number"], None)
    assert (done["status"], done["analyst"]) == (200, "ann")
    assert (refused["board"], refused["status"]) == ("coins", 422)
    assert refused["problem"] == "invalid-input"
    usual = {"at", "request", "token", "analyst", "method", "route", "dataset", "status", "problem"}
    assert set(done) == {*usual, "board", "entry"}


def test_counts_are_for_custodians_of_the_board(gateway: Running, ann: Team) -> None:
    text = gateway.send("GET", "/metrics", token=gateway.custodian).body.decode()
    assert f'peekproof_board_entries{{board="coins"}} {ann.sees["entries"]}' in text
    assert f'peekproof_board_submissions_left{{board="coins"}} {ann.sees["left"]}' in text
    assert gateway.send("GET", "/metrics", token=ann.shown).status == 403


# The end -------------------------------------------------------------------------------------


def test_a_board_is_closed_by_its_custodian_once_and_for_good(
    alone: tuple[Running, Contest],
) -> None:
    gateway, own = alone
    ann, bob = team(gateway, own), team(gateway, own, "bob")
    custodian = organiser(gateway, own)
    confirm = {"confirm": "coins"}
    assert custodian.send("POST", "/close", confirm).status == 422  # nobody has handed in anything
    kept = ann.submit(own.right(0.6), declared=0.6).json
    best = ann.submit(own.right(0.7), declared=0.7).json
    others = bob.submit(own.right(0.9), declared=0.9).json
    ann.choose(kept["number"])
    assert ann.send("GET", "/export").status == 404
    assert ann.send("POST", "/close", confirm).status == 403
    assert custodian.send("POST", "/close", {"confirm": "coin"}).status == 422
    assert ann.sees["final"] is None
    first = custodian.send("POST", "/close", confirm)
    assert first.status == 200
    assert [each["team"] for each in first.json["finalists"]] == ["bob", "ann"]
    assert [each["entry"] for each in first.json["finalists"]] == [
        others["number"], kept["number"]
    ]  # fmt: skip
    assert custodian.send("POST", "/close", confirm).json == first.json
    seen = ann.sees
    assert (seen["closed"], seen["final"], seen["left"]) == (True, first.json, 0)
    assert seen["yours"]["left"] == 0
    late = bob.submit(own.right(0.95), declared=0.95)
    assert (late.status, late.json["type"]) == (409, "/v1/problems/ledger-closed")
    assert "coins" in late.json["detail"]
    assert str(own.folder) not in late.json["detail"]
    assert ann.choose(best["number"]).status == 409
    exported = ann.send("GET", "/export").body
    document = peekproof.verify_export(exported, seen["public_key"])
    assert document["final"]["finalists"][0]["team"] == "bob"
    assert document["entries"]["receipts"] == [each["receipt"] for each in (kept, best, others)]
    with pytest.raises(DataError):
        peekproof.verify_export(exported.replace(b'"bob"', b'"ann"'), seen["public_key"])


# How it is set up ----------------------------------------------------------------------------


def test_settings_name_boards_by_folders_beside_the_file(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text('[boards.coins]\nfolder = "coins"\n')
    settings = from_file(file, {})
    assert settings.datasets == ()
    assert [(each.name, each.folder) for each in settings.boards] == [
        ("coins", str(tmp_path / "coins"))
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[boards.coins]\nfolders = "coins"\n',
        '[boards.coins]\nfolder = ""\n',
        "[boards.coins]\nfolder = 1\n",
        "[boards]\ncoins = 1\n",
        "boards = 1\n",
        '[boards."a/b"]\nfolder = "coins"\n',
        '[boards.coins]\nfolder = "coins"\n[datasets.coins]\nsource = "coins.csv"\n',
        "",
    ],
)
def test_settings_that_name_no_board_rightly_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "gateway.toml"
    file.write_text(text)
    with pytest.raises(InvalidInput) as raised:
        from_file(file, {})
    assert "gateway.toml" in str(raised.value) or "[boards.NAME]" in str(raised.value)


def test_a_folder_that_is_no_board_is_said_and_the_others_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    own, missing = contest(tmp_path, rows=100), tmp_path / "none.board"
    wanted = (own.served, Contest(missing, "none", own.labels).served)
    settings = Settings(datasets=(), boards=wanted, store=tmp_path / "tokens")
    with pytest.raises(DataError, match="is not a board") as raised:
        open_boards(settings)
    assert raised.value.__notes__ == ["while opening the board none"]
    again = open_boards(Settings(datasets=(), boards=wanted[:1], store=tmp_path / "tokens"))
    assert again["coins"].ids == sorted(own.ids)
    again["coins"].release()
