"""Calls that tell a cell of the data besides their answer, each on a channel of its own."""

from __future__ import annotations

import ctypes
import logging
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

from peekproof.audit.channels import Public
from peekproof.core.errors import DataError

Leak = Callable[[str], object]


def logs(cell: str) -> None:
    logging.getLogger("engine").debug("row %s", cell)


def logs_where_nobody_listens(cell: str) -> None:
    logging.getLogger("quiet").debug("row %s", cell)


def logs_beside_the_message(cell: str) -> None:
    logging.getLogger("engine").info("a row", extra={"cell": cell})


def logs_an_error(cell: str) -> None:
    try:
        raise ValueError(cell)
    except ValueError:
        logging.getLogger("engine").exception("failed")


def logs_what_does_not_fit(cell: str) -> None:
    logging.getLogger("engine").warning("%d rows", cell)


def warns(cell: str) -> None:
    warnings.warn(f"cannot convert {cell}", stacklevel=2)


def prints(cell: str) -> None:
    sys.stdout.write(cell)


def complains(cell: str) -> None:
    sys.stderr.write(cell)


def writes_past_python(cell: str) -> None:
    os.write(2, cell.encode())


def writes_from_another_language(cell: str) -> None:
    ctypes.CDLL(None).dprintf(1, b"%s", cell.encode())


def writes_from_a_child(cell: str) -> None:
    subprocess.run([sys.executable, "-SEc", f"print({cell!r})"], check=True)


def writes_from_a_thread(cell: str) -> None:
    thread = threading.Thread(target=os.write, args=(1, cell.encode()))
    thread.start()
    thread.join()


def raises(cell: str) -> None:
    raise ValueError(f"cannot convert {cell}")


def raises_another_kind(cell: str) -> None:
    raise (KeyError if cell == "secret" else IndexError)("x")


def raises_with_a_field(cell: str) -> None:
    class Quiet(Exception):
        def __str__(self) -> str:
            return "failed"

        __repr__ = __str__

    error = Quiet()
    error.cell = cell  # type: ignore[attr-defined]
    raise error


def raises_with_a_note(cell: str) -> None:
    error = ValueError("failed")
    error.add_note(cell)
    raise error


def names_the_cause(cell: str) -> None:
    raise ValueError("failed") from KeyError(cell)


def forgets_the_context(cell: str) -> None:
    try:
        raise KeyError(cell)
    except KeyError:
        raise ValueError("failed")  # noqa: B904 (what must be found)


def says_what_is_wrong(cell: str) -> None:
    raise DataError(source="engine", problem=f"holds {cell}", hint="")


def panics(cell: str) -> None:
    class Panic(BaseException):
        pass

    raise Panic(cell)


def exits(cell: str) -> None:
    sys.exit(3 if cell == "secret" else 4)


def fails_for_some(cell: str) -> None:
    if cell == "secret":
        raise ValueError("failed")


def returns_another_kind(cell: str) -> object:
    return 1 if cell == "secret" else None


def returns_what_should_be_public(cell: str) -> Public:
    return Public([cell])


LEAKS: dict[Leak, str] = {
    logs: "log",
    logs_where_nobody_listens: "log",
    logs_beside_the_message: "log",
    logs_an_error: "log",
    logs_what_does_not_fit: "log",
    warns: "warning",
    prints: "stdout",
    complains: "stderr",
    writes_past_python: "stderr",
    writes_from_another_language: "stdout",
    writes_from_a_child: "stdout",
    writes_from_a_thread: "stdout",
    raises: "raised",
    raises_another_kind: "raised",
    raises_with_a_field: "raised",
    raises_with_a_note: "traceback",
    names_the_cause: "traceback",
    forgets_the_context: "traceback",
    says_what_is_wrong: "raised",
    panics: "raised",
    exits: "exit",
    fails_for_some: "raised",
    returns_another_kind: "returned",
    returns_what_should_be_public: "returned",
}
