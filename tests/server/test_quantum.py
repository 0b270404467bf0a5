"""With a quantum, responses that read rows leave at its multiples, and durations tell no rows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from peekproof.audit.timing import Timing, timing
from peekproof.core.errors import EvaluationFailed, RoundsExhausted
from peekproof.server import endpoint, keys
from peekproof.server.endpoint import Endpoint
from peekproof.session.session import Session
from peekproof.testing.audits import durations_do_not_tell
from peekproof.testing.statistics import statistical
from server.gateways import Running
from server.guests import guarded, two

QUANTUM = 0.25


class Clock:
    """Time that passes when something sleeps or works, and no other."""

    def __init__(self) -> None:
        self.present = 1000.0

    def monotonic(self) -> float:
        return self.present

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.present += seconds


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with guarded(tmp_path_factory, quantum=QUANTUM) as (found, _):
        yield found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(endpoint, "time", found)
    loop = SimpleNamespace(**{**vars(asyncio), "sleep": found.sleep})
    monkeypatch.setattr(endpoint, "asyncio", loop)
    return found


WORK = [0.0, 0.0078125, 0.2421875, 0.25, 0.3125, 7.125]  # binary fractions: sums are exact


@pytest.mark.parametrize("seconds", WORK)
@pytest.mark.parametrize("ends", ["answer", "failure", "refusal", "break"])
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "key"}], ids=["", "keyed"])
def test_a_response_leaves_at_a_multiple_of_the_quantum(
    seconds: float,
    ends: str,
    key: dict[str, str],
    clock: Clock,
    gateway: Running,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    respond, recorded, kept = Session.respond, Endpoint._recorded, keys.Keyed.keep
    forgotten = keys.Keyed.forget
    left: list[float] = []

    def works(self: Session, *given: object, **named: object) -> object:
        clock.present += seconds
        if ends == "failure":
            raise EvaluationFailed()
        if ends == "refusal":
            raise RoundsExhausted(asked=1, rounds=1)
        if ends == "break":
            raise KeyError("nothing")
        return respond(self, *given, **named)  # type: ignore[arg-type]

    def leaves(*given: object) -> object:
        left.append(clock.present)
        return recorded(*given)  # type: ignore[arg-type]

    def keeps(*given: object) -> None:
        left.append(clock.present)
        kept(*given)  # type: ignore[arg-type]

    def forgets(*given: object) -> None:
        left.append(clock.present)
        forgotten(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "respond", works)
    monkeypatch.setattr(Endpoint, "_recorded", leaves)
    monkeypatch.setattr(keys.Keyed, "keep", keeps)
    monkeypatch.setattr(keys.Keyed, "forget", forgets)
    shown = {each: f"{value} {seconds} {ends}" for each, value in key.items()}
    said = gateway.send("POST", "/v1/datasets/flights/ask", {"question": "night"}, headers=shown)
    assert said.status == {"answer": 200, "failure": 500, "refusal": 409, "break": 500}[ends]
    steps = (clock.present - 1000.0) / QUANTUM
    assert steps == seconds // QUANTUM + 1
    assert left == [clock.present] * (1 + len(key))  # what a key tells is evened out as well


def test_what_reads_no_rows_does_not_wait(clock: Clock, gateway: Running) -> None:
    assert gateway.send("GET", "/v1/datasets/flights/budget").status == 200
    assert clock.present == 1000.0


@pytest.mark.parametrize("question", ["night", "night or", "delay > 99"])
def test_a_price_waits_like_the_answer(question: str, clock: Clock, gateway: Running) -> None:
    """Who asks for it all the time would see to the instant when another's answer is settled."""
    price = {"questions": [question]}
    said = gateway.send("POST", "/v1/datasets/flights/price", price)
    assert said.status == (422 if question.endswith("or") else 200)
    assert clock.present == 1000.0 + QUANTUM


# An engine that takes longer for some rows -------------------------------------------------------

SLOW = 0.02  # seconds, of which the quantum has two


def compared(factory: pytest.TempPathFactory, folder: Path, *, quantum: float, law: bool) -> Timing:
    """Durations of one question about two tables, of which one takes longer to be read."""
    respond = Session.respond

    def works(self: Session, *given: object, **named: object) -> object:
        if self.ledger.place.endswith(str(Path("surveys") / "flights.parquet.peekproof")):
            time.sleep(SLOW)
        return respond(self, *given, **named)  # type: ignore[arg-type]

    with (
        guarded(factory, *two(folder), quantum=quantum) as (running, _),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(Session, "respond", works)

        def ask(name: str) -> None:
            path = f"/v1/datasets/{name}/ask"
            assert running.send("POST", path, {"question": "night"}).status == 200

        compare = durations_do_not_tell if law else timing
        return compare(lambda: ask("surveys"), lambda: ask("flights"), pairs=30, false_alarm=1e-9)


@statistical(false_alarm=1e-9)
def test_durations_do_not_tell_the_rows(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    compared(tmp_path_factory, tmp_path, quantum=2 * SLOW, law=True)


def test_durations_of_a_gateway_without_quantum_tell_the_rows(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert compared(tmp_path_factory, tmp_path, quantum=0, law=False).tells
