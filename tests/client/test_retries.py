"""Lost connections, busy gateways and impatient clients: nothing is charged twice."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import peekproof
from backends import behind
from client.scripted import JSON, losing, problem, reply, scripted
from peekproof.client.dataset import RemoteData
from peekproof.client.http import Calls, Link, Token, read_address
from server.gateways import Running

pytestmark = pytest.mark.usefixtures("hasty")


def calls(address: str, *, retries: int = 4, timeout: float = 30) -> Calls:
    link = Link(
        read_address(address, insecure=False), token=Token("x"), timeout=timeout, certificates=None
    )
    return Calls(link, retries=retries)


def test_a_lost_reply_is_fetched_again_and_charged_once(
    everything: Running, local: peekproof.Session
) -> None:
    with (
        losing(everything.port) as way,
        peekproof.connect(way.address, everything.analyst, dataset="gaussian") as remote,
    ):
        before = local.ledger.spent().amount
        way.lose = 2
        found = remote.ask("delay > 41")
        assert way.lose == 0
        # As if nothing had been lost: the first one is charged, and the answer says so.
        assert not found.replayed
        assert found.cost.amount == local.ledger.spent().amount - before > 0
        way.lose = 1
        batch = remote.ask_many(["delay > 42", "delay > 43"])
        assert [each.replayed for each in batch] == [False, False]
        total = sum(each.cost.amount for each in (found, *batch))
        assert total == local.ledger.spent().amount - before


def test_after_enough_tries_the_loss_is_said(everything: Running) -> None:
    with losing(everything.port) as way:
        given = {"dataset": "gaussian", "retries": 2}
        remote = peekproof.connect(way.address, everything.analyst, **given)  # type: ignore[call-overload]
        way.lose = 100
        with pytest.raises(peekproof.GatewayUnavailable, match=r"the connection to .* broke"):
            remote.ask("delay > 51")
        assert 100 - way.lose in (3, 4)  # a connection that was idle is not counted
        assert repr(remote).startswith("<Session of ann: ")  # also while it is unreachable
        way.lose = 0
        assert remote.ask("delay > 51").replayed


def test_a_connection_that_was_closed_meanwhile_costs_no_try(everything: Running) -> None:
    with losing(everything.port) as way:
        given = {"dataset": "gaussian", "retries": 0}
        with peekproof.connect(way.address, everything.analyst, **given) as remote:  # type: ignore[call-overload]
            way.after_each = True
            for _ in range(3):
                assert remote.remaining > 0


def test_connections_are_kept_and_shared_by_threads(everything: Running) -> None:
    with (
        losing(everything.port) as way,
        peekproof.connect(way.address, everything.analyst, dataset="gaussian") as remote,
    ):
        for _ in range(5):
            assert remote.remaining
        assert way.connections == 1
        asked = [f"distance > {each % 10}" for each in range(60)]
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(remote.ask, asked))
        assert way.connections <= 7
        assert len({(each.question, each.value) for each in found}) == 10
        assert sum(not each.replayed for each in found) >= 10


def test_an_answer_that_takes_long_is_waited_for_and_charged_once(
    everything: Running, local: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    respond, calls_of_it = peekproof.Session.respond, []

    def slowly(self: peekproof.Session, questions: Any, **more: Any) -> Any:
        calls_of_it.append(questions)
        time.sleep(0.5)
        return respond(self, questions, **more)

    monkeypatch.setattr(peekproof.Session, "respond", slowly)
    with peekproof.connect(
        everything.address, everything.analyst, dataset="gaussian", retries=1000
    ) as patient:
        before = local.ledger.spent().amount
        behind(patient).data._calls.link.timeout = 0.1
        found = patient.ask("delay > 44")
    assert len(calls_of_it) == 1
    assert not found.replayed
    assert found.cost.amount == local.ledger.spent().amount - before > 0


def test_what_is_still_at_work_is_waited_for_beyond_all_tries() -> None:
    busy = problem("key-in-use", 409, problem="belongs to a request that is still at work")
    with scripted(*[busy] * 9, reply({"kept": True})) as script:
        assert calls(script.address, retries=1).spend("/v1/x", {}) == {"kept": True}
        assert len(script.requests) == 10
        assert len(script.keys()) == 1


@pytest.mark.parametrize(
    "later",
    [
        problem("too-many-requests", 429, retry_after=0.001),
        problem("gateway-unavailable", 503, problem="the gateway is busy"),
        (502, {}, b"<html>bad gateway</html>"),
        (504, {}, b""),
    ],
)
def test_what_may_be_over_soon_is_tried_again(later: tuple[int, dict[str, str], bytes]) -> None:
    with scripted(later, later, reply({"done": True})) as script:
        assert calls(script.address, retries=2).spend("/v1/x", {"a": 1}) == {"done": True}
        assert len(script.keys()) == 1
        assert {body for *_, body in script.requests} == {b'{"a":1}'}
    with scripted(later) as script:
        with pytest.raises(peekproof.GatewayError):
            calls(script.address, retries=2).spend("/v1/x", {})
        assert len(script.requests) == 3


@pytest.mark.parametrize(
    ("final", "kind"),
    [
        (problem("data-changed", 503, source="flights"), peekproof.DataChanged),
        (problem("evaluation-failed", 500), peekproof.EvaluationFailed),
        (problem("unforeseen", 500), peekproof.GatewayUnavailable),
        (problem("not-allowed", 403, problem="no"), peekproof.NotAllowed),
        (problem("too-large", 413, most=5), peekproof.TooLarge),
    ],
)
def test_what_will_not_be_over_is_not_tried_again(
    final: tuple[int, dict[str, str], bytes], kind: type[Exception]
) -> None:
    with scripted(final) as script:
        with pytest.raises(kind):
            calls(script.address).spend("/v1/x", {})
        assert len(script.requests) == 1


def test_the_gateway_is_believed_about_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("peekproof.client.http.time.sleep", waited.append)
    monkeypatch.setattr("peekproof.client.http._LONGEST_WAIT", 30.0)
    status, headers, body = problem("too-many-requests", 429, retry_after=6.5)
    told = (status, {**headers, "Retry-After": "7"}, body)
    with scripted(told, told, reply({})) as script:
        calls(script.address).look("/v1/x")
    assert waited == [7.0, 7.0]


def test_two_questions_have_two_keys() -> None:
    with scripted(reply({})) as script:
        sending = calls(script.address)
        sending.spend("/v1/x", {})
        sending.spend("/v1/x", {})
        assert len(script.keys()) == 2


def test_silence_is_an_error_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(peekproof.GatewayUnavailable, match=r"within 0\.05 seconds.*timeout="):
            calls(address, retries=1, timeout=0.05).look("/v1/x")


def lines(*said: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {**JSON}, b"".join(json.dumps(each).encode() + b"\n" for each in said)


def test_a_stream_tells_progress_and_a_broken_one_is_asked_for_again() -> None:
    told: list[tuple[int, int]] = []
    progress = {"event": "progress", "done": 5, "of": 9}
    first, second = ({"event": "answer", "index": each, "answer": {"n": each}} for each in (0, 1))
    with scripted(lines(progress, first), lines(first, second, {"event": "end"})) as script:
        data = RemoteData(
            calls(script.address), "x", progress=lambda done, of: told.append((done, of))
        )
        assert data.batch(["a", "b"], radii=[None, None]) == [{"n": 0}, {"n": 1}]
        assert told == [(5, 9)]
        assert len(script.requests) == 2
        assert len(script.keys()) == 1


def test_a_problem_at_the_end_of_a_stream_is_raised() -> None:
    fields = {"asked": 3, "remaining": 2, "questions": 9}
    said = {"type": "/v1/problems/budget-exhausted", "fields": fields}
    with scripted(lines({"event": "problem", "problem": said})) as script:
        data = RemoteData(calls(script.address), "x", progress=lambda _, __: None)
        with pytest.raises(peekproof.BudgetExhausted):
            data.batch(["a", "b"], radii=[None, None])
        assert len(script.requests) == 1


def test_batches_tell_their_progress(everything: Running) -> None:
    told: list[tuple[int, int]] = []
    listening = threading.Lock()

    def progress(done: int, of: int) -> None:
        with listening:
            told.append((done, of))

    given = {"dataset": "gaussian", "progress": progress}
    with peekproof.connect(everything.address, everything.analyst, **given) as remote:  # type: ignore[call-overload]
        found = remote.ask_many(["delay > 61", "delay > 62"])
        assert [each.replayed for each in found] == [False, False]
    assert all(done <= of for done, of in told)
