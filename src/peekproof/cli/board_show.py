"""`peekproof board show`: standings and final rankings with intervals drawn as bars."""

from collections.abc import Sequence

import click

from peekproof.cli import options, render
from peekproof.learn.board.board import Board
from peekproof.learn.board.final import Final
from peekproof.learn.board.standings import Ranked, Standings

_WIDE = 30


@click.command()
@click.argument("name")
@options.as_json
def show(name: str, json_wanted: bool) -> None:
    """Who stands where on the board NAME, or once it is closed, who has won."""
    with Board.open(name) as opened:
        standings, final = opened.standings(), opened.final
    if json_wanted:
        ended = None if final is None else final.to_dict()
        render.as_json({"standings": standings.to_dict(), "final": ended})
        return
    _show_standings(standings)
    if final is not None:
        render.heading("Final", "")
        show_final(final, higher=standings.higher, json_wanted=False)


def _show_standings(standings: Standings) -> None:
    better = "higher is better" if standings.higher else "lower is better"
    state = "closed" if standings.closed else "open"
    render.heading(standings.title, f"{standings.metric}, {better}, {state}")
    if standings.teams:
        ends = [(each.entry.low, each.entry.high) for each in standings.teams]
        low, high = _axis(ends)
        render.table(
            ["rank", "team", "entry", "score", f"{low:.2f} to {high:.2f}", "left"],
            [
                [
                    _rank(each),
                    each.entry.team,
                    _entry(each.entry.number, each.entry.name),
                    each.entry.shown,
                    bar(each.entry.low, each.entry.high, axis=(low, high)),
                    f"{each.left:,}",
                ]
                for each in standings.teams
            ],
        )
    render.line(
        f"{standings.entries:,} entries, {standings.left:,} of {standings.submissions:,} "
        f"submissions left, {standings.failures:,} claims failed. All intervals hold together "
        f"with confidence {standings.confidence:g}; = marks ties."
    )


def show_final(final: Final, *, higher: bool, json_wanted: bool) -> None:
    """The final ranking."""
    if json_wanted:
        render.as_json(final.to_dict())
        return
    low, high = _axis([(each.low, each.high) for each in final.finalists])
    render.table(
        ["rank", "team", "entry", "score", f"{low:.2f} to {high:.2f}", "tied with"],
        [
            [
                f"{each.rank}{'=' if each.tied_with else ''}",
                each.team,
                _entry(each.entry, each.name),
                each.shown,
                bar(each.low, each.high, axis=(low, high)),
                ", ".join(each.tied_with),
            ]
            for each in final.finalists
        ],
    )
    best = "highest" if higher else "lowest"
    render.line(f"{final.promise} The {best} score comes first; = marks ties.")


def bar(low: float, high: float, *, axis: tuple[float, float]) -> str:
    """An interval on an axis, as text: every place that it touches is drawn."""
    start, end = axis
    scale = _WIDE / (end - start)
    first = min(_WIDE - 1, max(0, int((low - start) * scale)))
    last = min(_WIDE - 1, max(first, int((high - start) * scale)))
    return "·" * first + "━" * (last - first + 1) + "·" * (_WIDE - 1 - last)


def _axis(ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """From the lowest to the highest end that says something, and a little more."""
    known = [end for pair in ends for end in pair if 0 < end < 1] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = max(0.01, (high - low) / 20)
    return max(0.0, low - room), min(1.0, high + room)


def _rank(each: Ranked) -> str:
    return f"{each.rank}{'=' if each.tied else ''}"


def _entry(number: int, name: str) -> str:
    return f"{number} {name}".rstrip()
