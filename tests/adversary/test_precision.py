"""Attacks on the digits of answers: low-order bits of noise, and records packed into one number."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest

import peekproof
from laws import cheats
from laws.case_parts import AnyCase
from laws.cheats import Bent, case_of, reachable
from laws.mechanism_cases import discrete_gaussian, gaussian, gaussian_vector, laplace
from peekproof.core.secret import Exact
from peekproof.data.table import Table
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import Seeded
from peekproof.query.form import FINE
from peekproof.session import Session
from peekproof.testing.mechanisms import loss_floor_stays_below_the_cost
from peekproof.testing.statistics import Violation, excess_p_value, mean_deviation, statistical
from peekproof.theory.conversion import gdp_to_tv

FALSE_ALARM = 2e-9

# The low-order bits ----------------------------------------------------------------------------
#
# Textbook noise in doubles is b·ln(U) for one of 2⁵² numbers U. Added to another exact value it
# falls on other doubles, so a released number tells which values it cannot have come from.


def cannot_be_nothing(seen: tuple[Any, ...]) -> bool:
    """The attack: a count of 0 is excluded."""
    first = seen[0][0] if isinstance(seen[0], tuple) else seen[0]
    return not reachable(float(first), 0.0)


def nothing_or_one(case: AnyCase, none: object, one: object) -> AnyCase:
    return replace(case, neighbours=(((none,), (one,)),))


def test_low_bits_of_textbook_noise_exclude_the_neighbour() -> None:
    adder = nothing_or_one(case_of(Bent(drawn=cheats.in_floats)), 0, 1)
    none, one = (
        [cannot_be_nothing(adder.transcript((count,), rng=Seeded(seed))) for seed in range(1_000)]
        for count in (0, 1)
    )
    assert not any(none)  # never wrong,
    assert sum(one) > 300  # and often sure
    # Twenty answers to the same question: the attack is right in each of fifty worlds.
    assert all(any(one[20 * world : 20 * world + 20]) for world in range(50))


@statistical(false_alarm=FALSE_ALARM)
def test_the_same_attack_on_mechanisms_tells_no_more_than_their_cost() -> None:
    def attack(case: AnyCase) -> None:
        loss_floor_stays_below_the_cost(
            case, cannot_be_nothing, trials=1_000, false_alarm=FALSE_ALARM / 4
        )

    attack(nothing_or_one(laplace(), 0, 1))
    attack(nothing_or_one(discrete_gaussian(), 0, 1))
    attack(nothing_or_one(gaussian(), 0, 2))
    attack(nothing_or_one(gaussian_vector(), (0, 4, 4), (4, 4, 4)))
    with pytest.raises(Violation):
        attack(nothing_or_one(case_of(Bent(drawn=cheats.in_floats)), 0, 1))


# Digit packing ---------------------------------------------------------------------------------
#
# Record i counts 2^{−i} if its secret is 1, so the digits of an exact mean are the secrets. Means
# are taken in fixed point of 24 digits, so one answer of a session holds 24 records at most.

DIGITS = 24
SOME = 1_024


def packed(secrets: list[int]) -> list[float]:
    return [secret * 2.0 ** -(place + 1) for place, secret in enumerate(secrets)]


def unpacked(total: Fraction, *, digits: int = DIGITS) -> list[int]:
    """The digits of a sum, in the order of the records."""
    whole = min(2**digits - 1, max(0, int(total * 2**digits)))
    return [whole >> digits - place & 1 for place in range(1, digits + 1)]


def test_one_exact_mean_spells_out_fifty_records() -> None:
    secrets = np.random.default_rng(1).integers(0, 2, 50).tolist()
    total = sum(int(2**50 * weight) for weight in packed(secrets))
    told = float(UnsafeEmpirical(rows=SOME * 2**50).release_unsafely(Exact(total)))

    assert unpacked(Fraction(told) * SOME, digits=50) == secrets


def spelt(
    kind: type[Any], secrets: list[int], *, questions: int, seed: int, other: float = 0.5
) -> Fraction:
    """The sum of the packed records as a session tells it; all else is known to the attacker.

    The other records count one half or so, which keeps the mean away from the ends.
    """
    others = [other] * (SOME - len(secrets))
    with peekproof.open(
        {"weight": packed(secrets) + others},
        questions=questions,
        mechanisms=[kind],
        entropy=Seeded(seed),
        ledger=":memory:",
    ) as session:
        answer = session.ask("mean(weight, 0, 1, 0)")
    return answer.released * SOME - Fraction(other) * len(others)


@statistical(false_alarm=FALSE_ALARM)
def test_noise_leaves_digit_packing_with_guesses() -> None:
    """Every digit is right with probability at most (1 + TV)/2, of which the price is a bound."""
    rng, sessions = np.random.default_rng(2), 150
    right = []
    for seed in range(sessions):
        secrets = rng.integers(0, 2, DIGITS).tolist()
        guesses = unpacked(spelt(Gaussian, secrets, questions=20, seed=seed))
        right.append(sum(map(int.__eq__, secrets, guesses)) / DIGITS)
    with peekproof.open({"a": [0.0] * SOME}, questions=20, mechanisms=[Gaussian]) as session:
        mechanism = session.plan.mechanism
    assert isinstance(mechanism, Gaussian)
    luck = mean_deviation(trials=sessions, false_alarm=FALSE_ALARM)

    assert np.mean(right) <= (1 + float(gdp_to_tv(mechanism.cost()).distance)) / 2 + luck < 0.8
    # The same attack on an exact mean of the same rows, the only part of one, has them all.
    assert unpacked(spelt(FreshRows, secrets, questions=1, seed=1)) == secrets


def test_few_possible_answers_hold_at_most_one_of_the_packed_digits() -> None:
    """All sums of packed records are less than a bin apart: no answer tells more than a side.

    Yet truncation does not protect records. Other records that put the edge of a bin between the
    sums with and without the first make an answer tell it.
    """
    rng, questions = np.random.default_rng(3), 5
    packs = [[0] * DIGITS, [1] * DIGITS, *(rng.integers(0, 2, DIGITS).tolist() for _ in range(60))]
    with peekproof.open(
        {"a": [0.0] * SOME}, questions=questions, mechanisms=[Truncation]
    ) as session:
        mechanism = session.plan.mechanism
    assert isinstance(mechanism, Truncation)
    edge = Fraction(mechanism.bins // 2, mechanism.bins)
    other = (SOME * edge - Fraction(1, 2)) / (SOME - DIGITS)
    placed = ceil(other * FINE) / FINE  # the nearest that fixed point holds

    for each in (0.5, placed):
        told = [
            spelt(Truncation, secrets, questions=questions, seed=1, other=each) for secrets in packs
        ]
        assert len(set(told)) <= 2
    assert [value > min(told) for value in told] == [secrets[0] == 1 for secrets in packs]


def reads(session: Session, questions: list[str], *, rows: int) -> list[set[int]]:
    """The records that each answer spells out."""
    answers = session.ask_many(questions)
    digits = [unpacked(answer.released * rows) for answer in answers]
    return [{place for place, digit in enumerate(each) if digit} for each in digits]


def columns(rows: int, count: int, rng: np.random.Generator) -> tuple[set[int], dict[str, Any]]:
    """Which secrets are 1, and a table that packs them, with as many names for the column."""
    secrets = rng.integers(0, 2, DIGITS).tolist()
    weights = np.array(packed(secrets) + [0.0] * (rows - DIGITS))
    names = {f"w{number}": weights for number in range(count)}
    held = {place for place, secret in enumerate(secrets) if secret}
    return held, names | {"row": np.arange(float(rows))}


def test_fresh_rows_spell_out_their_own_records_and_no_others() -> None:
    """Without noise records are not protected: each part is read to the last digit.

    What is read of one part is not about another: together the answers tell every record once.
    """
    rows, parts = 96, 4
    held, table = columns(rows, parts, np.random.default_rng(4))
    with peekproof.open(
        table, questions=parts, mechanisms=[FreshRows], entropy=Seeded(1), ledger=":memory:"
    ) as session:
        questions = [f"mean(w{number}, 0, 1, 0)" for number in range(parts)]
        read = [reads(session, [each], rows=rows // parts)[0] for each in questions]

    assert sum(map(bool, read)) > 1
    assert set.union(*read) == held
    assert sum(map(len, read)) == len(held)


def test_a_round_spells_out_its_own_records_and_no_others() -> None:
    rows = 96
    held, table = columns(rows, 4, np.random.default_rng(5))
    with peekproof.open(
        table, questions=4, rounds=2, mechanisms=[FreshRows], entropy=Seeded(1), ledger=":memory:"
    ) as session:
        first, again = reads(session, ["mean(w0, 0, 1, 0)", "mean(w1, 0, 1, 0)"], rows=rows // 2)
        second, _ = reads(session, ["mean(w2, 0, 1, 0)", "mean(w3, 0, 1, 0)"], rows=rows // 2)

    assert first == again
    assert first
    assert second
    assert first | second == held
    assert not first & second


NAMES = 20  # columns of digits, so 480 kinds of records


def population(rows: int, rng: np.random.Generator) -> dict[str, Any]:
    """Records of 480 kinds, each as likely; column j packs those of kinds 24j … 24j + 23."""
    kind = rng.integers(0, NAMES * DIGITS, rows)
    places = kind % DIGITS + 1
    own = {f"w{j}": np.where(kind // DIGITS == j, 2.0**-places, 0.0) for j in range(NAMES)}
    return own | {"kind": kind.astype(float)}


def missed(sessions: int) -> int:
    """How often the share of the kinds read in the first round misses in the second."""
    rng, missing, rows = np.random.default_rng(6), 0, 100
    for seed in range(sessions):
        with peekproof.open(
            population(rows, rng),
            questions=NAMES + 1,
            rounds=2,
            mechanisms=[FreshRows],
            entropy=Seeded(seed),
            ledger=":memory:",
        ) as session:
            questions = [f"mean(w{j}, 0, 1, 0)" for j in range(NAMES)]
            read = reads(session, questions, rows=rows // 2)
            kinds = [DIGITS * j + place for j, places in enumerate(read) for place in places]
            answer = session.ask(" or ".join(f"kind = {kind}" for kind in kinds))
        assert len(kinds) > 30  # nearly all of the fifty rows
        missing += len(kinds) / (NAMES * DIGITS) not in answer
    return missing


@statistical(false_alarm=FALSE_ALARM)
def test_what_was_read_does_not_mislead_about_the_population(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows that were read are never asked again. The mutant counts both rounds on the first."""
    plain = Table.totals_round

    def stuck(self, questions, *, number, rounds, key):  # type: ignore[no-untyped-def]
        return plain(self, questions, number=0 * number, rounds=rounds, key=key)

    assert excess_p_value(missed(25), trials=25, probability=0.05) > FALSE_ALARM
    monkeypatch.setattr(Table, "totals_round", stuck)
    assert excess_p_value(missed(10), trials=10, probability=0.05) < FALSE_ALARM
