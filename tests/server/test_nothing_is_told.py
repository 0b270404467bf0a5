"""Two tables that differ in one row cannot be told apart by anything but the answers about it.

Statuses, headers, bodies, the audit log, the server's log and whatever is printed are compared,
with equal draws of noise. Problems name no places, and engines that fail have no words.
"""

from __future__ import annotations

import http.client
import json
import math
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from uvicorn.protocols.http import httptools_impl

from peekproof.audit.channels import Calls, Overheard, Public, compare_channels, overhearing
from peekproof.core.errors import (
    DataChanged,
    DataError,
    EvaluationFailed,
    LedgerError,
    PeekproofError,
    problem_name,
    problems,
)
from peekproof.data.evaluate import Columns
from peekproof.noise import entropy
from peekproof.server.connections import HEADERS
from peekproof.server.endpoint import Endpoint
from peekproof.server.routes import ledgers
from peekproof.session.session import Session
from server.gateways import CARRIERS, Running, Said, held, running
from server.guests import guarded

SECRET = "4711-secret-cell"
D = "/v1/datasets/flights"

# With the columns that each is about; all but answers about the odd row's column must be equal.
ASKED = [
    "delay > 10", "distance > 700", "night", "carrier = 'AA'", "mean(distance, 0, 3000)",
    "mean(delay, -100, 100)", "histogram(carrier)", "histogram(delay, (0, 10))",
    "night by carrier", "mean(distance, 0, 3000) by carrier", "night given carrier = 'DL'",
    "quantile(distance, 0.5, 0, 3000)", "quantile(delay, 0.5, 0, 100)",
    "delay / distance > 1", "delay * 1e308 > 1", "delay is null", "carrier like '%secret%'",
    "delay >", "nothing > 1", "carrier > 1", "delay > 1e999", "mean(delay, 1, 0)",
]  # fmt: skip
LOOKED = [
    ("GET", "/v1/datasets", None), ("GET", D, None), ("GET", f"{D}/plan", None),
    ("GET", f"{D}/budget", None), ("GET", f"{D}/spending", None), ("GET", f"{D}/nothing", None),
    ("POST", f"{D}/price", {"questions": ["night", "delay > 77"]}),
    ("POST", f"{D}/price", {"candidates": ["night", "delay > 77"]}),
    ("POST", f"{D}/plan", {"questions": 10, "confidence": 0.9}),
    ("POST", f"{D}/ask", {"question": "night", "radius": 1e-9}),
    ("POST", f"{D}/ask", {"question": "distance > 3", "guess": 0.5}),
    ("POST", f"{D}/batch", {"questions": [f"distance > {each}" for each in range(500)]}),
    ("POST", f"{D}/batch", {"questions": ["night", "distance > 9"]}),
    ("POST", f"{D}/best", {"candidates": ["night", "distance > 9"]}),
    ("POST", f"{D}/histogram", {"question": "histogram(distance, (100, 500))"}),
    ("GET", f"{D}/analysts", None), ("POST", f"{D}/verify", None), ("GET", "/metrics", None),
]  # fmt: skip

Row = dict[str, float | str | None]

# Names of all rows (custodians see the plain one), digests, times, and names of requests.
_STEADY = [
    (re.compile(r"(pp1|data)-[0-9a-f]{32}"), "FINGERPRINT"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:]+(Z|\+00:00)"), "TIME"),
    (re.compile(r'"(request|token|name)": ?"[0-9a-f]{12,32}"'), "NAME"),
    (re.compile(r'"promise": ?"[0-9a-f]{32}-0"'), "PROMISE"),
]


def steady(text: str) -> str:
    for pattern, name in _STEADY:
        text = pattern.sub(name, text)
    return text


def table(folder: Path, row: Row) -> Path:
    """Ordinary rows, but for the first."""
    rng, path, size = random.Random(3), folder / "flights.parquet", 5000
    made = pl.DataFrame(
        {
            "delay": [rng.gauss(5, 30) for _ in range(size)],
            "distance": [rng.randrange(100, 3000) for _ in range(size)],
            "carrier": [rng.choice(CARRIERS) for _ in range(size)],
            "night": [rng.random() < 0.2 for _ in range(size)],
        }
    )
    for name, value in row.items():
        column = made[name].to_list()
        made = made.with_columns(pl.Series(name, [value, *column[1:]], dtype=made[name].dtype))
    made.write_parquet(path)
    return path


@contextmanager
def serving(row: Row) -> Iterator[tuple[Running, Path]]:
    """A gateway for the table, with draws that repeat."""
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        patch.setattr(entropy, "_system", random.Random(5))
        patch.setattr(httptools_impl, "TRACE_LOG_LEVEL", -1)  # ports of clients differ each time
        about = held(folder)
        table(folder, row)
        with running(folder, about, audit_log=folder / "audit", threads=1) as found:
            yield found, folder / "audit"


