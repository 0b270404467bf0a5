"""`peekproof board`: a leaderboard in a folder, its signed result, and scoring programs."""

from collections.abc import Sequence
from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.board import Board
from peekproof.learn.board.export import export_text, verify_export
from peekproof.learn.board.programs import scored_codabench
from peekproof.learn.board.standings import Final, Ranked, Standings
from peekproof.learn.board.writing import write_whole


@click.command()
@click.argument("name")
@click.option("--out", metavar="FILE", help="Where to write it. [default: NAME.board.json]")
@options.as_json
def export(name: str, out: str | None, json_wanted: bool) -> None:
    """Write the signed result of the board NAME, which must be closed."""
    with Board.open(name) as opened:
        text = export_text(opened.export())
        key, stem = opened.settings.public_key, opened.folder.name
    path = Path(out or f"{stem}.json")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        problem, hint = f"cannot be written ({error.strerror})", "name another file with --out"
        raise DataError(source=str(path), problem=problem, hint=hint) from error
    if json_wanted:
        render.as_json({"file": str(path), "public_key": key})
    else:
        render.line(f"{path} is signed; verify it with the public key {key}")


@click.command()
@click.argument("file")
@click.option(
    "--public-key", required=True, metavar="HEX", help="The key the board was announced with."
)
@click.option("--receipt", metavar="HEX", help="Also find this entry among those recorded.")
@options.as_json
def verify(file: str, public_key: str, receipt: str | None, json_wanted: bool) -> None:
    """Check the signed result in FILE against a public key."""
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        problem, hint = f"cannot be read ({error.strerror})", "name the export of a board"
        raise DataError(source=file, problem=problem, hint=hint) from error
    found = verify_export(content, public_key)
    receipts = found["entries"]["receipts"]
    if receipt is not None and receipt not in receipts:
        hint = "compare it with what the team was given"
        raise DataError(source=file, problem="does not record this receipt", hint=hint)
    if json_wanted:
        render.as_json({"verified": True, "title": found["settings"]["title"]})
        return
    winners = [each["team"] for each in found["final"]["finalists"] if each["rank"] == 1]
    render.line(
        f"{file} was signed by this key and is as it was: {found['settings']['title']}, "
        f"{len(receipts):,} entries, first: {', '.join(winners)}"
    )
    if receipt is not None:
        render.line(f"entry {receipts.index(receipt) + 1} is this receipt's")


@click.group()
def program() -> None:
    """Score submissions that a contest platform collects."""


@program.command()
@click.argument("input_dir")
@click.argument("output_dir")
@click.option("--board", "name", metavar="NAME", help="The board. [default: what ref/board names]")
@click.option("--team", help="Who submits. [default: what peekproof.json of the submission says]")
def codabench(input_dir: str, output_dir: str, name: str | None, team: str | None) -> None:
    """Score INPUT_DIR/res and write OUTPUT_DIR/scores.json, as Codabench calls it."""
    found = scored_codabench(Path(input_dir), Path(output_dir), board=name, team=team)
    render.line(f"{found['shown']}, {found['rank_text']}")


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


@click.group()
def board() -> None:
    """Run a leaderboard whose scores hold: create, submit, show, choose, close, export, verify."""


@board.command()
@click.argument("name")
@click.option("--labels", required=True, metavar="FILE", help="Columns id and label; groups.")
@click.option(
    "--final",
    required=True,
    metavar="FILE|SHARE",
    help="The same for the rows of the final, or a share of the labels to split off at random.",
)
@click.option("--metric", default="accuracy", show_default=True, help="What is scored.")
@options.confidence
@click.option(
    "--submissions",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="How many different predictions can be scored.",
)
@click.option("--per-team", metavar="SHARE", help="Which share of them each team has, as 1/10.")
@click.option(
    "--step", type=float, help="How much better an entry must be to be told. [default: 1/√rows]"
)
@click.option(
    "--corrections",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many wrong declared scores of a team are corrected.",
)
@click.option("--title", default="", help="What the board is called.")
@click.option("--override", metavar="REASON", help="Why the labels may have a second ledger.")
@options.as_json
def create(
    name: str,
    labels: str,
    final: str,
    metric: str,
    confidence: float | None,
    submissions: int,
    per_team: str | None,
    step: float | None,
    corrections: int,
    title: str,
    override: str | None,
    json_wanted: bool,
) -> None:
    """Make the board NAME, a folder NAME.board, from labels."""
    with Board.create(
        name,
        labels=labels,
        final=_final(final),
        metric=metric,
        confidence=0.95 if confidence is None else confidence,
        submissions=submissions,
        per_team=per_team,
        step=step,
        corrections=corrections,
        title=title,
        override=override,
    ) as made:
        settings, folder = made.settings, made.folder
    if json_wanted:
        render.as_json({"board": str(folder), **settings.to_dict()})
        return
    render.line(
        f"{folder}: {settings.public_rows:,} rows for the public phase, "
        f"{settings.final_rows:,} for the final, {settings.submissions:,} submissions"
    )
    render.line(f"announce its public key: {settings.public_key}")


@board.command()
@click.argument("name")
@click.argument("predictions")
@click.option("--team", required=True, help="Who submits, within what share.")
@click.option("--name", "label", default="", help="What the team calls the entry.")
@click.option("--declared", type=float, help="The team's own estimate of the score.")
@click.option("--trained-on", type=int, help="How many rows that estimate was made from.")
@options.as_json
def submit(
    name: str,
    predictions: str,
    team: str,
    label: str,
    declared: float | None,
    trained_on: int | None,
    json_wanted: bool,
) -> None:
    """Score a file of PREDICTIONS (CSV, TSV, Parquet, or a zip with one) on the board NAME."""
    with Board.open(name) as opened:
        entry = opened.submit(
            team, Path(predictions), name=label, declared=declared, trained_on=trained_on
        )
        left = opened.left(team)
    if json_wanted:
        said = {**entry.to_dict(), "shown": entry.shown, "receipt": entry.digest, "left": left}
        render.as_json(said)
        return
    render.line(f"entry {entry.number} of {team}: {entry.shown} ({entry.told.value})")
    more = "1 submission" if left == 1 else f"{left:,} submissions"
    render.line(f"receipt {entry.digest}; {more} left")


@board.command()
@click.argument("name")
@click.argument("entry", type=int)
@click.option("--team", required=True, help="Whose entry it is.")
@options.as_json
def choose(name: str, entry: int, team: str, json_wanted: bool) -> None:
    """Send the ENTRY with this number to the final of the board NAME."""
    with Board.open(name) as opened:
        chosen = opened.choose(team, entry)
    if json_wanted:
        render.as_json(chosen.to_dict())
    else:
        render.line(f"{team} goes to the final with entry {chosen.number}: {chosen.shown}")


@board.command()
@click.argument("name")
@click.confirmation_option(
    prompt="No more submissions will be taken, and the final will be scored. Close the board?"
)
@options.as_json
def close(name: str, json_wanted: bool) -> None:
    """End the submissions of the board NAME and score the final. Again the same."""
    with Board.open(name) as opened:
        final = opened.close()
        higher = opened.metric.higher
    show_final(final, higher=higher, json_wanted=json_wanted)


def _final(text: str) -> str | float:
    """A share, or the name of a file."""
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share < 1:
        accepted = "a file, or a share between 0 and 1"
        raise InvalidInput(argument="--final", accepted=accepted, given=text)
    return share


board.add_command(show)
board.add_command(export)
board.add_command(verify)
board.add_command(program)
