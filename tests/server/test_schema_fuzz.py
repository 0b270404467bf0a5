"""What the OpenAPI document says is what the gateway does: requests are made up from it.

Schemathesis sends what the document allows and what it forbids; no response may be a failure, and
all must be as documented. PEEKPROOF_FUZZ=N makes N/100 examples for each operation.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from peekproof.server.app import ENDPOINTS
from peekproof.server.openapi import statuses
from peekproof.server.problems import STATUSES
from server.contests import contest, organiser
from server.gateways import Running
from server.guests import guarded, several, token
from server.labelled import holdout, labelled

EXAMPLES = max(4, int(os.environ.get("PEEKPROOF_FUZZ", "0")) // 100)

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
    "unsupported_method", "allow_header_conformance",
]  # fmt: skip

# Too long a message is refused before it is read.
CONFIGURED = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 409, 413, 422]
"""

# What would shut everybody out has data of its own.
OTHERS = {
    "close": "surveys", "shares": "trips",
    "score": "labels", "best-score": "labels", "ids": "labels",
}  # fmt: skip
BOARDS = {"close": "dice", "export": "done"}

QUESTIONS = [
    "delay > 10", "night", "mean(delay, 0, 10)", "histogram(carrier)", "night by carrier",
    "night given delay > 1", "quantile(delay, 0.5, 0, 100)", "delay >", "nothing > 1",
    ["share", [">", ["column", "delay"], 3]],
]  # fmt: skip


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    folder = tmp_path_factory.mktemp("data")
    scored = holdout(labelled(folder / "labels", rows=40))
    every = (*several(folder, "flights", "surveys", "trips"), scored)
    names = ("coins", "dice", "done")
    boards = {name: contest(folder, name, rows=40, submissions=10) for name in names}
    given = {"boards": tuple(each.served for each in boards.values())}
    with guarded(tmp_path_factory, *every, **given) as (found, _):
        for each in boards.values():
            assert organiser(found, each).submit(each.right(0.5)).status == 200
        closed = organiser(found, boards["done"]).send("POST", "/close", {"confirm": "done"})
        assert closed.status == 200
        yield found, folder


def document(running: Running) -> dict[str, Any]:
    found = running.send("GET", "/v1/openapi.json", token="").json
    assert isinstance(found, dict)
    return found


def narrowed(running: Running) -> dict[str, Any]:
    """The document, with names of things that exist, and without the word for the unforeseen."""
    digest = running.ask("delay > 10").json["records"][0]["digest"]
    spare = [token(running).split("_")[1] for _ in range(2)]
    found = document(running)
    for path, operations in found["paths"].items():
        for operation in operations.values():
            del operation["responses"]["default"]
            for each in operation["parameters"]:
                if each["in"] == "path":
                    known = {
                        "dataset": [OTHERS.get(path.rpartition("/")[2], "flights")],
                        "board": [BOARDS.get(path.rpartition("/")[2], "coins")],
                        "digest": [digest, "0" * 64],
                        "id": spare,
                        "name": ["invalid-input", "nothing"],
                    }
                    each["schema"] = {"type": "string", "enum": known[each["name"]]}
    schemas = found["components"]["schemas"]
    schemas["Ask"]["properties"]["question"]["anyOf"].append({"enum": QUESTIONS})
    schemas["Histogram"]["properties"]["question"] = {"enum": QUESTIONS[3:5]}
    for message, name in (("Batch", "questions"), ("PriceOf", "questions")):
        schemas[message]["properties"][name]["items"] = {"enum": QUESTIONS[:4]}
    schemas["Best"]["properties"]["candidates"] = {
        "type": "array", "items": {"enum": QUESTIONS[:2]}, "minItems": 2, "uniqueItems": True
    }  # fmt: skip
    schemas["Score"]["properties"]["predictions"] = {"enum": [[1.0] * 40, {"values": [0.0] * 40}]}
    schemas["Score"]["properties"]["metric"] = {"enum": ["accuracy", "concordant", None]}
    schemas["BestScore"]["properties"]["candidates"] = {
        "enum": [[[1.0] * 40, [0.0] * 40], [[1.0] * 40, {"values": [1.0] * 39 + [0.0]}]]
    }
    schemas["BestScore"]["properties"]["metric"] = {"enum": ["accuracy", "rest_of_brier", None]}
    schemas["Score"]["properties"]["where"] = {"enum": ["", "region = 'south'"]}
    schemas["WhatIf"]["properties"] = {
        "questions": {"type": "integer", "minimum": 1, "maximum": 10**12},
        "confidence": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    }
    confirmed = {"type": "string", "enum": ["surveys", "dice"]}
    schemas["Confirmation"]["properties"]["confirm"] = confirmed
    ids = [f"r{number}" for number in range(40)]
    schemas["Submission"]["properties"]["ids"] = {"enum": [ids]}
    schemas["Submission"]["properties"]["values"] = {"enum": [[0.0] * 40, [True] * 40]}
    schemas["Submission"]["properties"]["name"] = {"enum": ["", "forest"]}
    schemas["Submission"]["properties"]["trained_on"] = {"enum": [None]}
    schemas["BoardChoice"]["properties"]["entry"] = {"enum": [1]}
    return found


