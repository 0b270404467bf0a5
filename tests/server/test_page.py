"""The web page: served as it should be, made of our own files alone, and nothing inline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from peekproof.server.app import FOLDER, TYPES
from peekproof.server.connections import POLICY
from server.gateways import Running, running

ASSETS = sorted(FOLDER.iterdir())
PAGES = ("index.html", "board.html")
CUSTODIAN = re.compile(r"^custodian")
INNER = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder) as found:
            yield found


def _named(text: str) -> set[str]:
    return set(re.findall(r"[\"'](?:/assets/|\./)([\w.-]+)[\"']", text))


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_every_asset_is_served_with_its_type_and_the_policy(gateway: Running, path: Path) -> None:
    said = gateway.send("GET", f"/assets/{path.name}", token="")
    assert said.status == 200
    assert said.headers["content-type"] == TYPES[path.suffix]
    assert said.headers["content-security-policy"] == POLICY
    assert said.headers["cache-control"] == "no-cache"
    assert said.body == path.read_bytes()


def test_the_page_is_served_to_anyone_at_the_root(gateway: Running) -> None:
    said = gateway.send("GET", "/", token="")
    assert said.status == 200
    assert said.headers["content-type"] == "text/html; charset=utf-8"
    assert said.headers["content-security-policy"] == POLICY
    assert said.body == (FOLDER / "index.html").read_bytes()


def test_an_asset_that_did_not_change_is_not_sent_again(gateway: Running) -> None:
    tag = gateway.send("GET", "/assets/app.js", token="").headers["etag"]
    again = gateway.send("GET", "/assets/app.js", token="", headers={"If-None-Match": tag})
    weak = gateway.send("GET", "/assets/app.js", token="", headers={"If-None-Match": f"W/{tag}"})
    other = gateway.send("GET", "/assets/app.js", token="", headers={"If-None-Match": '"x"'})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert weak.status == 304
    assert other.status == 200


@pytest.mark.parametrize("name", ["../page.py", "..%2fpage.py", "%2e%2e/page.py", "none.js", ""])
def test_nothing_else_is_served(gateway: Running, name: str) -> None:
    assert gateway.send("GET", f"/assets/{name}", token="").status == 404


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_an_asset_names_only_files_that_exist(path: Path) -> None:
    missing = {name for name in _named(path.read_text("utf-8")) if not (FOLDER / name).is_file()}
    assert not missing


def _reached(page: str) -> set[str]:
    """All files that a page names, or that those name."""
    reached, waiting = {page}, [page]
    while waiting:
        for name in _named((FOLDER / waiting.pop()).read_text("utf-8")) - reached:
            reached.add(name)
            waiting.append(name)
    return reached


def test_the_pages_lead_to_every_asset() -> None:
    assert set.union(*map(_reached, PAGES)) == {path.name for path in ASSETS}


@pytest.mark.parametrize("path", ["/boards/coins", "/boards/nothing"])
def test_the_page_of_a_board_is_served_whether_there_is_one_or_not(
    gateway: Running, path: str
) -> None:
    said = gateway.send("GET", path, token="")
    assert said.status == 200
    assert said.headers["content-security-policy"] == POLICY
    assert said.body == (FOLDER / "board.html").read_bytes()


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_an_asset_holds_nothing_inline_and_makes_no_markup_of_text(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix in (".html", ".svg"):
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    if path.suffix == ".js":
        assert not INNER.search(text)
        assert not re.search(r"\bstyle:|setAttribute\(\"style\"|cssText", text)


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_an_asset_names_no_address_of_others(path: Path) -> None:
    text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"\b(?:https?|wss?)://|[\"'(]//\w", text)
    assert "@import" not in text


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_small(page: str) -> None:
    sizes = {name: (FOLDER / name).stat().st_size for name in _reached(page)}
    for_analysts = sum(size for name, size in sizes.items() if not CUSTODIAN.match(name))
    assert for_analysts < 140_000
    assert sum(sizes.values()) < 200_000
    assert all(path.read_text("utf-8").count("\n") <= 300 for path in ASSETS)


def test_the_certificate_of_the_page_does_not_tell_where_the_ledger_lies(gateway: Running) -> None:
    digest = gateway.ask("delay > 10").json["records"][0]["digest"]
    told = gateway.send("GET", f"/v1/datasets/flights/answers/{digest}").json["text"]
    assert "Ledger      flights\n" in told
    assert gateway.gateway.served["flights"].session.ledger.place not in told
