"""`peekproof plan`: what can be promised, before anything is spent.

`--compare` shows every route from these rows and questions to a radius, `--chains` how the rows
needed grow with the number of questions, `--guesses` checked guesses beside the usual plan.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import nextafter
from typing import final

import click

from peekproof.audit.growth import RowsNeeded, growth
from peekproof.audit.guesses import HALF, Guessing, best_guessing, failures_within, split_guessing
from peekproof.audit.routes import Quote, quotes, taken
from peekproof.cli import options, render
from peekproof.cli.options import drawable
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.core.numerics import decimal_up, level_down
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.plan import (
    CONFIDENCE,
    QUESTIONS,
    Plan,
    questions_affordable,
    rows_needed,
    useful_plan,
)
from peekproof.mechanisms.plan import plan as best_plan

CHAIN_COUNTS = (1, 10, 100, 1_000, 10_000, 100_000)
RADIUS = 0.1

_COLUMNS = (
    "questions",
    "average, TV added",
    "average, private",
    "one question, TV added",
    "one question, private",
    "certified, all together",
)


def show_chains(
    confidence: object, *, radius: float | None, plot: str | None, json_wanted: bool
) -> None:
    """Print the rows needed for every number of questions, and draw them if a file is named."""
    level = Target.of(confidence=confidence, questions=1).confidence  # type: ignore[arg-type]
    wanted = RADIUS if radius is None else radius
    picture = drawable(plot) if plot else None
    found: list[RowsNeeded] = []
    with render.progress() as progress:
        for questions in CHAIN_COUNTS:
            target = Target(confidence=level, questions=questions)
            found.append(growth(target=target, radius=wanted))
            progress("planning", len(found), len(CHAIN_COUNTS))
    shown = level_down(level)
    if picture:
        from peekproof.audit.figures.chains import draw_chains  # noqa: PLC0415

        command = f"peekproof plan --chains --radius {wanted:g} --confidence {shown} --plot FILE"
        draw_chains(found, picture, radius=wanted, confidence=shown, command=command)
    if json_wanted:
        rows = [row.to_dict() for row in found]
        render.as_json({"radius": wanted, "confidence": shown, "rows_needed": rows})
        return
    render.line(f"Rows needed for ±{wanted:g}, by what the plan promises:")
    render.table(_COLUMNS, [_cells(row) for row in found])
    render.line()
    render.line(
        "Average and one question are not simultaneous: the first bounds the mean drift, the "
        f"second one question's\nmean over coins with confidence {shown}. They certify no answer. "
        f"For them half of ±{wanted:g} is drift and half\nthe standard deviation of the noise. "
        "Only the last column holds for all answers together."
    )
    if picture:
        render.line(f"Figure: {picture}")


def _cells(row: RowsNeeded) -> list[str]:
    counts = (
        row.average_by_variation,
        row.average_by_privacy,
        row.one_by_variation,
        row.one_by_privacy,
        row.certified,
    )
    return [f"{row.questions:,}", *("over 10^18" if n is None else f"{n:,}" for n in counts)]


# Where the curves are evaluated; they are smooth in between.
COUNTS = (*(step * 10**power for power in range(5) for step in (1, 2, 3, 5)), 10**5)

_TAKEN, _RUNS, _WEAKER = "→", "·", "✗"


def compare_routes(
    rows: int,
    target: Target,
    *,
    rounds: int | None,
    plot: str | None,
    explained: bool,
    json_wanted: bool,
) -> None:
    """Print the comparison, and draw it if a file is named."""
    picture = drawable(plot) if plot else None
    found = quotes(rows=rows, target=target, rounds=rounds)
    best = taken(found)
    if picture:
        from peekproof.audit.figures.routes import draw_routes  # noqa: PLC0415

        draw_routes(
            _curves(rows, target, rounds),
            picture,
            rows=rows,
            confidence=level_down(target.confidence),
            command=_command(rows, target, rounds),
        )
    if json_wanted:
        render.as_json(
            {
                "rows": rows,
                "questions": target.questions,
                "confidence": level_down(target.confidence),
                "rounds": rounds,
                "taken": best.route if best else None,
                "quotes": [quote.to_dict() for quote in found],
            }
        )
        return
    _show_routes(rows, target, found, best)
    if explained:
        render.line()
        for quote in found:
            render.line(f"{decimal_up(quote.radius)}  {quote.route}: {quote.why}")
    if picture:
        render.line(f"Figure: {picture}")


def _show_routes(rows: int, target: Target, found: tuple[Quote, ...], best: Quote | None) -> None:
    render.line(
        f"Radius for {target.questions:,} adaptively chosen questions on {rows:,} rows at "
        f"confidence {level_down(target.confidence)}, the narrowest first:"
    )
    cells = [
        [
            _mark(quote, best),
            f"{decimal_up(quote.radius)}",
            quote.route,
            ", ".join(quote.theorems),
            _parameters(quote),
        ]
        for quote in found
    ]
    render.table(["", "radius", "route", "theorems", "parameters"], cells)
    render.line()
    legend = [f"{_RUNS} a session can run it", f"{_WEAKER} holds for less than all answers"]
    if best:
        legend.insert(0, f"{_TAKEN} what a session takes")
    render.line(", ".join(legend))
    if not best:
        render.line("No route that a session can run says anything here: all are at 0.5 or wider.")


def _mark(quote: Quote, best: Quote | None) -> str:
    if quote == best:
        return _TAKEN
    if not quote.simultaneous:
        return _WEAKER
    return _RUNS if quote.runs else ""


def _parameters(quote: Quote) -> str:
    if not quote.parameters:
        return "does not apply"
    shown = ", ".join(f"{name} {_number(value)}" for name, value in quote.parameters)
    return shown if quote.simultaneous else f"{shown} ({quote.promises})"


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):.4g}"


def _curves(rows: int, target: Target, rounds: int | None) -> dict[str, list[tuple[int, float]]]:
    curves: dict[str, list[tuple[int, float]]] = {}
    with render.progress() as progress:
        for done, questions in enumerate(COUNTS, 1):
            at = Target(confidence=target.confidence, questions=questions)
            batches = None if rounds is None else min(rounds, questions)
            for quote in quotes(rows=rows, target=at, rounds=batches):
                curves.setdefault(quote.route, []).append((questions, quote.radius))
            progress("comparing", done, len(COUNTS))
    return curves


def _command(rows: int, target: Target, rounds: int | None) -> str:
    words = ["peekproof", "plan", "--rows", str(rows), "--compare"]
    words += ["--confidence", str(level_down(target.confidence))]
    if rounds is not None:
        words += ["--rounds", str(rounds)]
    return shlex.join([*words, "--plot", "FILE"])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The usual plan, and what guesses from training rows promise for the same questions.

    `most` is the number of failures up to which guesses say something and are no wider than a
    usual plan that does; None if there is none.
    """

    plan: Plan
    guessing: Guessing
    best: Guessing
    most: int | None

    @property
    def _turn(self) -> int:
        """The number of failures from which on guesses no longer serve.

        It is at most the number of questions: if all guesses fail, cutting answers to as many bins
        has fewer transcripts, on all rows instead of half of them.
        """
        return 0 if self.most is None else self.most + 1

    def to_dict(self) -> dict[str, object]:
        narrower = self.most is not None and self.guessing.failures <= self.most
        return {
            "from": "training",
            **self.guessing.to_dict(),
            "narrower": "guesses" if narrower else self.plan.mechanism.kind,
            "plan_narrower_from": None if self.plan.vacuous else self._turn,
            "best_split": self.best.to_dict(),
        }

    def show(self) -> None:
        """What there is to add to the usual plan, for people."""
        guessing = self.guessing
        allowed = "none fails" if guessing.failures == 0 else f"at most {guessing.failures:,} fail"
        render.line()
        render.line(
            f"±{decimal_up(guessing.radius)} for the same if {guessing.guessing_rows:,} of the "
            f"rows guess, the other {guessing.rows:,} check the guesses, and {allowed}"
        )
        parts = guessing.certificate.parts
        cells = [[decimal_up(part.radius), part.covers, part.theorem] for part in parts]
        render.table(["radius", "covers", "theorem"], cells)
        render.line()
        render.line(self._verdict())
        if decimal_up(self.best.radius) != decimal_up(guessing.radius):
            render.line(
                f"With only {self.best.guessing_rows:,} rows guessing it would be "
                f"±{decimal_up(self.best.radius)}."
            )
        render.line(
            "A session fixes no number of failures in advance; it differs a little "
            "(T-check-horizon)."
        )

    def _verdict(self) -> str:
        usual = self.plan.mechanism.phrase(self.plan.target)
        turn = self._turn
        when = "the first failure" if turn == 1 else f"{turn:,} failures"
        if self.plan.vacuous:
            return f"Only guesses say something here, and from {when} on they do not either."
        if turn == 0:
            return f"Here {usual} is narrower, even if no guess fails."
        if self.guessing.failures < turn:
            return f"Guesses are narrower; from {when} on {usual} is."
        return f"With so many failures {usual} is narrower, as it is from {when} on."


