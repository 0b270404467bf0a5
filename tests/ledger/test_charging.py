"""What a ledger charges, keeps and refuses to be talked into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    OPENING,
    Opened,
    asked,
    at,
    lines,
    lose,
    write,
)
from peekproof.core.charge import FREE, GDP, Charge, Draws, Offer, PureDP
from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger.entry import Settled
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.state import OverLimit


def test_a_new_ledger_has_its_whole_budget(memory: Ledger) -> None:
    assert memory.opening == OPENING
    assert (memory.spent(), memory.draws(), dict(memory.answers())) == (FREE, 0, {})
    assert memory.verify() == 1


def test_each_question_is_charged_exactly_and_answered_in_one_entry(memory: Ledger) -> None:
    written = write(memory, "p", "q")

    assert written == Written(2, ("p", "q"), (Offer(cost=COST),) * 2)
    assert memory.spent() == GDP(Fraction(2, 3))
    assert memory.draws() == 2
    assert memory.answers() == {
        "p": Settled("p > 1", Fraction(1, 2)),
        "q": Settled("q > 1", Fraction(1, 3)),
    }
    assert lines(memory)[1] == (
        "answer",
        {
            "questions": [
                {"digest": "p", "text": "p > 1", "value": "1/2"},
                {"digest": "q", "text": "q > 1", "value": "1/3"},
            ],
            "cost": "1/3",
            "spent": "2/3",
        },
    )
    assert memory.verify() == 2


def test_what_may_never_be_answered_is_charged_alike(memory: Ledger) -> None:
    assert lose(memory, "p", "q") == Written(2, ("p", "q"), (Offer(cost=COST),) * 2, lost=True)
    assert (memory.spent(), memory.draws(), memory.answers()) == (COST * 2, 2, {})
    assert set(memory.seen.unanswered[2]) == {"p", "q"}
    assert lines(memory)[1] == (
        "lost",
        {
            "questions": [{"digest": "p", "text": "p > 1"}, {"digest": "q", "text": "q > 1"}],
            "cost": "1/3",
            "spent": "2/3",
        },
    )


def test_an_answer_to_what_was_charged_before_costs_nothing(memory: Ledger) -> None:
    memory.recover(lose(memory, "p", "q"), {"p": Fraction(1, 2), "q": (Fraction(1), Fraction(0))})

    assert memory.spent() == GDP(Fraction(2, 3))
    assert memory.seen.unanswered == {}
    assert memory.answers()["q"] == Settled("q > 1", (Fraction(1), Fraction(0)))
    assert lines(memory)[2] == (
        "answer",
        {
            "questions": [
                {"digest": "p", "text": "p > 1", "value": "1/2"},
                {"digest": "q", "text": "q > 1", "value": ["1", "0"]},
            ],
            "cost": "1/3",
            "spent": "2/3",
            "lost": 2,
        },
    )
    assert memory.verify() == 3


def test_answered_questions_are_not_charged_again(memory: Ledger) -> None:
    write(memory, "p")
    assert write(memory, "p") == lose(memory, "p") == Written(0, ())
    assert write(memory, "p", "q").digests == ("q",)
    assert memory.draws() == 2
    assert memory.verify() == 3


def test_questions_that_were_never_answered_are_charged_again(memory: Ledger) -> None:
    lose(memory, "p")
    assert lose(memory, "p").digests == ("p",)
    assert write(memory, "p").digests == ("p",)
    assert memory.draws() == 3


def test_nothing_is_drawn_that_does_not_fit_and_a_refusal_is_free(
    path: Path, opened: Opened
) -> None:
    ledger = opened(path)
    write(ledger, *(f"q{i}" for i in range(AFFORDABLE - 1)))
    before = lines(ledger)
    assert asked(ledger, "y", "z") == OverLimit(BUDGET)

    def drawn(_: object) -> list[Fraction]:
        raise AssertionError("nothing may be drawn")

    both = {"y": "y > 1", "z": "z > 1"}
    assert ledger.write(both, offers=at(COST), release=drawn) == OverLimit(BUDGET)
    assert ledger.lose(both, offers=at(COST)) == OverLimit(BUDGET)
    assert lines(ledger) == before
    write(ledger, "z")
    assert ledger.spent() == BUDGET
    assert asked(ledger, "y") == OverLimit(BUDGET)
    # Nothing new is asked: nothing needs to fit.
    assert write(ledger, "z") == Written(0, ())


def test_what_is_drawn_is_drawn_after_everything_on_record(path: Path, opened: Opened) -> None:
    one, other = opened(path), opened(path)
    write(other, "p")
    seen: list[int] = []

    def offers(digests: tuple[str, ...]) -> list[Offer]:
        seen.append(one.seen.draws)
        return [Offer(cost=COST)] * len(digests)

    one.write({"q": "q > 1"}, offers=offers, release=lambda _: [Fraction(1, 2)])
    assert seen == [1]


def test_an_error_while_drawing_is_charged_and_answers_nothing(memory: Ledger) -> None:
    """Whether it fails may depend on rows: nobody gets to know that for free."""

    def broken(_: object) -> list[Fraction]:
        raise ZeroDivisionError

    found = memory.write({"q": "q > 1"}, offers=at(COST), release=broken)
    assert found == Written(2, ("q",), (Offer(cost=COST),), lost=True)
    assert (memory.spent(), memory.draws(), memory.seen.staged) == (COST, 1, {})
    assert (lines(memory)[1][0], memory.answers()) == ("lost", {})
    write(memory, "q")
    assert (memory.verify(), memory.draws()) == (3, 2)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_of_values_than_of_questions_answers_nothing(
    count: int, memory: Ledger
) -> None:
    both = {"p": "p > 1", "q": "q > 1"}
    found = memory.write(both, offers=at(COST), release=lambda _: [Fraction(1, 2)] * count)
    assert isinstance(found, Written)
    assert found.lost
    assert (memory.answers(), memory.seen.staged) == ({}, {})
    assert memory.verify() == 2


def test_of_two_answers_to_one_question_the_first_stands(path: Path, opened: Opened) -> None:
    one, other = opened(path), opened(path)
    first, second = lose(one, "q"), lose(other, "q")
    assert one.spent() == other.spent() == COST * 2
    other.recover(second, {"q": Fraction(1, 2)})
    one.recover(first, {"q": Fraction(1, 3)})
    for ledger in (one, other, opened(path)):
        assert ledger.answers()["q"].value == Fraction(1, 2)
        assert list(ledger.look().unanswered) == [first.sequence]
        assert ledger.verify() == 4


STEPS = st.lists(
    st.tuples(
        st.integers(0, 1),  # which handle acts
        st.lists(st.sampled_from("pqrs"), min_size=1, max_size=3, unique=True),
        st.booleans(),  # whether it answers at once
    ),
    max_size=12,
)


def always(value: Fraction) -> Callable[[Sequence[str]], list[Fraction]]:
    """The same answer to every question."""
    return lambda digests: [value] * len(digests)


@given(STEPS)
def test_any_sequence_of_two_handles_agrees_with_a_model(
    steps: list[tuple[int, list[str], bool]],
) -> None:
    # Two ledgers on one in-memory database stand for two processes on one file.
    with closing(Ledger.create(MEMORY, OPENING)) as one:
        handles = [one, Ledger(one._log._store)]
        spent, answers = 0, dict[str, Fraction]()
        for number, (index, names, answers_it) in enumerate(steps):
            fresh = [name for name in names if name not in answers]
            texts, value = dict.fromkeys(names, "x"), Fraction(number, 64)
            if answers_it:
                found = handles[index].write(texts, offers=at(COST), release=always(value))
            else:
                found = handles[index].lose(texts, offers=at(COST))
            if spent + len(fresh) > AFFORDABLE:
                assert found == OverLimit(BUDGET)
                continue
            assert isinstance(found, Written)
            assert list(found.digests) == fresh
            spent += len(fresh)
            if answers_it:
                answers |= dict.fromkeys(fresh, value)
        for handle in handles:
            assert handle.spent() == COST * spent
            assert handle.draws() == spent
            assert {key: each.value for key, each in handle.answers().items()} == answers
            handle.verify()


def test_reopening_continues(path: Path, opened: Opened) -> None:
    ledger = opened(path)
    write(ledger, "p")
    pending = lose(ledger, "q")
    ledger.close()
    again = opened(path)
    assert again.opening == OPENING
    assert again.spent() == COST * 2
    assert set(again.answers()) == {"p"}
    again.recover(pending, {"q": Fraction(1)})
    assert set(again.answers()) == {"p", "q"}


# Misuse ---------------------------------------------------------------------------------------


def test_what_was_lost_is_answered_once(memory: Ledger) -> None:
    charged = lose(memory, "q")
    memory.recover(charged, {"q": Fraction(1, 2)})
    memory.recover(charged, {"q": Fraction(1, 3)})
    assert memory.verify() == 3
    assert memory.answers()["q"].value == Fraction(1, 2)


def test_what_nobody_paid_for_is_not_answered(memory: Ledger) -> None:
    memory.recover(Written(99, ("q",)), {"q": Fraction(1, 2)})
    memory.recover(lose(memory, "p"), {"z": Fraction(1, 2)})
    assert memory.answers() == {}
    assert memory.verify() == 2


def test_a_price_above_the_budget_cannot_overspend(memory: Ledger) -> None:
    found = memory.lose({"q": "q > 1"}, offers=at(BUDGET * 2))
    assert found == OverLimit(BUDGET)
    assert memory.spent() == FREE
    assert memory.verify() == 1


@pytest.mark.parametrize("cost", [PureDP(Fraction(1, 3)), Draws(Fraction(1))])
def test_a_price_in_another_unit_charges_nothing(cost: Charge, memory: Ledger) -> None:
    with pytest.raises(TypeError):
        memory.lose({"q": "q > 1"}, offers=lambda *_: [Offer(cost=cost)])
    assert memory.spent() == FREE
    assert memory.verify() == 1


def test_some_of_what_was_lost_may_be_answered(memory: Ledger) -> None:
    charged = lose(memory, "p", "q")
    memory.recover(charged, {"p": Fraction(1, 2)})
    assert set(memory.seen.unanswered[charged.sequence]) == {"q"}
    memory.recover(charged, {"p": Fraction(1, 3), "q": Fraction(1, 2)})
    assert memory.seen.unanswered == {}
    assert memory.verify() == 4


def test_a_closed_ledger_says_that_it_is_closed() -> None:
    ledger = Ledger.create(MEMORY, OPENING)
    ledger.close()
    with pytest.raises(LedgerUnavailable, match="closed"):
        ledger.spent()
