from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest

import peekproof
from peekproof.core.certificate import UNIT
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput, LedgerDamaged
from peekproof.core.finding import Chosen, Level, Numbers
from peekproof.core.secret import SECRET
from peekproof.core.theorem import lookup
from peekproof.ledger.ledger import Ledger, Written
from peekproof.mechanisms.base import Ask
from peekproof.noise.entropy import Seeded
from peekproof.session.queries import ANY_SHARE
from peekproof.session.receipt import Receipt, receipt, receipts
from peekproof.session.records import offer_of
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
    assert entries[1:] == [found.entry]
    assert found.analyst == "Ana Müller"
    assert found.at == entries[1].body["at"]
    text = found.text()
    assert "Analyst     Ana Müller\n" in text
    assert f"Entry       2, digest {found.entry.digest.hex()[:16]}…" in text
    assert found.at.replace("T", " ").replace("Z", " UTC") in text
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
    with peekproof.open(DATA, questions=20, rounds=3, mechanisms=[peekproof.FreshRows]) as session:
        session.ask_many(["age > 50", "age > 60"])
        key = session.ledger.opening.mechanism[f"{SECRET}key"]
        for found in receipts(session.ledger):
            assert found.rounds_left == 2
            assert "18 more questions fitted afterwards, in 2 more rounds" in found.text()
            assert key not in found.text() + repr(found.to_dict()) + repr(found)


def test_a_checked_guess_says_how_it_went() -> None:
    with peekproof.open(DATA, questions=20, mechanisms=[peekproof.Checking]) as session:
        passed = session.ask("age > 50", guess=0.5, tolerance=0.2)
        failed = session.ask("age > 60", guess=0.9, tolerance=0.2)
        for found, answer, outcome in zip(
            receipts(session.ledger), (passed, failed), ("confirmed", "not confirmed"), strict=True
        ):
            assert found.failed == (answer is failed)
            assert f"Guess       {outcome} by the rows\n" in found.text()
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
    write = Ledger.write  # a session would refuse the name
    with mock.patch.object(
        Ledger, "write", lambda *args, **kw: write(*args, **{**kw, "analyst": "\x1b[31m\nred"})
    ):
        data.ask(long)
    text = only(data).text()
    assert "\x1b" not in text
    assert "Analyst     \\x1b[31m\\x0ared\n" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "".join(only(data).question.split()) in "".join(text.split())


def offer_of_a_share(data: Session) -> Offer:
    return offer_of(data.plan.mechanism.offer(Ask(what=ANY_SHARE), data.past), UNIT)


def test_what_was_paid_for_twice_has_one_receipt_of_its_answer(data: Session) -> None:
    data.ask("age > 50")
    (digest,) = data.ledger.answers()
    offer = offer_of_a_share(data)
    both = [data.ledger.lose({"q": "q"}, offers=lambda _: [offer]) for _ in range(2)]
    for lost, value in zip(both, (Fraction(1, 4), Fraction(3, 4)), strict=True):
        assert isinstance(lost, Written)
        data.ledger.recover(lost, {"q": value})
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
    offer = offer_of_a_share(data)
    data.ledger.write(
        {"q": "q"}, offers=lambda _: [offer], release=lambda _: [(Fraction(1, 4), Fraction(3, 4))]
    )
    with pytest.raises(LedgerDamaged, match=r"cannot be \(it is no share, or not as many"):
        list(receipts(data.ledger))
