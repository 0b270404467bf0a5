"""`peekproof attack`: analysts who know the population, against what answers them."""

from fractions import Fraction

import click

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.matrix import QUESTIONS, ROWS, SEED
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.protocol import Setup
from peekproof.cli import options
from peekproof.cli.attack_all import attack_all
from peekproof.cli.attack_list import attack_list
from peekproof.cli.attack_one import DEFAULT, attack_one
from peekproof.cli.drawing import drawable
from peekproof.core import check
from peekproof.core.errors import InvalidInput

ALL, LIST = "all", "list"


@click.command()
@click.argument("name")
@click.option(
    "--mechanism",
    "mechanisms",
    multiple=True,
    metavar="NAME",
    help=f"Whom to attack; may be repeated. [default: {DEFAULT}, or every one for {ALL}]",
)
@click.option("--rows", type=int, default=ROWS, show_default=True, help="Rows of the sample.")
@click.option(
    "--questions",
    type=int,
    default=QUESTIONS,
    show_default=True,
    help="The most that an attack asks.",
)
@options.confidence
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=SEED,
    show_default=True,
    help="Chooses the sample, the analyst's coins and the noise.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Repeat one attack with so many seeds.",
)
@click.option("--plot", metavar="FILE", help="Draw it: .png, .svg or .pdf.")
@options.as_json
@click.pass_context
def attack(
    context: click.Context,
    name: str,
    mechanisms: tuple[str, ...],
    rows: int,
    questions: int,
    confidence: float | None,
    seed: int,
    runs: int,
    plot: str | None,
    json_wanted: bool,
) -> None:
    """Run an attack by its NAME, or `all`, against mechanisms; or `list` them."""
    if name == LIST:
        _refuse_others(context)
        attack_list(json_wanted=json_wanted)
        return
    if name != ALL and name not in ANALYSTS:
        accepted = f"{ALL}, {LIST} or one of {', '.join(ANALYSTS)}"
        raise InvalidInput(argument="NAME", accepted=accepted, given=name)
    setups = tuple(_setup(each) for each in dict.fromkeys(mechanisms))
    level = Fraction(19, 20) if confidence is None else check.probability(confidence=confidence)
    picture = drawable(plot) if plot else None
    if name == ALL:
        if runs > 1:
            raise InvalidInput(argument="--runs", accepted=f"1 with {ALL}", given=f"{runs:,}")
        attack_all(
            setups or tuple(OPPONENTS.values()),
            rows=rows,
            questions=questions,
            confidence=level,
            seed=seed,
            picture=picture,
            json_wanted=json_wanted,
        )
        return
    attack_one(
        ANALYSTS[name],
        setups,
        rows=rows,
        questions=questions,
        confidence=level,
        seeds=range(seed, seed + runs),
        picture=picture,
        json_wanted=json_wanted,
    )


def _setup(name: str) -> Setup:
    if name not in OPPONENTS:
        accepted = f"one of {', '.join(OPPONENTS)}"
        raise InvalidInput(argument="--mechanism", accepted=accepted, given=name)
    return OPPONENTS[name]


def _refuse_others(context: click.Context) -> None:
    """A list has no size: whoever gives one expects an attack."""
    for parameter in context.command.params:
        if parameter.name in ("name", "json_wanted") or parameter.name is None:
            continue
        source = context.get_parameter_source(parameter.name)
        if source is click.core.ParameterSource.COMMANDLINE:
            raise InvalidInput(
                argument=parameter.opts[0],
                accepted=f"left out with {LIST}",
                given=str(context.params[parameter.name]),
            )
