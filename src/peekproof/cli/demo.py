"""`peekproof demo`: the attack, the defence and the price."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import click

from peekproof.audit.demonstration import (
    CHECKPOINTS,
    FEATURES,
    LABEL,
    ROWS,
    SIGNAL_SHARE,
    TRUTH,
    Story,
    tell,
)
from peekproof.audit.figures.demo import draw
from peekproof.audit.opponents.protocol import Reply
from peekproof.cli import options, render
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up
from peekproof.ledger.witness import VARIABLE

Process = subprocess.CompletedProcess[str]


@click.command()
@click.option(
    "--out", default=".", show_default=True, metavar="FOLDER", help="Where the figure goes."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Chooses the made-up data; the noise is always new.",
)
@options.as_json
def demo(out: str, seed: int, json_wanted: bool) -> None:
    """Watch an analyst fool a plain holdout, but not this one."""
    folder = _writable(out)
    with tempfile.TemporaryDirectory() as workplace, _witness(Path(workplace) / "witness"):
        with render.progress() as progress:
            story = tell(Path(workplace), seed=seed, progress=progress)
        restarted = _restart(story.data)
    pictures = draw(story, folder, seed=seed) if find_spec("matplotlib") else []
    if json_wanted:
        render.as_json(_summary(story, restarted, pictures))
    else:
        _narrate(story, restarted, pictures)


@contextmanager
def _witness(folder: Path) -> Iterator[None]:
    """A witness of its own: the same data is made up each time, and its ledgers are thrown away."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def _writable(out: str) -> Path:
    """The folder, checked before a minute is spent."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InvalidInput(
            argument="--out",
            accepted="a folder that can be written",
            given=out,
            hint=error.strerror or "",
        ) from error
    return folder


def _restart(data: Path) -> Process:
    """Ask a new question in a new process: only the ledger remembers."""
    command = [sys.executable, "-m", "peekproof", "ask", str(data), f"x3 + {LABEL} > 0"]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def _narrate(story: Story, restarted: Process, pictures: list[Path]) -> None:
    say = render.line
    plain, noisy = story.climbs[0].last, story.climbs[1].last
    questions, radius = FEATURES + len(CHECKPOINTS), decimal_up(story.radius, places=3)

    render.heading(
        "1. Nothing to find.",
        f"{ROWS:,} rows, {FEATURES:,} coin-flip features, a coin-flip label.",
    )
    say("The analyst asks how often each feature agrees with the label, keeps what looks good,")
    say("and asks how often the weighted vote is right. The truth is 50%.")
    say()
    render.table(
        ["holdout", "claims", "interval", "holds 50%?"],
        [
            [
                climb.name,
                f"{climb.last.value:.1%}",
                _percent(climb.last, places=1),
                "yes, at every step" if climb.covers else "no",
            ]
            for climb in story.climbs
        ],
    )
    say()
    high, less = (100 * (claim.value - TRUTH) for claim in (plain, noisy))
    say(f"The plain holdout is {high:.0f} points too high and sure of it. Noise brings that down")
    say(f"to {less:.0f} points, but its interval is about the noise, not the world.")
    say(f"The price of the third line: intervals of ±{radius}, because they hold for all")
    say(f"{questions:,} questions together, whatever the analyst does. More rows buy narrower ones")
    say(f"(peekproof plan --questions {questions} --radius 0.05).")

    render.heading(
        "2. Something to find.",
        f"The same size, and one feature right {SIGNAL_SHARE:.0%} of the time.",
    )
    for answer in story.found:
        say(f"Found: {answer.question}, {_percent(answer, places=0)}.")
    say(f"{len(story.found)} of {FEATURES:,} intervals exclude 50%.")

    render.heading("3. The budget ends.", "One more new question about the first table:")
    say(f"{story.refusal}.")
    say(f"A question asked before is still free: {story.repeated}")

    render.heading("4. A restart changes nothing.", "A new question in a new process:")
    say(f"{restarted.stderr.strip()} (exit code {restarted.returncode}).")
    say()
    if pictures:
        say("Figure: " + ", ".join(map(str, pictures)))
    else:
        say("No figure: it needs matplotlib (pip install 'peekproof[plot]')")


def _percent(claim: Answer | Reply, *, places: int) -> str:
    """The interval of a claim, rounded outward."""
    low, high = 100 * claim.low, 100 * claim.high
    return f"{decimal_down(low, places=places)}% to {decimal_up(high, places=places)}%"


def _summary(story: Story, restarted: Process, pictures: list[Path]) -> dict[str, object]:
    return {
        "rows": ROWS,
        "features": FEATURES,
        "truth": TRUTH,
        "radius": story.radius,
        "claims": {
            climb.name: {
                "value": climb.last.value,
                "low": climb.last.low,
                "high": climb.last.high,
                "covers": climb.covers,
            }
            for climb in story.climbs
        },
        "found": [answer.to_dict() for answer in story.found],
        "refusal": str(story.refusal),
        "exit_code_after_restart": restarted.returncode,
        "figures": [str(picture) for picture in pictures],
    }
