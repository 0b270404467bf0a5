"""All attacks on all opponents: found by name, summed up, the same in one process or in several."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import pytest

from peekproof.audit.analysts.boosting import Boosting
from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.analysts.protocol import Analyst, Columns
from peekproof.audit.analysts.reconstruction import Reconstruction
from peekproof.audit.fight import Outcome, Pairing, fight, settle
from peekproof.audit.matrix import Matrix, matrix, sized
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.controls import NoiseOnly, Plain
from peekproof.audit.opponents.ladder import Climbed
from peekproof.audit.opponents.protocol import Opponent, Setup, Terms
from peekproof.audit.opponents.sessions import Opened, Planned
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.laplace import Laplace

ATTACKS: tuple[type[Analyst], ...] = (Correlation, Freedman)
SETUPS: tuple[Setup, ...] = (Climbed(), Plain(), Planned(), NoiseOnly(), Opened(Laplace))


@pytest.fixture(scope="module")
def small() -> Matrix:
    return matrix(rows=400, questions=60, seed=3, attacks=ATTACKS, setups=SETUPS, workers=1)


def test_controls_come_first_and_every_pair_is_there(small: Matrix) -> None:
    assert small.attacks == ("correlation", "freedman")
    assert small.mechanisms == ("plain", "noise-only", "ladder", "planned", "laplace")
    assert small.controls == ("plain", "noise-only")
    assert len(small.outcomes) == 10
    for mechanism in small.mechanisms:
        assert [each.attack for each in small.of(mechanism)] == list(small.attacks)


def test_an_outcome_is_that_of_the_fight_with_the_same_seed(small: Matrix) -> None:
    analyst = Correlation.sized(rows=400, questions=60)
    bout = fight(Plain(), analyst, confidence=Fraction(19, 20), seed=3)
    found = small.at("correlation", "plain")
    last = bout.decisive

    assert last is not None
    assert found.decisive is not None
    assert (found.decisive.value, found.decisive.low) == (last.reply.value, last.reply.low)
    assert (found.decisive.high, found.decisive.truth) == (last.reply.high, 0.5)
    assert found.decisive.error == last.error
    assert (found.missed, found.forced) == (bout.missed, bout.forced)
    assert (found.asked, found.refused, found.answered) == (60, 0, 60)
    assert found.widest == max(claim.reply.radius for claim in bout.made)
    assert found.predicted == analyst.predicted
    assert (found.questions, found.seed) == (60, 3)


def test_what_does_not_apply_or_would_not_begin_claims_nothing(small: Matrix) -> None:
    ladder, laplace = small.at("freedman", "ladder"), small.at("correlation", "laplace")

    assert (ladder.applies, ladder.refusal, ladder.began) == (False, "", False)
    assert laplace.applies
    assert laplace.refusal.startswith("refused: n = 400 rows and 60 questions")
    for each in (ladder, laplace):
        assert (each.asked, each.forced, each.widest, each.decisive) == (0, 0.0, 0.0, None)
        assert each.covered
        assert each not in small.certified


def test_sums_say_who_was_broken_and_who_held(small: Matrix) -> None:
    assert small.broken["plain"] == tuple(
        attack for attack in small.attacks if small.at(attack, "plain").missed
    )
    assert "correlation" in small.broken["plain"]
    assert [each.mechanism for each in small.certified] == ["ladder", "planned", "planned"]
    assert small.missed == ()
    assert small.held


def test_a_liar_is_listed_as_missed() -> None:
    liar = Plain("liar", certified=True)
    found = matrix(rows=400, questions=60, seed=3, attacks=[Correlation], setups=[liar], workers=1)

    assert not found.held
    assert [each.mechanism for each in found.missed] == ["liar"]
    assert found.broken == {}
    assert found.to_dict()["missed"] == [["correlation", "liar"]]


def test_unknown_names_are_answered_with_the_known_ones(small: Matrix) -> None:
    with pytest.raises(InvalidInput, match="among correlation, freedman and plain, noise-only"):
        small.at("correlation", "gaussian")


def test_it_can_be_written_as_json(small: Matrix) -> None:
    said = small.to_dict()

    assert json.loads(json.dumps(said)) == said
    assert said["broken"] == {name: list(by) for name, by in small.broken.items()}
    first, last = small.outcomes[0], small.outcomes[0].decisive
    assert last is not None
    shown = first.to_dict()
    assert said["outcomes"] == [each.to_dict() for each in small.outcomes]
    assert shown["decisive"] == {
        "value": last.value, "low": last.low, "high": last.high, "truth": 0.5, "holds": False,
        "error": last.value - 0.5,
    }  # fmt: skip
    assert (shown["covered"], shown["began"], shown["missed"]) == (False, True, 1)


def pairings(*setups: Setup) -> list[Pairing]:
    analyst = Reconstruction(rows=50, size=10)
    return [
        Pairing(setup=setup, analyst=analyst, confidence=Fraction(19, 20), seed=seed)
        for seed in (1, 2)
        for setup in setups
    ]


def test_processes_find_the_same_in_the_same_order_and_tell_how_far_they_are() -> None:
    given = pairings(*SETUPS[:3])
    alone: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []

    def note(into: list[tuple[int, int]], done: int, total: int) -> None:
        into.append((done, total))

    one = settle(given, workers=1, progress=lambda done, total: note(alone, done, total))
    two = settle(given, workers=2, progress=lambda done, total: note(told, done, total))
    assert one == two
    assert alone == told == [(done, 6) for done in range(1, 7)]


def test_a_few_fights_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peekproof.audit.fight.processes", None)

    assert len(settle(pairings(Plain(), NoiseOnly()))) == 4


@final
@dataclass(frozen=True, slots=True)
class Broken:
    name: str = "broken"
    certified: bool = True

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        raise InvalidInput(argument="columns", accepted="better", given="these")


def test_a_fault_ends_the_others() -> None:
    told: list[int] = []
    with pytest.raises(InvalidInput, match="columns must be better, got these"):
        settle(
            pairings(Plain(), Broken()), workers=1, progress=lambda done, total: told.append(done)
        )

    assert told == [1]


@pytest.mark.parametrize("name", ANALYSTS)
def test_a_size_that_an_attack_cannot_have_is_refused_under_its_name(name: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^questions must be at least .* for {name}, got 1$"):
        sized(ANALYSTS[name], rows=50, questions=1)


def test_sizes_are_checked_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peekproof.audit.matrix.settle", None)
    wrong: dict[str, dict[str, object]] = {
        "rows must be an integer of at least 1, got 0": {"rows": 0},
        "questions must be at least 13 for reconstruction, got 12": {"questions": 12},
        "rows times questions must be at most 100,000,000": {"rows": 10**6, "questions": 101},
        "confidence must be strictly between 0 and 1": {"confidence": Fraction(1)},
        "attacks must be one or more, each under a name of its own, got none": {"attacks": []},
        "setups must be one or more": {"setups": [Plain(), Plain()]},
    }
    for message, given in wrong.items():
        with pytest.raises(InvalidInput) as refused:
            matrix(**{"rows": 50, "questions": 20, **given})  # type: ignore[arg-type]
        assert message in str(refused.value)
    with pytest.raises(InvalidInput, match="workers must be an integer of at least 1, got 0"):
        settle(pairings(Plain()), workers=0)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Picky:
    """Refuses in words that do not say who."""

    kind = "picky"

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Boosting:
        raise InvalidInput(argument="rows", accepted="even", given=str(rows))


def test_a_refusal_that_does_not_say_who_gets_the_name() -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be even for picky, got 51$"):
        sized(Picky, rows=51, questions=5)  # type: ignore[arg-type]


def test_every_opponent_and_outcome_travels_between_processes(small: Matrix) -> None:
    for each in (*OPPONENTS.values(), *small.outcomes, *pairings(*SETUPS)):
        assert pickle.loads(pickle.dumps(each)) == each
    assert all(isinstance(each, Outcome) for each in small.outcomes)


@pytest.mark.parametrize("wrong", [{"attacks": ["correlation"]}, {"setups": ["plain"]}])
def test_names_are_no_attacks_and_no_setups(wrong: dict[str, list[str]]) -> None:
    with pytest.raises(InvalidInput, match="must be things that have"):
        matrix(rows=50, questions=5, workers=1, **wrong)  # type: ignore[arg-type]
