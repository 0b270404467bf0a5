"""Questions that wait together: each gets what it would have got alone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.requests import Request

from peekproof.core.errors import (
    BudgetExhausted,
    EvaluationFailed,
    GatewayUnavailable,
    LedgerUnavailable,
    QuestionError,
)
from peekproof.query.question import Question
from peekproof.server import messages
from peekproof.server.access import Caller
from peekproof.server.batching import MOST, Gathering, Work
from peekproof.server.dataset import Served
from peekproof.server.endpoint import Call
from peekproof.server.gateway import Gateway
from peekproof.server.replies import Number
from peekproof.server.routes.answers import asked_together, may_gather
from peekproof.server.settings import Limits, Settings
from peekproof.server.store import Scope, Token
from server.gateways import held

ANN = Caller(Token(id="t", slot=1, digest=b"", analyst="ann", scope=Scope.ANALYST))


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    dataset = held(tmp_path, questions=40)
    settings = Settings(datasets=(dataset,), store=tmp_path / "tokens", limits=Limits(rate=0))
    found = Gateway.open(settings)
    yield found
    found.close()


def calls(gateway: Gateway, *questions: str, **more: Any) -> list[Call]:
    return [
        Call(
            gateway=gateway,
            request=Request({"type": "http"}),
            caller=ANN,
            served=gateway.served["flights"],
            message=messages.Ask(question=each, **more),
        )
        for each in questions
    ]


def ledger_of(gateway: Gateway) -> Any:
    return gateway.served["flights"].session.ledger


def test_a_batch_says_of_each_what_it_would_have_said_alone(gateway: Gateway) -> None:
    (alone,) = asked_together(calls(gateway, "delay > 1"))
    both = asked_together(calls(gateway, "delay > 2", "mean(delay, 0, 60, 0)", "2 < delay"))
    assert ledger_of(gateway).draws() == 3
    assert isinstance(alone, Number)
    first, mean, again = (cast(Number, each) for each in both)
    for name in ("cost", "confidence", "theorems", "replayed"):
        assert getattr(first, name) == getattr(alone, name)
    assert first.records[0].terms == alone.records[0].terms
    assert mean.high <= 60
    assert (again.replayed, again.cost, again.value) == (True, "0", first.value)
    assert {first.remaining, mean.remaining} == {alone.remaining - 2}


def test_what_cannot_be_read_fails_alone_and_what_is_long_goes_alone(gateway: Gateway) -> None:
    good, bad, apart = asked_together(calls(gateway, "delay > 1", "delay >", "histogram(carrier)"))
    assert isinstance(good, Number)
    assert isinstance(bad, QuestionError)
    assert isinstance(apart, Question)
    assert ledger_of(gateway).draws() == 1


def test_the_last_questions_go_to_those_who_came_first(gateway: Gateway) -> None:
    asked_together(calls(gateway, *(f"delay > {each}" for each in range(37))))
    found = asked_together(calls(gateway, *(f"distance > {500 + each}" for each in range(6))))
    assert [type(each) for each in found] == [Number] * 3 + [BudgetExhausted] * 3
    assert ledger_of(gateway).draws() == 40


def test_a_batch_that_is_refused_all_the_same_is_asked_one_by_one(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker took what there was room for."""
    monkeypatch.setattr("peekproof.server.routes.answers._ROOM", 0.01)
    asked_together(calls(gateway, *(f"delay > {each}" for each in range(38))))
    found = asked_together(calls(gateway, *(f"distance > {500 + each}" for each in range(4))))
    assert [type(each) for each in found] == [Number] * 2 + [BudgetExhausted] * 2
    assert ledger_of(gateway).draws() == 40


def test_an_engine_that_fails_is_told_to_each_and_nothing_is_charged_twice(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise EvaluationFailed()

    monkeypatch.setattr(type(gateway.served["flights"].table), "totals", failing)
    found = asked_together(calls(gateway, "delay > 1", "night", "delay > 2"))
    assert [type(each) for each in found] == [EvaluationFailed] * 3
    assert ledger_of(gateway).draws() == 3


def test_one_question_asked_by_many_at_once_is_paid_for_once(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = gateway.served["flights"].table
    everyone, totals = threading.Barrier(8), type(table).totals

    def late(*given: Any) -> Any:
        time.sleep(0.05)  # all others would be charged meanwhile
        return totals(*given)

    def one() -> list[Any]:
        everyone.wait()
        return asked_together(calls(gateway, "delay > 12.5"))

    monkeypatch.setattr(type(table), "totals", late)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(one) for _ in range(8)]
        found = [job.result()[0] for job in jobs]
    assert ledger_of(gateway).draws() == 1
    assert sorted(each.replayed for each in found) == [False] + [True] * 7
    assert len({each.value for each in found}) == 1


def test_a_ledger_that_cannot_be_written_is_told_to_each(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise LedgerUnavailable(ledger="x", problem="is full")

    monkeypatch.setattr(type(ledger_of(gateway)), "write", failing)
    first, second = asked_together(calls(gateway, "delay > 1", "delay > 2"))
    assert isinstance(first, LedgerUnavailable)
    assert isinstance(second, LedgerUnavailable)
    assert first is not second


def test_what_has_a_price_of_its_own_goes_alone(gateway: Gateway) -> None:
    plain, wide = calls(gateway, "delay > 1"), calls(gateway, "delay > 1", radius=0.2)
    long = calls(gateway, " or ".join(f"delay = {each}" for each in range(100)))
    assert [may_gather(call) for call in (*plain, *wide, *long)] == [True, False, False]


@pytest.mark.parametrize("mechanism", ["fresh-rows", "open-ended", "checking"])
def test_where_company_changes_the_price_questions_go_alone(tmp_path: Path, mechanism: str) -> None:
    counted = {"questions": None} if mechanism == "open-ended" else {}
    in_rounds = {"rounds": 5} if mechanism == "fresh-rows" else {}
    served = Served(held(tmp_path, mechanism=mechanism, **counted, **in_rounds))
    assert not served.gathers
    served.close()


def gathered(count: int, *, waiting: int = 1024) -> list[list[int]]:
    """The batches in which so many items go, while the first ones are held up."""
    batches: list[list[int]] = []
    held_up = threading.Event()

    def together(items: list[int]) -> list[int | Exception]:
        held_up.wait(timeout=60)
        batches.append(items)
        return [ValueError(each) if each == 7 else -each for each in items]

    async def main() -> None:
        work = Work(threads=8, waiting=waiting)
        gathering: Gathering[int, int] = Gathering(work)
        jobs = [
            asyncio.ensure_future(gathering.do("line", each, together)) for each in range(count)
        ]
        await asyncio.sleep(0.05)
        held_up.set()
        found = await asyncio.gather(*jobs, return_exceptions=True)
        for each, outcome in enumerate(found[:waiting]):
            if each == 7:
                assert isinstance(outcome, ValueError)
            else:
                assert outcome == -each
        assert all(isinstance(each, GatewayUnavailable) for each in found[waiting:])
        assert work.waiting == 0
        assert not gathering._lines, "a line that nobody stands in is kept"
        work.close()

    asyncio.run(main())
    return batches


def test_nobody_waits_for_company_and_those_who_wait_go_together() -> None:
    batches = gathered(100)
    assert sorted(each for batch in batches for each in batch) == list(range(100))
    assert sorted(map(len, batches)) == [1, 1, 98 - MOST, MOST]


def test_a_line_has_an_end() -> None:
    assert sum(map(len, gathered(30, waiting=20))) == 20
