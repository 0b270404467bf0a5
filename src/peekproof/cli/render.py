"""Everything the command line prints: rich on a terminal, plain text in a pipe, or JSON."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from peekproof.core.errors import PeekproofError
from peekproof.core.shown import visible, visible_lines

if TYPE_CHECKING:
    from peekproof.audit.demonstration import Progress


# The longest word of a table that is kept in one line.
_WHOLE = 24
_GAP = 2


def _console(*, stderr: bool = False) -> Console:
    # Made for each call, so that it follows a redirected or captured stream.
    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def line(text: str = "") -> None:
    """One line for people."""
    _console().print(visible_lines(text), markup=False)


def heading(title: str, text: str) -> None:
    """A line that starts with a title in bold."""
    console = _console()
    console.print()
    console.print(visible_lines(title), style="bold", end=" ", markup=False)
    console.print(visible_lines(text), markup=False)


def as_json(value: object) -> None:
    """One JSON document for programs."""
    escaped = (
        each if each == "\n" or each.isprintable() else json.dumps(each)[1:-1]
        for each in json_text(value)
    )
    print("".join(escaped))


def json_text(value: object) -> str:
    """The same, for a file."""
    return json.dumps(value, indent=2, default=_plain, allow_nan=False, ensure_ascii=False)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Aligned columns, with a bold head on a terminal."""
    console = _console()
    columns, *rows = [[visible(cell) for cell in row] for row in (columns, *rows)]
    if console.is_terminal:
        widths = _widths(list(zip(columns, *rows, strict=True)), room=console.width)
        # Said outright, or what is still too wide would be squeezed; a terminal wraps its lines.
        total = sum(widths) + _GAP * (len(widths) - 1)
        ruled = Table(box=None, pad_edge=False, header_style="bold", width=total)
        for name, wide in zip(columns, widths, strict=True):
            ruled.add_column(Text(name), overflow="fold", width=wide)
        for row in rows:
            ruled.add_row(*map(Text, row))
        console.print(ruled)
        return
    # A pipe has no width: measure the columns so that nothing wraps.
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(padded).rstrip())


def _widths(columns: Sequence[Sequence[str]], *, room: int) -> list[int]:
    """How wide columns are if a table is to fit, as far as words may stay whole.

    What is longer than a name or a number, such as a digest, may be folded.
    """
    widths = [max(map(cell_len, cells)) for cells in columns]
    words = [[cell_len(word) for cell in cells for word in cell.split()] for cells in columns]
    least = [max((size for size in sizes if size <= _WHOLE), default=1) for sizes in words]
    for _ in range(sum(widths) + _GAP * (len(widths) - 1) - room):
        spare = [wide - few for wide, few in zip(widths, least, strict=True)]
        if max(spare) <= 0:
            break
        widths[spare.index(max(spare))] -= 1
    return widths


def width() -> int | None:
    """How many characters a line of the terminal has; a pipe has no width."""
    console = _console()
    return console.width if console.is_terminal else None


def counted(number: int, thing: str) -> str:
    """1 row, 2 rows."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def upper(bound: float | Fraction) -> str:
    """A bound for people: six significant digits, not below it."""
    nearest = f"{float(bound):.6g}"
    return nearest if Fraction(nearest) >= bound else f"{float(bound) * (1 + 5e-6):.6g}"


def planned(questions: float) -> str:
    """What so many planned questions cost, in words."""
    shown = upper(questions)
    return f"{shown} planned question{'' if shown == '1' else 's'}"


def error(problem: PeekproofError, *, json_wanted: bool) -> None:
    """An error: JSON on standard output if the caller reads that, words on standard error."""
    if json_wanted:
        fields = problem.fields()
        as_json({"error": type(problem).__name__, "message": str(problem), "fields": fields})
        return
    for text in (str(problem), *getattr(problem, "__notes__", ())):
        _console(stderr=True).print(visible_lines(text), style="red", markup=False)


def usage_error(problem: click.ClickException) -> None:
    """A command line that is wrong, for who reads JSON."""
    context = getattr(problem, "ctx", None)
    usage = context.get_usage() if context else ""
    message = problem.format_message()
    as_json({"error": "UsageError", "message": message, "fields": {"usage": usage}})


@contextmanager
def progress() -> Iterator["Progress"]:
    """Progress bars on a terminal's standard error; silence elsewhere."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    console = _console(stderr=True)
    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bars:
        known: dict[str, object] = {}

        def advance(name: str, done: int, total: int) -> None:
            if name not in known:
                known[name] = bars.add_task(name, total=total)
            bars.update(known[name], completed=done)  # type: ignore[arg-type]

        yield advance


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return float(value)
    return str(value)
