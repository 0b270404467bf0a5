"""`peekproof monitor`: how much a mechanism lets an attack overfit, and whether it says so."""

import shlex
from fractions import Fraction

import click

from peekproof.accounting.events import number
from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.matrix import sized
from peekproof.audit.monitor import HEAD
from peekproof.audit.monitor import monitor as measure
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.controls import HALF_NOISE, HONEST
from peekproof.audit.opponents.protocol import Setup
from peekproof.cli import options, render
from peekproof.cli.options import drawable
from peekproof.cli.render import counted
from peekproof.core import check

_SETUPS: dict[str, Setup] = {**OPPONENTS, HONEST.name: HONEST, HALF_NOISE.name: HALF_NOISE}


@click.command()
@click.option(
    "--attack",
    type=click.Choice(list(ANALYSTS)),
    default="correlation",
    show_default=True,
    help="Who asks.",
)
@click.option(
    "--mechanism",
    type=click.Choice(list(_SETUPS)),
    default="gaussian",
    show_default=True,
    help="Who answers; half-noise claims twice the noise that it draws.",
)
@click.option(
    "--rows", type=click.IntRange(1), default=2_000, show_default=True, help="Rows of each sample."
)
@click.option(
    "--questions",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Questions of each conversation, at most.",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Conversations of which one is picked.",
)
@click.option(
    "--repeats", type=click.IntRange(1), default=40, show_default=True, help="Picks that are made."
)
@click.option(
    "--epsilon", default="0.1", show_default=True, help="The ε of picking by exact scores."
)
@options.confidence
@click.option(
    "--level",
    type=float,
    default=0.001,
    show_default=True,
    help="How often an honest mechanism may be flagged.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Chooses all coins."
)
@click.option("--plot", metavar="FILE", help="Draw what was found, as PNG, SVG or PDF.")
@options.as_json
def monitor(
    attack: str,
    mechanism: str,
    rows: int,
    questions: int,
    samples: int,
    repeats: int,
    epsilon: str,
    confidence: float | None,
    level: float,
    seed: int,
    plot: str | None,
    json_wanted: bool,
) -> None:
    """Measure how much a mechanism lets an attack overfit."""
    target = drawable(plot) if plot else None
    choice = check.positive_fraction(epsilon=number(epsilon, argument="--epsilon"))
    held = Fraction(19, 20) if confidence is None else check.probability(confidence=confidence)
    check.probability(level=level)
    analyst = sized(ANALYSTS[attack], rows=rows, questions=questions)
    with render.progress() as progress:
        report = measure(
            _SETUPS[mechanism],
            analyst,
            samples=samples,
            repeats=repeats,
            epsilon=choice,
            confidence=held,
            level=level,
            seed=seed,
            progress=lambda done: progress("conversations", done, samples * repeats),
        )
    if target:
        from peekproof.audit.figures.monitor import draw_monitor  # noqa: PLC0415

        command = (
            f"peekproof monitor --attack {attack} --mechanism {mechanism} --rows {rows} "
            f"--questions {questions} --samples {samples} --repeats {repeats} "
            f"--epsilon {shlex.quote(epsilon)} --confidence {float(held):g} --level {level:g} "
            f"--seed {seed}"
        )
        draw_monitor([report], target, command=command)
    if json_wanted:
        render.as_json(report.to_dict())
        return
    render.line(
        f"{report.analyst} against {report.mechanism}: {counted(rows, 'row')}, up to "
        f"{counted(report.questions, 'question')}, "
        f"{counted(samples * repeats, 'conversation')}, one of every {samples:,} picked."
    )
    render.table(HEAD, [each.row() for each in report.measures])
    render.line(report.verdict)
    if target:
        render.line(f"Figure: {target}")
