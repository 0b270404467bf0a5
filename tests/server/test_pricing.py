"""Prices over HTTP: what an answer would be, and once there is one, what it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.gateways import Running, flights, held, running

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


def test_half_a_quotient_that_is_known_costs_the_other_half(gateway: Running) -> None:
    gateway.ask("distance > 2000", radius=0.4)
    quotient = {"questions": ["delay > 5 given distance > 2000"]}
    half = price(gateway, quotient)
    assert (half["known"], half["questions"], half["draws"]) == (False, 1, 1)
    assert half["radius"] == pytest.approx(0.4, rel=0.05)  # of the wider part
    asked = gateway.ask("delay > 5 given distance > 2000").json
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
    assert told["terms"]["outcome"] == "failed"
    assert found["radius"] <= told["radius"]
