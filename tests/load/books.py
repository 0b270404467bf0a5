"""What must hold between the replies of a crowd and the ledger, whatever happened on the way."""

from __future__ import annotations

import json
from fractions import Fraction

from load.crowd import Report
from peekproof.ledger.ledger import Ledger


def check_answers(place: str, *reports: Report) -> None:
    """Every question got one answer, and the ledger has it: the same number, of the same rows."""
    book = Ledger.open(place)
    try:
        answers = book.answers()
        seen: dict[str, str] = {}
        for report in reports:
            for question, status, body in report.answers:
                assert status == 200, (question, status, body)
                said = json.loads(body)
                (record,) = said["records"]
                settled = answers[record["digest"]]
                assert Fraction(record["value"]) == settled.value
                assert said["value"] == float(Fraction(record["value"]))
                assert settled.text == question
                assert record["digest"] not in seen, "two questions had one digest"
                seen[record["digest"]] = question
        assert set(seen) == set(answers), "an answer that nobody got, or that is not recorded"
    finally:
        book.close()


def check_charges(place: str, *reports: Report, killed: bool) -> int:
    """Nothing was charged without an entry, nor twice; how many charges were never answered."""
    book = Ledger.open(place)
    try:
        assert book.verify() == len(book.entries())
        state, got = book.look(), sum(len(report.answers) for report in reports)
        paid = [
            question
            for entry in book.entries()
            if entry.kind in ("answer", "lost") and "lost" not in entry.body
            for question in entry.body["questions"]
        ]
        lost = sum(len(questions) for questions in state.unanswered.values())
        assert state.draws == len(paid)
        assert len({each["digest"] for each in paid}) == len(state.answers) == got
        if killed:  # what died between paying and answering is paid for again, and no more
            assert state.draws == got + lost
        else:
            assert (state.draws, lost) == (got, 0)
        bodies = [json.loads(body) for report in reports for *_, body in report.answers]
        costs = {Fraction(record["cost"]) for each in bodies for record in each["records"]}
        (cost,) = costs - {Fraction(0)}
        assert state.spent.amount == state.draws * cost
        if not killed:
            assert not any(each["replayed"] for each in bodies)
            assert costs == {cost}
        return lost
    finally:
        book.close()
