"""The tutorial is followed to the letter: each block is typed, and prints what the page shows."""

from __future__ import annotations

import shlex
from code import InteractiveConsole
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import NoReturn, final

import pytest

from documents import ROOT, Block, every_block, transcript, typed
from peekproof.testing.statistics import statistical

pytestmark = pytest.mark.one_budget  # as whoever follows the pages

TUTORIAL = ROOT / "docs/tutorial"
STORY = [TUTORIAL / name for name in ("first-answer.md", "one-budget.md", "reuse-a-holdout.md")]

# What a page says for the shell that is not typed here, and why.
NOT_TYPED = {
    "python3 -m venv .venv": "tests run in an environment of their own",
    ". .venv/bin/activate": "tests run in an environment of their own",
    "pip install --constraint constraints.txt '.[learn,server]'": "tests install nothing",
    "mkdir ../story": "the folder of the test is new",
    "cd ../story": "the folder of the test is new",
    "python": "every page has an interpreter here",
    "peekproof serve people.csv": "it goes on until it is stopped",
}


@final
class Interpreter(InteractiveConsole):
    """Python as a newcomer sees it: line by line, and any complaint ends the test."""

    def __init__(self) -> None:
        super().__init__({"__name__": "__main__"})

    def write(self, data: str) -> NoReturn:
        raise AssertionError(data)

    def typed(self, block: str) -> str:
        """What typing these lines, and Enter, prints."""
        printed = StringIO()
        with redirect_stdout(printed):
            for line in [*block.splitlines(), ""]:
                self.push(line)
        return printed.getvalue()


def in_shell(block: Block) -> None:
    """Type the commands of a block, and look at what they print where that is shown."""
    if not block.text.startswith("$ "):
        assert set(block.text.splitlines()) <= NOT_TYPED.keys(), block.place
        return
    for command, shown in transcript(block):
        outcome = typed(shlex.split(command.removeprefix("peekproof ")))
        assert (outcome.code, outcome.err) == (0, ""), block.place
        assert shown.shows(outcome.out), (block.place, outcome.out)


def follow(page: Path) -> None:
    """Type all blocks of a page, and compare each output with the one below it."""
    python = Interpreter()
    printed = ""
    for block in every_block(page):
        match block.language:
            case "python":
                assert not printed, f"{block.place}: what the block before prints is not shown"
                printed = python.typed(block.text)
            case "text":
                assert block.shows(printed), (block.place, printed)
                printed = ""
            case "console":
                in_shell(block)
            case _:
                assert block.language == "py", block.place  # the gist of a page, before it begins
    assert not printed


# It fails by bad luck if two draws of the noise, σ = 0.0166, differ by 0.15, which is 6.4 of its
# deviations, or if one of 201 intervals of ±0.132 misses, which takes noise of 6.9 deviations.
@statistical(false_alarm=1e-8)
def test_whoever_follows_the_story_sees_what_the_pages_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for page in STORY:
        follow(page)


def test_all_pages_of_the_tutorial_are_in_the_story_and_lead_on() -> None:
    assert set(TUTORIAL.glob("*.md")) == set(STORY)
    for page, following in pairwise(STORY):
        assert page.read_text().rstrip().endswith(f"({following.name}).")


def test_another_output_is_noticed_and_noise_is_not() -> None:
    block = Block(page=STORY[0], line=1, language="text", text="0.50 of 3 rows\n", noise=0.1)
    assert block.shows("0.58 of 3 rows\n")
    assert not block.shows("0.62 of 3 rows\n")
    assert not block.shows("0.50 of 4 rows\n")
    assert not block.shows("0.50 of 3 rows\n0.50\n")
    assert not block.shows("")
    assert not replace(block, noise=0.0).shows("0.51 of 3 rows\n")
    some = replace(block, text="first\n…\nlast\n")
    assert some.shows("first\nlast\n")
    assert some.shows("first\nnext\nlast\n")
    assert not some.shows("first\nnext\n")


def test_an_interpreter_complains() -> None:
    python = Interpreter()
    assert python.typed("for each in (1, 2):\n    print(each)\n\nprint(3)\n") == "1\n2\n3\n"
    with pytest.raises(AssertionError, match="invalid syntax"):
        python.typed("for each in (1, 2):\n    print(each)\nprint(3)\n")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        Interpreter().typed("1 / 0\n")