def fuzz(running: Running, folder: Path, shown: str, phases: str) -> None:
    schema = folder / "openapi.json"
    schema.write_text(json.dumps(narrowed(running)))
    (folder / "schemathesis.toml").write_text(CONFIGURED)
    command = [sys.executable, "-m", "schemathesis.cli", "run", str(schema)]
    command += ["--url", running.address, "--header", f"Authorization: Bearer {shown}"]
    command += ["--phases", phases, "--max-examples", str(EXAMPLES), "--checks", ",".join(CHECKS)]
    command += ["--generation-deterministic", "--warnings", "off", "--continue-on-failure"]
    command += ["--no-color", "--suppress-health-check", "all"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    told = "\n".join(line[:300] for line in (made.stdout + made.stderr).splitlines())
    assert made.returncode == 0, told
    assert "No issues found" in made.stdout


# Nobody guesses a token or the name of an attack.
HIDDEN = {"/v1/visit": 401, "/v1/datasets/{dataset}/attacks": 422}


def seen(running: Running) -> dict[tuple[str, str], set[int]]:
    """The statuses that each operation has given."""
    found: dict[tuple[str, str], set[int]] = {}
    for name, labels, _ in running.gateway.metrics.samples():
        said = dict(labels)
        if name == "peekproof_requests_total":
            found.setdefault((said["method"], said["route"]), set()).add(int(said["status"]))
    return found


def test_a_custodian_meets_nothing_undocumented(gateway: tuple[Running, Path]) -> None:
    running, folder = gateway
    fuzz(running, folder, running.custodian, "coverage,fuzzing")
    found = seen(running)
    for each in ENDPOINTS:  # else nothing was tried but doors
        told = found[each.method, each.path]
        wanted = {HIDDEN.get(each.path, each.success) if each.takes else each.success}
        assert wanted <= told, (each.method, each.path, told)


def test_an_analyst_meets_nothing_undocumented(gateway: tuple[Running, Path]) -> None:
    running, folder = gateway
    fuzz(running, folder, running.analyst, "fuzzing")


# The document ------------------------------------------------------------------------------------


def test_the_document_names_every_operation_once(gateway: tuple[Running, Path]) -> None:
    said = document(gateway[0])
    listed = [(method.upper(), path) for path, found in said["paths"].items() for method in found]
    assert set(listed) == {*((each.method, each.path) for each in ENDPOINTS),
                           ("GET", "/v1/openapi.json")}  # fmt: skip
    ids = [found["operationId"] for each in said["paths"].values() for found in each.values()]
    assert len(set(ids)) == len(ids)


def test_every_status_that_errors_have_is_documented_somewhere() -> None:
    documented = {status for each in ENDPOINTS for status in statuses(each)}
    undocumented = {status for _, status in STATUSES} - documented
    assert undocumented == {405}  # of methods that the document does not have


def test_addresses_without_a_token_are_documented_as_open(gateway: tuple[Running, Path]) -> None:
    said = document(gateway[0])
    for each in ENDPOINTS:
        operation = said["paths"][each.path][each.method.lower()]
        assert (operation.get("security") == []) is each.open


def test_streams_are_documented(gateway: tuple[Running, Path]) -> None:
    running, _ = gateway
    said = document(running)
    accept, body = {"Accept": "application/x-ndjson"}, {"questions": ["night"]}
    path = "/v1/datasets/flights"
    sent = {
        ("POST", f"{path}/batch"): (body, running.analyst),
        ("POST", f"{path}/verify"): (None, running.custodian),
        ("POST", f"{path}/attacks"): ({"attack": "averaging"}, running.custodian),
    }
    for (method, address), (message, shown) in sent.items():
        found = running.send(method, address, message, token=shown, headers=accept)
        named = address.replace("flights", "{dataset}")
        operation = deepcopy(said["paths"][named]["post"])
        assert found.headers["content-type"] in operation["responses"]["200"]["content"]
    streaming = {each.path for each in ENDPOINTS if each.streams}
    assert streaming == {address.replace("flights", "{dataset}") for _, address in sent}
