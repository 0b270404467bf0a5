"""What a worker says that fails: where, and nothing of what it was about."""

from __future__ import annotations

import pytest

from peekproof.server.supervisor import _at_work


def test_a_worker_that_fails_tells_the_place_and_no_words(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        raise ValueError("a secret of the rows")

    with pytest.raises(SystemExit) as ended:
        _at_work(work)
    assert ended.value.code == 1
    assert "ValueError in " in caplog.text
    assert "secret" not in caplog.text + "".join(capfd.readouterr())


def test_a_worker_that_is_interrupted_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit):
        _at_work(work)
    assert not caplog.text
