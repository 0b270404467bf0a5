"""`peekproof account growth`: ε against the number of answers, by every theorem."""

import shlex
from fractions import Fraction

import click

from peekproof.accounting.catalogue import PROVEN, compare, covered_by_none, covering
from peekproof.accounting.events import Conversation, number, parse
from peekproof.cli import options, render
from peekproof.cli.drawing import drawable
from peekproof.core.numerics import level_up

_COUNTS = (1, 2, 3, 5)


@click.command()
@click.argument("event")
@options.delta
@click.option(
    "--most",
    type=click.IntRange(2, 10**7),
    default=10**6,
    show_default=True,
    help="How many answers the curves end at.",
)
@click.option("--plot", metavar="FILE", help="Draw the curves, as PNG, SVG or PDF.")
@options.neighbours
@options.as_json
def growth(
    event: str, delta: str, most: int, plot: str | None, neighbours: str, json_wanted: bool
) -> None:
    """How ε grows when EVENT is repeated, by every theorem."""
    level = number(delta, argument="--delta")
    one, _ = parse(event, neighbours=options.RELATIONS[neighbours])
    counts = [
        step * 10**power for power in range(8) for step in _COUNTS if step * 10**power <= most
    ]
    exact: dict[str, list[tuple[int, Fraction]]] = {}
    target = drawable(plot) if plot else None
    # The bridges repeat at great length what a proven accountant says; elsewhere they are needed.
    among = covering(Conversation.of(one), among=PROVEN) or covering(Conversation.of(one))
    with render.progress() as progress:
        for done, count in enumerate(counts, 1):
            for row in compare(Conversation.of((one, count)), delta=level, among=among):
                curve = exact.setdefault(row.accountant.NAME, [])
                curve.append((count, row.epsilon))
            progress("composing", done, len(counts))
    if not exact:
        raise covered_by_none(Conversation.of(one))
    curves = {
        name: [(count, level_up(epsilon)) for count, epsilon in curve]
        for name, curve in exact.items()
    }
    if target:
        from peekproof.audit.figures.accounting import draw_growth  # noqa: PLC0415

        words = ["peekproof", "account", "growth", event, "--delta", delta, "--most", str(most)]
        words += ["--neighbours", neighbours, "--plot", "FILE"]
        draw_growth(curves, target, event=event, delta=float(level), command=shlex.join(words))
    if json_wanted:
        render.as_json({"event": event, "delta": float(level), "curves": curves})
        return
    names = sorted(curves, key=lambda name: curves[name][-1][1])
    at = {name: dict(curve) for name, curve in exact.items()}
    powers = [count for count in counts if str(count)[0] == "1"]
    rows = [
        [
            f"{count:,}",
            *(render.upper(at[name][count]) if count in at[name] else "" for name in names),
        ]
        for count in powers
    ]
    render.line(f"ε at δ = {float(level):g} of {event}, repeated:")
    render.table(["answers", *names], rows)
    if target:
        render.line(f"Figure: {target}")
