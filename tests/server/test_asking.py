"""Questions over HTTP: answered, repeated for free, refused with a type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.gateways import Running, running


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder: Path = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        with running(folder) as found:
            yield found


def test_a_question_is_answered_and_its_repeat_is_free(gateway: Running) -> None:
    first = gateway.ask("delay > 10")
    again = gateway.ask("10 < delay")
    assert (first.status, again.status) == (200, 200)
    assert first.json["value"] == again.json["value"]
    assert first.json["low"] < first.json["value"] < first.json["high"]
    assert not first.json["replayed"]
    assert again.json["replayed"]
    assert first.json["remaining"] == again.json["remaining"]


def test_a_question_that_cannot_be_read_is_a_problem_with_its_place(gateway: Running) -> None:
    said = gateway.ask("delay >")
    assert said.status == 422
    assert said.headers["content-type"] == "application/problem+json"
    assert said.json["type"] == "/v1/problems/question-error"
    assert said.json["fields"]["position"] == 7


def test_a_slip_in_a_body_is_told_with_the_fields_that_there_are(gateway: Running) -> None:
    said = gateway.send("POST", "/v1/datasets/flights/ask", b'{"questoin": "delay > 1"}')
    assert said.status == 422
    assert (
        "JSON with question, radius, loss, guess, tolerance, trained_on, as for Ask"
        in said.json["detail"]
    )
    assert "something else: Object contains unknown field `questoin`" in said.json["detail"]
    wrong = gateway.ask("delay > 1", radius=-1)
    assert wrong.status == 422
    assert wrong.json["fields"]["argument"] == "radius"


@pytest.mark.parametrize(
    ("method", "path", "listed"),
    [
        ("GET", "/v1/nothing", "/v1/openapi.json"),
        ("GET", "/v1/problems/nothing", "/v1/openapi.json"),
        ("DELETE", "/v1/tokens/000000000000", "/v1/tokens"),
        ("GET", "/v1/datasets/nothing", "/v1/datasets"),
    ],
)
def test_what_is_not_served_is_told_with_where_it_would_be_listed(
    method: str, path: str, listed: str, gateway: Running
) -> None:
    said = gateway.send(method, path, token=gateway.custodian)
    assert said.status == 404
    assert f"GET {listed} lists what is" in said.json["detail"]


def test_a_choice_is_listed_in_the_words_of_its_reply(gateway: Running) -> None:
    asked = {"candidates": ["delay > 1", "delay > 30"]}
    reply = gateway.send("POST", "/v1/datasets/flights/best", asked).json
    past = gateway.send("GET", "/v1/datasets/flights/answers").json["answers"][-1]
    told = {key: reply[key] for key in ("chosen", "index", "candidates", "gap")}
    assert past["found"] == told
