"""`peekproof account loss`: the privacy-loss variable of single events."""

import shlex
from fractions import Fraction
from math import exp

import click

from peekproof.accounting.events import Approximate, Event, Gaussian, Laplace, Pure, parse
from peekproof.cli import options, render
from peekproof.cli.drawing import drawable
from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import GaussianPair, LaplacePair, Pair
from peekproof.theory.loss_variable import (
    FiniteLoss,
    GaussianShiftLoss,
    LaplaceShiftLoss,
    LossVariable,
)


@click.command()
@click.argument("events", nargs=-1, required=True)
@click.option("--plot", metavar="FILE", help="Draw the tails, as PNG, SVG or PDF.")
@options.as_json
def loss(events: tuple[str, ...], plot: str | None, json_wanted: bool) -> None:
    """The privacy-loss variable of each of the EVENTS: laplace, gaussian or pure."""
    variables = {text: _variable(parse(text)[0]) for text in events}
    rows = [
        (text, variable.mean(), [(level, variable.tail(level)) for level in (0, Fraction(1, 2), 1)])
        for text, variable in variables.items()
    ]
    target = drawable(plot) if plot else None
    if target:
        from peekproof.audit.figures.accounting import draw_losses  # noqa: PLC0415

        command = shlex.join(["peekproof", "account", "loss", *events, "--plot", "FILE"])
        draw_losses(variables, target, command=command)
    if json_wanted:
        listed = [
            {"event": text, "mean": mean, "tail": {str(float(t)): p for t, p in tails}}
            for text, mean, tails in rows
        ]
        render.as_json({"losses": listed})
        return
    head = ["event", "mean", "Pr[L > 0]", "Pr[L > 0.5]", "Pr[L > 1]"]
    render.table(
        head, [[text, f"{mean:.6g}", *(f"{p:.6g}" for _, p in t)] for text, mean, t in rows]
    )
    if target:
        render.line(f"Figure: {target}")


def _variable(event: Event) -> LossVariable:
    """The privacy-loss variable of one event."""
    match event:
        case Laplace(scale=scale, sensitivity=sensitivity):
            return LaplaceShiftLoss(LaplacePair(shift=sensitivity, scale=scale))
        case Gaussian(sigma=sigma, sensitivity=sensitivity):
            return GaussianShiftLoss(GaussianPair(shift=sensitivity, sigma=sigma))
        case Pure(epsilon=epsilon) | Approximate(epsilon=epsilon, delta=Fraction(numerator=0)):
            return FiniteLoss(_response(epsilon))
        case _:
            raise InvalidInput(
                argument="event",
                accepted="laplace, gaussian or pure, whose laws are known",
                given=type(event).__name__,
            )


def _response(epsilon: Fraction) -> Pair:
    yes = Fraction(1 / (1 + exp(-float(epsilon))))
    return Pair(p=(yes, 1 - yes), q=(1 - yes, yes))
