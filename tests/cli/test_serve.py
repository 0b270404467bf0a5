"""`peekproof serve`: started as people start it, asked over HTTP, ended by a signal."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import polars as pl
import pytest

from cli.running import Run
from cli.serving import serving
from ledger.postgres_server import Database
from peekproof.cli import serve
from peekproof.cli.serve import CARRIERS, ORIGINS, ROWS, demonstration
from peekproof.server.dataset import open_all
from peekproof.server.runner import Worker
from peekproof.server.settings import Dataset, Settings

ASK = "/v1/datasets/people/ask"


def test_a_file_is_served_until_ctrl_c_and_a_restart_goes_on_with_its_budget(
    people: Path, witness_folder: Path
) -> None:
    with serving(str(people), "--questions", "20", "--mechanism", "gaussian") as first:
        (data,) = first.said["datasets"]
        status, answer = first.send("POST", ASK, {"question": "age > 50"})
        assert status == 200
        assert answer["remaining"] == 19
        assert first.said["link"] == f"{first.address}/#token={first.said['token']}"
        assert first.stop() == (0, "", "")
    assert (data["name"], data["rows"], data["questions"]) == ("people", 4000, 20)
    assert data["confidence"] == 0.95
    for ending in ("", "-tokens", "-audit.jsonl"):
        file = people.with_name(f"people.csv.peekproof{ending}")
        assert file.stat().st_mode & 0o077 == 0, file

    with serving(str(people)) as second:
        assert second.said["token"] is None  # the first is valid, and is not known any more
        assert second.said["datasets"][0]["remaining"] == 19
        token = first.said["token"]
        status, again = second.send("POST", ASK, {"question": "age > 50"}, token=token)
        assert (status, again["replayed"], again["value"]) == (200, True, answer["value"])
        assert second.stop(signal.SIGTERM) == (0, "", "")
    log = people.with_name("people.csv.peekproof-audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["status"] for line in log] == [200, 200]


def test_several_data_sets_of_a_file_over_tls(people: Path) -> None:
    folder = people.parent
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    pl.DataFrame({"height": [float(each) for each in range(3000)]}).write_parquet(
        folder / "trees.parquet"
    )
    settings = folder / "gateway.toml"
    settings.write_text(
        """
        [gateway]
        address = "0.0.0.0:1"
        tls_certificate = "cert.pem"
        tls_key = "key.pem"
        quantum = "1ms"
        [datasets.people]
        source = "people.csv"
        questions = 20
        [datasets.trees]
        source = "trees.parquet"
        questions = 10
        ledger = "forest.peekproof"
        about = "Trees by height."
        """
    )
    with serving("--config", str(settings)) as gateway:
        trusted = str(folder / "cert.pem")
        assert gateway.address.startswith("https://127.0.0.1:")
        status, listed = gateway.send("GET", "/v1/datasets", trusted=trusted)
        assert status == 200
        assert [(each["name"], each["about"]) for each in listed] == [
            ("people", ""),
            ("trees", "Trees by height."),
        ]
        question = {"question": "height > 1000"}
        status, _ = gateway.send("POST", "/v1/datasets/trees/ask", question, trusted=trusted)
        assert status == 200
        assert gateway.stop() == (0, "", "")
    assert (folder / "forest.peekproof").exists()
    assert (folder / "gateway.toml.peekproof-tokens").exists()


def test_two_workers_share_a_ledger_in_postgres_and_the_tokens(
    run: Run, people: Path, database: Database
) -> None:
    place, tokens = database.place("people"), str(people.with_suffix(".peekproof-tokens"))
    options = ("--ledger", place, "--questions", "30", "--workers", "2", "--tokens", tokens)
    with serving(str(people), *options) as gateway:
        made = json.loads(run("token", "create", "ann", "--tokens", tokens, "--json").out)
        left = set()
        for age in range(10):
            status, said = gateway.send(
                "POST", ASK, {"question": f"age > {age}"}, token=made["token"]
            )
            assert status == 200, said
            left.add(said["remaining"])
        assert left == set(range(20, 30))
        assert run("token", "revoke", made["id"], "--tokens", tokens).code == 0
        refused = [gateway.send("GET", "/v1/datasets", token=made["token"]) for _ in range(6)]
        assert {status for status, _ in refused} == {401}
        assert gateway.stop() == (0, "", "")
    assert json.loads(run("ledger", "show", place, "--json").out)["draws"] == 10


def test_the_demonstration_is_the_same_each_time_and_can_be_thrown_away(tmp_path: Path) -> None:
    with demonstration(tmp_path / "one") as first, demonstration(tmp_path / "two") as second:
        one, two = (pl.read_parquet(str(each["source"])) for each in (first, second))
    assert one.equals(two)
    assert one.height == ROWS
    assert set(one["carrier"]) == set(CARRIERS)
    assert set(one["origin"]) == set(ORIGINS)


def test_the_demonstration_is_served_and_a_request_at_work_is_answered_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reply waits for the quantum, while the charge can be seen already."""
    monkeypatch.chdir(tmp_path)
    place, body = "/v1/datasets/flights", {"question": "histogram(carrier)"}
    with serving("--demo", "--quantum", "2s") as gateway, ThreadPoolExecutor(1) as pool:
        (data,) = gateway.said["datasets"]
        assert (data["rows"], data["questions"]) == (ROWS, 1000)
        reply = pool.submit(gateway.send, "POST", f"{place}/histogram", body)
        while gateway.send("GET", f"{place}/budget")[1]["asked"] == 0:
            assert not reply.done() or reply.result()[0] == 200
        assert gateway.stop() == (0, "", "")
        assert reply.result()[0] == 200
    assert (tmp_path / "demo" / "witness").is_dir()


