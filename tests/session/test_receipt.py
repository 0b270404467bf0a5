from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest

import peekproof
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput, LedgerDamaged
from peekproof.core.theorem import lookup
from peekproof.ledger.ledger import Ledger
from peekproof.noise.entropy import Seeded
from peekproof.session.certified import Chosen, Level, Numbers
from peekproof.session.receipt import Receipt, receipt, receipts
from peekproof.session.session import Session

ROWS = 2000
DATA = {"age": [float(18 + (7 * i) % 70) for i in range(ROWS)]}


@pytest.fixture
def data() -> Iterator[Session]:
    with peekproof.open(
        DATA, questions=200, mechanisms=[peekproof.Gaussian], entropy=Seeded(1)
    ) as session:
        yield session


def only(session: Session) -> Receipt:
    (found,) = receipts(session.ledger)
    return found


def test_a_receipt_repeats_the_answer_and_its_certificate(data: Session) -> None:
    answer = data.ask("age > 50")
    found = only(data)
    assert isinstance(found.finding, Numbers)
    ((value, interval),) = found.finding.cells
    assert (value, interval) == (answer.value, answer.interval)
    assert found.certificate == answer.certificate
    assert (found.question, found.number, found.left) == ("age > 50", 1, answer.remaining)
    assert found.offer.cost == answer.cost


def test_a_mean_is_told_in_its_units(data: Session) -> None:
    answer = data.ask("mean(age, 0, 100, 0)")
    text = only(data).text()
    assert f"{answer.value:.2f}; in the population from " in text
    assert "of the range from 0 to 100 (T-" in " ".join(text.split())
    found = only(data).to_dict()["answer"]
    assert found == {"value": answer.value, "low": answer.low, "high": answer.high}


def test_histograms_quantiles_and_choices_have_receipts_of_their_own(data: Session) -> None:
    histogram = data.histogram("histogram(age, (30, 50))")
    quantile = data.quantile("quantile(age, 0.5, 0, 100)", loss=0.2)
    choice = data.best(["age > 20", "age > 80"], loss=0.2)
    first, second, third = receipts(data.ledger)
    assert isinstance(first.finding, Numbers)
    assert [value for value, _ in first.finding.cells] == [cell.value for cell in histogram]
    assert [line[:7] for line in first.finding.lines()] == ["cell 1:", "cell 2:", "cell 3:"]
    assert second.finding == Level(quantile.value, quantile.levels)
    assert "The level is at most" in second.text()
    assert third.finding == Chosen(choice.index, 2, choice.gap)
    assert f"no. {choice.index + 1} of the 2 candidates" in third.text()
    assert third.offer.draws > 1
    assert second.to_dict()["answer"] == {
        "value": quantile.value,
        "lowest_level": quantile.levels.low,
        "highest_level": quantile.levels.high,
    }
    chosen = {"chosen": choice.index, "candidates": 2, "gap": choice.gap}
    assert third.to_dict()["answer"] == chosen


def test_a_receipt_names_its_entries_who_asked_and_when(data: Session) -> None:
    data.as_analyst("Ana Müller").ask("age > 50")
    found, entries = only(data), data.ledger.entries()
    assert (found.reserve, found.settle) == (entries[1], entries[2])
    assert found.analyst == "Ana Müller"
    assert found.asked_at == entries[1].body["at"]
    assert found.answered_at == entries[2].body["at"]
    text = found.text()
    assert "Analyst     Ana Müller\n" in text
    for entry, what in zip(entries[1:], ("paid for", "answered"), strict=True):
        assert f"{entry.sequence}, {what}: digest {entry.digest.hex()[:16]}…" in text
    assert found.to_dict()["analyst"] == "Ana Müller"


def test_every_theorem_is_cited_and_every_assumption_named(data: Session) -> None:
    data.ask("age > 50")
    found = only(data)
    words = " ".join(found.text().split())
    assert found.certificate.theorems
    for key in found.certificate.theorems:
        assert f"{key}: {lookup(key).citation}" in words
    for part in found.certificate.parts:
        assert f"{part.covers} ({part.theorem}: " in words
    for assumption in found.certificate.assumptions:
        assert assumption in words
    assert any("seed" in each for each in found.certificate.assumptions)


def test_what_was_left_is_what_was_left_then(data: Session) -> None:
    data.ask("age > 50")
    data.ask_many(["age > 60", "age > 70"])
    assert [each.left for each in receipts(data.ledger)] == [199, 197, 197]
    assert [each.number for each in receipts(data.ledger)] == [1, 2, 3]


