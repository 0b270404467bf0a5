"""`peekproof attack all`: the matrix of attacks and mechanisms."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from peekproof.audit.fight import Outcome
from peekproof.audit.matrix import CONFIDENCE, QUESTIONS, ROWS, SEED, Matrix, matrix
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.protocol import Setup
from peekproof.cli import render
from peekproof.cli.render import counted
from peekproof.core.numerics import level_down

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

        draw_matrix(picture, found, command=_command(found))
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


def _command(found: Matrix) -> str:
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
