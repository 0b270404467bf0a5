"""`peekproof account convert`: one loss in every notion that it implies."""

from fractions import Fraction

import click

from peekproof.accounting.calibration import root_up
from peekproof.accounting.conversions import Loss, conversions
from peekproof.accounting.events import number, parse_loss
from peekproof.cli import options, render
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.numerics import level_up


@click.command()
@click.argument("loss")
@options.delta
@click.option("--order", default="2", show_default=True, help="The Rényi order to convert to.")
@options.as_json
def convert(loss: str, delta: str, order: str, json_wanted: bool) -> None:
    """What LOSS implies: pure(epsilon=1), approximate(epsilon=1, delta=1e-6), zcdp(rho=0.1),
    gdp(mu=0.5), rdp(order=2, epsilon=0.5) or tv(distance=0.1)."""
    given = parse_loss(loss)
    found = conversions(
        given, delta=number(delta, argument="--delta"), order=number(order, argument="--order")
    )
    if json_wanted:
        listed = [
            {
                "notion": type(each.loss).__name__,
                **{name: level_up(value) for name, value in _fields(each.loss).items()},
                "theorem": each.theorem,
            }
            for each in found
        ]
        render.as_json({"from": loss, "implies": listed})
        return
    render.line(f"{loss} implies")
    rows = [[type(each.loss).__name__, _words(each.loss), each.theorem] for each in found]
    render.table(["notion", "at most", "theorem"], rows)


def _fields(loss: Loss) -> dict[str, Fraction]:
    match loss:
        case TV():
            return {"distance": loss.distance}
        case PureDP():
            return {"epsilon": loss.epsilon}
        case ApproxDP():
            return {"epsilon": loss.epsilon, "delta": loss.delta}
        case RDP():
            return {"order": loss.order, "epsilon": loss.epsilon}
        case ZCDP():
            return {"rho": loss.rho}
        case GDP():
            return {"mu": root_up(loss.mu_squared)}


def _words(loss: Loss) -> str:
    return ", ".join(f"{name} = {render.upper(value)}" for name, value in _fields(loss).items())
