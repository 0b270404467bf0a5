"""`peekproof plan`: what can be promised, before anything is spent."""

from collections.abc import Mapping

import click

from peekproof.cli import options, plan_guesses, render
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.core.numerics import decimal_up, level_down
from peekproof.mechanisms.rounds import Rounds
from peekproof.planner.inverse import questions_affordable, rows_needed
from peekproof.planner.plan import Plan
from peekproof.planner.plan import plan as best_plan
from peekproof.planner.useful import CONFIDENCE, QUESTIONS, useful_plan


@click.command()
@click.option("--rows", type=int, help="Rows of the data.")
@click.option(
    "--questions",
    type=int,
    help="New questions to be asked in all. [default: 1000, if only rows are given]",
)
@click.option("--radius", type=float, help="Half-width that every interval must keep.")
@options.confidence
@click.option("--compare", is_flag=True, help="Every route to a radius at these rows.")
@click.option(
    "--rounds",
    type=int,
    help="Batches in which the questions come, each seeing the answers of earlier ones only.",
)
@click.option("--explain", is_flag=True, help="With --compare: say why each route is so wide.")
@click.option(
    "--chains", is_flag=True, help="How the rows needed grow with the number of questions."
)
@click.option(
    "--plot",
    metavar="FILE",
    help="With --compare or --chains: draw it, as PNG, SVG or PDF.",
)
@click.option(
    "--guesses",
    type=click.Choice(["training"]),
    help="Also plan for checked guesses: half of the rows guess, the others check.",
)
@click.option(
    "--expected-failures",
    type=int,
    metavar="M",
    help="With --guesses: how many guesses may fail. [default: 0]",
)
@options.as_json
def plan(
    rows: int | None,
    questions: int | None,
    radius: float | None,
    confidence: float | None,
    compare: bool,
    rounds: int | None,
    explain: bool,
    chains: bool,
    plot: str | None,
    guesses: str | None,
    expected_failures: int | None,
    json_wanted: bool,
) -> None:
    """Work out rows, questions or radius from the other two.

    \b
    peekproof plan --rows 100000 --questions 1000    the radius of every interval
    peekproof plan --rows 100000 --radius 0.05       how many questions that allows
    peekproof plan --questions 1000 --radius 0.05    how many rows that needs
    peekproof plan --rows 100000 --compare           the radius by every route known
    peekproof plan --chains                          rows against questions, k or √k
    peekproof plan --rows 100000 --guesses training  checked guesses beside the usual plan
    """
    level = CONFIDENCE if confidence is None else confidence
    _only_together(
        {"--compare": compare, "--chains": chains, "--guesses": guesses is not None},
        {
            "--rounds": rounds is not None,
            "--explain": explain,
            "--plot": plot is not None,
            "--expected-failures": expected_failures is not None,
        },
    )
    if compare:
        if rows is None or radius is not None:
            raise InvalidInput(
                argument="--compare",
                accepted="used with --rows and without --radius",
                given=_named({"--rows": rows, "--questions": questions, "--radius": radius}),
            )
        count = QUESTIONS if questions is None else questions
        target = Target.of(confidence=level, questions=count)
        from peekproof.cli import plan_compare  # noqa: PLC0415 (slow to import)

        plan_compare.compare(
            rows, target, rounds=rounds, plot=plot, explained=explain, json_wanted=json_wanted
        )
        return
    if chains:
        if rows is not None or questions is not None:
            raise InvalidInput(
                argument="--chains",
                accepted="used without --rows and --questions: it shows many of both",
                given=_named({"--rows": rows, "--questions": questions}),
            )
        from peekproof.cli import plan_chains  # noqa: PLC0415 (slow to import)

        plan_chains.chains(level, radius=radius, plot=plot, json_wanted=json_wanted)
        return
    if guesses is not None:
        if rows is None or radius is not None:
            raise InvalidInput(
                argument="--guesses",
                accepted="used with --rows and without --radius",
                given=_named({"--rows": rows, "--questions": questions, "--radius": radius}),
            )
        target = Target.of(
            confidence=level, questions=QUESTIONS if questions is None else questions
        )
        beside = plan_guesses.from_training(
            rows, target, rounds=rounds, failures=expected_failures or 0
        )
        if json_wanted:
            render.as_json({**beside.plan.to_dict(), "guesses": beside.to_dict()})
        else:
            _show(beside.plan)
            beside.show()
        return
    if rows is not None and radius is None:
        target = Target.of(
            confidence=level, questions=QUESTIONS if questions is None else questions
        )
        found = useful_plan(rows, target, rounds=rounds)
    elif rows is not None and radius is not None and questions is None:
        found = _most_questions(rows, radius, level, rounds)
    elif questions is not None and radius is not None and rows is None:
        target = Target.of(confidence=level, questions=questions)
        needed = rows_needed(target=target, radius=radius, rounds=rounds)
        found = best_plan(rows=needed, target=target, rounds=rounds)
    else:
        raise InvalidInput(
            argument="the options",
            accepted="two of --rows, --questions and --radius",
            given=_named({"--rows": rows, "--questions": questions, "--radius": radius}),
        )
    if json_wanted:
        render.as_json(found.to_dict())
    else:
        _show(found)


