"""Guesses of the rows cannot be tested offline by what analysts and readers are shown.

The fingerprint of data is an unsalted hash of its rows. Whoever sees it can work out the one of
each guess and compare, without asking: all labels of a small holdout, or the exact count of a
column. So everything that an analyst can reach is collected here, over HTTP and from reports, and
attacked; on the ledger itself, which is the custodian's, the same attacks succeed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import peekproof
from backends import behind
from peekproof.core.errors import problems
from peekproof.data.fingerprint import fingerprint
from peekproof.data.normal import normalised
from peekproof.learn.board.contest import FINAL, PUBLIC, read_both, read_held
from peekproof.learn.held import LABEL, ROW, HeldRows
from peekproof.learn.naming import row_names
from peekproof.learn.opening import held_rows
from peekproof.ledger.entry import GENESIS, link
from peekproof.server.app import ENDPOINTS, FOLDER
from peekproof.server.settings import Dataset
from peekproof.session.receipt import receipts
from server.contests import Contest, contest, organiser
from server.gateways import Running, running

FLIPS = 2000
SMALL = 29  # rows of the holdout
UNKNOWN = 10  # of its labels; the attacker has the others from somewhere
RNG = np.random.default_rng(31)
HEADS = RNG.random(FLIPS) < 0.37
LABELS = RNG.integers(0, 2, SMALL).astype(float)
REGIONS = RNG.choice(["north", "south"], SMALL).tolist()
IDS = [f"row-{number}" for number in range(SMALL)]


# The attacks ---------------------------------------------------------------------------------


def heads_by_print() -> dict[str, int]:
    """For each number of heads the fingerprint of a table of so many, in any order."""
    counts = range(FLIPS + 1)
    return {coins_print(np.arange(FLIPS) < heads): heads for heads in counts}


def coins_print(heads: Any) -> str:
    return fingerprint(normalised(pl.DataFrame({"heads": pl.Series(heads, dtype=pl.Boolean)})))


def labels_by_print() -> dict[str, tuple[float, ...]]:
    """For each way to fill in what is unknown the fingerprint of the holdout with these labels."""
    names, known = row_names(IDS, rows=SMALL), LABELS[:-UNKNOWN].tolist()
    found = {}
    for guess in product((0.0, 1.0), repeat=UNKNOWN):
        rows = pl.DataFrame({LABEL: [*known, *guess], ROW: names})
        found[fingerprint(normalised(rows))] = guess
    return found


HEADS_BY_PRINT, LABELS_BY_PRINT = heads_by_print(), labels_by_print()


def recovered(text: str, guesses: Mapping[str, object]) -> list[object]:
    """What a text gives away to whoever has worked out the fingerprints of all guesses."""
    words = set(re.findall(r"[0-9a-f]{32,}", text.lower()))  # also within a place, or without pp1-
    return [each for mark, each in guesses.items() if mark.partition("-")[2] in words]


def hashes(*sources: Any) -> list[str]:
    """The plain fingerprints of sources, and of the groups of holdouts."""
    found = [each.fingerprint for each in sources]
    found += [about for each in sources if (about := str(getattr(each, "about", "")))]
    return [mark for each in found for mark in re.findall(r"pp1-([0-9a-f]{32})", each)]


def check_silent(told: Mapping[str, str], *sources: Any) -> None:
    """Nothing that was told has a fingerprint of these sources in it, and no attack gets any."""
    marks = hashes(*sources)
    assert len(marks) >= len(sources)
    leaks = [where for where, text in told.items() if any(mark in text for mark in marks)]
    assert leaks == []
    everything = "\n".join(told.values())
    assert "pp1-" not in everything  # nor that of anything that was not thought of
    assert recovered(everything, HEADS_BY_PRINT) == []
    assert recovered(everything, LABELS_BY_PRINT) == []


# What is attacked ----------------------------------------------------------------------------


def coins(folder: Path) -> Path:
    """A table of one column of which the witness was damaged once, as overrides record."""
    path = folder / "coins.csv"
    pl.DataFrame({"heads": HEADS}).write_csv(path)
    peekproof.open(path, questions=50, mechanisms=[peekproof.Gaussian]).close()
    (record,) = (folder / "witness").glob("pp1-*.json")
    record.write_bytes(b"damaged")
    with peekproof.open(path, override="the disk was full") as session:
        assert "pp1-" in session.ledger.overrides[0]["against"]  # the custodian's, in the ledger
    return path


def labels(folder: Path) -> Path:
    path = folder / "labels.csv"
    columns = {"id": IDS, "y": LABELS.astype(int), "region": REGIONS}
    pl.DataFrame(columns).write_csv(path)
    return path


def held() -> HeldRows:
    return held_rows(IDS, LABELS, {"region": pl.Series(REGIONS)})


@dataclass(frozen=True)
class Served:
    gateway: Running
    contest: Contest
    coins: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "witness"))
        path, board = coins(folder), contest(folder, "dice", rows=400)
        datasets = (
            Dataset(name="coins", source=str(path)),
            Dataset(name="labels", source=str(labels(folder)), label="y", id="id",
                    groups=("region",), questions=5, confidence=0.5),
        )  # fmt: skip
        with running(folder, *datasets, boards=(board.served,)) as gateway:
            yield Served(gateway, board, path)


GUESSES = {"predictions": LABELS.tolist(), "guess": 0.9, "metric": "accuracy"}

# Every way to spend, to look and to be refused, by method and path as routes have them.
SENT: dict[tuple[str, str], list[tuple[dict[str, str], object]]] = {
    ("POST", "/v1/datasets/{dataset}/ask"): [
        ({"dataset": "coins"}, {"question": "heads"}),
        ({"dataset": "coins"}, {"question": "not heads", "radius": 0.3}),
        ({"dataset": "coins"}, {"question": "nothing"}),
        ({"dataset": "labels"}, {"question": "region = 'north'", "guess": 0.5}),
    ],
    ("POST", "/v1/datasets/{dataset}/batch"): [
        ({"dataset": "coins"}, {"questions": ["heads and heads", "not heads"]}),
    ],
    ("POST", "/v1/datasets/{dataset}/histogram"): [
        ({"dataset": "coins"}, {"question": "histogram(heads)"}),
    ],
    ("POST", "/v1/datasets/{dataset}/best"): [
        ({"dataset": "coins"}, {"candidates": ["heads", "not heads"]}),
    ],
    ("POST", "/v1/datasets/{dataset}/score"): [
        ({"dataset": "labels"}, GUESSES),
        ({"dataset": "labels"}, {**GUESSES, "where": "region = 'north'", "guess": 0.5}),
        ({"dataset": "labels"}, {**GUESSES, "predictions": [0.0] * SMALL}),
    ],
    ("POST", "/v1/datasets/{dataset}/best-score"): [
        ({"dataset": "labels"}, {"candidates": [[0.0] * SMALL, [1.0] * SMALL]}),
    ],
    ("POST", "/v1/datasets/{dataset}/price"): [
        ({"dataset": "coins"}, {"questions": ["heads", "not heads"]}),
    ],
    ("POST", "/v1/datasets/{dataset}/plan"): [
        ({"dataset": "coins"}, {"questions": 10, "confidence": 0.9}),
    ],
    ("POST", "/v1/boards/{board}/entries"): [({"board": "dice"}, None)],
    ("PUT", "/v1/boards/{board}/choice"): [({"board": "dice"}, {"entry": 1})],
    ("POST", "/v1/visit"): [({}, {"token": None})],
    ("DELETE", "/v1/visit"): [({}, None)],
}


def filled(path: str, digests: Mapping[str, list[str]]) -> list[str]:
    """The addresses of a route that is looked at, for all that is served."""
    if "{name}" in path:
        return [path.format(name=name) for name in problems()]
    if "{digest}" in path:
        every = [(name, each) for name, listed in digests.items() for each in listed]
        return [path.format(dataset=name, digest=digest) for name, digest in every]
    if "{dataset}" in path:
        return [path.format(dataset=name) for name in digests]
    return [path.format(board="dice")]


def walked(found: Served) -> dict[str, str]:
    """All that an analyst is sent, by where it came from: bodies, headers, refusals."""
    gateway, told, reached = found.gateway, {}, set()

    def send(method: str, path: str, body: object = None, **more: Any) -> Any:
        said = gateway.send(method, path, body, **more)
        where = f"{method} {path} {json.dumps(body)[:80]} {more}"
        told[where] = f"{said.status} {dict(said.headers)}\n{said.body.decode()}"
        return said

    for (method, path), messages in SENT.items():
        for places, given in messages:
            body = given
            if path.endswith("/entries"):
                body = {**found.contest.right(0.7), "declared": 0.7}
            elif path == "/v1/visit" and given:
                body = {"token": gateway.analyst}
            said = send(method, path.format(**places), body)
            if said.status < 300:
                reached.add((method, path))
            if path.endswith("/batch"):
                lines = {"Accept": "application/x-ndjson"}
                send(method, path.format(**places), body, headers=lines)
    closed = organiser(gateway, found.contest).send("POST", "/close", {"confirm": "dice"})
    assert closed.status == 200
    digests = {
        name: [each["digest"] for each in
               send("GET", f"/v1/datasets/{name}/answers").json["answers"]]
        for name in ("coins", "labels")
    }  # fmt: skip
    assert all(digests.values())
    for each in ENDPOINTS:
        if each.method == "GET" or each.custodian:
            for path in filled(each.path.replace("{id}", "1"), digests):
                if send(each.method, path).status < 300:
                    reached.add((each.method, each.path))
    for path in ("/v1/openapi.json", "/", *(f"/assets/{each.name}" for each in FOLDER.iterdir())):
        if not path.endswith(".woff2"):
            send("GET", path, token="")
    # A route that is new must be walked, too.
    mine = {(each.method, each.path) for each in ENDPOINTS if not each.custodian}
    assert mine - reached <= {("GET", "/v1/visit"), ("DELETE", "/v1/visit")}
    assert reached <= mine
    return told


def reports(session: Any) -> dict[str, str]:
    """All that a session can be made to say."""
    found: dict[str, str] = {"session": repr(session) + session._repr_html_()}
    history = session.answers()
    found["history"] = repr(history) + history._repr_html_()
    found["plan"] = f"{session.plan!r} {session.plan.certificate.explain()}"
    for each in history:
        certificate = each.certificate
        found[each.question] = " ".join(
            [repr(each), repr(certificate), certificate.explain(), certificate._repr_html_(),
             json.dumps(certificate.to_dict()), repr(certificate.session)]
        )  # fmt: skip
    return found


def papers(ledger: Any) -> dict[str, str]:
    """Receipts, which are given out to readers, and what the ledger is shown as."""
    found = {"opening": repr(ledger.opening)}
    for each in receipts(ledger):
        said = f"{each!r} {each.text()} {json.dumps(each.to_dict())}"
        found[f"receipt {each.number}"] = said
    return found


# The tests -----------------------------------------------------------------------------------


def test_nothing_over_http_can_be_compared_with_a_guess(served: Served) -> None:
    both = [read_held(served.contest.folder / each) for each in (PUBLIC, FINAL)]
    told = walked(served)
    check_silent(told, peekproof.load(served.coins), held(), *both,
                 read_both(served.contest.folder))  # fmt: skip
    keys = [each.session.ledger.opening.key for each in served.gateway.gateway.served.values()]
    assert not [where for where, text in told.items() if any(key in text for key in keys)]


def test_the_attacks_succeed_on_the_ledger_which_is_the_custodians(served: Served) -> None:
    """The named wrong one: whoever is shown the entries has all labels and the count at once."""
    for name, guesses, truth in (
        ("coins", HEADS_BY_PRINT, int(HEADS.sum())),
        ("labels", LABELS_BY_PRINT, tuple(LABELS[-UNKNOWN:])),
    ):
        path = f"/v1/datasets/{name}/ledger"
        said = served.gateway.send("GET", path, token=served.gateway.custodian)
        assert recovered(said.body.decode(), guesses) == [truth]


def test_remote_sessions_say_nothing_that_can_be_compared(served: Served) -> None:
    gateway = served.gateway
    with peekproof.connect(gateway.address, gateway.analyst, dataset="coins") as data:
        data.ask("heads")
        promise = behind(data).promise
        told = {**reports(data), "promise": f"{promise.opening!r} {promise.session!r}"}
    with peekproof.connect(gateway.address, gateway.analyst, dataset="labels", X=IDS) as holdout:
        answer = holdout.score(LABELS.tolist(), guess=0.9)
        assert isinstance(answer, peekproof.Answer)
        said = repr(holdout) + holdout._repr_html_() + repr(answer)
        told["holdout"] = f"{said} {answer.certificate.explain()} {answer.certificate.session!r}"
    check_silent(told, peekproof.load(served.coins), held())


def test_sessions_and_receipts_say_nothing_that_can_be_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    path = coins(tmp_path)
    with peekproof.open(path) as session:
        session.ask("heads")
        ledger = session.ledger
        told = {**reports(session), **papers(ledger), "ledger": ledger._repr_html_()}
        assert "a damaged witness" in told["receipt 1"]
        check_silent(told, peekproof.load(path))


def test_a_part_of_a_split_does_not_tell_the_whole(tmp_path: Path) -> None:
    whole = peekproof.load({"heads": HEADS})
    parts = peekproof.split(whole, {"guess": 0.5, "check": 0.5})
    with peekproof.open(parts["check"], questions=20, ledger=tmp_path / "part") as session:
        session.ask("heads")
        told = {**reports(session), **papers(session.ledger)}
        assert "a random part of data-" in told["receipt 1"]
        check_silent(told, whole, *parts.values())


def test_a_holdout_does_not_tell_its_labels_or_groups(tmp_path: Path) -> None:
    place = tmp_path / "labels.peekproof"
    groups = {"region": REGIONS}
    with peekproof.Holdout(
        IDS, LABELS, groups=groups, ledger=place, questions=5, confidence=0.5
    ) as holdout:
        answer = holdout.score(LABELS.tolist(), guess=0.9)
        session = holdout.desk.session
        assert recovered(session.ledger.opening.fingerprint, LABELS_BY_PRINT)
        assert session.ledger.opening.about == held().about
        said = repr(holdout) + holdout._repr_html_() + repr(answer)
        told = {**reports(session), **papers(session.ledger), "holdout": said}
        check_silent(told, held())


def test_digests_of_entries_cannot_be_compared_without_the_key(tmp_path: Path) -> None:
    """A receipt has the digests of entries, which cover the first and the fingerprint in it.

    All other fields of the first two entries can be known. The attacker writes them for each guess
    and compares; it works for whoever has the key, and so for no analyst.
    """
    with peekproof.open({"heads": HEADS}, questions=20, ledger=tmp_path / "coins") as session:
        session.ask("heads")
        (paper,) = receipts(session.ledger)
        first, second = session.ledger.entries()[:2]

    def compared(key: str) -> list[int]:
        found = []
        for mark, heads in HEADS_BY_PRINT.items():
            body = {**first.body, "fingerprint": mark, "key": key}
            text = json.dumps(body, sort_keys=True, separators=(",", ":"))
            digest = link(link(GENESIS, 1, "open", text), 2, "answer", second.text)
            found += [heads] if digest == paper.entry.digest else []
        return found

    assert compared(first.body["key"]) == [int(HEADS.sum())]
    assert compared(hashlib.sha256(b"a guess").hexdigest()) == []
    assert compared("") == []
