from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.load import in_memory
from peekproof.ledger.entry import Opening
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import Plan, plan
from peekproof.noise.entropy import Seeded
from peekproof.session.local_backend import LocalBackend
from peekproof.session.session import Session


@given(rows=st.integers(1, 10**18), count=st.data())
def test_the_share_is_exact(rows: int, count: st.DataObject) -> None:
    hits = count.draw(st.integers(0, rows))
    released = UnsafeEmpirical(rows=rows).release_unsafely(Exact(hits))

    assert released * rows == hits


@pytest.mark.parametrize("rows", [0, -1, True, 2.0])
def test_rows_are_a_positive_integer(rows: Any) -> None:
    with pytest.raises(InvalidInput, match="rows must be an integer of at least 1"):
        UnsafeEmpirical(rows=rows)


def test_it_offers_nothing_that_a_session_needs() -> None:
    needed = {name for name in dir(Gaussian) if not name.startswith("_")} - {"rows"}
    offered = {name for name in dir(UnsafeEmpirical) if not name.startswith("_")} - {"rows"}

    assert {"cost", "certify", "release", "record"} <= needed
    assert offered == {"release_unsafely"}
    assert not needed & offered


def test_no_session_opens_on_it() -> None:
    table = in_memory({"x": [0.0, 1.0] * 500})
    honest = plan(rows=table.rows, target=Target(confidence=Fraction(19, 20), questions=5))
    cheat = Plan(
        target=honest.target,
        mechanism=cast("Gaussian", UnsafeEmpirical(rows=table.rows)),
        certificate=honest.certificate,
    )
    opening = Opening(
        fingerprint=table.fingerprint,
        rows=table.rows,
        confidence=honest.target.confidence,
        questions=honest.target.questions,
        mechanism=honest.mechanism.record(),
        budget=honest.budget,
        entropy="seed",
    )
    ledger = Ledger.create(MEMORY, opening)

    with pytest.raises(AttributeError, match="budget"):
        Session(LocalBackend(table=table, plan=cheat, ledger=ledger, rng=Seeded(1)))
    # Control: with the mechanism that was planned, the same call opens and answers.
    with Session(LocalBackend(table=table, plan=honest, ledger=ledger, rng=Seeded(1))) as session:
        assert 0 <= session.ask("x > 0").value <= 1
