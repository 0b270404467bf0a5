"""An environment for each peer: they pin versions that exclude each other.

A peer that cannot be installed is a result, not an error: who asks for it is told why.
"""

import hashlib
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import final

ROOT = Path(__file__).parents[1]
REQUIREMENTS = Path(__file__).parent / "environments"
FOLDER = ROOT / ".venv-bench"
OURS = {".", "--editable ."}  # the lines of requirements that ask for Peekproof itself


@final
@dataclass(frozen=True, slots=True)
class Environment:
    """Where a peer lives; `failure` says why it does not."""

    name: str
    python: Path
    failure: str = ""


def prepare(name: str) -> Environment:
    """The environment of that name, made anew if what it needs has changed."""
    needs = REQUIREMENTS / f"{name}.txt"
    folder = FOLDER / name
    found = Environment(name, folder / "bin/python")
    stamp, mark = folder / ".installed", _mark(needs)
    if stamp.exists() and stamp.read_text() == mark:
        return found
    venv.create(folder, clear=True, with_pip=True)
    failure = _install(found.python, "-r", str(needs)) and _one_by_one(found.python, needs)
    if failure:
        return Environment(name, found.python, f"not installed ({failure})")
    stamp.write_text(mark)
    return found


def prepare_all() -> None:
    """Make those that are not there, two at a time: pip waits for the disk as often as not."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(prepare, sorted(each.stem for each in REQUIREMENTS.glob("*.txt"))))


def last_words(complaint: str) -> str:
    """The end of what a program said on standard error: there it says why it failed."""
    return (complaint.strip().splitlines() or ["it failed without a word"])[-1][:160]


def _mark(needs: Path) -> str:
    """Changes with what is asked for, with the interpreter, and with what we need ourselves."""
    wanted = needs.read_text()
    ours = (ROOT / "pyproject.toml").read_text() if OURS & set(wanted.splitlines()) else ""
    return hashlib.sha256("\0".join((wanted, sys.version, ours)).encode()).hexdigest()


def _one_by_one(python: Path, needs: Path) -> str:
    """Why the first of them failed: the environment is its. Of others those that can are there."""
    lines = (line.partition("#")[0].split() for line in needs.read_text().splitlines())
    wanted = [words for words in lines if words and words[0] != "--constraint"]
    failures = [_install(python, *words) for words in wanted]
    return failures[0]


def _install(python: Path, *words: str) -> str:
    """Why it failed, in pip's words; empty if it did not."""
    # Without byte code: most of what is installed is never imported.
    options = ["--disable-pip-version-check", "--quiet", "install", "--no-compile"]
    command = [str(python), "-m", "pip", *options, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not done.returncode:
        return ""
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return (said or ["pip failed"])[-1].removeprefix("ERROR: ")[:160]
