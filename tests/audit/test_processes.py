"""Processes that end when whoever started them does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from peekproof.audit.fight import processes
from peekproof.core.errors import InvalidInput

TASKS = 40

SCRIPT = """
import sys
from audit.test_processes import mark
from peekproof.audit.fight import processes

if __name__ == "__main__":
    with processes(1, task=None) as pool:
        pool.submit(mark, sys.argv[1], 120.0).result()
"""


def mark(path: str, seconds: float) -> None:
    """Say which process it is, and take a while."""
    Path(path).write_text(str(os.getpid()), encoding="ascii")
    time.sleep(seconds)


def wait_for(path: Path) -> int:
    while not (path.exists() and path.read_text(encoding="ascii")):
        time.sleep(0.02)
    return int(path.read_text(encoding="ascii"))


def interrupted(folder: Path) -> None:
    with processes(2, task=None) as pool:
        for number in range(TASKS):
            pool.submit(mark, str(folder / f"{number}"), 0.2)
        wait_for(folder / "0")
        raise KeyboardInterrupt


def test_an_interrupt_ends_what_was_submitted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path)

    assert not active_children()
    assert len(list(tmp_path.iterdir())) < TASKS


def test_workers_go_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script, where = tmp_path / "script.py", tmp_path / "worker"
    script.write_text(SCRIPT, encoding="utf-8")
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, str(script), str(where)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
    ) as parent:
        worker = wait_for(where)
        parent.kill()
        try:
            parent.communicate(timeout=30)  # until nobody holds its standard output
        except subprocess.TimeoutExpired:
            os.kill(worker, signal.SIGKILL)
            raise


def test_what_another_process_cannot_import_is_refused_before_any_is_started() -> None:
    with (
        pytest.raises(InvalidInput, match="cannot be sent to another process"),
        processes(2, task=lambda: None),
    ):
        pytest.fail("it was started")
    assert not active_children()
