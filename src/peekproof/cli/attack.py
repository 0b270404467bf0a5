"""`peekproof attack`: one attack, or all of them, on controls and on what is certified."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from inspect import cleandoc
from pathlib import Path

import click

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.fight import Decisive, Outcome, Pairing, settle
from peekproof.audit.matrix import CONFIDENCE, QUESTIONS, ROWS, SEED, Matrix, matrix, sized
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.opponents.sessions import Opened
from peekproof.cli import options, render
from peekproof.cli.options import drawable
from peekproof.cli.render import counted
from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up, level_down
from peekproof.mechanisms.ladder import Ladder

# Heads that leave room for eight columns.
_SHORT = {
    "correlation": "correl.",
    "reconstruction": "reconst.",
    "reused-holdout": "holdout",
    "fingerprinting": "fingerp.",
    "averaging": "averag.",
}
# The widest name of a mechanism and the widest cell, with a gap after each.
_NAME, _CELL = 18, 10
_HELD, _MISSED, _SOME_REFUSED = "✓", "✗", "r"


def attack_all(
    setups: Sequence[Setup],
    *,
    rows: int,
    questions: int,
    confidence: Fraction,
    seed: int,
    picture: Path | None,
    json_wanted: bool,
) -> None:
    """Print every outcome in a cell."""
    with render.progress() as advance:
        found = matrix(
            rows=rows,
            questions=questions,
            confidence=confidence,
            seed=seed,
            setups=setups,
            progress=lambda done, total: advance("conversations", done, total),
        )
    if picture:
        from peekproof.audit.figures.matrix import draw_matrix  # noqa: PLC0415

        draw_matrix(picture, found, command=_matrix_command(found))
    if json_wanted:
        render.as_json(found.to_dict())
        return
    render.line(
        f"{counted(rows, 'row')}, up to {counted(questions, 'question')}, confidence "
        f"{level_down(confidence)} for all intervals together, seed {seed}."
    )
    render.line(
        "The largest error of all answers of a conversation, and whether all intervals held:"
    )
    render.line()
    for part in _parts(found.attacks):
        render.table(
            ["", *(_SHORT.get(attack, attack) for attack in part)],
            [
                [name, *(_cell(found.at(attack, name)) for attack in part)]
                for name in found.mechanisms
            ],
        )
        render.line()
    render.line(
        f"{_HELD} all intervals held, {_MISSED} not all, {_SOME_REFUSED} some questions refused, "
        "refused: it would not begin,"
    )
    render.line("– it does not answer such questions.")
    render.line()
    for sentence in conclusions(found):
        render.line(sentence)
    if picture:
        render.line(f"Figure: {picture}")


def _parts(attacks: Sequence[str]) -> list[Sequence[str]]:
    """As many attacks side by side as the terminal has room for."""
    wide = render.width()
    count = len(attacks) if wide is None else max(1, (wide - _NAME) // _CELL)
    return [attacks[first : first + count] for first in range(0, len(attacks), count)]


def _cell(outcome: Outcome) -> str:
    if not outcome.began:
        return "refused" if outcome.refusal else "–"
    error = f"{outcome.forced:.3f}".removeprefix("0")
    held = _HELD if outcome.covered else _MISSED
    return f"{error} {held}{_SOME_REFUSED if outcome.refused else ''}"


def conclusions(found: Matrix) -> list[str]:
    """What the matrix says, in sentences."""
    said = []
    controls = [each for each in found.outcomes if not each.certified and each.began]
    if controls:
        broken = sum(not each.covered for each in controls)
        said.append(
            f"Without a certificate: {broken:,} of {len(controls):,} conversations ended with "
            "intervals that miss."
        )
    total, missed = len(found.certified), found.missed
    if total and not missed:
        said.append(f"With one: all intervals held in all {total:,} conversations.")
    elif missed:
        names = ", ".join(f"{each.mechanism} under {each.attack}" for each in missed)
        said.append(
            f"With one: {len(missed):,} of {total:,} conversations ended with intervals that miss "
            f"({names}), which each may with probability {float(1 - found.confidence):.3g}."
        )
    if refused := sum(bool(each.refusal) for each in found.outcomes):
        said.append(f"Refused before they began: {refused:,}.")
    return said


def _matrix_command(found: Matrix) -> str:
    words = ["peekproof", "attack", "all"]
    if set(found.mechanisms) != set(OPPONENTS):
        for name in found.mechanisms:
            words += ["--mechanism", name]
    defaults = {"--rows": ROWS, "--questions": QUESTIONS, "--seed": SEED}
    given = {"--rows": found.rows, "--questions": found.questions, "--seed": found.seed}
    for option, value in given.items():
        if value != defaults[option]:
            words += [option, str(value)]
    if found.confidence != CONFIDENCE:
        words += ["--confidence", str(level_down(found.confidence))]
    return shlex.join([*words, "--plot", "FILE"])


def first_line(kind: type) -> str:
    """What a class says it is, in one line."""
    return cleandoc(kind.__doc__ or kind.__name__).partition("\n")[0]


def attack_list(*, json_wanted: bool) -> None:
    """Print all names, each with a line."""
    attacks = [
        {
            "name": name,
            "does": first_line(kind),
            "forces": kind.FORMULA,
            "after": kind.SOURCE,
        }
        for name, kind in ANALYSTS.items()
    ]
    mechanisms = [
        {"name": name, "certified": setup.certified, "does": _does(setup)}
        for name, setup in OPPONENTS.items()
    ]
    if json_wanted:
        render.as_json({"attacks": attacks, "mechanisms": mechanisms})
        return
    render.line("Attacks, and by how much the sample overstates what they ask at the end:")
    for attack in attacks:
        render.line()
        render.line(f"{attack['name']}: {attack['does']}")
        render.line(f"    {attack['forces']}; {attack['after']}")
    render.line()
    render.line("k questions before the last, n rows, or a population that is a list of N numbers.")
    for title, certified in (("Controls", False), ("Certified mechanisms", True)):
        render.line()
        render.line(f"{title}:")
        chosen = [each for each in mechanisms if each["certified"] is certified]
        width = max(len(str(each["name"])) for each in mechanisms)
        for each in chosen:
            render.line(f"  {str(each['name']).ljust(width)}  {each['does']}")


def _does(setup: Setup) -> str:
    return setup.plainly if isinstance(setup, Opened) else first_line(type(setup))


DEFAULT, CONTROL = "planned", "plain"


def attack_one(
    kind: type[Analyst],
    setups: Sequence[Setup],
    *,
    rows: int,
    questions: int,
    confidence: Fraction,
    seeds: range,
    picture: Path | None,
    json_wanted: bool,
) -> None:
    """Print what each mechanism claimed, in the first run, and how all runs ended."""
    analyst = sized(kind, rows=rows, questions=questions)
    chosen = dict.fromkeys((OPPONENTS[CONTROL], *(setups or [OPPONENTS[DEFAULT]])))
    pairings = [
        Pairing(setup=setup, analyst=analyst, confidence=confidence, seed=seed)
        for seed in seeds
        for setup in chosen
    ]
    with render.progress() as advance:
        outcomes = settle(
            pairings, progress=lambda done, total: advance("conversations", done, total)
        )
    first = outcomes[: len(chosen)]
    command = _attack_command(kind.kind, setups, rows, questions, confidence, seeds)
    if picture:
        from peekproof.audit.figures.attack import draw_attack  # noqa: PLC0415

        draw_attack(picture, first, rows=rows, confidence=level_down(confidence), command=command)
    if json_wanted:
        render.as_json(
            {
                "attack": kind.kind,
                "does": first_line(kind),
                "rows": rows,
                "questions": analyst.questions,
                "confidence": level_down(confidence),
                "predicted": analyst.predicted,
                "seeds": list(seeds),
                "outcomes": [each.to_dict() for each in outcomes],
            }
        )
        return
    render.line(first_line(kind))
    render.line(
        f"{counted(rows, 'row')}, up to {counted(analyst.questions, 'question')}, confidence "
        f"{level_down(confidence)} for all intervals together, seed {seeds[0]}."
    )
    render.line(
        f"Predicted: the sample overstates the last question by about {analyst.predicted:.4f}, and "
        "so do exact answers."
    )
    render.line()
    render.table(
        ["mechanism", "claims", "interval", "truth", "error", "holds", "answered", "missed"],
        [_cells(each) for each in first],
    )
    render.line()
    first_run = f" of the run with seed {seeds[0]}" if len(seeds) > 1 else ""
    render.line(f"Claim, interval, truth and error are those of the last question{first_run};")
    render.line("answered and missed count all questions and all intervals.")
    _explain(first)
    if len(seeds) > 1:
        _count(outcomes, seeds)
    if picture:
        render.line(f"Figure: {picture}")


def _cells(outcome: Outcome) -> list[str]:
    answered = f"{outcome.answered:,} of {outcome.asked:,}"
    if not outcome.began:
        word = "refused" if outcome.refusal else "does not apply"
        return [outcome.mechanism, word, "", "", "", "", "", ""]
    last = outcome.decisive
    if last is None:
        missed = f"{outcome.missed:,}"
        return [outcome.mechanism, "refused", "", "", "", "", answered, missed]
    places = _telling_places(last)
    return [
        outcome.mechanism,
        f"{last.value:.4f}",
        _interval(last, places),
        f"{last.truth:.{places}f}",
        f"{last.error:.4f}",
        "yes" if last.holds else "NO",
        answered,
        f"{outcome.missed:,}",
    ]


def _interval(claim: Decisive, places: int) -> str:
    low, high = decimal_down(claim.low, places=places), decimal_up(claim.high, places=places)
    return f"{low} to {high}"


def _telling_places(claim: Decisive) -> int:
    """Four, or as many as show an interval that misses by less to miss."""
    for places in range(4, 17):
        low, high = decimal_down(claim.low, places=places), decimal_up(claim.high, places=places)
        if (float(low) <= float(f"{claim.truth:.{places}f}") <= float(high)) is claim.holds:
            return places
    return 17


def _explain(outcomes: Sequence[Outcome]) -> None:
    for each in outcomes:
        if each.refusal:
            why = each.refusal.removeprefix("refused: ")
            render.line(f"{each.mechanism} would not begin: {why}.")
        elif not each.applies:
            render.line(f"{each.mechanism} does not answer such questions.")
        elif each.mechanism == Ladder.kind:
            render.line(f"{each.mechanism} claims the best of all that was submitted.")


def _count(outcomes: Sequence[Outcome], seeds: range) -> None:
    render.line()
    render.line(f"All intervals held, in runs with the seeds {seeds[0]} to {seeds[-1]}:")
    for name in dict.fromkeys(each.mechanism for each in outcomes):
        runs = [each for each in outcomes if each.mechanism == name and each.began]
        if not runs:
            render.line(f"  {name}: there was no conversation")
            continue
        held = sum(each.covered for each in runs)
        promise = "" if runs[0].certified else " (nothing is promised)"
        render.line(f"  {name}: {held:,} of {len(runs):,}{promise}")


def _attack_command(
    name: str,
    setups: Sequence[Setup],
    rows: int,
    questions: int,
    confidence: Fraction,
    seeds: range,
) -> str:
    words = ["peekproof", "attack", name]
    for setup in setups:
        words += ["--mechanism", setup.name]
    words += ["--rows", str(rows), "--questions", str(questions)]
    words += ["--confidence", str(level_down(confidence)), "--seed", str(seeds[0])]
    return shlex.join([*words, "--plot", "FILE"])


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
