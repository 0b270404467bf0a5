"""`peekproof attack NAME`: one attack, with the control beside what is certified."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.fight import Decisive, Outcome, Pairing, settle
from peekproof.audit.matrix import sized
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.protocol import Setup
from peekproof.cli import render
from peekproof.cli.attack_list import first_line
from peekproof.cli.render import counted
from peekproof.core.numerics import decimal_down, decimal_up, level_down
from peekproof.mechanisms.ladder import Ladder

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
    command = _command(kind.KIND, setups, rows, questions, confidence, seeds)
    if picture:
        from peekproof.audit.figures.attack import draw_attack  # noqa: PLC0415

        draw_attack(picture, first, rows=rows, confidence=level_down(confidence), command=command)
    if json_wanted:
        render.as_json(
            {
                "attack": kind.KIND,
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
        elif each.mechanism == Ladder.KIND:
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


def _command(
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
