"""The pages of the documentation and their fenced blocks, for the tests that run them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import pytest

from cli.running import Outcome
from peekproof.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

# A line before a block of output says why its numbers may differ from run to run, and by how much.
_NOISE = re.compile(
    r"<!-- (?:new noise each time|processors round differently): numbers within ([\d.]+) -->"
)
_FENCE = re.compile(r"^(?:(<!--.*?-->)\n)?```(\w*)\n(.*?)^```$", re.M | re.S)
_NUMBER = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block, where it begins, and by how much numbers in it may differ from run to run."""

    page: Path
    line: int
    language: str
    text: str
    noise: float = 0.0

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def shows(self, printed: str) -> bool:
        """Whether `printed` is this text; numbers with decimals may be off by `noise`.

        A line with … alone stands for any number of lines.
        """
        return _matches(self.text.splitlines(), printed.splitlines(), noise=self.noise)


def _matches(shown: list[str], printed: list[str], *, noise: float) -> bool:
    if not shown:
        return not printed
    first, *rest = shown
    if first.strip() == "…":
        return any(
            _matches(rest, printed[skipped:], noise=noise) for skipped in range(len(printed) + 1)
        )
    return (
        bool(printed)
        and _alike(first, printed[0], noise)
        and _matches(rest, printed[1:], noise=noise)
    )


def _alike(shown: str, printed: str, noise: float) -> bool:
    if _NUMBER.split(shown) != _NUMBER.split(printed):
        return False
    pairs = zip(_NUMBER.findall(shown), _NUMBER.findall(printed), strict=True)
    return all(mine == other or abs(float(mine) - float(other)) <= noise for mine, other in pairs)


def every_block(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        noisy = _NOISE.fullmatch(match[1] or "")
        found.append(
            Block(
                page=page,
                line=text.count("\n", 0, match.start(2)) + 1,
                language=match[2],
                text=match[3],
                noise=float(noisy[1]) if noisy else 0.0,
            )
        )
    return found


def blocks(page: Path, language: str) -> list[str]:
    """The text of all blocks of a page in one language."""
    return [block.text for block in every_block(page) if block.language == language]


def links(text: str) -> list[str]:
    """What Markdown links to, without the place in it."""
    return re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)


def typed(words: Sequence[str]) -> Outcome:
    """Run `peekproof` with these words in this process, away from any terminal."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(words)
    assert isinstance(ended.value.code, int)
    return Outcome(ended.value.code, out.getvalue(), err.getvalue())


def transcript(block: Block) -> list[tuple[str, Block]]:
    """Every command of a block with `$`, and below it what it is said to print."""
    head, *parts = re.split(r"^\$ ", block.text, flags=re.M)
    assert not head, block.place
    return [
        (command, replace(block, text=printed))
        for command, _, printed in (part.partition("\n") for part in parts)
    ]
