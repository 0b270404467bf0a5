"""Numbers that do not follow from their record are not passed on, whoever altered them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import peekproof
from backends import behind
from peekproof.client.dataset import Promise, RemoteData
from peekproof.ledger.entry import Settled
from server.gateways import Running

Altering = Callable[[Any], object]


def altered(monkeypatch: pytest.MonkeyPatch, change: Altering, method: str = "ask") -> None:
    """Replies are changed on their way."""
    original = getattr(RemoteData, method)

    def changed(*given: Any, **more: Any) -> Any:
        said = copy.deepcopy(original(*given, **more))
        change(said)
        return said

    monkeypatch.setattr(RemoteData, method, changed)


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.update(value=0.5),
        lambda said: said.update(low=said["low"] + 0.01),
        lambda said: said.update(high=said["high"] - 0.01),
        lambda said: said.update(confidence=0.99),
        lambda said: said.update(cost="1/7"),
        lambda said: said.update(replayed=not said["replayed"]),
        lambda said: said.update(theorems=["T-wish"]),
        lambda said: said.pop("low"),
        lambda said: said["records"][0].update(value="1/3"),
        lambda said: said["records"][0].update(value="4/3"),
        lambda said: said["records"][0].update(value=["1/3", "1/3"]),
        lambda said: said["records"][0].update(value="1/0"),
        lambda said: said["records"][0].update(digest="0" * 64),
        lambda said: said["records"][0].update(terms={"kind": "wishful"}),
        lambda said: said["records"][0].update(terms={"low": "0", "high": "2"}),
        lambda said: said["records"][0].update(cost="-1"),
        lambda said: said["records"].clear(),
        lambda said: said.pop("records"),
        lambda said: said.update(remaining="many"),
    ],
)
def test_a_reply_that_was_altered_is_not_believed(
    change: Altering, remote: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.ask("delay > 71")
    altered(monkeypatch, change)
    with pytest.raises(peekproof.GatewayUnavailable, match="do not believe it"):
        remote.ask("delay > 71")


def test_a_radius_that_the_theorems_do_not_give_is_a_mismatch(
    remote: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = remote.ask("delay > 71").radius
    altered(monkeypatch, lambda said: said.update(radius=honest / 2))
    with pytest.raises(peekproof.CertificateMismatch) as found:
        remote.ask("delay > 71")
    assert (found.value.claimed, found.value.recomputed) == (honest / 2, honest)


def test_a_reply_to_another_question_is_not_believed(
    remote: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = RemoteData.ask
    monkeypatch.setattr(
        RemoteData, "ask", lambda self, route, _: asked(self, route, {"question": "delay > 72"})
    )
    with pytest.raises(peekproof.GatewayUnavailable, match="answer to another question"):
        remote.ask("delay > 71")


def test_a_batch_with_a_reply_too_few_is_not_believed(
    remote: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    altered(monkeypatch, lambda said: said.__delitem__(0), "batch")
    with pytest.raises(peekproof.GatewayUnavailable, match="do not believe it"):
        remote.ask_many(["delay > 71", "delay > 72"])


def test_another_ledger_in_the_same_place_is_noticed(
    everything: Running, remote: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = remote.ask("delay > 71")
    with peekproof.connect(everything.address, everything.analyst, dataset="truncation") as other:
        promise = behind(other).promise
    monkeypatch.setattr(RemoteData, "promise", lambda _: promise)
    altered(monkeypatch, lambda said: said.update(promise=promise.mark))
    with pytest.raises(peekproof.GatewayUnavailable, match="another ledger"):
        remote.ask("delay > 71")
    with pytest.raises(peekproof.GatewayUnavailable, match="another ledger"):
        before.certificate.verify()


def test_certificates_are_verified_by_receipts_also_after_the_session(
    everything: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with peekproof.connect(everything.address, everything.analyst, dataset="gaussian") as remote:
        quotient = remote.conditional("mean(distance, 0, 3000)")
        answer = quotient.over
        terms = answer.certificate.derivation.draw.record()  # type: ignore[union-attr]
        of_terms = remote.certificate(Settled("delay > 1", Fraction(1, 2), terms))
    with pytest.raises(peekproof.GatewayUnavailable, match="closed"):
        remote.ask("delay > 71")
    assert answer.certificate.verify() == answer.certificate == of_terms.verify()
    assert quotient.certificate.verify() == quotient.certificate

    parts = tuple(replace(part, radius=part.radius / 2) for part in answer.certificate.parts)
    with pytest.raises(peekproof.CertificateMismatch):
        replace(answer.certificate, parts=parts).verify()
    altered(monkeypatch, lambda said: said["certificate"].update(radius=0.001), "receipt")
    with pytest.raises(peekproof.CertificateMismatch, match=r"0\.001"):
        answer.certificate.verify()
    with pytest.raises(peekproof.CertificateMismatch, match=r"0\.001"):
        quotient.certificate.verify()


def test_a_promise_that_no_theorem_gives_is_not_believed(
    everything: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    from peekproof.client.http import Calls  # noqa: PLC0415

    look = Calls.look

    def lying(self: Calls, path: str) -> Any:
        said = look(self, path)
        if path.endswith("/gaussian"):
            said["opening"]["mechanism"]["sigma"] = "1/100000"
            said["version"] = "99.0"
        return said

    monkeypatch.setattr(Calls, "look", lying)
    with pytest.raises(peekproof.GatewayUnavailable, match=r"runs peekproof 99\.0"):
        peekproof.connect(everything.address, everything.analyst, dataset="gaussian")


def test_names_that_a_gateway_makes_up_are_spelled_out(
    everything: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who the token is for, and what others asked, is the gateway's word."""
    made, name = Promise.__init__, "ann\x1b[2J\u202e\x9b"

    def lied(self: Promise, said: Any, *given: Any, **more: Any) -> None:
        made(self, {**said, "analyst": name}, *given, **more)

    monkeypatch.setattr(Promise, "__init__", lied)
    with peekproof.connect(everything.address, everything.analyst, dataset="gaussian") as found:
        for text in (repr(found), found._repr_html_()):
            assert all(each.isprintable() or each == "\n" for each in text)
        assert "ann\\x1b[2J" in repr(found)
