"""Errors: a type, fields, a message made of the fields, and a tree as documented."""

import copy
import pickle
import re
from dataclasses import fields
from fractions import Fraction

import pytest

import peekproof
from peekproof.core import errors
from peekproof.core.errors import (
    BudgetElsewhere,
    BudgetExhausted,
    CertificateMismatch,
    DataChanged,
    DataError,
    EvaluationFailed,
    FailuresExhausted,
    GatewayError,
    GatewayUnavailable,
    InvalidInput,
    KeyInUse,
    LedgerClosed,
    LedgerDamaged,
    LedgerError,
    LedgerMismatch,
    LedgerMissing,
    LedgerMoved,
    LedgerRolledBack,
    LedgerTooNew,
    LedgerUnavailable,
    Malformed,
    MechanismMissing,
    NotAllowed,
    NotServed,
    NotThisWay,
    PeekproofError,
    QuestionError,
    Refusal,
    RoundsExhausted,
    ShareExhausted,
    TooLarge,
    TooManyRequests,
    TooSlow,
    TypeMismatch,
    Unauthenticated,
    UnknownColumn,
    VacuousPlan,
    WitnessDamaged,
)

EXAMPLES: tuple[PeekproofError, ...] = (
    PeekproofError(),
    InvalidInput(argument="sigma", accepted="above 0", given="-1", hint="use 1"),
    QuestionError(problem="unexpected ')'", text="age > )", position=6, length=1, hint="close it"),
    UnknownColumn(problem="no column", text="agee > 1", position=0, length=4, column="agee"),
    TypeMismatch(problem="not a number", text="name > 1", position=0, length=4),
    DataError(source="people.csv", problem="is empty", hint="give it rows"),
    DataChanged(source="people.csv"),
    Refusal(),
    BudgetExhausted(asked=7, remaining=1234, questions=5678),
    RoundsExhausted(asked=7, rounds=12),
    FailuresExhausted(asked=7, failures=13),
    VacuousPlan(
        rows=1111,
        questions=2222,
        confidence=Fraction(19, 20),
        radius=0.125,
        rows_needed=3333,
        questions_affordable=44,
    ),
    EvaluationFailed(),
    CertificateMismatch(claimed=0.01, recomputed=0.02),
    LedgerError(ledger="a.db"),
    LedgerMissing(ledger="a.db"),
    LedgerMismatch(ledger="a.db", what="rows", recorded="10", given="11", hint="use another"),
    LedgerDamaged(ledger="a.db", problem="is cut short"),
    LedgerTooNew(ledger="a.db", found=9, supported=1),
    MechanismMissing(ledger="a.db", mechanism="magic", package="spells"),
    LedgerUnavailable(ledger="a.db", problem="is locked"),
    LedgerClosed(ledger="a.db"),
    LedgerClosed(ledger="a.db", reason="2 entries are lost"),
    LedgerMoved(ledger="a.db", to="postgresql:///d?ledger=a"),
    LedgerMoved(ledger="a.db", to="postgresql:///d?ledger=a", delivered=False),
    ShareExhausted(analyst="ann", asked=3, remaining=2),
    BudgetElsewhere(ledger="a.db", place="b.db", entries=12),
    LedgerRolledBack(ledger="a.db", place="b.db", seen=1234, found=7),
    WitnessDamaged(ledger="a.db", file="state/pp1-0.json"),
    GatewayError(),
    Unauthenticated(problem="the token has expired"),
    NotAllowed(problem="the token is for other data"),
    NotServed(what="a data set named 'people'"),
    NotThisWay(method="PATCH", accepted="GET"),
    Malformed(problem="is not HTTP"),
    TooSlow(patience=30.0),
    TooLarge(most=1_048_576),
    TooManyRequests(retry_after=1.5),
    KeyInUse(problem="stands for another request"),
    GatewayUnavailable(problem="no gateway answers", hint="start it"),
)
every_example = pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)

# Fields that only programs read, because the message already points at them.
SILENT = {("UnknownColumn", "column"), ("LedgerError", "ledger")}


def descendants(kind: type[PeekproofError]) -> list[type[PeekproofError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in descendants(child))]


def documented_parents() -> dict[str, str]:
    """Child and parent, read from the tree in the module's docstring by its indentation."""
    path: list[tuple[int, str]] = []
    parents = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"([│├└─ ]*)(\w+)", line)
        if not found or not (path or found[2] == "PeekproofError"):
            continue  # the prose above the tree
        depth, name = len(found[1]), found[2]
        path = [(above, ancestor) for above, ancestor in path if above < depth]
        if path:
            parents[name] = path[-1][1]
        path.append((depth, name))
    return parents


def altered(value: object) -> object:
    match value:
        case str():
            return f"{value}~"
        case bool():
            return not value
        case int():
            return value + 2
        case float() | Fraction():
            return value / 2
        case tuple():
            return (*value, "other")
    raise TypeError(f"no other value known for {value!r}")


