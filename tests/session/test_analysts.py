"""Named analysts: shares of one budget, moved by the custodian, and one bound for all."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peekproof
from ledger.books import chained, lines, overwrite
from peekproof.core.errors import BudgetExhausted, InvalidInput, LedgerDamaged, ShareExhausted
from peekproof.ledger.ledger import Ledger
from peekproof.session.session import Session

DATA = {"age": np.random.default_rng(5).uniform(0, 100, 3000)}
SHARES = {"ann": Fraction(1, 2), "bob": Fraction(3, 10)}


def opened(questions: int = 10, **arguments: object) -> Session:
    arguments = {"mechanisms": [peekproof.Gaussian], **arguments}
    return peekproof.open(DATA, questions=questions, **arguments)  # type: ignore[arg-type]


def asked(session: Session, count: int, *, first: int = 0) -> None:
    session.ask_many([f"age > {first + number}.5" for number in range(count)])


def test_everyone_draws_on_the_whole_budget_until_shares_are_set_aside() -> None:
    with opened() as session:
        ann = session.as_analyst("ann")
        asked(ann, 6)
        assert (ann.remaining, session.remaining) == (4, 4)
        assert session.ledger.look().accounts.of("ann").draws == 6


def test_a_share_is_a_limit_and_a_refusal_changes_nothing_for_others() -> None:
    with opened() as session:
        session.ledger.set_aside(SHARES)
        ann, bob = session.as_analyst("ann"), session.as_analyst("bob")
        assert [each.remaining for each in (ann, bob, session)] == [5, 3, 2]
        asked(ann, 5)
        with pytest.raises(ShareExhausted, match="1 new question asked, 0 left in ann's share"):
            ann.ask("age > 70.5")
        with pytest.raises(ShareExhausted) as refused:
            asked(bob, 4, first=20)
        assert refused.value.fields() == {
            "analyst": "bob",
            "asked": 4,
            "remaining": 3,
            "of_several": False,
        }
        with pytest.raises(ShareExhausted, match="all without a name"):
            asked(session, 3, first=30)
        asked(bob, 3, first=20)
        asked(session, 2, first=30)
        assert session.ledger.spent() == session.plan.budget
        accounts = session.ledger.look().accounts
        assert {name: each.draws for name, each in accounts.by_name.items()} == {
            "ann": 5,
            "bob": 3,
            "": 2,
        }


def test_whoever_has_no_share_has_the_rest_together() -> None:
    with opened() as session:
        session.ledger.set_aside({"ann": Fraction(8, 10)})
        asked(session.as_analyst("eve"), 1)
        asked(session.as_analyst("dan"), 1, first=10)
        with pytest.raises(ShareExhausted):
            session.as_analyst("fay").ask("age > 60.5")
        assert session.as_analyst("ann").remaining == 8


def test_the_custodian_moves_shares_and_what_was_used_stays_used() -> None:
    with opened() as session:
        session.ledger.set_aside(SHARES)
        asked(session.as_analyst("ann"), 5)
        session.ledger.set_aside({"ann": Fraction(1, 10), "bob": Fraction(9, 10)})
        assert session.as_analyst("ann").remaining == 0
        # Bob's share is larger than what is left: the one bound holds.
        bob = session.as_analyst("bob")
        assert bob.remaining == 5
        with pytest.raises(BudgetExhausted):
            asked(bob, 6, first=20)
        asked(bob, 5, first=20)


def test_answers_are_free_for_everyone() -> None:
    with opened() as session:
        session.ledger.set_aside({"ann": Fraction(1, 10), "bob": Fraction(0)})
        first = session.as_analyst("ann").ask("age > 50")
        again = session.as_analyst("bob").ask("not age <= 50")
        assert again.replayed
        assert again.released == first.released
        assert [each.text for each in session.ledger.history("ann")] == ["age > 50"]
        assert session.ledger.history("bob") == []


def test_shares_outlive_the_process_and_are_shared(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with opened(ledger=place) as session:
        session.ledger.set_aside(SHARES)
        asked(session.as_analyst("ann"), 4)
    with opened(ledger=place, analyst="ann", mechanisms=None) as ann:
        assert (ann.analyst, ann.remaining) == ("ann", 1)
        assert repr(ann).startswith("<Session of ann: ")
        with opened(ledger=place, mechanisms=None, analyst="ann") as other:
            other.ask("age > 60.5")
        with pytest.raises(ShareExhausted):
            ann.ask("age > 61.5")


def test_a_record_of_someone_who_drew_more_than_their_share_is_damaged(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with opened(ledger=place) as session:
        session.ledger.set_aside(SHARES)
        asked(session.as_analyst("ann"), 5)
        content = lines(session.ledger)
    forged = [
        (kind, {**body, "shares": {"ann": "1/10"}} if kind == "share" else body)
        for kind, body in content
    ]
    overwrite(place, chained(forged))
    with pytest.raises(LedgerDamaged, match="more than their share"):
        Ledger.open(str(place))


@pytest.mark.parametrize(
    "shares", [{"ann": Fraction(11, 10)}, {"a": Fraction(-1, 2)}, {"": Fraction(1, 2)}]
)
def test_absurd_shares_are_refused(shares: dict[str, Fraction]) -> None:
    with opened() as session:
        before = session.ledger.entries()
        with pytest.raises(InvalidInput, match="shares must be"):
            session.ledger.set_aside(shares)
        assert session.ledger.entries() == before


@pytest.mark.parametrize("name", ["a\nb", " ann", "x" * 101, 7, None])
def test_absurd_names_are_refused(name: object) -> None:
    with pytest.raises(InvalidInput, match="analyst must be"):
        opened(analyst=name)


def test_a_retired_ledger_answers_only_what_it_has_answered() -> None:
    with opened() as session:
        first = session.ask("age > 50")
        session.ledger.retire()
        session.ledger.retire()
        assert session.ask("age > 50").released == first.released
        with pytest.raises(peekproof.LedgerClosed, match="was closed"):
            session.ask("age > 51")
        assert [each.kind for each in session.ledger.entries()].count("close") == 1


@given(
    st.dictionaries(st.sampled_from(["ann", "bob", "eve"]), st.fractions(0, 1), min_size=1).filter(
        lambda shares: sum(shares.values()) <= 1
    ),
    st.lists(st.tuples(st.sampled_from(["ann", "bob", "eve", "zoe", ""]), st.integers(1, 4))),
)
def test_nobody_exceeds_their_share_and_all_of_them_not_the_budget(
    shares: dict[str, Fraction], calls: list[tuple[str, int]]
) -> None:
    """Against the definition, in plain numbers."""
    with opened(questions=12) as session:
        session.ledger.set_aside(shares)
        each = session.plan.budget.amount / 12
        used: dict[str, int] = {}
        for number, (name, count) in enumerate(calls):
            pool = name if name in shares else "rest"
            limit = shares.get(name, 1 - sum(shares.values(), Fraction(0)))
            after = used.get(pool, 0) + count
            fits = after <= limit * 12 and after * each <= limit * session.plan.budget.amount
            fits = fits and sum(used.values()) + count <= 12
            try:
                asked(session.as_analyst(name), count, first=100 * number)
                done = True
            except (ShareExhausted, BudgetExhausted):
                done = False
            assert done == fits
            used[pool] = after if fits else used.get(pool, 0)
        assert session.ledger.draws() == sum(used.values())
