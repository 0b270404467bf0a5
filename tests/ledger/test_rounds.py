"""A ledger that counts rounds: a batch costs one, on paper and in replay."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Thread

import pytest

from ledger.books import OPENING, Line, chained, lines, overwrite
from peekproof.core.charge import Draws, Offer
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.state import OverLimit

ROUND = Draws(Fraction(1))
BUDGET = Draws(Fraction(3))
BOOK = replace(
    OPENING,
    questions=10,
    budget=BUDGET,
    mechanism={"kind": "fresh-rows", "rounds": "3", "secret key": "0"},
)


def shared(digests: tuple[str, ...]) -> list[Offer]:
    """One round for all of them."""
    return [Offer(cost=Draws(Fraction(1, len(digests))))] * len(digests)


def asked(ledger: Ledger, *names: str) -> Written | OverLimit:
    texts = {name: f"{name} > 1" for name in names}
    half = Fraction(1, 2)
    return ledger.write(texts, offers=shared, release=lambda digests: [half] * len(digests))


def paid(ledger: Ledger, *names: str) -> Written:
    found = asked(ledger, *names)
    assert isinstance(found, Written)
    return found


def book(place: Path) -> Ledger:
    return Ledger.create(str(place), BOOK)


def test_a_batch_costs_one_round_whatever_its_size() -> None:
    ledger = Ledger.create(MEMORY, BOOK)
    first, second = paid(ledger, "p", "q", "r"), paid(ledger, "s")

    assert (first.digests, second.digests) == (("p", "q", "r"), ("s",))
    assert (ledger.spent(), ledger.draws()) == (ROUND * 2, 4)
    assert lines(ledger)[1][1] == {
        "questions": [{"digest": name, "text": f"{name} > 1", "value": "1/2"} for name in "pqr"],
        "cost": "1/3",
        "spent": "1",
    }
    ledger.close()


def test_rounds_and_questions_are_both_limits() -> None:
    ledger = Ledger.create(MEMORY, BOOK)
    assert isinstance(asked(ledger, *"abcdefghijk"), OverLimit)  # eleven of ten questions
    for names in ("abcdefgh", "i"):
        paid(ledger, *names)
    assert isinstance(asked(ledger, "j", "k"), OverLimit)
    kinds = [kind for kind, _ in lines(ledger)]
    assert kinds == ["open", "answer", "answer"]
    assert ledger.draws() == 9
    paid(ledger, "j")
    ledger.close()

    ledger = Ledger.create(MEMORY, BOOK)
    for name in "abc":
        paid(ledger, name)
    assert isinstance(asked(ledger, "d"), OverLimit)  # a fourth round of three
    ledger.close()


def test_a_round_that_was_lost_is_spent(tmp_path: Path) -> None:
    place = tmp_path / "book"
    with closing(book(place)) as ledger:
        ledger.lose({name: f"{name} > 1" for name in "pq"}, offers=shared)
    with closing(Ledger.open(str(place))) as ledger:
        assert (ledger.spent(), ledger.draws(), dict(ledger.answers())) == (ROUND, 2, {})
        paid(ledger, "p", "q")
        assert ledger.spent() == ROUND * 2
        assert ledger.verify() == 3
        assert paid(ledger, "p", "q", "r").digests == ("r",)


def test_every_taker_gets_a_round_of_its_own(tmp_path: Path) -> None:
    place = tmp_path / "book"
    book(place).close()
    got: list[Written | OverLimit] = []

    def take(name: str) -> None:
        with closing(Ledger.open(str(place))) as ledger:
            got.append(asked(ledger, name, f"{name}{name}"))

    takers = [Thread(target=take, args=(name,)) for name in "abcde"]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()

    assert sum(isinstance(each, Written) for each in got) == 3
    assert len(got) == 5
    with closing(Ledger.open(str(place))) as ledger:
        assert ledger.verify() == 4
        assert ledger.spent() == BUDGET
        assert [body["spent"] for _, body in lines(ledger)[1:]] == ["1", "2", "3"]


FORGERIES: dict[str, Callable[[list[Line]], object]] = {
    "paid for each": lambda told: told[1][1].update(cost="1"),
    "a total for each": lambda told: told[1][1].update(spent="2"),
    "no round at all": lambda told: told[1][1].update(spent="0"),
    "another unit": lambda told: told[0][1].update(unit="miles"),
    "fewer rounds": lambda told: told[0][1].update(budget="1/2"),
    "fewer questions": lambda told: told[0][1].update(questions=1),
    "no draw": lambda told: told[1][1].update(draws=0),
    "a true draw": lambda told: told[1][1].update(draws=True),
    "more draws than promised": lambda told: told[1][1].update(draws=6),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_record_that_does_not_add_up_is_damage(
    tmp_path: Path, forge: Callable[[list[Line]], object]
) -> None:
    place = tmp_path / "book"
    with closing(book(place)) as ledger:
        paid(ledger, "p", "q")
        told = lines(ledger)
    overwrite(place, chained(told))
    Ledger.open(str(place)).close()  # untouched, the second opinion's chain is accepted
    forge(told)
    overwrite(place, chained(told))
    with pytest.raises(LedgerDamaged, match="makes no sense at entry"):
        Ledger.open(str(place))