def test_there_is_an_example_of_every_error() -> None:
    assert {type(error) for error in EXAMPLES} == set(descendants(PeekproofError))


def test_the_documented_tree_names_every_error() -> None:
    assert {"PeekproofError", *documented_parents()} == {
        kind.__name__ for kind in descendants(PeekproofError)
    }


def test_the_documented_tree_is_the_tree() -> None:
    assert documented_parents() == {
        kind.__name__: kind.__bases__[0].__name__ for kind in descendants(PeekproofError)[1:]
    }


def test_every_error_is_public() -> None:
    for kind in descendants(PeekproofError):
        assert getattr(peekproof, kind.__name__) is kind
        assert kind.__name__ in peekproof.__all__


@every_example
def test_a_pickle_round_trip_keeps_type_fields_and_message(error: PeekproofError) -> None:
    for back in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(back) is type(error)
        assert back.fields() == error.fields()
        assert str(back) == str(error)


@every_example
def test_fields_are_complete(error: PeekproofError) -> None:
    names = [field.name for field in fields(error)]

    assert list(error.fields()) == names
    assert error.fields() == {name: getattr(error, name) for name in names}
    assert type(error)(**error.fields()).fields() == error.fields()


@every_example
def test_the_message_depends_on_every_field(error: PeekproofError) -> None:
    for name, value in error.fields().items():
        changed = type(error)(**{**error.fields(), name: altered(value)})

        assert (str(changed) == str(error)) == ((type(error).__name__, name) in SILENT)


def test_callers_may_catch_value_errors() -> None:
    mistakes = {InvalidInput, QuestionError, UnknownColumn, TypeMismatch, DataError}

    for kind in descendants(PeekproofError):
        assert issubclass(kind, ValueError) == (kind in mistakes)


def test_an_invalid_input_says_what_is_accepted_and_then_what_to_do() -> None:
    bare = InvalidInput(argument="slack", accepted="in (0, 1)", given="1.5")

    assert str(bare) == "slack must be in (0, 1), got 1.5"
    assert str(EXAMPLES[1]) == "sigma must be above 0, got -1; use 1"


def test_a_question_error_points_at_the_fault() -> None:
    assert str(EXAMPLES[2]).splitlines() == [
        "unexpected ')' at character 7; close it",
        "    age > )",
        "          ^",
    ]


def test_a_question_error_shows_a_window_of_a_long_question() -> None:
    text = "a" * 500 + "!\n\t" + "b" * 500
    head, window, caret = str(QuestionError(problem="bad", text=text, position=500)).splitlines()

    assert head == "bad at character 501"
    assert window == "    " + "a" * 40 + "!  " + "b" * 37
    assert window[caret.index("^")] == "!"


@pytest.mark.parametrize(("length", "carets"), [(0, 1), (1, 1), (3, 3), (40, 40), (1000, 40)])
def test_the_caret_is_as_wide_as_the_fault_within_the_window(length: int, carets: int) -> None:
    error = QuestionError(problem="bad", text="x" * 1000, position=50, length=length)

    assert str(error).count("^") == carets


def test_a_refusal_counts_and_says_nothing_was_charged() -> None:
    one = str(BudgetExhausted(asked=1, remaining=0, questions=1000))
    many = str(BudgetExhausted(asked=1500, remaining=1, questions=1000))

    assert one.startswith("refused: 1 new question asked, 0 of 1,000 left for this data; nothing")
    assert many.startswith("refused: 1,500 new questions asked, 1 of 1,000 left for this data")


def test_used_up_rounds_are_named() -> None:
    one = str(RoundsExhausted(asked=1, rounds=1))
    many = str(RoundsExhausted(asked=1500, rounds=1000))

    assert one.startswith("refused: 1 new question asked about this data, and its only round is")
    assert "1,500 new questions asked about this data, and all of its 1,000 rounds are used" in many


def test_used_up_failures_are_named() -> None:
    one = str(FailuresExhausted(asked=1, failures=1))
    many = str(FailuresExhausted(asked=1500, failures=1000))

    assert one.startswith("refused: 1 new question asked about this data, and its only failed")
    assert "1,500 new questions asked about this data, and all of its 1,000 failed" in many


def test_a_vacuous_plan_names_both_ways_out_unless_one_is_closed() -> None:
    def refusal(*, questions_affordable: int) -> str:
        return str(
            VacuousPlan(
                rows=10,
                questions=9,
                confidence=Fraction(19, 20),
                rows_needed=1234,
                questions_affordable=questions_affordable,
            )
        )

    assert refusal(questions_affordable=5).endswith("n ≥ 1,234 or at most 5 questions")
    assert refusal(questions_affordable=0).endswith("n ≥ 1,234")
    assert "half-width 0.5 or more, which say nothing;" in refusal(questions_affordable=0)


def test_a_failed_evaluation_says_the_same_whatever_happened() -> None:
    assert EvaluationFailed().fields() == {}
    assert "withheld" in str(EvaluationFailed())