def test_rounds_are_counted_and_the_key_is_withheld() -> None:
    with peekproof.open(DATA, questions=20, rounds=3, mechanisms=[peekproof.Rounds]) as session:
        session.ask_many(["age > 50", "age > 60"])
        key = session.ledger.opening.mechanism["key"]
        for found in receipts(session.ledger):
            assert found.rounds_left == 2
            assert "18 more questions fitted afterwards, in 2 more rounds" in found.text()
            assert key not in found.text() + repr(found.to_dict()) + repr(found)


def test_a_checked_guess_says_how_it_went() -> None:
    with peekproof.open(DATA, questions=20, mechanisms=[peekproof.Checking]) as session:
        passed = session.ask("age > 50", guess=0.5, tolerance=0.2)
        failed = session.ask("age > 60", guess=0.9, tolerance=0.2)
        for found, answer, outcome in zip(
            receipts(session.ledger), (passed, failed), ("passed", "failed"), strict=True
        ):
            assert found.mechanism["outcome"] == outcome
            assert f"outcome = {outcome}" in found.text()
            assert found.certificate == answer.certificate
            assert found.to_dict()["answer"] == {
                "value": answer.value,
                "low": answer.low,
                "high": answer.high,
            }


def test_a_later_override_is_on_every_receipt(data: Session) -> None:
    data.ask("age > 50")
    assert "custodian" not in only(data).text()
    data.ledger.override(reason="the copy was never asked", against="pp1-00")
    assert "- the custodian's word against pp1-00: the copy was never asked" in only(data).text()
    assert only(data).to_dict()["overrides"] == [
        {"reason": "the copy was never asked", "against": "pp1-00"}
    ]


def test_no_code_for_terminals_and_no_long_line_gets_through(data: Session) -> None:
    long = " or ".join(f"age > {number}" for number in range(40))
    reserve = Ledger.reserve  # a session would refuse the name
    with mock.patch.object(
        Ledger, "reserve", lambda *args, **kw: reserve(*args, **{**kw, "analyst": "\x1b[31m\nred"})
    ):
        data.ask(long)
    text = only(data).text()
    assert "\x1b" not in text
    assert "Analyst     \\x1b[31m\\x0ared\n" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "".join(only(data).question.split()) in "".join(text.split())


def test_a_question_that_was_drawn_twice_has_one_receipt_of_the_first(data: Session) -> None:
    data.ask("age > 50")
    (digest,) = data.ledger.answers()
    price, gate = data.plan.mechanism.cost(), data.plan.gate()
    both = [
        data.ledger.reserve({"q": "q"}, offers=lambda *_: [Offer(cost=price)], gate=gate)
        for _ in range(2)
    ]
    for reservation, value in zip(both, (Fraction(1, 4), Fraction(3, 4)), strict=True):
        data.ledger.settle(reservation, {"q": value})  # type: ignore[arg-type]
    first, second = receipts(data.ledger)
    assert (first.digest, second.digest) == (digest, "q")
    assert isinstance(second.finding, Numbers)
    assert second.finding.cells[0][0] == 0.25
    assert receipt(data.ledger, "q") == second


def test_no_receipt_without_an_answer(data: Session) -> None:
    assert list(receipts(data.ledger)) == []
    with pytest.raises(InvalidInput, match="that of a question with an answer"):
        receipt(data.ledger, "nothing")


def test_a_ledger_on_disk_gives_the_receipt_of_the_session(tmp_path: Path) -> None:
    place = tmp_path / "x.peekproof"
    with peekproof.open(DATA, questions=20, ledger=place) as session:
        session.ask("age > 50")
        text = only(session).text()
    with closing(Ledger.open(str(place))) as ledger:
        (found,) = receipts(ledger)
        assert found.text() == text


def test_an_answer_of_another_shape_gets_no_receipt(data: Session) -> None:
    price = data.plan.mechanism.cost()
    reserved = data.ledger.reserve(
        {"q": "q"}, offers=lambda *_: [Offer(cost=price)], gate=data.plan.gate()
    )
    data.ledger.settle(reserved, {"q": (Fraction(1, 4), Fraction(3, 4))})  # type: ignore[arg-type]
    with pytest.raises(LedgerDamaged, match=r"cannot be \(it has another number of cells"):
        list(receipts(data.ledger))
