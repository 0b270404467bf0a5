"""`peekproof account`: compose, convert, calibrate and compare privacy losses, and draw them."""

import shlex
import sys
from collections.abc import Iterable
from fractions import Fraction
from math import exp
from pathlib import Path

import click

from peekproof.accounting.calibration import (
    discrete_gaussian_sigma,
    gaussian_sigma,
    laplace_scale,
    laplace_scale_within,
    most_answers,
    most_laplace_answers,
    noise_for_many,
    root_up,
    vector_accuracy,
    zcdp_within,
)
from peekproof.accounting.conversions import Loss, conversions
from peekproof.accounting.events import (
    Approximate,
    Conversation,
    Event,
    Gaussian,
    Laplace,
    Neighbours,
    Pure,
    number,
    parse,
    parse_all,
    parse_loss,
)
from peekproof.accounting.library import PROVEN, compare, covered_by_none, covering
from peekproof.cli import options, render
from peekproof.cli.options import drawable
from peekproof.core import check
from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, level_up
from peekproof.theory.divergence import GaussianPair, LaplacePair, Pair
from peekproof.theory.loss_law import (
    FiniteLoss,
    GaussianShiftLoss,
    LaplaceShiftLoss,
    LossVariable,
)

NOISES = ("laplace", "gaussian", "discrete-gaussian")

RELATIONS = {"replace": Neighbours.REPLACE_ONE, "add-or-remove": Neighbours.ADD_OR_REMOVE_ONE}

_delta = click.option("--delta", default="1e-6", show_default=True, help="The δ to account for.")

_neighbours = click.option(
    "--neighbours",
    type=click.Choice(list(RELATIONS)),
    default="replace",
    show_default=True,
    help="How the data may differ: what sensitivities are about.",
)


@click.command()
@click.argument("noise", type=click.Choice(NOISES))
@click.option("--epsilon", required=True, help="The ε that all answers together may cost.")
@click.option("--delta", help="The δ that they may cost. [default: 0, for laplace only]")
@click.option("--count", type=int, default=1, show_default=True, help="How many answers.")
@click.option(
    "--sensitivity", default="1", show_default=True, help="How far one record moves an answer."
)
@click.option("--size", help="Scale or sigma of the noise: ask how many answers fit instead.")
@options.as_json
def calibrate(
    noise: str,
    epsilon: str,
    delta: str | None,
    count: int,
    sensitivity: str,
    size: str | None,
    json_wanted: bool,
) -> None:
    """The smallest NOISE for a target, or how many answers of a --size meet it."""
    eps, delta_level = number(epsilon, argument="--epsilon"), _level(delta, noise)
    moves = check.positive_fraction(sensitivity=number(sensitivity, argument="--sensitivity"))
    target = ApproxDP(epsilon=eps, delta=delta_level)
    check.positive_fraction(epsilon=eps)
    if size is not None:
        amount = check.positive_fraction(size=number(size, argument="--size"))
        fits = _most(noise, target, moves / amount)
        if json_wanted:
            render.as_json({"noise": noise, "size": float(amount), "answers": fits})
        else:
            render.line(f"{fits:,} answers with {noise} noise of {float(amount):g} fit")
        return
    least = _least(noise, target, moves, check.positive_integer(count=count))
    name = "scale" if noise == "laplace" else "sigma"
    if json_wanted:
        render.as_json({"noise": noise, name: float_up(least), "answers": count})
    else:
        render.line(f"{name} {render.upper(float_up(least))} for {count:,} answers together")


def _level(delta: str | None, noise: str) -> Fraction:
    if delta is not None:
        return number(delta, argument="--delta")
    if noise != "laplace":
        raise InvalidInput(argument="--delta", accepted=f"given for {noise} noise", given="nothing")
    return Fraction(0)


def _least(noise: str, target: ApproxDP, sensitivity: Fraction, count: int) -> Fraction:
    match noise:
        case "gaussian":
            return gaussian_sigma(target, sensitivity=sensitivity, count=count)
        case "discrete-gaussian":
            rho = zcdp_within(target)
            return discrete_gaussian_sigma(rho, sensitivity=sensitivity, count=count)
        case _ if target.delta:
            return laplace_scale_within(target, sensitivity=sensitivity, count=count)
        case _:
            return laplace_scale(PureDP(target.epsilon), sensitivity=sensitivity, count=count)


