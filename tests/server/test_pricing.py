"""Prices over HTTP: what an answer would be, and once there is one, what it is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from peekproof.server.batching import AT_ONCE, IN_LINE
from peekproof.server.settings import Limits
from peekproof.session.session import Session
from server.gateways import Running, Said, flights, held, running
from server.guests import guarded, token

D = "/v1/datasets/flights"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        (folder / "others").mkdir()
        others = str(flights(folder / "others", seed=2))
        checked = held(folder, name="checked", source=others, mechanism="checking")
        with running(folder, held(folder), checked) as found:
            yield found


def price(gateway: Running, body: object, *, dataset: str = D) -> dict[str, Any]:
    said = gateway.send("POST", f"{dataset}/price", body)
    assert said.status == 200, said.json
    (found,) = said.json["prices"]
    return dict(found)


def test_a_quotient_that_nothing_is_left_of_cannot_be_bought(gateway: Running) -> None:
    assert gateway.ask("delay > 9000").status == 200
    before = gateway.send("GET", f"{D}/budget").json
    text = "night given delay > 9000"
    for path, body in (
        ("ask", {"question": text}),
        ("batch", {"questions": ["delay > 12", text]}),
        ("price", {"questions": [text]}),
    ):
        refused = gateway.send("POST", f"{D}/{path}", body)
        assert refused.status == 422
        assert "group of at most" in refused.json["fields"]["given"]
    assert gateway.send("GET", f"{D}/budget").json == before


@pytest.mark.parametrize(
    ("question", "radius"),
    [
        ("delay > 3", 1e308),
        ("delay > 3", 0.5),
        ("mean(delay, -20, 120)", 70.0),  # half of 140 minutes
        ("histogram(delay, (0, 15, 60))", 0.5),
        ("night by carrier", 2.0),
        ("delay > 3 given night", 0.5),
    ],
)
def test_an_answer_that_says_nothing_cannot_be_bought(
    question: str, radius: float, gateway: Running
) -> None:
    before = gateway.send("GET", f"{D}/budget").json
    refused = gateway.ask(question, radius=radius)
    assert refused.status == 422
    assert refused.json["fields"]["argument"] == "radius"
    assert "below 0.5" in refused.json["fields"]["accepted"]
    assert gateway.send("GET", f"{D}/budget").json == before
    assert not price(gateway, {"questions": [question]})["known"]


def test_the_price_of_what_is_known_is_that_of_its_answer(gateway: Running) -> None:
    coarse = gateway.ask("delay > 4", radius=0.45).json
    told = price(gateway, {"questions": ["4 < delay"], "radius": 0.2})
    assert told["known"]
    assert told["radius"] == pytest.approx(0.45, rel=0.05)
    assert told["radius"] >= coarse["radius"]
    assert (told["questions"], told["draws"], told["cost"]) == (0, 0, "0")
    assert told["terms"] == coarse["records"][0]["terms"]
    again = gateway.ask("delay > 4", radius=0.2).json
    assert again["replayed"]
    assert again["radius"] <= told["radius"]


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("delay > 6", True),
        ("mean(delay, -20, 121, 0)", True),
        ("histogram(delay, (0, 16, 60))", True),
        ("quantile(delay, 0.5, -20, 120)", True),
        ("delay > 6 given carrier = 'AA'", False),
        ("mean(delay, -20, 120) given night", False),
        ("delay > 6 by carrier", False),
        ("mean(delay, -20, 120) by carrier", False),
    ],
)
def test_the_width_that_is_told_is_that_of_the_form(
    question: str, known: bool, gateway: Running
) -> None:
    told = price(gateway, {"questions": [question]})
    assert (told["least"] == told["radius"]) == known
    assert ("depends on the group's share" in told["width"]) != known
    found = gateway.ask(question).json
    cells = found.get("cells", [found])
    if "lowest_level" in found:
        cells = [{"value": 0.5, "low": found["lowest_level"], "high": found["highest_level"]}]
    reaches = [max(each["value"] - each["low"], each["high"] - each["value"]) for each in cells]
    assert max(reaches) <= told["radius"] * (1 + 1e-9)
    assert max(reaches) > 0.8 * told["least"]  # and it is no wider than it must be


def test_whoever_asks_is_told_what_is_dear(gateway: Running) -> None:
    def said(*questions: str) -> tuple[float, bool]:
        found = gateway.send("POST", f"{D}/price", {"questions": list(questions)}).json
        return found["cost"], found["dear"]

    median = "quantile(delay, 0.4, -20, 120)"
    assert said("delay > 61") == (1, False)
    assert said("delay > 61", "61 < delay") == (1, False)
    assert said(*(f"delay > {each}" for each in range(70, 80))) == (10, False)  # one for each
    among = [f"delay > {each} given distance > 1501" for each in range(81, 85)]
    assert said(*among) == (5, False)  # the condition is paid for once
    assert said(*(f"delay > 81 given distance > {each}" for each in (1502, 1503, 1504))) == (
        6,
        False,  # one for each that is drawn
    )
    cost, dear = said(median)
    assert (cost > 5, dear) == (True, True)
    more, still = said(median, "delay > 61")
    assert more == pytest.approx(cost + 1)
    assert still
    coarse = gateway.ask("night", radius=0.4)
    assert coarse.status == 200
    known = ["night"] * int(cost + 2)
    assert said(median, *known) == (cost, True)  # what is known is not drawn


def test_half_a_quotient_that_is_known_costs_the_other_half(gateway: Running) -> None:
    gateway.ask("distance > 2000", radius=0.4)
    quotient = {"questions": ["delay > 5 given distance > 2000"]}
    half = price(gateway, quotient)
    assert (half["known"], half["questions"], half["draws"]) == (False, 1, 1)
    assert half["least"] <= half["radius"] <= 1  # as far as the share that is known tells
    asked = gateway.ask("delay > 5 given distance > 2000").json
    assert asked["radius"] <= half["radius"]
    assert [each["drawn"] for each in asked["records"]] == [True, False]
    assert price(gateway, quotient)["known"]


def test_choices_that_are_known_are_free(gateway: Running) -> None:
    candidates = {"candidates": ["delay > 10", "night", "distance > 900"]}
    new = price(gateway, candidates)
    chosen = gateway.send("POST", f"{D}/best", candidates).json
    told = price(gateway, candidates)
    assert (new["known"], told["known"], told["cost"]) == (False, True, "0")
    assert told["radius"] == pytest.approx(chosen["gap"])


def test_a_failed_guess_is_priced_by_the_interval_that_it_left(gateway: Running) -> None:
    place, guess = "/v1/datasets/checked", {"guess": 0.02, "tolerance": 0.2}
    new = price(gateway, {"questions": ["delay > 5"], **guess}, dataset=place)
    found = gateway.send("POST", f"{place}/ask", {"question": "delay > 5", **guess}).json
    told = price(gateway, {"questions": ["delay > 5"]}, dataset=place)
    assert (new["known"], told["known"], told["cost"]) == (False, True, "0")
    assert (new["failed"], told["failed"]) == (False, True)
    assert found["radius"] <= told["radius"]


# Free, and limited all the same ------------------------------------------------------------------


class Stuck:
    """Prices that begin and do not end before they are told to."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.begun, self.most, self.now = threading.Semaphore(0), 0, 0
        self.may_end, self._turn = threading.Event(), threading.Lock()
        found = Session.price_of

        def waits(*given: Any, **named: Any) -> object:
            with self._turn:
                self.now += 1
                self.most = max(self.most, self.now)
            self.begun.release()
            assert self.may_end.wait(60)
            with self._turn:
                self.now -= 1
            return found(*given, **named)

        patch.setattr(Session, "price_of", waits)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stuck]:
    found = Stuck(monkeypatch)
    yield found
    found.may_end.set()


