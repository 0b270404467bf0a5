"""Settings from TOML and from options: read, placed, and refused with the key that is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from peekproof.core.errors import DataError, InvalidInput
from peekproof.mechanisms.base import every_mechanism
from peekproof.mechanisms.plan import CONFIDENCE, QUESTIONS
from peekproof.server.paths import name_of
from peekproof.server.settings import (
    BOARD,
    DATASET,
    GATEWAY,
    LIMITS,
    LOOPBACK,
    MECHANISMS,
    PORT,
    Dataset,
    Key,
    Limits,
    Settings,
    address,
    check_reachable,
    from_file,
    of_one,
    seconds,
)

PAGE = Path(__file__).parents[2] / "docs/reference/gateway-settings.md"

ALL = """
[gateway]
address = "[::1]:9000"
names = ["Data.example"]
workers = 4
threads = 8
tls_certificate = "cert.pem"
tls_key = "/etc/key.pem"
tokens = "gate.peekproof-tokens"
audit_log = "log/audit.jsonl"
quantum = "50ms"

[gateway.limits]
rate = 5
burst = 10
body = 2048
questions = 100
waiting = 64
patience = "10s"

[datasets.flights]
source = "flights-*.parquet"
ledger = "flights.peekproof"
confidence = 0.9
questions = 500
rounds = 3
failures = 4
tolerance = 0.02
mechanism = "gaussian"
about = "All of 2013."
categories = { carrier = ["AA", "DL"] }
shares = { ann = "1/4", bob = 0.5 }

[datasets.base]
source = "postgresql://ann@db.example/lake#flights"
ledger = "postgresql://ann@db.example/research?ledger=flights"

[datasets.small]
source = "duckdb://small.duckdb#people"
ledger = "/var/small.peekproof"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "gateway.toml"
    path.write_text(text)
    return path


def test_every_key_is_read_and_paths_are_from_where_the_file_lies(tmp_path: Path) -> None:
    found = from_file(written(tmp_path, ALL), {})

    assert (found.host, found.port, found.names) == ("::1", 9000, ("data.example",))
    assert (found.workers, found.threads, found.quantum) == (4, 8, 0.05)
    assert (found.certificate, found.key) == (tmp_path / "cert.pem", Path("/etc/key.pem"))
    assert found.store == tmp_path / "gate.peekproof-tokens"
    assert found.audit_log == tmp_path / "log/audit.jsonl"
    assert found.limits == Limits(
        rate=5.0, burst=10, body=2048, questions=100, waiting=64, patience=10.0
    )
    flights, base, small = found.datasets
    assert flights == Dataset(
        name="flights",
        source=str(tmp_path / "flights-*.parquet"),
        ledger=str(tmp_path / "flights.peekproof"),
        confidence=0.9,
        questions=500,
        rounds=3,
        failures=4,
        tolerance=0.02,
        mechanism="gaussian",
        about="All of 2013.",
        categories={"carrier": ("AA", "DL")},
        shares={"ann": "1/4", "bob": "0.5"},
    )
    assert base.source == "postgresql://ann@db.example/lake#flights"
    assert base.ledger == "postgresql://ann@db.example/research?ledger=flights"
    assert small.source == f"duckdb://{tmp_path}/small.duckdb#people"
    assert small.ledger == "/var/small.peekproof"


def test_little_need_be_said(tmp_path: Path) -> None:
    path = written(tmp_path, '[datasets.a]\nsource = "a.csv"')
    assert from_file(path, {}) == Settings(
        datasets=(Dataset(name="a", source=str(tmp_path / "a.csv")),),
        store=tmp_path / "gateway.toml.peekproof-tokens",
        audit_log=tmp_path / "gateway.toml.peekproof-audit.jsonl",
    )


def test_options_of_the_command_come_first_and_are_from_where_it_runs(tmp_path: Path) -> None:
    options = {"address": "127.0.0.1:1", "tokens": "here", "rate": 0.0, "audit_log": "none"}
    found = from_file(written(tmp_path, ALL), options)

    assert (found.host, found.port, found.store) == ("127.0.0.1", 1, Path("here"))
    assert (found.limits.rate, found.limits.burst, found.audit_log) == (0.0, 10, None)


GOOD = '[datasets.a]\nsource = "a.csv"\n'