def _most(noise: str, target: ApproxDP, each: Fraction) -> int:
    match noise:
        case "gaussian":
            return most_answers(target, each=GDP(each**2))
        case "discrete-gaussian":
            return int(zcdp_within(target).rho // (each**2 / 2))
        case _ if target.delta:
            return most_laplace_answers(target, each=PureDP(each))
        case _:
            return int(target.epsilon // each)


@click.command()
@click.argument("events", nargs=-1)
@click.option("--file", "path", type=click.Path(), help="A file with an event a line, or - .")
@_delta
@click.option("--epsilon", help="Ask for the δ at this ε instead.")
@_neighbours
@options.as_json
def compose(
    events: tuple[str, ...],
    path: str | None,
    delta: str,
    epsilon: str | None,
    neighbours: str,
    json_wanted: bool,
) -> None:
    """What the EVENTS cost together, by every theorem that covers them."""
    lines = [*events, *(_read(path) if path else [])]
    conversation = parse_all(lines, neighbours=RELATIONS[neighbours])
    if not conversation.counts:
        raise InvalidInput(
            argument="events", accepted="at least one, or a --file", given="none of them"
        )
    if epsilon is None:
        level = number(delta, argument="--delta")
        found = [(row.accountant, row.epsilon) for row in compare(conversation, delta=level)]
        wanted, given = "epsilon", {"delta": float(level)}
    else:
        level = number(epsilon, argument="--epsilon")
        by_accountant = [
            (accountant, accountant.delta(conversation, epsilon=level))
            for accountant in covering(conversation)
        ]
        found = sorted(by_accountant, key=lambda pair: pair[1])
        wanted, given = "delta", {"epsilon": float(level)}
    if not found:
        raise covered_by_none(conversation)
    if json_wanted:
        rows = [
            {
                "accountant": accountant.NAME,
                wanted: level_up(value),
                "theorems": list(accountant.THEOREMS),
            }
            for accountant, value in found
        ]
        relation = conversation.neighbours.value
        render.as_json(
            {"answers": len(conversation), "neighbours": relation, **given, "bounds": rows}
        )
        return
    ((name, value),) = given.items()
    render.line(f"{len(conversation):,} answers at {name} {value:g}, the tightest bound first:")
    table = [
        [render.upper(v), accountant.NAME, ", ".join(accountant.THEOREMS)]
        for accountant, v in found
    ]
    render.table([wanted, "accountant", "theorems"], table)


def _read(path: str) -> Iterable[str]:
    try:
        return (sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            argument="--file", accepted="a text file with an event a line", given=path
        ) from error


@click.command()
@click.argument("loss")
@_delta
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


_COUNTS = (1, 2, 3, 5)


@click.command()
@click.argument("event")
@_delta
@click.option(
    "--most",
    type=click.IntRange(2, 10**7),
    default=10**6,
    show_default=True,
    help="How many answers the curves end at.",
)
@click.option("--plot", metavar="FILE", help="Draw the curves, as PNG, SVG or PDF.")
@_neighbours
@options.as_json
def growth(
    event: str, delta: str, most: int, plot: str | None, neighbours: str, json_wanted: bool
) -> None:
    """How ε grows when EVENT is repeated, by every theorem."""
    level = number(delta, argument="--delta")
    one, _ = parse(event, neighbours=RELATIONS[neighbours])
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


@click.command()
@click.option("--epsilon", default="1", show_default=True, help="The ε that all may cost.")
@_delta
@click.option("--rows", type=int, default=10_000, show_default=True, help="For the first table.")
@options.as_json
def tables(epsilon: str, delta: str, rows: int, json_wanted: bool) -> None:
    """Laplace against Gaussian in many dimensions; k/ε against √k for many answers."""
    eps, level = number(epsilon, argument="--epsilon"), number(delta, argument="--delta")
    target = ApproxDP(epsilon=check.positive_fraction(epsilon=eps), delta=level)
    sizes = (1, 10, 100, 1_000, 10_000)
    vectors = [vector_accuracy(rows=rows, dimensions=size, target=target) for size in sizes]
    many = [noise_for_many(count=size, target=target) for size in sizes]
    if json_wanted:
        render.as_json(
            {
                "dimensions": [
                    {"dimensions": v.dimensions, "laplace": v.laplace, "gaussian": v.gaussian}
                    for v in vectors
                ],
                "answers": [
                    {
                        "answers": m.count,
                        "basic": m.basic,
                        "advanced": m.advanced,
                        "optimal": m.optimal,
                        "gaussian": m.gaussian,
                    }
                    for m in many
                ],
            }
        )
        return
    render.line(f"Error ‖answer − mean‖ of {rows:,} records in [0, 1]^K, at ε = {float(eps):g}")
    render.line(f"(Gaussian also δ = {float(level):g}): K^1.5 against K")
    render.table(
        ["K", "Laplace", "Gaussian", "ratio"],
        [
            [
                f"{v.dimensions:,}",
                *map(render.upper, (v.laplace, v.gaussian)),
                f"{v.laplace / v.gaussian:.2f}",
            ]
            for v in vectors
        ],
    )
    render.line()
    render.line("Standard deviation of the noise on each of k answers of sensitivity 1:")
    render.table(
        ["k", "Laplace, basic", "Laplace, advanced", "Laplace, optimal", "Gaussian, exact"],
        [
            [f"{m.count:,}", *map(render.upper, (m.basic, m.advanced, m.optimal, m.gaussian))]
            for m in many
        ],
    )


@click.group()
def account() -> None:
    """Compose, convert and calibrate privacy losses; compare the theorems that do it.

    Events are written laplace(scale=100), 1000 * gaussian(sigma=50, sensitivity=2),
    discrete-laplace(scale=5), discrete-gaussian(sigma=5), exponential(epsilon=0.1),
    pure(epsilon=0.1), approximate(epsilon=0.1, delta=1e-9), zcdp(rho=0.01),
    sampled-gaussian(sigma=1, rate=0.01).
    """


for command in (compose, growth, convert, calibrate, tables, loss):
    account.add_command(command)