def test_progress_is_heard_where_the_rows_stay_outside(tmp_path: Path) -> None:
    file = tmp_path / "trees.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE trees AS SELECT range AS height FROM range(3000)")
    dataset = Dataset(
        name="trees",
        source=f"duckdb://{file}#trees",
        ledger=str(tmp_path / "trees.peekproof"),
        questions=10,
    )
    settings = Settings(datasets=(dataset,), store=tmp_path / "tokens")
    heard: list[tuple[int, int]] = []
    for listener in (lambda done, total: heard.append((done, total)), None):
        for each in open_all(settings, reading=listener).values():
            each.close()
    assert heard[-1] == (3000, 3000)


def test_a_worker_that_cannot_open_its_data_says_so_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    missing = Dataset(name="x", source=str(tmp_path / "nothing.csv"))
    with socket.socket() as listening, pytest.raises(SystemExit) as ended:
        Worker(Settings(datasets=(missing,), store=tmp_path / "tokens"), listening)()
    assert ended.value.code == 1
    (record,) = caplog.records
    assert "nothing.csv does not exist" in record.getMessage()
    assert record.exc_info is None


# What people read ------------------------------------------------------------------------------


def test_people_read_the_promise_a_link_and_how_to_invite(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    here = ("serve", str(people), "--questions", "20", "--address", "127.0.0.1:0")
    first, second, third = run(*here), run(*here), run(*here, "--no-first-token")
    tokens = f"--tokens {people}.peekproof-tokens"

    assert (first.code, first.err) == (0, "")
    assert "people: 4,000 rows, shares within ±0." in first.out
    assert "at confidence 0.95 for all of 20 questions; 20 left" in first.out
    assert "/#token=pp_" in first.out
    assert f"peekproof token create NAME {tokens} --address http://127.0.0.1:" in first.out
    assert "token=" not in second.out
    assert f"peekproof token create NAME --custodian {tokens}" in second.out
    assert "--custodian" not in third.out


# What is refused -------------------------------------------------------------------------------


@pytest.fixture
def asked_to_serve(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """What would be served; nothing is."""
    found: list[Settings] = []
    monkeypatch.setattr("peekproof.cli.serve.run", lambda settings, **_: found.append(settings))
    return found


def test_other_machines_are_let_in_with_tls_or_on_demand_only(
    run: Run, people: Path, asked_to_serve: list[Settings]
) -> None:
    done = run("serve", str(people), "--address", "0.0.0.0:0")
    assert done.code == 2
    assert "--tls-certificate" in done.err
    assert "--insecure" in done.err
    assert asked_to_serve == []
    assert run("serve", str(people), "--address", "0.0.0.0:0", "--insecure").code == 0
    tls = ("--tls-certificate", "a.pem", "--tls-key", "b.pem")
    assert run("serve", str(people), "--address", "[::]:0", *tls).code == 0
    assert [each.host for each in asked_to_serve] == ["0.0.0.0", "::"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "got none of them"),
        (("--demo", "--config", "x.toml"), "got x.toml and --demo"),
        (("--config", "x.toml", "--confidence", "0.9"), "[datasets.NAME]"),
        (("--demo", "--name", "x"), "--name must be given with a FILE"),
        (("--config", "x.toml"), "x.toml cannot be read"),
        (("people.csv", "--quantum", "soon"), "--quantum must be seconds"),
        (("people.csv", "--workers", "0"), "--workers must be an integer of at least 1"),
        (("people.csv", "--name", "a/b"), "--name must be of letters"),
        (("people.csv", "--ledger", ":memory:"), "--ledger must be a file"),
        (("people.csv", "--tls-key", "key.pem"), "given together with --tls-key"),
        (("people.csv", "--audit-log", "no/such/log"), "no/such/log cannot be written"),
        (("people.csv", "--tokens", "no/such/tokens"), "no/such/tokens cannot hold the tokens"),
        (("people.csv", "--address", "data.example:1"), "with a number or localhost as HOST"),
        (("people.csv", "--categories", "ctiy=A,B"), "did you mean 'city'?"),
        (("nobody.csv",), "nobody.csv does not exist"),
        (("duckdb:///x#y",), "ledger must be named"),
    ],
    ids=" ".join,
)
def test_a_slip_is_told_in_one_line_before_a_ledger_is_made(
    run: Run,
    people: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(people.parent)
    given = words if "--address" in words else (*words, "--address", "127.0.0.1:0")
    done = run("serve", *given)

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert [each.name for each in people.parent.glob("*.peekproof*")] == []


def test_a_port_in_use_is_told_before_a_ledger_is_made(run: Run, people: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        done = run("serve", str(people), "--address", address)
    assert done.code == 2
    assert f"{address} cannot be listened on" in done.err
    assert not people.with_name("people.csv.peekproof").exists()


def test_tokens_that_were_there_stay_when_a_start_fails(run: Run, tmp_path: Path) -> None:
    tokens = tmp_path / "all.peekproof-tokens"
    assert run("token", "create", "ann", "--tokens", str(tokens)).code == 0
    before = run("token", "list", "--tokens", str(tokens)).out
    place = ("--tokens", str(tokens), "--audit-log", "none", "--address", "127.0.0.1:0")
    assert run("serve", str(tmp_path / "nobody.csv"), *place).code == 2
    assert run("token", "list", "--tokens", str(tokens)).out == before


def test_of_several_data_sets_the_one_that_fails_is_named(run: Run, people: Path) -> None:
    settings = people.with_name("gateway.toml")
    settings.write_text(
        f"[datasets.people]\nsource = {str(people)!r}\n[datasets.trees]\nsource = 'trees.csv'\n"
    )
    done = run("serve", "--config", str(settings), "--address", "127.0.0.1:0")
    assert done.code == 2
    assert done.err.endswith("while opening the data set trees\n")


def test_files_that_are_no_certificate_are_told_without_their_words(run: Run, people: Path) -> None:
    tls = ("--tls-certificate", str(people), "--tls-key", str(people))
    done = run("serve", str(people), "--address", "127.0.0.1:0", *tls)
    assert done.code == 2
    assert "cannot be used for TLS" in done.err


def test_a_plan_that_says_nothing_and_another_promise_have_their_exit_codes(
    run: Run, people: Path
) -> None:
    here = ("serve", str(people), "--address", "127.0.0.1:0", "--json")
    vacuous = run(*here, "--questions", "1000000", "--mechanism", "gaussian")
    assert (vacuous.code, json.loads(vacuous.out)["error"]) == (3, "VacuousPlan")
    assert run("ask", str(people), "age > 50", "--questions", "20").code == 0
    other = run(*here, "--questions", "30")
    assert (other.code, json.loads(other.out)["error"]) == (4, "LedgerMismatch")


def test_a_missing_extra_says_what_to_install(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "peekproof.server.runner", raising=False)
    done = run("serve", str(people))
    assert done.code == 2
    assert "needs uvicorn; run: pip install 'peekproof[server]'" in done.err


def test_a_link_has_its_token_where_browsers_do_not_send_it() -> None:
    assert serve.link_of("https://x", "pp_a_b") == "https://x/#token=pp_a_b"