@pytest.mark.parametrize(
    ("text", "argument", "said"),
    [
        ("[gatway]\n" + GOOD, "gateway.toml: gatway", "did you mean gateway?"),
        ("[gateway]\nadress = 1\n" + GOOD, "gateway.toml: gateway.adress", "did you mean address?"),
        ("[gateway]\nlimts = 1\n" + GOOD, "gateway.toml: gateway.limts", "did you mean limits?"),
        ("[gateway]\nzzz = 1\n" + GOOD, "gateway.toml: gateway.zzz", "one of address, names"),
        ("[gateway.limits]\nrates = 1\n" + GOOD, "gateway.toml: gateway.limits.rates", "rate?"),
        (GOOD + "sources = 1", "gateway.toml: datasets.a.sources", "did you mean source?"),
        ("gateway = 3\n" + GOOD, "gateway.toml: gateway", "a table"),
        ("[gateway]\nlimits = 3\n" + GOOD, "gateway.toml: gateway.limits", "a table"),
        ("[datasets]\na = 3", "gateway.toml: datasets.a", "a table"),
        ("[gateway]\nworkers = true\n" + GOOD, "gateway.toml: gateway.workers", "of at least 1"),
        ("[gateway]\nworkers = 1.0\n" + GOOD, "gateway.toml: gateway.workers", "of at least 1"),
        ("[gateway]\nnames = 'x'\n" + GOOD, "gateway.toml: gateway.names", "a list"),
        ("[gateway]\nquantum = -1\n" + GOOD, "gateway.toml: gateway.quantum", "such as 50ms"),
        ("[gateway]\nquantum = nan\n" + GOOD, "gateway.toml: gateway.quantum", "such as 50ms"),
        ("[gateway.limits]\nrate = inf\n" + GOOD, "gateway.toml: gateway.limits.rate", "at least"),
        (GOOD + "confidence = 1.0", "gateway.toml: datasets.a.confidence", "between 0 and 1"),
        (
            GOOD + "mechanism = 'gauss'",
            "gateway.toml: datasets.a.mechanism",
            "gaussian, truncation",
        ),
        (GOOD + "ledger = ':memory:'", "gateway.toml: datasets.a.ledger", "forgets"),
        (GOOD + "shares = { ann = '1/0' }", "gateway.toml: datasets.a.shares", "such as 1/4"),
        (GOOD + "shares = { ann = 2 }", "gateway.toml: datasets.a.shares", "from 0 to 1"),
        (GOOD + "categories = { c = 'AA' }", "gateway.toml: datasets.a.categories", "lists"),
        (GOOD + "questions = 0", "gateway.toml: datasets.a.questions", "of at least 1"),
        ("[datasets.a]\nabout = 'x'", "gateway.toml: datasets.a.source", "got nothing"),
        ("[datasets.'a b']\nsource = 'x'", "a name in [datasets.NAME]", "at most 64"),
        (f"[datasets.{'x' * 65}]\nsource = 'x'", "a name in [datasets.NAME]", "at most 64"),
        ("[gateway]\nworkers = 1", "gateway.toml: datasets", "at least one table"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_accepted(
    tmp_path: Path, text: str, argument: str, said: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        from_file(written(tmp_path, text), {})
    assert caught.value.argument == argument
    assert said in str(caught.value)


def test_a_password_is_not_repeated(tmp_path: Path) -> None:
    text = '[datasets.a]\nsource = ["postgresql://ann:secret@db.example/lake#flights"]'
    with pytest.raises(InvalidInput) as caught:
        from_file(written(tmp_path, text), {})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("content", [b"[gateway", b"\xff"])
def test_what_is_not_toml_is_told_with_its_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gateway.toml"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"gateway\.toml is not TOML"):
        from_file(path, {})


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("127.0.0.1:0", ("127.0.0.1", 0)),
        ("localhost:80", ("localhost", 80)),
        ("[::1]:8417", ("::1", 8417)),
        ("[::]:65535", ("::", 65535)),
    ],
)
def test_addresses_are_hosts_and_ports(given: str, found: tuple[str, int]) -> None:
    assert address(given) == found


@pytest.mark.parametrize(
    "given", ["8417", ":8417", "127.0.0.1", "::1:8417", "127.0.0.1:65536", "data.example:1", 8417]
)
def test_other_addresses_are_refused(given: object) -> None:
    with pytest.raises(ValueError, match=r"^$|does not appear to be an IP"):
        address(given)


@pytest.mark.parametrize(
    ("given", "found"), [(2, 2.0), (0, 0.0), ("250us", 2.5e-4), ("50 ms", 0.05), ("1.5min", 90.0)]
)
def test_durations_have_units_or_are_seconds(given: object, found: float) -> None:
    assert seconds(given) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("data/flights.parquet", "flights"),
        ("flights-*.parquet", "flights"),
        ("Ärzte 2.csv", "rzte-2"),
        ("postgresql://ann:s#cret@db.example/lake#air.flights", "air-flights"),
        ("postgresql://db.example/lake?password=secret", "data"),
        ("spark://head:7077#/data/flights.parquet", "flights"),
        ("*.csv", "data"),
        ("x" * 80 + ".csv", "x" * 64),
    ],
)
def test_a_data_set_is_named_after_its_source(source: str, name: str) -> None:
    assert name_of(source) == name


