"""Conversations that are kept: what was said, and word for word what came back.

A conversation is a text of `>>> ` lines, each with what it printed. It knows the public interface
and the names below, so it says the same of any inside that keeps its promises. Noise is seeded,
and what is random by its nature (names of ledgers, places of files) is masked.

    python tests/golden/talk.py [NAME …]

writes what comes back today into the texts of these names, or of all: for changes that are meant.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

import numpy as np

import peekproof
from cli.running import TERMINAL_VARIABLES
from peekproof.cli.main import main
from peekproof.data.statistic import PairStatistic
from peekproof.mechanisms.base import Limit
from peekproof.mechanisms.plan import questions_affordable, rows_needed
from peekproof.noise.entropy import Seeded
from peekproof.session.receipt import receipts

HERE = Path(__file__).parent / "conversations"
SEED = 7

# Names of data and ledgers, digests, tokens and signatures, ports, numbers of processes, moments
# and addresses in memory: those of one run.
_RANDOM = re.compile(
    r"pp1-[0-9a-f]+|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}(?=…)|\bpp_[\w-]+|\b[0-9a-f]{128}\b"
    r"|(?<=127\.0\.0\.1:)\d+|(?<=memory of process )\d+|(?<=at 0x)[0-9a-f]+"
    r"|\b20[2-9]\d-\d\d-\d\d[T ]\d\d:\d\d(?::[\d.]+)?(?:Z|\+00:00| UTC)?"
    r"|(?<![\d.])1[7-9]\d{8}(?:\.\d+)?\b"
)


def names() -> list[str]:
    return sorted(each.stem for each in HERE.glob("*.txt"))


def written(name: str) -> str:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8")


def said_again(text: str, *, seed: int = SEED) -> str:
    """The same conversation with the answers of today."""
    parts: list[str] = []
    with (
        _somewhere_else() as folder,
        contextlib.ExitStack() as closing,
        _closing(_space(seed, closing)) as space,
    ):
        for part in doctest.DocTestParser().parse(text):
            if isinstance(part, str):
                parts.append(part)
                continue
            lines = part.source.rstrip("\n").split("\n")
            parts.append(f">>> {lines[0]}\n" + "".join(f"... {each}\n" for each in lines[1:]))
            parts.append(_masked(_outcome(part.source, space), folder))
    return "".join(parts)


@contextlib.contextmanager
def _closing(space: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Close what was opened and is still named, or rows in memory have a budget in the next one."""
    try:
        yield space
    finally:
        for each in space.values():
            if isinstance(each, peekproof.Session):
                each.close()


@contextlib.contextmanager
def _somewhere_else() -> Iterator[str]:
    """Work in an empty folder, under a witness who has seen nothing."""
    before, witness = Path.cwd(), os.environ.get("PEEKPROOF_WITNESS")
    with tempfile.TemporaryDirectory(prefix="peekproof-golden-") as folder:
        os.environ["PEEKPROOF_WITNESS"] = str(Path(folder) / "witness")
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)
            if witness is None:
                del os.environ["PEEKPROOF_WITNESS"]
            else:
                os.environ["PEEKPROOF_WITNESS"] = witness


def _space(seed: int, closing: contextlib.ExitStack) -> dict[str, Any]:
    """What a conversation can name besides Python."""
    from golden.equipment import equipment  # noqa: PLC0415 (found only once tests are on the path)

    return {
        **equipment(closing),
        "peekproof": peekproof,
        "np": np,
        "Fraction": Fraction,
        "Path": Path,
        "seeded": Seeded(seed),
        "people": people,
        "table": table,
        "fields": fields,
        "command": command,
        "receipt": receipt,
        "failing": Failing,
        "PairStatistic": PairStatistic,
        "Limit": Limit,
        "questions_affordable": questions_affordable,
        "rows_needed": rows_needed,
    }


def table(count: int = 2_000, *, seed: int = 1) -> dict[str, Any]:
    """Made-up people: an age, an income that may be missing, a city, and whether they are well."""
    chance = random.Random(seed)
    rows = [
        (
            chance.randrange(18, 90),
            chance.choice([None, *range(1000, 90_000, 500)]),
            chance.choice(["Rome", "Oslo", "Köln"]),
            chance.random() < 0.7,
        )
        for _ in range(count)
    ]
    return {
        name: list(column)
        for name, column in zip(
            ("age", "income", "city", "well"), zip(*rows, strict=True), strict=True
        )
    }


