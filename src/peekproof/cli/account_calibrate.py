"""`peekproof account calibrate`: the smallest noise, or the most answers, for a target."""

from fractions import Fraction

import click

from peekproof.accounting.calibration import (
    discrete_gaussian_sigma,
    gaussian_sigma,
    laplace_scale,
    laplace_scale_within,
    most_answers,
    most_laplace_answers,
    zcdp_within,
)
from peekproof.accounting.events import number
from peekproof.cli import options, render
from peekproof.core import check
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up

NOISES = ("laplace", "gaussian", "discrete-gaussian")


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
