"""The law of channels: who passes, and who is caught."""

from __future__ import annotations

import pytest

import peekproof
from audit.leaks import LEAKS, Leak
from peekproof.audit.channels import Calls
from peekproof.noise.entropy import Seeded
from peekproof.testing.audits import channels_do_not_tell
from peekproof.testing.statistics import Violation


def asking(cell: str) -> Calls:
    data = {"s": [cell, *["a", "b"] * 2_000]}
    with peekproof.open(data, ledger=":memory:", questions=10, entropy=Seeded(1)) as session:
        for question in ("s = 'a'", "s like '%e%'", "s > 1", "nosuch = 1"):
            yield question, lambda question=question: session.ask(question)  # type: ignore[misc]


def test_a_session_passes() -> None:
    assert channels_do_not_tell(asking, "a", "secret").calls == 4


@pytest.mark.parametrize("leak", list(LEAKS)[::5], ids=lambda leak: leak.__name__)
def test_a_leak_is_caught(leak: Leak) -> None:
    with pytest.raises(Violation, match=f"leak, {LEAKS[leak]}"):
        channels_do_not_tell(lambda cell: [("leak", lambda: leak(cell))], "common", "secret")


def test_making_no_call_is_no_way_to_pass() -> None:
    with pytest.raises(Violation, match="nothing was audited"):
        channels_do_not_tell(lambda cell: [], "common", "secret")


def test_an_audit_that_fails_before_its_first_call_has_audited_nothing() -> None:
    def run(data: int) -> Calls:
        raise NameError("a slip of the pen")
        yield "never", lambda: data

    with pytest.raises(Violation, match="no call was made"):
        channels_do_not_tell(run, 1, 2)