def people(count: int = 2_000, *, seed: int = 1, file: str = "people.csv") -> str:
    """The name of a file with such a table."""
    columns = table(count, seed=seed)
    lines = [
        ",".join("" if each is None else str(each).lower() if each in (True, False) else str(each)
                 for each in row)
        for row in zip(*columns.values(), strict=True)
    ]  # fmt: skip
    Path(file).write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    return file


def fields(call: Callable[[], object]) -> Mapping[str, object]:
    """What the error is made of that a call ends with."""
    try:
        call()
    except peekproof.PeekproofError as error:
        return {"error": type(error).__name__, **error.fields()}
    return {"error": "none"}


def command(*arguments: str) -> str:
    """What `peekproof` prints where no terminal is, and the code it ends with."""
    said, code = io.StringIO(), 0
    kept = {name: os.environ.pop(name) for name in TERMINAL_VARIABLES if name in os.environ}
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        os.environ.update(kept)
    return f"{said.getvalue()}ended with {code}"


def receipt(data: peekproof.Session, number: int) -> dict[str, object]:
    """The receipt of an answer, without places, times, entries, and how its draw is written down.

    Of the last only whether a guess passed is kept.
    """
    found = list(receipts(data.ledger))[number - 1]
    left_out = ("ledger", "entry", "entry_digest", "at", "mechanism")
    told = {name: each for name, each in found.to_dict().items() if name not in left_out}
    return told | {"failed": found.failed}


class Failing:
    """Rows that cannot be read any more once `broken` is set."""

    def __init__(self, source: object) -> None:
        self._source, self.broken = peekproof.load(source), False

    def __getattr__(self, name: str) -> Any:
        if self.broken and name in ("totals", "totals_part", "totals_round", "measure"):
            raise OSError("disk")
        return getattr(self._source, name)


def _outcome(source: str, space: dict[str, Any]) -> str:
    """What a statement prints: its value, if it has one, or its error."""
    tree = ast.parse(source)
    *before, last = tree.body
    try:
        exec(compile(ast.Module(body=before, type_ignores=[]), "<said>", "exec"), space)
        if not isinstance(last, ast.Expr):
            exec(compile(ast.Module(body=[last], type_ignores=[]), "<said>", "exec"), space)
            return ""
        found = eval(compile(ast.Expression(body=last.value), "<said>", "eval"), space)
        return "" if found is None else _shown(found)
    except Exception as error:
        return f"{type(error).__name__}: {error}\n"


def _shown(found: object) -> str:
    if isinstance(found, peekproof.Price):
        found = _price(found)
    if hasattr(found, "to_dict"):
        return _fields(found.to_dict())
    if isinstance(found, Mapping):
        return _fields(found)
    if isinstance(found, str):
        return f"{found}\n" if found.strip() else f"{found!r}\n"
    if isinstance(found, list | tuple):
        return "".join(f"- {_shown(each)}" for each in found) or "nothing\n"
    return f"{_plain(found)}\n"


def _price(found: peekproof.Price) -> dict[str, object]:
    return {
        "questions": found.questions,
        "width": found.width.words,
        "least": found.width.least,
        "most": found.width.most,
        "known": found.known,
        "affordable of 100": found.affordable(100),
        "radius": found.certificate.radius,
        "theorems": found.certificate.theorems,
    }


def _fields(told: Mapping[str, Any]) -> str:
    """One line, and one for each of what has parts of its own."""
    short, long = [], []
    for name, value in told.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            long += [f"{name}: {_fields(each)}" for each in value]
        elif isinstance(value, Mapping):
            long.append(f"{name}: {_fields(value)}")
        else:
            short.append(f"{name} {_plain(value)}")
    inner = "".join(long).splitlines()
    return ", ".join(short) + "\n" + "".join(f"    {line}\n" for line in inner)


def _plain(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"\d+/\d+", value):
        value = Fraction(value)  # exact ones can have hundreds of digits
    if isinstance(value, float | Fraction):
        return f"{float(value):.12g}"  # the last digits are those of a machine
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value)) if value else "none"
    return repr(value)


def _masked(text: str, folder: str) -> str:
    """Without what is random by its nature; a blank line would end what was printed."""
    text = _RANDOM.sub("…", text.replace(str(Path(folder).resolve()), "…").replace(folder, "…"))
    return "".join(f"{line.rstrip() or '.'}\n" for line in text.splitlines())


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    for each in sys.argv[1:] or names():
        made = said_again(written(each))
        (HERE / f"{each}.txt").write_text(made, encoding="utf-8")
        sys.stdout.write(f"{each}: {made.count('>>> ')} things said\n")
