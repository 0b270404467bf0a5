"""Visits of several gateways on one host, and the keys of their pages."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest

from peekproof.server.access import Access
from peekproof.server.store import Scope, Store
from server.gateways import Running
from server.guests import Browser, browser, guarded

Gateway = tuple[Running, Path]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with guarded(tmp_path_factory) as found:
        yield found


@pytest.fixture(scope="module")
def guest(gateway: Gateway) -> Browser:
    return browser(gateway[0], gateway[0].custodian)


def test_gateways_on_two_ports_of_a_host_do_not_sign_each_other_out(
    gateway: Gateway, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with guarded(tmp_path_factory) as (other, _):
        both = [browser(each, each.analyst) for each in (gateway[0], other)]
        kept = dict(each.cookie.split("=", 1) for each in both)  # a browser has one of a name
        jar = "; ".join(f"{name}={value}" for name, value in kept.items())
        for each in both:
            said = each.send("GET", "/v1/visit", headers={"Cookie": jar})
            assert (said.status, said.json["page_key"]) == (200, each.key)
        both[0].send("DELETE", "/v1/visit", key=both[0].key)
        assert both[1].send("GET", "/v1/visit", headers={"Cookie": jar}).status == 200


def test_the_key_of_a_page_cannot_be_made_from_its_cookie(gateway: Gateway) -> None:
    guest = browser(gateway[0], gateway[0].analyst)
    secret, store = guest.cookie.partition("=")[2], gateway[0].gateway.store
    known = (b"", b"peekproof page", store.name.encode(), guest.cookie.partition("=")[0].encode())
    for key, text in ((a, b) for each in known for a, b in permutations((secret.encode(), each))):
        assert hmac.new(key, text, hashlib.sha256).hexdigest() != guest.key
    # The same in every worker, and after a restart.
    with closing(Store(store.path)) as again, again.reading() as db:
        (name, key) = db.execute("SELECT name, key FROM identity").fetchone()
    assert (name, len(key)) == (store.name, 32)
    assert hmac.new(key, secret.encode(), hashlib.sha256).hexdigest() == guest.key


def test_a_file_of_before_gets_a_name_and_keeps_its_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    with closing(Store(path)) as store:
        token = store.create_token(analyst="ann", scope=Scope.ANALYST)
        with store.writing() as db:
            db.execute("DROP TABLE identity")
    with closing(Store(path)) as first, closing(Store(path)) as second:
        assert (first.name, first.key) == (second.name, second.key)
        assert [each.analyst for each in first.tokens()] == ["ann"]
        assert Access(first, None).by_token(token).analyst == "ann"


@pytest.mark.parametrize("odd", ["\xff\xfe", "\xff\xfe; ;;=;", ""])
def test_odd_cookies_and_keys_are_refused_like_any(odd: str, guest: Browser) -> None:
    name = guest.cookie.partition("=")[0]
    said = guest.send("GET", "/v1/visit", headers={"Cookie": f"{name}={odd}"})
    assert said.status == 401
    assert guest.send("DELETE", "/v1/visit", key=odd).status == 403