@pytest.mark.parametrize(
    ("dataset", "beside"),
    [
        ({"source": "a/people.csv"}, "a/people.csv"),
        ({"source": "people.csv", "ledger": "b/one.peekproof"}, "b/one"),
        ({"source": "people.csv", "ledger": "postgresql://db.example/x"}, "people.csv"),
        ({"source": "spark://x#flights", "ledger": "postgresql://db.example/x"}, "flights"),
    ],
)
def test_tokens_and_log_lie_beside_the_ledger(dataset: dict[str, object], beside: str) -> None:
    found = of_one(dataset, {})
    assert found.store == Path(f"{beside}.peekproof-tokens")
    assert found.audit_log == Path(f"{beside}.peekproof-audit.jsonl")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_loopback_needs_no_tls_and_answers_to_its_own_names(host: str) -> None:
    found = Settings(datasets=(), store=Path("t"), host=host, names=("data.example",))
    check_reachable(found)
    shown = f"[{host}]" if ":" in host else host
    assert {shown, "localhost", "data.example"} <= found.allowed_names


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_others_need_tls_and_answer_to_the_names_they_are_given(host: str) -> None:
    found = Settings(datasets=(), store=Path("t"), host=host)
    with pytest.raises(InvalidInput, match="--insecure"):
        check_reachable(found)
    assert found.allowed_names == frozenset()
    named = Settings(datasets=(), store=Path("t"), host=host, names=("data.example",))
    assert named.allowed_names == {"data.example"}


def test_mechanisms_are_those_that_data_can_be_opened_by() -> None:
    assert set(MECHANISMS) == every_mechanism().keys()


def test_keys_are_those_of_the_settings() -> None:
    assert DATASET.keys() | {"name"} == {each.name for each in fields(Dataset)}
    assert LIMITS.keys() == {each.name for each in fields(Limits)}


def test_reading_settings_takes_neither_the_extra_nor_an_engine() -> None:
    heavy = ("polars", "numpy", "starlette", "uvicorn", "msgspec", "uvloop")
    code = "import sys, peekproof.server.settings, peekproof.cli.serve, peekproof.cli.token; "
    code += f"print([each for each in {heavy} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# The page --------------------------------------------------------------------------------------

DEFAULTS: dict[Any, dict[str, Any]] = {
    "[gateway]": {each.name: each.default for each in fields(Settings)}
    | {"address": f"{LOOPBACK}:{PORT}"},
    "[gateway.limits]": {each.name: each.default for each in fields(Limits)},
    "[datasets.NAME]": {"confidence": float(CONFIDENCE), "questions": QUESTIONS},
    "[boards.NAME]": {},
}


@pytest.mark.parametrize(
    ("heading", "keys", "numbers"),
    [
        ("[gateway]", GATEWAY, 4),
        ("[gateway.limits]", LIMITS, 7),
        ("[datasets.NAME]", DATASET, 2),
        ("[boards.NAME]", BOARD, 0),
    ],
)
def test_the_page_lists_every_key_with_what_it_accepts_and_its_default(
    heading: str, keys: dict[str, Key], numbers: int
) -> None:
    section = PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|", section, re.M)
    assert [(key, accepted) for key, accepted, _ in rows] == [
        (key, each.accepted) for key, each in keys.items()
    ]
    said = {key: default for key, _, default in rows}
    known = {
        key: each if isinstance(each, str) else f"{each:,.15g}"
        for key, each in DEFAULTS[heading].items()
        if key in said and isinstance(each, int | float | str)
    }
    assert len(known) == numbers
    assert {key: said[key] for key in known} == known
