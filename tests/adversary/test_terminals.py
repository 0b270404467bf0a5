"""Names, categories and questions that hold codes for terminals: they are spelled out, not obeyed.

A file, another analyst or a gateway may have written them; whoever reads them is on a terminal or
in a notebook.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import peekproof
from cli.running import in_pipe, on_terminal
from client.scripted import reply, scripted
from core.test_errors import EXAMPLES
from peekproof.core import errors, html
from peekproof.core.errors import PeekproofError
from peekproof.core.shown import visible, visible_lines
from peekproof.guess.domain import Domain
from peekproof.learn.searching import Offered

# Clears the screen, sets the title, C1 controls, the order of letters, hidden ones, joiners that
# join nothing, line ends.
CODES = "\x1b[2J\x1b]0;x\x07\x9b31m\x85\u202e\u2066\u200b\u200d\u200c\u2028\x7f\b\r"
COLUMN, WORD, OTHER = f"a{CODES}", f"w{CODES}", "plain"


def obeyed(text: str) -> list[str]:
    """What a terminal or a browser would not show as a character."""
    return [each for each in text if not (each.isprintable() or each == "\n")]


def told(thing: Any) -> Iterator[str]:
    yield str(thing)
    yield repr(thing)
    if hasattr(thing, "_repr_html_"):
        yield thing._repr_html_()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PEEKPROOF_WITNESS", str(tmp_path / "witness"))
    path = tmp_path / "rows.parquet"
    rows = 5000
    frame = {COLUMN: [float(each % 7) for each in range(rows)], "s": [WORD, OTHER] * (rows // 2)}
    pl.DataFrame(frame).write_parquet(path)
    return path


@pytest.fixture
def session(file: Path) -> Iterator[peekproof.Session]:
    found = peekproof.open(str(file), questions=100, categories={"s": [WORD, OTHER]})
    with found.as_analyst("ann") as opened:
        yield opened


def test_answers_and_their_history_obey_nothing(session: peekproof.Session) -> None:
    quoted = f"`{COLUMN}`"
    asked: list[Any] = [
        session.ask(f"{quoted} > 3"),
        session.ask(f"s = '{WORD}'"),
        session.histogram("histogram(s)"),
        session.histogram(f"histogram({quoted}, (1, 2))"),
        session.grouped(f"{quoted} > 2 by s"),
        session.conditional(f"{quoted} > 2 given s = '{WORD}'"),
        session.quantile(f"quantile({quoted}, 0.5, 0, 7)"),
        session.best([f"{quoted} > 1", f"s = '{WORD}'"], loss=0.4),
    ]
    price = session.price_of(f"{quoted} > 5")
    for thing in (*asked, session, session.plan, price, session.answers(), session.ledger):
        for text in told(thing):
            assert obeyed(text) == [], type(thing)
    assert any(r"\x1b[2J" in str(each) for each in asked)
    assert any(r"\u202e" in each._repr_html_() for each in asked)
    for frame in (peekproof.to_pandas(asked), session.answers().to_pandas()):
        for name in frame:
            assert obeyed("".join(map(str, frame[name]))) == []
        for text in (frame.to_string(), frame.to_html()):
            assert obeyed(text) == []
    assert any(CODES in str(row["cell"]) for each in asked for row in each.to_dicts())


@pytest.mark.parametrize(
    "question",
    ["b > 3", f"`{COLUMN}x` > 3", f"s = {CODES}", f"`{COLUMN}` = 'x'", "histogram(s) by s"],
)
def test_errors_about_questions_obey_nothing(question: str, session: peekproof.Session) -> None:
    with pytest.raises(peekproof.QuestionError) as refused:
        session.ask(question)
    for text in told(refused.value):
        assert obeyed(text) == []


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_no_error_passes_on_what_its_fields_hold(error: PeekproofError) -> None:
    fields = {
        name: CODES + value if isinstance(value, str) else value
        for name, value in error.fields().items()
    }
    hostile = type(error)(**fields)
    assert hostile.fields() == fields  # for programs, as they were given
    for text in told(hostile):
        assert obeyed(text) == []


def test_names_of_models_and_columns_obey_nothing() -> None:
    offered = Offered(name=f"tree{CODES}", guess=0.5, answer=None, best=0.7)
    domain = Domain({COLUMN: (True, False)})
    for text in (*told(offered), *told(domain)):
        assert obeyed(text) == []


def test_lines_stay_and_the_rest_is_spelled_out() -> None:
    assert visible("a\tb\nc\xa0d\u3000\u2009e") == "a b c d  e"  # each one is a space
    assert visible("a\x0bb\x0c\x85\u2028\u2029\r") == r"a\x0bb\x0c\x85\u2028\u2029\x0d"
    assert visible_lines("a\r\nb\x1b") == "a\\x0d\nb\\x1b"
    assert visible("\U000e0041é日") == r"\U000e0041é日"
    assert obeyed(html.text(CODES) + html.code(CODES) + html.bold(CODES)) == []
    assert html.text("<b>") == "&lt;b&gt;"


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "\u0915\u094d\u200d\u0937",  # Hindi
        "\U0001f469\u200d\u2695\ufe0f",  # an emoji of two
        "\U0001f469\U0001f3fd\u200d\U0001f680",
    ],
)
def test_joiners_stay_within_what_they_join(text: str) -> None:
    assert visible(text) == visible(f"{text}\n").rstrip() == text
    for joiner in "\u200c\u200d":
        code = f"\\u{ord(joiner):04x}"
        assert visible(joiner + text) == code + text
        assert visible(text + joiner) == text + code
        assert visible(f"{text}{joiner}\x1b") == rf"{text}{code}\x1b"
        assert visible(f"{text} {joiner}{text}") == f"{text} {code}{text}"
        assert visible(f"a{joiner}{joiner}b") == f"a{code}{code}b"  # no run of them hides anything


# The command line -------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [in_pipe, on_terminal])
def test_the_command_line_passes_on_no_code(run: Any, file: Path, tmp_path: Path) -> None:
    """Not on a terminal either; one that is dumb gets none from the command itself."""
    given = {"PEEKPROOF_WITNESS": str(tmp_path / "witness"), "NO_COLOR": "1", "TERM": "dumb"}
    quoted = f"`{COLUMN}`"
    for command in (
        ("ask", str(file), f"{quoted} > 3"),
        ("ask", str(file), f"s = '{WORD}'"),
        ("ask", str(file), f"s = '{WORD}'", "--json"),
        ("ask", str(file), "b > 3"),
        ("ask", str(file), f"`{COLUMN}x` > 3"),
        ("ledger", "show", f"{file}.peekproof"),
        ("ledger", "verify", f"{file}.peekproof"),
        ("ask", str(tmp_path / f"no{CODES}"), "x > 1"),
    ):
        done = run("-m", "peekproof", *command, **given)
        said = (done.out + done.err).replace("\r\n", "\n")
        assert said
        assert obeyed(said) == [], command


# A gateway ---------------------------------------------------------------------------------------


HOSTILE: dict[str, dict[str, Any]] = {
    "a problem that nobody knows": {"type": "/v1/problems/x", "detail": CODES, "fields": {}},
    "a long one": {"type": "/v1/problems/x", "detail": "x" * 10**6, "fields": {}},
    "no token": {"type": "/v1/problems/unauthenticated", "fields": {"problem": CODES}},
    "not served": {"type": "/v1/problems/not-served", "fields": {"what": CODES, "listed": CODES}},
    "a question": {
        "type": "/v1/problems/question-error",
        "fields": {"problem": CODES, "text": CODES, "position": 2, "hint": CODES},
    },
    "a position that is none": {
        "type": "/v1/problems/question-error",
        "detail": CODES,
        "fields": {"problem": [CODES], "text": {"x": CODES}, "position": CODES},
    },
    "a text that is none": {
        "type": "/v1/problems/question-error",
        "fields": {"problem": [CODES], "text": {"x": CODES}, "position": "2"},
    },
}


@pytest.mark.parametrize("about", HOSTILE)
def test_what_a_gateway_says_is_not_obeyed(about: str) -> None:
    kind = {"Content-Type": "application/problem+json"}
    with scripted((404, kind, json.dumps(HOSTILE[about]).encode())) as script:
        with pytest.raises(PeekproofError) as refused:
            peekproof.connect(script.address, "pp_a_b", dataset="flights")
        for text in told(refused.value):
            assert obeyed(text) == []
            assert len(text) < 5000


def test_a_reply_that_is_no_gateways_is_not_obeyed() -> None:
    with scripted(reply({"name": CODES, "columns": [{"name": CODES}], "version": CODES})) as script:
        with pytest.raises(errors.GatewayUnavailable) as refused:
            peekproof.connect(script.address, "pp_a_b", dataset="flights")
        for text in told(refused.value):
            assert obeyed(text) == []
