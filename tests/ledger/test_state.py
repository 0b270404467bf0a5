from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.books import BUDGET, COST, OPENING
from peekproof.core.charge import FREE, GDP
from peekproof.core.errors import LedgerDamaged, LedgerTooNew
from peekproof.ledger.entry import FORMAT, Entry, Opening, Settled
from peekproof.ledger.state import State

Content = list[tuple[str, Any]]


def questions(*names: str) -> list[dict[str, str]]:
    return [{"digest": name, "text": f"{name} > 1"} for name in names]


def replayed(content: Content) -> State:
    state = State("the/place")
    for number, (kind, body) in enumerate(content, start=1):
        if number > 1 and isinstance(body, dict):
            body = {"format": FORMAT, **body}  # noqa: PLW2901
        state.apply(Entry(number, kind, json.dumps(body), bytes(32)))
    return state


def answers(**values: str) -> list[dict[str, str]]:
    return [{**each, "value": values[each["digest"]]} for each in questions(*values)]


def story() -> Content:
    """Two questions at once, two that were paid for before, one of them answered, and one more."""
    return [
        ("open", OPENING.to_body()),
        ("answer", {"questions": answers(p="1/2", q="3/4"), "cost": "1/3", "spent": "2/3"}),
        ("lost", {"questions": questions("r", "s"), "cost": "1/3", "spent": "4/3"}),
        ("answer", {"questions": answers(r="1/4"), "cost": "1/3", "spent": "4/3", "lost": 3}),
        ("answer", {"questions": answers(t="1"), "cost": "1/3", "spent": "5/3"}),
    ]


def test_replay_gives_exact_totals_and_all_answers() -> None:
    state = replayed(story())
    assert state.opening == OPENING
    assert state.spent == COST * 5 == GDP(Fraction(5, 3))
    assert state.draws == 5
    assert {name: each.value for name, each in state.answers.items()} == {
        "p": Fraction(1, 2),
        "q": Fraction(3, 4),
        "r": Fraction(1, 4),
        "t": Fraction(1),
    }
    assert state.answers["p"] == Settled("p > 1", Fraction(1, 2))
    assert {entry: set(each) for entry, each in state.unanswered.items()} == {3: {"s"}}
    assert state.last is not None
    assert state.last.sequence == 5


def test_nothing_was_spent_before_the_first_charge() -> None:
    state = replayed(story()[:1])
    assert (state.spent, state.draws, state.answers, state.unanswered) == (FREE, 0, {}, {})


@pytest.mark.parametrize("kind", ["answer", "lost"])
def test_the_whole_budget_may_be_charged_and_not_a_whit_more(kind: str) -> None:
    whole = {"questions": answers(p="1"), "cost": "10/3", "spent": "10/3"}
    assert replayed([story()[0], (kind, whole)]).spent == BUDGET
    more = Fraction(10, 3) + Fraction(1, 10**30)
    over = {"questions": answers(p="1"), "cost": str(more), "spent": str(more)}
    with pytest.raises(LedgerDamaged, match="more was charged than the budget holds"):
        replayed([story()[0], (kind, over)])


fractions = st.fractions(Fraction(1, 10**6), 10**6)


@given(fractions, fractions, st.integers(1), st.integers(1))
def test_an_opening_survives_the_journey_through_json(
    confidence: Fraction, budget: Fraction, rows: int, count: int
) -> None:
    opening = Opening(
        fingerprint="pp1-é",
        rows=rows,
        confidence=confidence,
        questions=count,
        mechanism={"kind": "gaussian", "sigma": str(budget)},
        budget=GDP(budget),
        entropy="system",
    )
    assert Opening.from_body(json.loads(json.dumps(opening.to_body()))) == opening


def changed(entry: int, **fields: object) -> Callable[[Content], Content]:
    def change(content: Content) -> Content:
        kind, body = content[entry - 1]
        return [*content[: entry - 1], (kind, {**body, **fields}), *content[entry:]]

    return change


def lacking(entry: int, field: str) -> Callable[[Content], Content]:
    def change(content: Content) -> Content:
        kind, body = content[entry - 1]
        rest = {key: value for key, value in body.items() if key != field}
        return [*content[: entry - 1], (kind, rest), *content[entry:]]

    return change


SENSELESS: dict[str, tuple[Callable[[Content], Content], int]] = {
    "no opening": (lambda c: c[1:], 1),
    "two openings": (lambda c: [c[0], *c], 2),
    "unknown kind": (lambda c: [*c, ("refund", {})], 6),
    "body is no object": (lambda c: [*c, ("answer", [])], 6),
    "answered twice": (lambda c: [*c, c[1]], 6),
    "answered twice what was lost": (lambda c: [*c, c[3]], 6),
    "answered what nobody lost": (changed(4, lost=99), 4),
    "answered before it was lost": (lambda c: [c[0], c[3]], 2),
    "answered what another entry charged": (changed(4, lost=2), 4),
    "answered another question than was lost": (changed(4, questions=answers(z="1/4")), 4),
    "answered for another price than was paid": (changed(4, cost="1/6"), 4),
    "charged again for what was lost": (changed(4, spent="5/3"), 4),
    "an answer is missing": (changed(2, questions=questions("p", "q")), 2),
    "an answer is no number": (changed(2, questions=answers(p="many")), 2),
    "an answer divides by zero": (changed(2, questions=answers(p="1/0")), 2),
    "the total is too small": (changed(3, spent="2/3"), 3),
    "the total is too large": (changed(3, spent="5/3"), 3),
    "a cost below zero": (changed(3, cost="-1/3", spent="0"), 3),
    "a cost of nothing readable": (changed(3, cost="nan"), 3),
    "a cost of null": (changed(3, cost=None), 3),
    "questions are a number": (changed(3, questions=5), 3),
    "a question without a digest": (changed(3, questions=[{"text": "q > 1"}]), 3),
    "more than the budget": (changed(1, budget="1/3"), 2),
    "a budget below zero": (changed(1, budget="-1"), 1),
    "a format that is no number": (changed(1, format="one"), 1),
    "rows that are no number": (changed(1, rows="many"), 1),
    "a mechanism that is no object": (changed(1, mechanism="gaussian"), 1),
    **{f"opening lacks {field}": (lacking(1, field), 1) for field in OPENING.to_body()},
    **{
        f"{kind} lacks {field}": (lacking(entry, field), entry)
        for kind, entry in (("answer", 2), ("lost", 3))
        for field in ("questions", "cost", "spent")
    },
}


@pytest.mark.parametrize(("change", "entry"), SENSELESS.values(), ids=SENSELESS.keys())
def test_a_story_that_contradicts_itself_is_damaged_at_the_entry(
    change: Callable[[Content], Content], entry: int
) -> None:
    with pytest.raises(LedgerDamaged, match=f"makes no sense at entry {entry} ") as caught:
        replayed(change(story()))
    assert caught.value.ledger == "the/place"
    assert "Restore the file from a backup" in str(caught.value)


def test_a_newer_format_is_named_not_guessed() -> None:
    with pytest.raises(LedgerTooNew, match="upgrade peekproof") as caught:
        replayed(changed(1, format=FORMAT + 1)(story()))
    assert (caught.value.found, caught.value.supported) == (FORMAT + 1, FORMAT)