def _named(options: Mapping[str, object]) -> str:
    given = " and ".join(name for name, value in options.items() if value is not None)
    return given or "none of them"


def _only_together(views: Mapping[str, bool], extras: Mapping[str, bool]) -> None:
    """Refuse two views at once, and extras of a view that was not asked for."""
    asked = [name for name, given in views.items() if given]
    if len(asked) > 1:
        raise InvalidInput(
            argument="the options",
            accepted=f"one of {' and '.join(asked)}",
            given=f"{len(asked)} of them",
        )
    served = {
        "--compare": {"--rounds", "--explain", "--plot"},
        "--chains": {"--plot"},
        "--guesses": {"--expected-failures"},
    }
    allowed = served[asked[0]] if asked else set()
    if not asked or asked == ["--guesses"]:  # the usual plan is there
        allowed = allowed | {"--rounds"}
    for name, given in extras.items():
        if given and name not in allowed:
            serving = [view for view, options in served.items() if name in options]
            raise InvalidInput(
                argument=name,
                accepted=f"used with {' or '.join(serving)}",
                given=f"{name} {'with ' + asked[0] if asked else 'alone'}",
            )


def _most_questions(rows: int, radius: float, level: object, rounds: int | None) -> Plan:
    confidence = Target.of(confidence=level, questions=1).confidence  # type: ignore[arg-type]
    affordable = questions_affordable(
        rows=rows, confidence=confidence, radius=radius, rounds=rounds
    )
    if affordable == 0:
        one = Target(confidence=confidence, questions=1)
        raise VacuousPlan(
            rows=rows,
            questions=1,
            confidence=confidence,
            radius=radius,
            rows_needed=rows_needed(target=one, radius=radius),
            questions_affordable=0,
        )
    target = Target(confidence=confidence, questions=affordable)
    batches = None if rounds is None else min(rounds, affordable)
    return best_plan(rows=rows, target=target, rounds=batches)


def _show(found: Plan) -> None:
    target = found.target
    chosen = "adaptively chosen questions"
    if isinstance(found.mechanism, Rounds):
        chosen = f"questions in {found.mechanism.rounds:,} adaptively chosen rounds"
    render.line(
        f"±{decimal_up(found.radius)} for all of {target.questions:,} {chosen} on {found.rows:,} "
        f"rows, together with confidence {level_down(target.confidence)}"
    )
    rows = [
        [decimal_up(part.radius), part.covers, part.theorem] for part in found.certificate.parts
    ]
    render.table(["radius", "covers", "theorem"], rows)
