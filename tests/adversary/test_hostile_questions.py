"""Questions that mean harm: each is answered as what it says, or refused in a few safe words."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest

import peekproof
from adversary import hostile
from adversary.hostile import GROWING, LISTS, TEXTS
from data.naive_totals import total
from peekproof.cli.main import main
from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.core.secret import Exact
from peekproof.noise.entropy import Seeded
from peekproof.query.canonical import to_json
from peekproof.query.question import Question, from_json, parse_question

LONGEST_MESSAGE = 800
TABLE = hostile.table()
SCHEMA = TABLE.schema


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """A hang is a failure; how long anything takes short of that is not judged."""

    def ended(*_: object) -> None:
        raise TimeoutError("a question that hangs")

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def obeyed(text: str) -> list[str]:
    """What a terminal would obey or hide instead of showing it."""
    return [each for each in text if not (each.isprintable() or each == "\n")]


def objections(asked: str | list[object]) -> list[str]:
    """What is wrong with how a question is taken."""
    try:
        question = parse_question(asked, SCHEMA)
    except (QuestionError, InvalidInput) as error:
        message = str(error)
        found = [f"{len(message):,} characters"] if len(message) > LONGEST_MESSAGE else []
        # Messages spell out codes; what is wrong is said without any, for other programs too.
        said = message + getattr(error, "problem", "")
        return [*found, *(f"a terminal obeys {each!r}" for each in obeyed(said))]
    except BaseException as error:
        return [repr(error)[:200]]
    again = from_json(to_json(question.form), SCHEMA)
    return [] if again.digest == question.digest else ["another digest as JSON"]


def shown(asked: object) -> str:
    return repr(asked)[:80]


def test_every_text_is_a_question_or_refused_in_a_few_safe_words() -> None:
    wrong = {shown(text): found for text in TEXTS if (found := objections(text))}
    assert wrong == {}


def test_some_texts_are_questions_and_others_are_not() -> None:
    """So that the tests here are about both."""
    readable = len(hostile.readable(SCHEMA))
    assert 300 < readable < len(set(TEXTS)) - 300


@pytest.mark.parametrize("name", LISTS)
def test_every_list_is_a_question_or_refused_in_a_few_safe_words(name: str) -> None:
    assert objections(LISTS[name]) == []


@pytest.mark.parametrize("name", GROWING)
def test_no_input_is_too_large_to_be_refused(name: str) -> None:
    """Just below the limits, where all of it is read, and far above."""
    for size in (7_000, 90_000, 10_000_000):
        assert objections(GROWING[name](size)) == [], size


def test_a_list_of_questions_that_is_one_text_is_refused_in_a_few_words() -> None:
    with peekproof.open({"a": [1.0] * 2_000}, questions=2, ledger=":memory:") as session:
        for call in (session.ask_many, session.respond, session.best):
            with pytest.raises(InvalidInput) as refused:
                call("a > 1 " * 1_000_000)
            assert len(str(refused.value)) < LONGEST_MESSAGE


class Careless:
    """A parser whose message repeats what was asked, as these tests must not let pass."""

    def __init__(self, message: str) -> None:
        self.message = message

    def __call__(self, *_: object) -> Question:
        raise QuestionError(problem=self.message, text="", position=0)


@pytest.mark.parametrize("message", ["x" * 1_000, "unknown column '\x1b[2J'", "\u202e", "\x9b"])
def test_a_careless_message_is_found(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(objections.__globals__, "parse_question", Careless(message))
    assert objections("a > 1") != []


def test_an_error_of_another_kind_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Question:
        raise RecursionError

    monkeypatch.setitem(objections.__globals__, "parse_question", broken)
    assert objections("a > 1") == ["RecursionError()"]


# Engines -----------------------------------------------------------------------------------------


def test_what_can_be_read_adds_up_as_row_by_row() -> None:
    content = hostile.rows()

    def evaluate(questions: Sequence[Question]) -> hostile.Totals:
        return [total(question.form, content) for question in questions]

    assert hostile.differing(evaluate) == []


def test_an_engine_that_folds_the_case_of_texts_is_found() -> None:
    folded = pl.col("s").str.to_lowercase()
    lax = peekproof.load(hostile.table_frame().with_columns(folded))

    def evaluate(questions: Sequence[Question]) -> hostile.Totals:
        return hostile.revealed(lax.totals(questions))

    assert hostile.differing(evaluate) != []


def test_one_by_one_or_together_all_adds_up_to_the_same() -> None:
    def one_by_one(questions: Sequence[Question]) -> hostile.Totals:
        found: list[Exact[int] | Exact[tuple[int, ...]]] = []
        for question in questions:
            found += TABLE.totals([question])
        return hostile.revealed(found)

    assert hostile.differing(one_by_one) == []


def test_a_session_answers_whatever_can_be_read_and_its_ledger_verifies() -> None:
    frame = pl.concat([hostile.table_frame()] * 100)
    with peekproof.open(
        frame,
        questions=10_000,
        ledger=":memory:",
        entropy=Seeded(7),
        mechanisms=[peekproof.Gaussian],
    ) as session:
        asked = []
        for text in TEXTS:
            try:
                session.price_of(text)  # a level may be too small for any mechanism
            except (QuestionError, InvalidInput):
                continue
            asked.append(text)
        assert len(asked) > 300
        answers = session.respond(asked)
        assert [each.question for each in answers] == [text.strip() for text in asked]
        again = session.respond(asked[::-1])
        assert all(each.replayed for each in again)
        assert session.ledger.verify() > 0


# The command line --------------------------------------------------------------------------------

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out + captured.err

    return call


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.parquet"
    pl.concat([hostile.table_frame()] * 20).write_parquet(path)
    return path


def test_the_command_line_refuses_in_a_few_safe_words(run: Run, file: Path) -> None:
    for text in TEXTS[::29]:
        try:
            parse_question(text, SCHEMA)
        except (QuestionError, InvalidInput):
            code, shown = run("ask", str(file), "--", text)
            assert (code, obeyed(shown)) == (2, []), text
            assert len(shown) < LONGEST_MESSAGE


def test_the_command_line_answers_what_it_can_read(run: Run, file: Path) -> None:
    asked = [question.text for question in hostile.readable(SCHEMA)]
    code, shown = run("ask", str(file), "--questions", "2000", "--yes", "--", *asked[::9])
    assert (code, [each for each in obeyed(shown) if each < "\xa0"]) == (0, [])
    code, shown = run("ask", str(file), "--json", "--", *asked[::9])
    assert code == 0


@pytest.mark.parametrize(
    ("sign", "as_json"),
    [
        *((sign, ()) for sign in ("\u202e", "\u2066", "\u200b", "\ufeff", "\u2028")),
        *((sign, ("--json",)) for sign in ("\u202e", "\u2066", "\x7f", "\x9b", "\u2028")),
    ],
)
def test_the_command_line_shows_no_sign_that_hides_others(
    run: Run, file: Path, sign: str, as_json: tuple[str, ...]
) -> None:
    code, shown = run("ask", str(file), *as_json, "--", f"s = '{sign}'")
    assert (code, obeyed(shown)) == (0, [])


def test_a_question_of_many_characters_does_not_come_back(run: Run, file: Path) -> None:
    for name in ("one name", "one text where none fits", "one cell twice", "an open quotation"):
        code, shown = run("ask", str(file), "--", GROWING[name](10_000_000))
        assert code == 2
        assert len(shown) < LONGEST_MESSAGE
        code, shown = run("ask", str(file), "--json", "--", GROWING[name](10_000_000))
        assert code == 2
        assert len(shown) < 200_000  # the fields hold as much of it as may be read at all


def test_a_file_of_candidates_that_is_no_text_is_refused(
    run: Run, file: Path, tmp_path: Path
) -> None:
    listed = tmp_path / "candidates.txt"
    listed.write_bytes(b"f\n\xff\xfe\n")
    code, shown = run("best", str(file), "--from", str(listed))
    assert (code, obeyed(shown)) == (2, [])
