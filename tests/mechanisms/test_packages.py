"""A mechanism of another package, installed as its users would, and what is said when it is gone.

The package is the one that docs/how-to/add-a-mechanism.md writes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from documents import ROOT, blocks

PAGE = ROOT / "docs/how-to/add-a-mechanism.md"
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet", "install")
OFFLINE = ("--no-build-isolation", "--no-deps", "--no-index")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is installed; only who has this folder in its path knows of it."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    (source / "peekproof_tenths.py").write_text(blocks(PAGE, "python")[0])
    (source / "pyproject.toml").write_text(blocks(PAGE, "toml")[0])
    where = ("--target", str(target), str(source))
    done = subprocess.run(
        [sys.executable, *PIP, *OFFLINE, *where], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    ages = np.random.default_rng(8).uniform(0, 100, 10_000)
    path.write_text("age\n" + "\n".join(map(str, ages)))
    return path


def ran(*words: str, knowing: Path | None, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(knowing or "")}
    return subprocess.run(
        [sys.executable, *words],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=cwd,
    )


def test_it_is_opened_recorded_reopened_audited_and_verified(package: Path, table: Path) -> None:
    def peekproof(*words: str) -> str:
        done = ran("-m", "peekproof", *words, knowing=package, cwd=table.parent)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    first = json.loads(
        peekproof(
            "ask", "people.csv", "age > 40", "--mechanism", "tenths", "--questions", "20", "--json"
        )
    )
    again = json.loads(peekproof("ask", "people.csv", "age > 40", "--json"))
    (told,), (repeated,) = first["answers"], again["answers"]
    assert told["value"] in (0.55, 0.65)
    assert told["low"] < 0.6 < told["high"]
    assert (repeated["replayed"], repeated["value"]) == (True, told["value"])
    assert again["remaining"] == first["remaining"] == 19
    assert "2 entries" in peekproof("ledger", "verify", "people.csv")
    assert "certificates given again: 1" in peekproof("ledger", "replay", "people.csv")
    assert "T-truncation" in peekproof("ledger", "receipt", "people.csv", "1")
    assert "tenths" in peekproof("ledger", "export", "people.csv")


def test_it_keeps_the_laws_and_opens_in_python(package: Path, table: Path) -> None:
    said = (
        "import peekproof\n"
        "from peekproof.mechanisms.base import every_mechanism\n"
        "from peekproof.testing.conversations import check_mechanism\n"
        "kind = every_mechanism()['tenths']\n"
        "check_mechanism(kind)\n"
        "with peekproof.open('people.csv', mechanisms=[kind], questions=20) as data:\n"
        "    first = data.ask('age > 40')\n"
        "with peekproof.open('people.csv') as data:\n"
        "    again = data.ask('age > 40')\n"
        "    assert (again.value, again.low, again.replayed) == (first.value, first.low, True)\n"
        "    assert again.certificate.verify() == again.certificate\n"
        "    print(data.plan.mechanism.kind)\n"
    )
    done = ran("-c", said, knowing=package, cwd=table.parent)
    assert done.returncode == 0, done.stderr
    assert "tenths" in done.stdout


def test_a_gateway_serves_by_it(package: Path, table: Path) -> None:
    said = (
        "from pathlib import Path\n"
        "from peekproof.server.dataset import open_all\n"
        "from peekproof.server.settings import from_file\n"
        "served = open_all(from_file(Path('gateway.toml'), {}))['people']\n"
        "print(served.as_analyst('ann').ask('age > 40').value)\n"
        "served.close()\n"
    )
    (table.parent / "gateway.toml").write_text(
        '[datasets.people]\nsource = "people.csv"\nquestions = 20\nmechanism = "tenths"\n'
    )
    done = ran("-c", said, knowing=package, cwd=table.parent)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) in (0.55, 0.65)
    missing = ran("-c", said, knowing=None, cwd=table.parent)
    assert missing.returncode == 1
    assert "mechanism must be one of gaussian, truncation" in missing.stderr


def test_where_it_is_missing_its_ledgers_say_so(package: Path, table: Path) -> None:
    words = ("-m", "peekproof", "ask", "people.csv", "age > 40")
    asked = (*words, "--mechanism", "tenths", "--questions", "20")
    assert ran(*asked, knowing=package, cwd=table.parent).returncode == 0
    before = (table.parent / "people.csv.peekproof").read_bytes()
    for command in (("ask", "people.csv", "age > 41"), ("ledger", "replay", "people.csv")):
        done = ran("-m", "peekproof", *command, knowing=None, cwd=table.parent)
        assert (done.returncode, done.stdout) == (4, ""), command
        assert "names the mechanism 'tenths' of the package peekproof_tenths" in done.stderr
        assert "not installed here" in done.stderr
    unknown = ran(*asked, knowing=None, cwd=table.parent)
    assert unknown.returncode == 2
    assert "'tenths' is not one of 'gaussian'" in unknown.stderr
    verified = ran(
        "-m", "peekproof", "ledger", "verify", "people.csv", knowing=None, cwd=table.parent
    )
    assert verified.returncode == 0
    assert (table.parent / "people.csv.peekproof").read_bytes() == before


def test_one_that_cannot_be_imported_is_left_aside(package: Path, table: Path) -> None:
    broken = table.parent / "broken"
    broken.mkdir()
    (broken / "peekproof_tenths.py").write_text("raise RuntimeError('no such engine')\n")
    path = f"{broken}{os.pathsep}{package}"
    done = ran(
        "-W", "always", "-m", "peekproof", "ask", "people.csv", "age > 40", "--questions", "20",
        knowing=Path(path), cwd=table.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "tenths" in done.stderr
    assert "no such engine" in done.stderr


def test_the_page_shows_what_is_said(package: Path, table: Path) -> None:
    asked = ("-m", "peekproof", "ask", "people.csv", "age > 40", "--mechanism", "tenths")
    ran(*asked, "--questions", "20", knowing=package, cwd=table.parent)
    done = ran("-m", "peekproof", "ask", "people.csv", "age > 41", knowing=None, cwd=table.parent)
    (shown,) = [each for each in blocks(PAGE, "text") if "not installed" in each]
    assert done.stderr.split() == shown.split()
