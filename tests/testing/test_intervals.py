"""The law of intervals: who passes, and who is caught."""

from __future__ import annotations

from math import inf

import pytest

from audit.cheats import HONEST, ONCE, halved
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.opponents.controls import Plain
from peekproof.audit.opponents.protocol import Reply
from peekproof.audit.opponents.sessions import Custom, Planned
from peekproof.testing.audits import intervals_cover
from peekproof.testing.statistics import Violation, statistical

FALSE_ALARM = 1e-9


@statistical(false_alarm=2 * FALSE_ALARM)
def test_honest_intervals_pass_and_half_of_them_do_not() -> None:
    found = intervals_cover(
        HONEST, ONCE, runs=20, confidence=0.99, radius=0.2, false_alarm=FALSE_ALARM
    )
    assert found.intervals == 20
    # With a single question nobody adapts, and the textbook is right.
    intervals_cover(Plain(), ONCE, runs=100, confidence=0.98, false_alarm=FALSE_ALARM)
    with pytest.raises(Violation, match="half of plain against exploring: breaks its promise"):
        intervals_cover(halved(Plain()), ONCE, runs=100, confidence=0.98, false_alarm=FALSE_ALARM)


def test_textbook_intervals_are_caught() -> None:
    with pytest.raises(Violation, match="plain against correlation: breaks its promise"):
        intervals_cover(Plain(), Correlation.sized(rows=100, questions=30), runs=12)


def test_refusing_everything_is_no_way_to_pass() -> None:
    with pytest.raises(Violation, match="nothing was audited"):
        intervals_cover(Planned(), Correlation.sized(rows=10, questions=5), runs=2)


def test_saying_nothing_is_no_way_to_pass() -> None:
    class Vague:
        def ask(self, question: str) -> Reply:
            return Reply(0.5, -inf, inf)

    setup = Custom("vague", lambda columns, terms: Vague())
    with pytest.raises(Violation, match="reach inf far"):
        intervals_cover(setup, ONCE, runs=2, radius=0.5)
