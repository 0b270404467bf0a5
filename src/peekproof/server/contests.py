"""The leaderboards that are served: opened all together, or none."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from peekproof.core.errors import PeekproofError
from peekproof.learn.board.board import Board
from peekproof.server.settings import Settings


def open_boards(settings: Settings) -> dict[str, Board]:
    """All boards by name, or none of them."""
    boards: dict[str, Board] = {}
    with kept(boards):
        for each in settings.boards:
            try:
                boards[each.name] = Board.open(each.folder)
            except PeekproofError as error:
                if len(settings.boards) + len(settings.datasets) > 1:
                    error.add_note(f"while opening the board {each.name}")
                raise
    return boards


@contextmanager
def kept(boards: Mapping[str, Board]) -> Iterator[None]:
    """Boards that are open; if what comes next fails, they are let go."""
    try:
        yield
    except BaseException:
        release(boards.values())
        raise


def release(boards: Iterable[Board]) -> None:
    """Let go of their files, which keep everything."""
    for each in boards:
        each.release()
