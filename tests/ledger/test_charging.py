"""What a ledger charges, keeps and refuses to be talked into."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.books import (
    AFFORDABLE,
    BUDGET,
    COST,
    GATE,
    OPENING,
    Opened,
    answer,
    at,
    lines,
    reserve,
)
from peekproof.accounting.filters import SessionGate
from peekproof.core.charge import FREE, GDP, Admitted, Charge, Offer, Refused, added
from peekproof.core.errors import (
    LedgerUnavailable,
    PeekproofError,
)
from peekproof.ledger.file import MEMORY
from peekproof.ledger.ledger import Ledger, Reservation
from peekproof.ledger.record import Settled


def test_a_new_ledger_has_its_whole_budget(memory: Ledger) -> None:
    assert memory.opening == OPENING
    assert (memory.spent(), memory.draws(), dict(memory.answers())) == (FREE, 0, {})
    assert memory.verify() == 1


def test_a_reservation_charges_each_question_exactly(memory: Ledger) -> None:
    reservation = reserve(memory, "p", "q")
    assert reservation == Reservation(2, ("p", "q"), (Offer(cost=COST),) * 2, 0, FREE)
    assert reserve(memory, "r").first == 2
    memory.close()


def test_a_reservation_is_recorded_in_full(memory: Ledger) -> None:
    reserve(memory, "p", "q")
    assert memory.spent() == GDP(Fraction(2, 3))
    assert memory.draws() == 2
    assert memory.answers() == {}
    assert lines(memory)[1] == (
        "reserve",
        {
            "questions": [{"digest": "p", "text": "p > 1"}, {"digest": "q", "text": "q > 1"}],
            "cost": "1/3",
            "spent": "2/3",
        },
    )


def test_a_settlement_records_the_answers_and_costs_nothing(memory: Ledger) -> None:
    answer(memory, "p", "q")
    assert memory.spent() == GDP(Fraction(2, 3))
    assert memory.answers() == {
        "p": Settled("p > 1", Fraction(1, 2)),
        "q": Settled("q > 1", Fraction(1, 3)),
    }
    assert lines(memory)[2] == ("settle", {"reserve": 2, "answers": {"p": "1/2", "q": "1/3"}})
    assert memory.seen.answers == memory.answers()


def test_settled_questions_are_not_charged_again(memory: Ledger) -> None:
    answer(memory, "p")
    assert reserve(memory, "p") == Reservation(0, ())
    assert reserve(memory, "p", "q").digests == ("q",)
    assert memory.draws() == 2


def test_questions_that_were_never_settled_are_charged_again(memory: Ledger) -> None:
    reserve(memory, "p")
    assert reserve(memory, "p").digests == ("p",)
    assert memory.draws() == 2


def test_nothing_to_settle_writes_nothing(memory: Ledger) -> None:
    memory.settle(Reservation(0, ()), {})
    assert memory.verify() == 1


def test_the_last_unit_is_for_sale_and_a_refusal_is_free(path: Path, opened: Opened) -> None:
    ledger = opened(path)
    answer(ledger, *(f"q{i}" for i in range(AFFORDABLE - 1)))
    before = lines(ledger)
    both = {"y": "y > 1", "z": "z > 1"}
    assert ledger.reserve(both, offers=at(COST), gate=GATE) == Refused(BUDGET)
    refused = {"asked": 2, "questions": [{"digest": k, "text": t} for k, t in both.items()]}
    assert lines(ledger) == [*before, ("refuse", refused)]
    answer(ledger, "z")
    assert ledger.spent() == BUDGET
    assert ledger.reserve({"y": "y > 1"}, offers=at(COST), gate=GATE) == Refused(BUDGET)
    # Nothing new is asked: no gate needs to be passed.
    assert reserve(ledger, "z") == Reservation(0, ())


def test_the_gate_sees_the_whole_charge_and_the_exact_total(memory: Ledger) -> None:
    seen: list[tuple[Charge, Charge]] = []

    class Watching:
        def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
            seen.append((cost, spent))
            return Admitted(added(spent, cost))

    for names in (("p",), ("q", "r")):
        memory.reserve(dict.fromkeys(names, "x > 1"), offers=at(COST), gate=Watching())
    assert seen == [(COST, FREE), (COST * 2, COST)]


def test_two_handles_that_drew_the_same_question_keep_the_first_settled(
    path: Path, opened: Opened
) -> None:
    one, other = opened(path), opened(path)
    first, second = reserve(one, "q"), reserve(other, "q")
    assert one.spent() == other.spent() == COST * 2
    other.settle(second, {"q": Fraction(1, 2)})
    one.settle(first, {"q": Fraction(1, 3)})
    for ledger in (one, other, opened(path)):
        assert ledger.answers()["q"].value == Fraction(1, 2)
        assert ledger.verify() == 5


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),  # which handle acts
        st.lists(st.sampled_from("pqrs"), min_size=1, max_size=3, unique=True),
        st.booleans(),  # whether it settles
    ),
    max_size=12,
)


@given(STEPS)
def test_any_sequence_of_two_handles_agrees_with_a_model(
    steps: list[tuple[int, list[str], bool]],
) -> None:
    # Two ledgers on one in-memory database stand for two processes on one file.
    with closing(Ledger.create(MEMORY, OPENING)) as one:
        handles = [one, Ledger(one._log._store)]
        spent, answers = 0, dict[str, Fraction]()
        for number, (index, names, settles) in enumerate(steps):
            fresh = [name for name in names if name not in answers]
            found = handles[index].reserve(dict.fromkeys(names, "x"), offers=at(COST), gate=GATE)
            if spent + len(fresh) > AFFORDABLE:
                assert found == Refused(BUDGET)
                continue
            assert isinstance(found, Reservation)
            assert list(found.digests) == fresh
            spent += len(fresh)
            if settles:
                values = {name: Fraction(number, 64) for name in fresh}
                handles[index].settle(found, values)
                answers |= values
        for handle in handles:
            assert handle.spent() == COST * spent
            assert handle.draws() == spent
            assert {key: each.value for key, each in handle.answers().items()} == answers
            handle.verify()


def test_reopening_continues(path: Path, opened: Opened) -> None:
    ledger = opened(path)
    answer(ledger, "p")
    pending = reserve(ledger, "q")
    ledger.close()
    again = opened(path)
    assert again.opening == OPENING
    assert again.spent() == COST * 2
    assert set(again.answers()) == {"p"}
    again.settle(pending, {"q": Fraction(1)})
    assert set(again.answers()) == {"p", "q"}


# Misuse ---------------------------------------------------------------------------------------


def test_a_reservation_is_settled_once(memory: Ledger) -> None:
    reservation = reserve(memory, "q")
    memory.settle(reservation, {"q": Fraction(1, 2)})
    with pytest.raises(PeekproofError):
        memory.settle(reservation, {"q": Fraction(1, 3)})
    assert memory.verify() == 3
    assert memory.answers()["q"].value == Fraction(1, 2)


def test_an_unknown_reservation_is_not_settled(memory: Ledger) -> None:
    with pytest.raises(PeekproofError):
        memory.settle(Reservation(99, ("q",)), {"q": Fraction(1, 2)})
    assert memory.verify() == 1


def test_a_gate_wider_than_the_budget_cannot_overspend(memory: Ledger) -> None:
    wide = SessionGate.within(BUDGET * 2)
    found = memory.reserve({"q": "q > 1"}, offers=at(BUDGET * 2), gate=wide)
    assert found == Refused(BUDGET)
    assert memory.spent() == FREE
    assert memory.verify() == 2


@pytest.mark.parametrize("digests", [("z",), ("p",)])
def test_a_reservation_is_settled_for_its_own_questions(
    digests: tuple[str, ...], memory: Ledger
) -> None:
    reservation = reserve(memory, "p", "q")
    other = Reservation(reservation.sequence, digests)
    with pytest.raises(PeekproofError):
        memory.settle(other, dict.fromkeys(digests, Fraction(1, 2)))
    assert memory.verify() == 2


def test_a_gate_that_forgets_the_cost_cannot_make_it_free(memory: Ledger) -> None:
    class Forgetful:
        def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
            return Admitted(spent)

    memory.reserve({"q": "q > 1"}, offers=at(COST), gate=Forgetful())
    assert memory.spent() == COST
    assert memory.verify() == 2


def test_a_missing_value_settles_nothing(memory: Ledger) -> None:
    reservation = reserve(memory, "p", "q")
    with pytest.raises(KeyError):
        memory.settle(reservation, {"p": Fraction(1, 2)})
    assert memory.verify() == 2
    memory.settle(reservation, {"p": Fraction(1, 2), "q": Fraction(1, 2)})
    assert memory.verify() == 3


def test_a_closed_ledger_says_that_it_is_closed() -> None:
    ledger = Ledger.create(MEMORY, OPENING)
    ledger.close()
    with pytest.raises(LedgerUnavailable, match="closed"):
        ledger.spent()