def shown(said: Said, *, whole: bool) -> Public:
    """All that is said, or only its shape if the row may have a part in the answer."""
    headers = {name: value for name, value in said.headers.items() if name != "date"}
    if whole:
        return Public(f"{said.status} {headers} {steady(said.body.decode())}")
    headers.pop("content-length")
    found = said.json
    return Public(f"{said.status} {headers} {sorted(found)} {found['confidence']}")


def conversation(row: Row) -> Calls:
    (column,) = row
    with serving(row) as (gateway, log):
        for text in ASKED:
            whole = column not in text or gateway.send("POST", f"{D}/price", {
                "questions": [text]}).status == 422  # fmt: skip
            yield text, partial(lambda text, whole: shown(gateway.ask(text), whole=whole),
                                text, whole)  # fmt: skip
        for method, path, body in LOOKED:
            for name in ("analyst", "custodian"):
                send = partial(gateway.send, method, path, body, token=getattr(gateway, name))
                yield f"{name} {method} {path}", partial(lambda s: shown(s(), whole=True), send)
        yield "audit log", lambda: Public(steady(log.read_text()))


ROWS: dict[str, tuple[Row, Row]] = {
    "not a number": ({"delay": 1.0}, {"delay": math.nan}),
    "the largest number": ({"delay": 1.0}, {"delay": 1.7976931348623157e308}),
    "no number": ({"delay": 1.0}, {"delay": None}),
    "a secret": ({"carrier": "AA"}, {"carrier": SECRET}),
}


@pytest.mark.parametrize("about", ROWS)
def test_one_row_is_seen_nowhere_but_in_answers_about_it(about: str) -> None:
    report = compare_channels(conversation, *ROWS[about])
    assert report.calls == len(ASKED) + 2 * len(LOOKED) + 1
    assert not report.tells, str(report)


def _names_its_row(self: Columns, name: str) -> pl.Series:
    raise ValueError(f"cannot convert {[series[0] for series in self._series.values()]}")


def _panics(self: Columns, name: str) -> pl.Series:
    raise pl.exceptions.PanicException(f"invalid {[s[0] for s in self._series.values()]}")


@pytest.mark.parametrize("fails", [_names_its_row, _panics])
def test_engines_that_quote_rows_are_not_heard(
    fails: Callable[[Columns, str], pl.Series], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Columns, "doubles", fails)
    monkeypatch.setattr(Columns, "series", fails)
    row: Row = {"carrier": SECRET}
    with serving(row) as (gateway, log):
        with overhearing() as heard:
            said = [gateway.ask(text) for text in ASKED[:8]]
        assert {each.status for each in said} == {500}
        assert {each.json["type"] for each in said} == {"/v1/problems/evaluation-failed"}
        check_silent(said, heard, log)


def test_a_gateway_that_passes_on_the_words_of_engines_is_detected() -> None:
    """The named wrong one: its problems quote what the engine said."""

    def loose(row: Row) -> Calls:
        with serving(row) as (gateway, _), pytest.MonkeyPatch.context() as patch:

            def breaks(self: Session, *_: object, **__: object) -> object:
                raise EvaluationFailed() from ValueError(str(row))

            patch.setattr(Session, "respond", breaks)
            patch.setattr(
                EvaluationFailed, "__str__", lambda self: f"failed: {self.__cause__}", raising=True
            )
            # With a radius, for those that wait together are told of a copy of the error.
            yield "ask", lambda: shown(gateway.ask("night", radius=0.4), whole=True)

    report = compare_channels(loose, *ROWS["a secret"])
    assert {each.channel for each in report.differences} == {"returned", "log"}


# Errors ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    log = tmp_path_factory.mktemp("log") / "audit"
    with guarded(tmp_path_factory, audit_log=log) as (found, _):
        yield found, log


def check_silent(said: list[Said], heard: Overheard, log: Path) -> None:
    for each in said:
        assert SECRET not in each.body.decode() + str(each.headers)
    assert SECRET not in log.read_text()
    assert SECRET not in str(dict(heard))


def _made(kind: type[PeekproofError]) -> PeekproofError:
    """An error with the secret in every text."""
    fields = kind.__dataclass_fields__
    return kind(**{name: SECRET if field.type in (str, "str") else 7
                   for name, field in fields.items()})  # fmt: skip


def _below(*kinds: type[PeekproofError]) -> list[str]:
    return [name for name, kind in problems().items() if issubclass(kind, kinds)]