def from_training(rows: int, target: Target, *, rounds: int | None, failures: int) -> Beside:
    """Both plans, unless neither says anything: half of the rows guess, the others check."""
    if not 0 <= failures <= target.questions:
        raise InvalidInput(
            argument="--expected-failures",
            accepted=f"from 0 to the number of questions, {target.questions:,}",
            given=f"{failures:,}",
        )
    usual = best_plan(rows=rows, target=target, rounds=rounds)
    guessing = split_guessing(rows=rows, share=HALF, target=target, failures=failures)
    if usual.vacuous and guessing.vacuous:
        usual = useful_plan(rows, target, rounds=rounds)  # refuses, and says what would do
    most = failures_within(
        rows=guessing.rows,
        guessing_rows=guessing.guessing_rows,
        target=target,
        radius=min(usual.radius, nextafter(VACUOUS, 0)),
    )
    return Beside(
        plan=usual,
        guessing=guessing,
        best=best_guessing(rows=rows, target=target, failures=failures),
        most=most,
    )


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
        compare_routes(
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
        show_chains(level, radius=radius, plot=plot, json_wanted=json_wanted)
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
        beside = from_training(rows, target, rounds=rounds, failures=expected_failures or 0)
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
    render.line(
        f"±{decimal_up(found.radius)} for all of {target.questions:,} "
        f"{found.mechanism.asked(target)} on {found.rows:,} rows, together with confidence "
        f"{level_down(target.confidence)}"
    )
    rows = [
        [decimal_up(part.radius), part.covers, part.theorem] for part in found.certificate.parts
    ]
    render.table(["radius", "covers", "theorem"], rows)
