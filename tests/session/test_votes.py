"""Sessions that answer by votes: they run, they are recorded, and an attack does not break them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peekproof
from adversary.attacks import Told, correlation, draw_sample
from peekproof.core.errors import LedgerMismatch
from peekproof.mechanisms import votes as module
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.votes import Votes
from peekproof.noise.binomial import binomial
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical

FALSE_ALARM = 1e-9
NUMBERS = {"a": np.arange(20_000.0)}


def test_votes_are_run_recorded_and_continued(tmp_path: Path) -> None:
    place = tmp_path / "book"
    with peekproof.open(NUMBERS, questions=20, mechanisms=[Votes], ledger=place) as session:
        mechanism = session.plan.mechanism
        assert isinstance(mechanism, Votes)
        first, second = session.ask_many(["a < 10000", "a < 5000"])
        assert 0.5 in first
        assert 0.25 in second
        assert (first.released * mechanism.votes).denominator == 1
        assert first.certificate.verify() == first.certificate
    with peekproof.open(NUMBERS, ledger=place) as session:
        assert session.plan.mechanism == mechanism
        assert session.remaining == 18
        again = session.ask("a < 10000")
        assert (again.released, again.replayed) == (first.released, True)
    with pytest.raises(LedgerMismatch, match="the mechanism"):
        peekproof.open(NUMBERS, mechanisms=[Gaussian], ledger=place)


def missed(sessions: int) -> int:
    """In how many sessions the correlation attack makes an interval miss."""
    rng, missing = np.random.default_rng(3), 0
    for number in range(sessions):
        with peekproof.open(
            draw_sample(3000, 12, rng),
            questions=12,
            mechanisms=[Votes],
            entropy=Seeded(number),
            ledger=":memory:",
        ) as session:
            told: Told = correlation(session)
        missing += any(truth not in answer for answer, truth in told)
    return missing


@statistical(false_alarm=FALSE_ALARM)
def test_an_attack_makes_no_interval_miss_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chebyshev leaves much room, so the mutant is coarse: a single vote in place of hundreds."""
    sessions = 40

    def single(*, trials, **chance):  # type: ignore[no-untyped-def]
        return trials * binomial(trials=1, **chance)

    assert excess_p_value(missed(sessions), trials=sessions, probability=0.05) > FALSE_ALARM
    monkeypatch.setattr(module, "binomial", single)
    assert excess_p_value(missed(sessions), trials=sessions, probability=0.05) < FALSE_ALARM
