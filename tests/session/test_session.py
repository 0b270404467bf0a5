from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from backends import here
from peekproof.core.charge import FREE
from peekproof.core.errors import (
    BudgetExhausted,
    EvaluationFailed,
    InvalidInput,
    LedgerUnavailable,
    PeekproofError,
    QuestionError,
    TypeMismatch,
    UnknownColumn,
)
from peekproof.core.numerics import decimal_up
from peekproof.data.evaluate import Columns
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Seeded
from peekproof.query.schema import Kind
from peekproof.session import Session
from session.people import ROWS, Person, ledger_bytes, noise_of, people

Opener = Callable[..., Session]

SHARES: dict[str, Callable[[Person], bool]] = {
    "age > 50": lambda each: each.age > 50,
    "not age > 50": lambda each: each.age <= 50,
    "income < 30000": lambda each: each.income is not None and each.income < 30_000,
    "income is null": lambda each: each.income is None,
    "city = 'Köln' and well": lambda each: each.city == "Köln" and each.well,
    "city in ('Rome', 'Oslo') or age between 20 and 30": (
        lambda each: each.city in ("Rome", "Oslo") or 20 <= each.age <= 30
    ),
}


def kinds(session: Session) -> list[str]:
    return [entry.kind for entry in session.ledger.entries()]


# Answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "batch"])
def test_answers_are_near_the_shares_of_the_file(together: bool, csv: Path, opened: Opener) -> None:
    """The seed is fixed, so this holds or fails for good; the radius covers far more."""
    session = opened(csv, questions=10, entropy=Seeded(4))
    texts = list(SHARES)
    answers = session.ask_many(texts) if together else [session.ask(text) for text in texts]
    population = people()
    spread = 4 * float(noise_of(session).sigma)
    for answer, holds in zip(answers, SHARES.values(), strict=True):
        share = sum(map(holds, population)) / ROWS
        assert abs(answer.value - share) < spread < answer.radius
        assert share in answer


def test_what_an_answer_says(csv: Path, opened: Opener) -> None:
    session = opened(csv, confidence=0.9, questions=7, entropy=Seeded(4))
    answer = session.ask("  age > 50 ")
    assert answer.question == "age > 50"
    assert answer.released % noise_of(session).step == 0
    assert answer.value == float(answer.released)
    assert answer.radius == session.plan.radius
    assert answer.low == pytest.approx(answer.value - answer.radius, abs=1e-12)
    assert answer.high == pytest.approx(answer.value + answer.radius, abs=1e-12)
    assert (answer.interval.low, answer.interval.high) == (answer.low, answer.high)
    assert answer.confidence == 0.9
    assert answer.cost == noise_of(session).cost()
    assert answer.remaining == session.remaining == 6
    assert not answer.replayed
    assert answer.certificate == session.plan.certificate
    assert answer.to_dict() == {
        "question": "age > 50",
        "value": answer.value,
        "low": answer.low,
        "high": answer.high,
        "radius": answer.radius,
        "confidence": 0.9,
        "cost": str(noise_of(session).cost().mu_squared),
        "replayed": False,
        "remaining": 6,
        "theorems": list(answer.certificate.theorems),
    }
    assert str(answer).endswith("age > 50")


def test_intervals_stay_between_zero_and_one(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=10, entropy=Seeded(4))
    nobody, everybody = session.ask_many(["age > 1000", "age < 1000"])
    assert nobody.low == 0.0
    assert everybody.high == 1.0
    assert 0 <= nobody.value < 0.2 < 0.8 < everybody.value <= 1


def test_noise_is_fresh_for_every_question(csv: Path, opened: Opener) -> None:
    """Forty questions that are true for the same rows: only the noise tells them apart."""
    session = opened(csv, questions=40, entropy=Seeded(4))
    answers = session.ask_many([f"age > 50 and city != 'number {i}'" for i in range(40)])
    assert len({answer.released for answer in answers}) > 30


