"""Shared by all tests: the printed total of false alarms, and a strict example budget."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.witness import Witness, default_witness
from peekproof.session import custody
from peekproof.testing.statistics import declared_false_alarms
from sizes import sized

# Machines are noisy: how long an example takes says nothing, and examples must repeat in CI.
# And as they repeat, a second half of them is for `make slow`.
settings.register_profile(
    "peekproof",
    max_examples=sized(50, full=100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("peekproof")

pytest_plugins = ["ledger.databases"]

_tests = count(1)


@pytest.fixture(scope="session", autouse=True)
def _witnesses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing that the tests do is seen by the witness of whoever runs them."""
    folder = tmp_path_factory.mktemp("witnesses")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEKPROOF_WITNESS", str(folder / "session"))
        yield folder


@pytest.fixture(autouse=True)
def witness_folder(_witnesses: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a witness that has seen nothing before this test."""
    folder = _witnesses / str(next(_tests))
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(folder))
    return folder


_strict = False  # whether ledgers in memory know of each other, as they do for users
_before = Path(tempfile.mkdtemp(prefix="peekproof-test-"))  # for what modules open when imported
os.environ["PEEKPROOF_WITNESS"] = str(_before / "witness")


def pytest_configure(config: pytest.Config) -> None:
    """Tests open the same few rows in memory thousands of times, each time as if for the first.

    Each ledger in memory has a witness of its own, unless a test is marked `one_budget`. Those of
    files and of other processes are not touched.
    """
    config.addinivalue_line("markers", "one_budget: ledgers in memory know of each other")
    alone, register = count(1), custody.in_memory
    doubt, add = register.doubt, register.add

    def witness(*, ledger: str) -> Witness | None:
        found = default_witness(ledger=ledger)
        if found is None or _strict or ledger != MEMORY:
            return found
        return Witness(_before / str(next(alone)))

    patch = pytest.MonkeyPatch()
    patch.setattr(custody, "default_witness", witness)
    patch.setattr(register, "doubt", lambda *given: doubt(*given) if _strict else None)
    patch.setattr(register, "add", lambda *a, **named: add(*a, **named) if _strict else None)
    config.add_cleanup(patch.undo)
    config.add_cleanup(lambda: shutil.rmtree(_before, ignore_errors=True))


@pytest.fixture(autouse=True)
def _one_budget(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `one_budget` marks runs as it does for users."""
    if request.node.get_closest_marker("one_budget"):
        monkeypatch.setitem(globals(), "_strict", True)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="peekproof-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


_from_workers: dict[str, float] = {}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist imports the tests; the process that prints does not."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["false_alarms"] = declared_false_alarms()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _from_workers.update(getattr(node, "workeroutput", {}).get("false_alarms", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    declared = {**_from_workers, **declared_false_alarms()}
    if declared:
        total = sum(declared.values())
        terminalreporter.write_line(
            f"total false alarm of {len(declared)} statistical tests: {total:.2e}"
        )
