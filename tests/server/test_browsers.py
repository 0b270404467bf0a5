"""Browsers: what every response tells them, and what other sites cannot make them do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from peekproof.core.errors import Unauthenticated
from peekproof.server.app import ENDPOINTS
from peekproof.server.connections import HEADERS, POLICY, Strict
from peekproof.server.endpoint import Call, Endpoint
from peekproof.server.routes.signin import _set_cookie
from server.gateways import Running, Said
from server.guests import (
    Browser,
    address,
    browser,
    exchange,
    guarded,
    named,
    request,
    status_of,
    visit,
)

Gateway = tuple[Running, Path]

UNSAFE = [each for each in ENDPOINTS if each.method != "GET" and not each.open]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with guarded(tmp_path_factory) as found:
        yield found


@pytest.fixture(scope="module")
def guest(gateway: Gateway) -> Browser:
    return browser(gateway[0], gateway[0].custodian)


# Headers -----------------------------------------------------------------------------------------


def check_headers(said: Said) -> None:
    for name, value in HEADERS.items():
        assert said.headers[name.lower()] == value
    assert "cache-control" in said.headers
    assert [name for name in said.headers if name.startswith("access-control")] == []
    assert "server" not in said.headers


RESPONSES = {
    "the page": ("GET", "/", None, 200),
    "a file that is there": ("GET", "/assets/index.html", None, 200),
    "a file that is not there": ("GET", "/assets/nothing", None, 404),
    "another address": ("GET", "/nothing", None, 404),
    "another method": ("PATCH", "/v1/datasets", None, 405),
    "a preflight": ("OPTIONS", "/v1/datasets/flights/ask", None, 405),
    "a head": ("HEAD", "/v1/datasets", None, 405),
    "too long a body": ("POST", "/v1/datasets/flights/ask", b"x" * ((1 << 20) + 1), 413),
    "a body that is no message": ("POST", "/v1/datasets/flights/ask", b"x", 422),
    "an answer": ("POST", "/v1/datasets/flights/ask", {"question": "delay > 1"}, 200),
    "a stream": ("GET", "/v1/datasets/flights/ledger", None, 403),
    "health": ("GET", "/v1/health", None, 200),
    "a slash too much": ("GET", "/v1/datasets/", None, 404),
}


@pytest.mark.parametrize("about", RESPONSES)
def test_every_response_has_the_headers(about: str, gateway: Gateway) -> None:
    method, path, body, status = RESPONSES[about]
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    said = gateway[0].send(method, path, body, headers=origin)
    assert said.status == status
    check_headers(said)
    if status >= 400 and method != "HEAD":
        assert said.headers["content-type"] == "application/problem+json"
        assert set(said.json) == {"type", "title", "status", "detail", "fields"}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=named)
def test_responses_of_every_address_have_the_headers(endpoint: Endpoint, gateway: Gateway) -> None:
    said = gateway[0].send(endpoint.method, address(endpoint), {}, token=gateway[0].custodian)
    check_headers(said)


def test_what_is_not_http_gets_the_headers_too(gateway: Gateway) -> None:
    said = exchange(gateway[0].port, b"not http at all\r\n\r\n").decode("latin-1")
    assert said.startswith("HTTP/1.1 400 ")
    for name, value in HEADERS.items():
        assert f"\r\n{name}: {value}\r\n" in said


def test_the_policy_lets_nothing_run_but_the_files_of_the_gateway() -> None:
    assert "unsafe" not in POLICY
    assert "*" not in POLICY
    assert "http" not in POLICY
    rules = {rule.split()[0]: rule.split()[1:] for rule in POLICY.split(";")}
    assert rules["default-src"] == ["'none'"]
    assert rules["script-src"] == ["'self'"]
    assert rules["frame-ancestors"] == ["'none'"]
    assert rules["base-uri"] == ["'none'"]


def test_all_methods_of_an_address_are_named_when_another_is_refused(gateway: Gateway) -> None:
    said = gateway[0].send("PATCH", "/v1/visit")
    assert said.headers["allow"] == "DELETE, GET, POST"
    assert said.json["type"] == "/v1/problems/not-this-way"


# Hosts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.", "", "127.0.0.1@evil", "[::2]"]
)
def test_a_request_for_another_host_is_refused(host: str, gateway: Gateway) -> None:
    running, _ = gateway
    for path in ("/v1/health", "/", "/v1/datasets"):
        said = running.send("GET", path, headers={"Host": host})
        assert (said.status, said.json["type"]) == (403, "/v1/problems/not-allowed")
        check_headers(said)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:80", "LOCALHOST", "[::1]:9", "[::1]"])
def test_the_names_of_this_machine_are_served(host: str, gateway: Gateway) -> None:
    assert gateway[0].send("GET", "/v1/health", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://evil.example/v1/health", 403),
        ("http://127.0.0.1@evil.example/v1/health", 403),
        ("http://127.0.0.1.evil.example:80/v1/health", 403),
        ("http://[::2]/v1/health", 403),
        ("http://LOCALHOST:80/v1/health", 200),
        ("http://[::1]/v1/health", 200),
        ("/v1/health?of=http://evil.example/", 200),
    ],
)
def test_a_target_with_another_host_is_refused(target: str, status: int, gateway: Gateway) -> None:
    """As proxies are sent it: there it counts, and not the header."""
    running, _ = gateway
    request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    said = exchange(running.port, request.encode())
    assert status_of(said) == status


# Cookies -----------------------------------------------------------------------------------------


def test_the_cookie_is_for_this_host_and_no_script(gateway: Gateway) -> None:
    said = visit(gateway[0], gateway[0].analyst).headers["set-cookie"]
    parts = [part.strip() for part in said.split(";")]
    assert parts[0].startswith(f"peekproof_visit_{gateway[0].gateway.store.name}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(parts)
    assert "Secure" not in parts  # over plain HTTP a browser would throw it away
    assert [part for part in parts if part.lower().startswith("domain")] == []


def test_under_tls_the_cookie_is_secure_and_bound_to_its_host(
    gateway: Gateway,
) -> None:
    running = gateway[0].gateway
    settings = replace(running.settings, certificate=Path("certificate"), key=Path("key"))
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    call = Call(gateway=replace(running, settings=settings), request=Request(scope))
    response = Response()
    _set_cookie(call, response, "secret", lifetime=10)
    said = response.headers["set-cookie"]
    assert said.startswith(f"__Host-peekproof_visit_{running.store.name}=secret;")
    assert {"Secure", "HttpOnly", "Path=/"} <= {part.strip() for part in said.split(";")}


def test_a_cookie_of_plain_http_is_nothing_under_tls(gateway: Gateway) -> None:
    guest = browser(gateway[0], gateway[0].analyst)
    name, _, secret = guest.cookie.partition("=")
    shown = {"http": [name], "https": [f"__Host-{name}"]}
    for scheme, names in shown.items():
        for each in (name, f"__Host-{name}"):
            headers = [(b"cookie", f"{each}={secret}".encode()), (b"host", b"127.0.0.1")]
            made = Request(
                {"type": "http", "method": "GET", "path": "/", "scheme": scheme,
                 "headers": headers, "query_string": b""}
            )  # fmt: skip
            if each in names:
                assert gateway[0].gateway.access.caller(made).analyst == "ann"
            else:
                with pytest.raises(Unauthenticated):
                    gateway[0].gateway.access.caller(made)


@pytest.mark.parametrize("host", [b"[", b"a/b?c#d", b"a]:x", b"\xff", b""])
def test_a_strange_host_is_no_failure_where_any_is_served(host: bytes, gateway: Gateway) -> None:
    """A gateway for all names has only headers between it and the sender."""
    guest = browser(gateway[0], gateway[0].analyst)
    headers = [(b"cookie", guest.cookie.encode()), (b"host", host)]
    made = Request(
        {"type": "http", "method": "GET", "path": "/", "scheme": "http", "headers": headers,
         "query_string": b""}
    )  # fmt: skip
    assert gateway[0].gateway.access.caller(made).analyst == "ann"


def test_transport_security_is_asked_for_under_tls_alone() -> None:
    async def nothing(*_: object) -> None: ...

    def headers(*, secure: bool) -> set[bytes]:
        return {name for name, _ in Strict(nothing, names=frozenset(), secure=secure)._raw}

    assert headers(secure=True) - headers(secure=False) == {b"strict-transport-security"}


# Other sites -------------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", UNSAFE, ids=named)
def test_a_cookie_alone_changes_nothing(endpoint: Endpoint, guest: Browser) -> None:
    path = address(endpoint)
    body: dict[str, str] | None = {} if endpoint.takes else None
    other = browser(guest.gateway, guest.gateway.custodian)
    for key in (None, "x" * 64, other.key, guest.key[:-1], guest.key.upper()):
        said = guest.send(endpoint.method, path, body, key=key)
        assert (said.status, said.json["type"]) == (403, "/v1/problems/not-allowed")
    assert guest.send("GET", "/v1/visit").status == 200


def test_a_cookie_with_the_key_of_its_page_may_ask(guest: Browser) -> None:
    asked = {"question": "delay > 2"}
    said = guest.send("POST", "/v1/datasets/flights/ask", asked, key=guest.key)
    assert said.status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense", ""])
def test_another_site_reaches_nothing_with_the_cookie(site: str, guest: Browser) -> None:
    for method, path in (("GET", "/v1/datasets"), ("POST", "/v1/datasets/flights/ask")):
        said = guest.send(method, path, {}, key=guest.key, headers={"Sec-Fetch-Site": site})
        assert said.status == 403


def test_an_old_browser_is_known_by_the_origin_of_the_page(guest: Browser) -> None:
    port, asked = guest.gateway.port, {"question": "delay > 2"}
    for origin, status in (
        ("https://evil.example", 403),
        ("null", 403),
        (f"http://127.0.0.1:{port + 1}", 403),
        (f"http://127.0.0.1:{port}", 200),
    ):
        said = guest.send(
            "POST", "/v1/datasets/flights/ask", asked, key=guest.key, headers={"Origin": origin}
        )
        assert said.status == status, origin


@pytest.mark.parametrize(
    "header", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}]
)
def test_another_site_cannot_begin_a_visit(header: dict[str, str], gateway: Gateway) -> None:
    said = visit(gateway[0], gateway[0].analyst, header)
    assert said.status == 403
    assert "set-cookie" not in said.headers


def test_a_token_in_a_header_goes_before_the_cookie(guest: Browser) -> None:
    said = guest.gateway.send("GET", "/v1/visit", headers={"Cookie": guest.cookie})
    assert said.json == {"analyst": "ann", "scope": "analyst", "page_key": None}
    wrong = {"Cookie": guest.cookie, "Authorization": "Basic YTpi"}
    assert guest.gateway.send("GET", "/v1/visit", token="", headers=wrong).status == 401


def test_a_token_is_never_taken_from_the_address(gateway: Gateway) -> None:
    running, _ = gateway
    for name in ("token", "access_token", "authorization"):
        path = f"/v1/datasets?{name}={running.custodian}"
        assert exchange(running.port, request(path)).startswith(b"HTTP/1.1 401 ")
