"""Where a gateway is, who asks, and what a newcomer is told if that goes wrong."""

from __future__ import annotations

import shutil
import socket
import subprocess
import traceback
from pathlib import Path

import pytest

import peekproof
from client.scripted import problem, reply, scripted
from peekproof.client.http import read_address
from server.gateways import Running, held, running

SECRET = "pp_0123456789ab_a-secret-that-nobody-else-may-see"


def test_the_link_of_a_custodian_is_enough(everything: Running) -> None:
    link = f"{everything.address}/#token={everything.analyst}"
    with peekproof.connect(link, dataset="gaussian") as found:
        assert found.analyst == "ann"
        assert found.schema.categories == {"carrier": ("AA", "DL", "UA")}


def test_the_token_may_be_in_the_environment(
    everything: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_TOKEN", everything.custodian)
    with peekproof.connect(everything.address, dataset="gaussian") as found:
        assert found.analyst == "custodian"
    with peekproof.connect(everything.address, everything.analyst, dataset="gaussian") as found:
        assert found.analyst == "ann"


def test_without_a_token_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PEEKPROOF_TOKEN", raising=False)
    with pytest.raises(peekproof.Unauthenticated, match="PEEKPROOF_TOKEN"):
        peekproof.connect("http://127.0.0.1:1")


def test_a_token_that_is_not_known_is_refused(everything: Running) -> None:
    with pytest.raises(peekproof.Unauthenticated):
        peekproof.connect(everything.address, SECRET)


def test_data_sets_are_listed_if_it_is_not_clear_which(everything: Running) -> None:
    for dataset in (None, "flights"):
        with pytest.raises(peekproof.InvalidInput) as refused:
            peekproof.connect(everything.address, everything.analyst, dataset=dataset)
        assert refused.value.argument == "dataset"
        assert "gaussian, laplace, truncation" in refused.value.accepted


@pytest.mark.parametrize(
    "url",
    ["", "data.example.org", "ftp://x", "https://", "http://a:b", "https://u:pw@x", 5, None],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(peekproof.InvalidInput) as refused:
        peekproof.connect(url, SECRET)
    assert refused.value.argument == "url"
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://data.example.org", "https://data.example.org"),
        ("https://data.example.org:443/", "https://data.example.org"),
        ("https://data.example.org:8417/held/#token=x", "https://data.example.org:8417/held"),
        ("http://[::1]:8417", "http://[::1]:8417"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_addresses_are_shown_as_they_are_meant(url: str, shown: str) -> None:
    assert str(read_address(url, insecure=False)) == shown


def test_a_token_does_not_travel_unencrypted_unless_that_is_wanted() -> None:
    with pytest.raises(peekproof.InvalidInput, match="insecure=True"):
        peekproof.connect("http://data.example.org", SECRET)
    assert read_address("http://data.example.org", insecure=True).host == "data.example.org"


def test_a_gateway_that_is_not_there_is_named_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(peekproof.GatewayUnavailable) as lost:
        peekproof.connect(f"http://127.0.0.1:{port}", SECRET)
    assert f"http://127.0.0.1:{port}" in str(lost.value)
    assert "peekproof serve" in str(lost.value)


OURS = ("peekproof.client", "peekproof.session")


def test_the_token_is_in_no_repr_and_in_no_error(everything: Running) -> None:
    with peekproof.connect(everything.address, everything.analyst, dataset="gaussian") as found:
        seen, queue = set(), [found]
        while queue:  # all that can be reached, as debuggers show it
            each = queue.pop()
            if id(each) not in seen and type(each).__module__.startswith(OURS):
                seen.add(id(each))
                assert everything.analyst not in repr(each)
                queue += list(vars(each).values()) if hasattr(each, "__dict__") else []
        assert len(seen) > 4
    with pytest.raises(peekproof.InvalidInput) as refused:
        peekproof.connect(everything.address, SECRET + "\n")
    assert SECRET not in "".join(traceback.format_exception(refused.value))
    with pytest.raises(peekproof.InvalidInput) as refused:
        peekproof.connect(f"htp://127.0.0.1/#token={SECRET}")
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ((200, {}, b"<html>welcome</html>"), "does not answer as a gateway does"),
        ((302, {"Location": "https://elsewhere.example.org"}, b""), "answers 302"),
        (reply({"error": "no"}), "cannot be read"),
        (reply([{"title": "no"}]), "cannot be read"),
        (problem("unforeseen", 500), "it is unforeseen"),
    ],
)
def test_what_is_no_gateway_is_said_so(
    response: tuple[int, dict[str, str], bytes], said: str
) -> None:
    with scripted(response) as script:
        with pytest.raises(peekproof.GatewayUnavailable, match=said):
            peekproof.connect(script.address, SECRET)
        assert len(script.requests) == 1  # and the token went nowhere else


def test_what_is_set_wrongly_is_refused() -> None:
    for wrong in ({"retries": -1}, {"timeout": 0}, {"timeout": float("nan")}):
        with pytest.raises(peekproof.InvalidInput, match=next(iter(wrong))):
            peekproof.connect("http://127.0.0.1:1", SECRET, **wrong)
    with pytest.raises(peekproof.InvalidInput, match="certificates"):
        peekproof.connect("https://127.0.0.1:1", SECRET, certificates="missing.pem")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_a_certificate_of_ones_own_is_trusted_only_if_it_is_named(
    tmp_path: Path, witness_folder: Path
) -> None:
    certificate, key = tmp_path / "own.pem", tmp_path / "own.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=gateway", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    with running(tmp_path, held(tmp_path), certificate=certificate, key=key) as gateway:
        address = f"https://127.0.0.1:{gateway.port}"
        with peekproof.connect(address, gateway.analyst, certificates=certificate) as found:
            assert not found.ask("delay > 10").replayed
            assert found.ask("delay > 10").replayed
        with pytest.raises(peekproof.GatewayUnavailable, match=r"not trusted.*certificates="):
            peekproof.connect(address, gateway.analyst)
    with scripted(reply([])) as script:
        plain = script.address.replace("http", "https")
        with pytest.raises(peekproof.GatewayUnavailable, match="does not answer by TLS"):
            peekproof.connect(plain, SECRET)