def test_prices_of_one_analyst_do_not_take_all_threads(gateway: Running, stuck: Stuck) -> None:
    """The gateway has eight threads: twenty long prices leave room for the questions of others."""
    body = {"questions": ["delay > 70"]}

    def priced(_: int) -> Said:
        return gateway.send("POST", f"{D}/price", body)

    with ThreadPoolExecutor(20) as many:
        waiting = [many.submit(priced, number) for number in range(20)]
        try:
            for _ in range(AT_ONCE):
                assert stuck.begun.acquire(timeout=60)
            other = token(gateway)
            assert gateway.ask("delay > 71", token=other).status == 200
            assert gateway.ask("delay > 72").status == 200  # nor those of the same analyst
        finally:
            stuck.may_end.set()
        assert {each.result().status for each in waiting} == {200}
    assert stuck.most == AT_ONCE


def test_a_line_of_prices_has_an_end(gateway: Running, stuck: Stuck) -> None:
    """Who fills the line fills their own, and not what waits in all."""
    body, more = {"questions": ["delay > 73"]}, 5

    def priced(_: int) -> int:
        return gateway.send("POST", f"{D}/price", body).status

    with ThreadPoolExecutor(IN_LINE + more) as many:
        waiting = [many.submit(priced, number) for number in range(IN_LINE + more)]
        try:
            for _ in range(AT_ONCE):
                assert stuck.begun.acquire(timeout=60)
            while sum(each.done() for each in waiting) < more:
                threading.Event().wait(0.01)
            assert gateway.gateway.work.waiting == AT_ONCE
        finally:
            stuck.may_end.set()
        found = sorted(each.result() for each in waiting)
    assert found == [200] * IN_LINE + [429] * more
    assert priced(0) == 200


def test_prices_are_counted_and_sized_like_questions(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    limits = Limits(rate=0.001, burst=8, questions=3, body=2000)
    with guarded(tmp_path_factory, limits=limits) as (gateway, _):
        listed = [f"delay > {number}" for number in range(4)]
        for path, body, status in (
            ("batch", {"questions": listed}, 422),
            ("price", {"questions": listed}, 422),
            ("best", {"candidates": listed}, 422),
            ("price", {"candidates": listed}, 422),
            ("price", {"candidates": listed[:3]}, 200),
            ("ask", {"question": "delay > " + "1" * 3000}, 413),
            ("price", {"questions": ["delay > " + "1" * 3000]}, 413),
            ("price", {"questions": listed[:3]}, 200),
            ("price", {"questions": listed[:1]}, 429),
            ("ask", {"question": "delay > 1"}, 429),
        ):
            said = gateway.send("POST", f"{D}/{path}", body)
            assert said.status == status, (path, said.body)
            if status == 422:
                assert said.json["fields"]["accepted"] == "at most 3"