def test_the_schema_is_what_the_file_has(csv: Path, opened: Opener) -> None:
    assert opened(csv).schema.columns == {
        "age": Kind.NUMBER,
        "income": Kind.NUMBER,
        "city": Kind.TEXT,
        "well": Kind.FLAG,
    }


# Replay ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spelling", ["age > 50", "50 < age", "not (age <= 50)", "`age`>5e1 AND true", "(age > 50)"]
)
def test_the_same_question_is_free_and_identical_in_any_spelling(
    spelling: str, csv: Path, place: Path, opened: Opener
) -> None:
    session = opened(csv, questions=7)
    first = session.ask("age > 50")
    before = ledger_bytes(place)
    again = session.ask(spelling)
    assert again.replayed
    assert again.cost == FREE
    assert (again.released, again.low, again.high) == (first.released, first.low, first.high)
    assert again.remaining == first.remaining == 6
    assert ledger_bytes(place) == before


def test_a_replay_does_not_touch_the_data(
    csv: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(csv, questions=7)
    first = session.ask("age > 50")
    monkeypatch.delattr(here(session), "table")
    assert session.ask("50 < age").released == first.released


def test_a_question_another_session_answered_meanwhile_is_free(csv: Path, opened: Opener) -> None:
    one, other = opened(csv, questions=7), opened(csv)
    first = one.ask("age > 50")
    again = other.ask("age > 50")
    assert (again.released, again.replayed, again.remaining) == (first.released, True, 6)
    assert one.ledger.draws() == 1
    mixed = other.ask_many(["age > 50", "age > 60"])
    assert [each.replayed for each in mixed] == [True, False]
    assert one.remaining == 5


# Batches --------------------------------------------------------------------------------------


def test_a_batch_is_one_entry(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    answers = session.ask_many(["age > 50", "age > 60", "city = 'Rome'"])
    assert kinds(session) == ["open", "answer"]
    assert [answer.remaining for answer in answers] == [4, 4, 4]
    assert session.ledger.spent() == noise_of(session).cost() * 3
    assert session.ledger.verify() == 2


def test_a_repeated_question_in_a_batch_is_paid_once(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    answers = session.ask_many(["age > 50", "age > 60", "50 < age", "age > 50"])
    assert [answer.replayed for answer in answers] == [False, False, True, True]
    assert answers[0].released == answers[2].released == answers[3].released
    assert session.remaining == 5
    assert [answer.question for answer in answers][2] == "50 < age"


def test_a_batch_pays_only_for_what_is_new(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    first = session.ask("age > 50")
    answers = session.ask_many(["age > 60", "age > 50"])
    assert [answer.replayed for answer in answers] == [False, True]
    assert answers[1].released == first.released
    assert session.remaining == 5
    assert all(each.replayed for each in session.ask_many(["age > 60", "age > 50"]))
    assert kinds(session) == ["open", "answer", "answer"]


def test_an_empty_batch_is_nothing(csv: Path, place: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    before = ledger_bytes(place)
    assert session.ask_many([]) == []
    assert ledger_bytes(place) == before


def test_a_batch_is_answered_whole_or_not_at_all(csv: Path, place: Path, opened: Opener) -> None:
    session = opened(csv, questions=3)
    session.ask("age > 50")
    before = session.ledger.entries()
    with pytest.raises(BudgetExhausted) as caught:
        session.ask_many(["age > 60", "age > 70", "age > 80", "age > 50"])
    assert caught.value.fields() == {
        "asked": 3,
        "remaining": 2,
        "questions": 3,
        "of_several": False,
    }
    assert "3 new questions asked, 2 of 3 left" in str(caught.value)
    assert session.remaining == 2
    assert session.ledger.entries() == before
    session.ask_many(["age > 60", "age > 70", "age > 50"])
    assert session.remaining == 0


def test_the_budget_ends_where_it_was_promised_to(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=3)
    for number in range(3):
        assert session.ask(f"age > {number}").remaining == 2 - number
    with pytest.raises(BudgetExhausted, match=r"1 new question asked, 0 of 3 left") as caught:
        session.ask("age > 3")
    assert "need new data" in str(caught.value)
    assert session.ask("age > 2").replayed
    with pytest.raises(BudgetExhausted):
        opened(csv).ask("age > 3")


# What is refused, and what it leaves behind ---------------------------------------------------

BAD_QUESTIONS: list[tuple[object, type[PeekproofError], list[str]]] = [
    ("agee > 50", UnknownColumn, ["unknown column 'agee'", "did you mean 'age'?"]),
    ("city > 5", TypeMismatch, ["text compared with something that is not text"]),
    ("age = 'old'", TypeMismatch, ["text compared with", "`backticks`"]),
    ("age between 0 and nan", QuestionError, ["nan is not a number", "'is null'"]),
    ("age between 9 and 1", QuestionError, ["the range from 9 to 1 is empty", "smaller end first"]),
    ("age / 0 > 1", QuestionError, ["division by 0", "divide by something that is not always 0"]),
    ("age > 1e999", QuestionError, ["too large for double precision"]),
    ("", QuestionError, ["the question is empty", "such as age > 50"]),
    ("age >", QuestionError, ["the question ends after"]),
    ("1 = 1", QuestionError, ["always true", "mention a column"]),
    ("(" * 1000, QuestionError, ["nested more than"]),
    (17, InvalidInput, ["question must be text such as 'age > 50', got 17"]),
    (None, InvalidInput, ["got None"]),
]


@pytest.mark.parametrize(("bad", "kind", "pieces"), BAD_QUESTIONS)
@pytest.mark.parametrize("batch", [False, True], ids=["alone", "in a batch"])
def test_a_bad_question_is_named_and_nothing_changes(
    bad: str,
    kind: type[PeekproofError],
    pieces: list[str],
    batch: bool,
    csv: Path,
    place: Path,
    opened: Opener,
) -> None:
    session = opened(csv, questions=7)
    session.ask("age > 50")
    before = ledger_bytes(place)
    with pytest.raises(kind) as caught:
        session.ask_many(["age > 60", bad]) if batch else session.ask(bad)
    assert type(caught.value) is kind
    for piece in pieces:
        assert piece in str(caught.value)
    assert session.remaining == 6
    assert ledger_bytes(place) == before


def test_text_where_a_list_belongs_is_refused(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    with pytest.raises(InvalidInput, match="questions must be a list of questions") as caught:
        session.ask_many("age > 50")
    assert "use ask for a single one" in str(caught.value)
    assert session.remaining == 7


def test_a_failing_engine_keeps_the_charge_and_the_question_can_be_asked_again(
    csv: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise ValueError("row 17 holds s3cr3t")

    session = opened(csv, questions=7)
    monkeypatch.setattr(Columns, "doubles", broken)
    with pytest.raises(EvaluationFailed, match="it stays charged") as caught:
        session.ask_many(["age > 50", "age > 60"])
    assert "s3cr3t" not in "".join(traceback.format_exception(caught.value))
    assert session.remaining == 5
    assert kinds(session) == ["open", "lost"]
    monkeypatch.undo()
    assert not session.ask("age > 50").replayed
    assert session.remaining == 4
    assert session.ledger.verify() == 3


@pytest.mark.parametrize("question", ["age < 1e308 * 10", "city = '\ud800'"])
def test_no_question_fails_after_it_was_charged(question: str, csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    with pytest.raises(QuestionError):
        session.ask(question)
    assert session.remaining == 7


def test_answer_and_charge_are_on_disk_together_before_anybody_is_told(
    csv: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, auditor = opened(csv, questions=7), opened(csv)
    seen: list[tuple[str, int, int]] = []
    totals, release = type(here(session).table).totals, Gaussian.release

    def look(step: str) -> None:
        seen.append((step, auditor.ledger.draws(), len(auditor.ledger.answers())))

    def watched_totals(*arguments: object) -> object:
        look("totals")
        return totals(*arguments)  # type: ignore[arg-type]

    def watched_release(*arguments: object, **keywords: object) -> object:
        look("release")
        return release(*arguments, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(type(here(session).table), "totals", watched_totals)
    monkeypatch.setattr(type(session.plan.mechanism), "release", watched_release)
    look("before")
    session.ask("age > 50")
    look("after")
    assert seen == [("before", 0, 0), ("totals", 0, 0), ("release", 0, 0), ("after", 1, 1)]


# Secrets --------------------------------------------------------------------------------------

SECRET_NUMBER, SECRET_TEXT = "73910.625", "s3cr3t"


def test_nothing_that_can_be_printed_shows_a_value_of_the_data(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame(
        {
            "pay": [float(SECRET_NUMBER)] * 600,
            "name": [SECRET_TEXT] * 600,
            "well": [True, False] * 300,
            "day": pl.Series(["1987-06-05"] * 600).str.to_date(),
        }
    )
    session = opened(frame, questions=5)
    answers = session.ask_many(["pay > 1", "name = 'x'", "well"])
    shown: list[object] = [
        session,
        session.plan,
        session.schema,
        session.ledger,
        here(session).table,
        here(session).table.fingerprint,
        session.ledger.opening,
        *answers,
        *(answer.to_dict() for answer in answers),
        answers[0].certificate.explain(),
        *session.ledger.entries(),
        *session.ledger.answers().items(),
        here(session).table.totals([]),
    ]

    def fails(act: Callable[[], object]) -> None:
        with pytest.raises(PeekproofError) as caught:
            act()
        shown.extend(["".join(traceback.format_exception(caught.value)), caught.value.fields()])

    fails(lambda: session.ask("payy > 1"))
    fails(lambda: session.ask("name > 1"))
    fails(lambda: session.ask("day > 1"))
    fails(lambda: session.ask_many([f"pay > {i}" for i in range(9)]))
    fails(lambda: opened(frame.head(3)))
    fails(lambda: opened({"name": [SECRET_TEXT], "pay": [1.0, 2.0]}))

    def broken(*_: object) -> object:
        raise ValueError(SECRET_TEXT)

    with monkeypatch.context() as patch:
        patch.setattr(Columns, "doubles", broken)
        fails(lambda: session.ask("pay > 100"))
    printed = "\n".join(f"{each!r} {each}" for each in shown)
    for secret in (SECRET_NUMBER, SECRET_TEXT, "1987-06-05", "1987, 6, 5"):
        assert secret not in printed
    assert not re.search(r"\b73910\b", printed)  # alone: digests hold all digits by chance


# Closing --------------------------------------------------------------------------------------


def test_a_session_is_a_context_that_closes_its_ledger(
    csv: Path, tmp_path: Path, place: Path, opened: Opener
) -> None:
    with opened(csv, questions=7) as session:
        session.ask("age > 50")
    assert sorted(tmp_path.iterdir()) == [csv, place]
    with pytest.raises(LedgerUnavailable, match="closed"):
        session.ask("age > 60")
    with pytest.raises(LedgerUnavailable, match="closed"):
        session.ask("age > 50")
    assert opened(csv).remaining == 6


def test_repr_tells_the_promise_and_what_is_left(csv: Path, place: Path, opened: Opener) -> None:
    session = opened(csv, confidence=0.9, questions=1234)
    session.ask("age > 50")
    text = repr(session)
    radius = f"±{decimal_up(session.plan.radius)}"
    for piece in ("2,000 rows", radius, "0.9", "1,234 questions", "1,233 left", str(place)):
        assert piece in text


def test_a_closed_session_can_still_be_printed(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    session.close()
    assert "2,000 rows" in repr(session)


def test_remaining_is_exact_for_any_cost(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=7)
    cost = noise_of(session).cost()
    assert cost.mu_squared.denominator != 1
    assert session.plan.budget == cost * 7
    session.ask_many([f"age > {i}" for i in range(7)])
    assert session.ledger.spent() == session.plan.budget
    assert session.remaining == 0
    assert isinstance(session.ledger.spent().amount, Fraction)