def raising(error: BaseException, patch: pytest.MonkeyPatch) -> None:
    def breaks(self: Session, *_: object, **__: object) -> object:
        raise error

    for name in ("respond", "histogram", "best", "quantile"):
        patch.setattr(Session, name, breaks)


@pytest.mark.parametrize("name", _below(LedgerError, DataError, DataChanged))
def test_problems_with_ledgers_and_data_name_no_place(
    name: str, gateway: tuple[Running, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, log = gateway
    raising(_made(problems()[name]), monkeypatch)
    with overhearing() as heard:
        said = [
            running.ask("night"),
            running.send("POST", f"{D}/batch", {"questions": ["night"]}),
            running.send("POST", f"{D}/batch", {"questions": ["night"]},
                         headers={"Accept": "application/x-ndjson"}),
            running.send("POST", f"{D}/best", {"candidates": ["night", "delay > 1"]}),
        ]  # fmt: skip
    assert {each.status for each in said} == {409 if name == "ledger-closed" else 503}
    if issubclass(problems()[name], LedgerError | DataChanged):
        heard.pop("log", None)  # the custodian's: it may name the ledger, which has no rows in it
    check_silent(said, heard, log)


@pytest.mark.parametrize(
    "error", [ValueError(SECRET), pl.exceptions.PanicException(SECRET), MemoryError(SECRET)]
)
def test_what_nobody_foresaw_is_withheld(
    error: BaseException, gateway: tuple[Running, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, log = gateway
    raising(error, monkeypatch)
    with overhearing() as heard:
        said = [running.ask("night"), running.send("POST", f"{D}/histogram", {"question": "night"})]
    assert {(each.status, each.json["type"]) for each in said} == {(500, "/v1/problems/unforeseen")}
    check_silent(said, heard, log)
    assert type(error).__name__ in str(heard["log"])


def test_an_error_outside_of_all_handlers_is_withheld(
    gateway: tuple[Running, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, log = gateway

    def breaks(*_: object) -> object:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(Endpoint, "_recorded", breaks)
    with overhearing() as heard:
        said = [running.send("GET", "/v1/datasets")]
    assert (said[0].status, said[0].json["type"]) == (500, "/v1/problems/unforeseen")
    assert said[0].headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    check_silent(said, heard, log)


def test_a_stream_that_breaks_off_is_cut_without_words(
    gateway: tuple[Running, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    running, log = gateway

    def breaks(*_: object, **__: object) -> Iterator[object]:
        raise _made(problems()["ledger-damaged"])
        yield

    monkeypatch.setattr(ledgers, "checked", breaks)
    with overhearing() as heard, pytest.raises(http.client.IncompleteRead) as cut:
        running.send("GET", f"{D}/ledger", token=running.custodian)
    assert SECRET.encode() not in cut.value.partial
    check_silent([], heard, log)
    assert json.loads(log.read_text().splitlines()[-1])["whole"] is False


def test_a_closed_ledger_is_a_refusal_that_names_the_data_set(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with guarded(tmp_path_factory) as (running, folder):
        assert running.ask("night").status == 200
        done = running.send("POST", f"{D}/close", {"confirm": "flights"}, token=running.custodian)
        assert done.status == 200
        said = running.ask("delay > 3")
        assert (said.status, said.json["fields"]) == (409, {"ledger": "flights", "reason": ""})
        assert str(folder) not in said.body.decode()
        assert running.ask("night").json["replayed"]


def test_what_analysts_see_names_no_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    with guarded(tmp_path_factory) as (running, folder):
        said = [running.ask("night"), running.ask("night >")]
        paths = ["/v1/datasets", D, *(f"{D}/{each}" for each in ("plan", "budget", "answers"))]
        said += [running.send("GET", path) for path in paths]
        said += [running.send("GET", "/v1/openapi.json"), running.send("GET", "/")]
        assert [each.status for each in said if each.status != 200] == [422]
        assert [each.body for each in said if str(folder) in each.body.decode()] == []


def test_receipts_name_no_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    with guarded(tmp_path_factory) as (running, folder):
        digest = running.ask("night").json["records"][0]["digest"]
        said = running.send("GET", f"{D}/answers/{digest}")
        assert said.status == 200
        assert str(folder) not in said.body.decode()


@pytest.mark.parametrize("name", sorted(problems()))
def test_every_problem_is_explained_where_its_type_points(
    name: str, gateway: tuple[Running, Path]
) -> None:
    said = gateway[0].send("GET", f"/v1/problems/{name}", token="")
    assert said.status == 200
    assert said.json["name"] == name == problem_name(problems()[name])
    assert said.json["about"]
