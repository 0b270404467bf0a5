"""Keys whose request was being worked on by a process that is gone."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from load.key_taker import TOKEN
from load.serving import started
from peekproof.core.errors import KeyInUse
from peekproof.server import keys
from peekproof.server.keys import Living
from peekproof.server.store import Store


def test_a_key_is_taken_over_from_a_killed_process_and_from_no_other(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    store = Store(path)
    worker = started("load.key_taker", str(path), stdout=subprocess.PIPE)
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"begun\n"
        with pytest.raises(KeyInUse, match="still at work"):
            keys.begin(store, TOKEN, "k", request=b"a question")
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate()
    with pytest.raises(KeyInUse, match="another request"):
        keys.begin(store, TOKEN, "k", request=b"another question")
    keyed, before = keys.begin(store, TOKEN, "k", request=b"a question")
    assert before is None
    with pytest.raises(KeyInUse, match="still at work"):
        keys.begin(store, TOKEN, "k", request=b"a question")
    keyed.keep(200, b"the answer")
    assert keys.begin(store, TOKEN, "k", request=b"a question")[1] == (200, b"the answer")
    store.close()


def test_who_has_ended_is_not_among_the_living(tmp_path: Path) -> None:
    mine, other = Living(tmp_path / "tokens"), Living(tmp_path / "tokens")
    assert mine.has(other.name)
    assert mine.has(mine.name)
    other.close()
    assert not mine.has(other.name)
    assert not mine.has("../tokens")
    mine.close()
    assert list(tmp_path.iterdir()) == []


def test_what_the_killed_left_behind_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "tokens-living-0123456789abcdef"
    left.touch()
    mine, other = Living(tmp_path / "tokens"), Living(tmp_path / "tokens")
    mine.forget_the_dead()
    assert not left.exists()
    assert mine.has(other.name)
