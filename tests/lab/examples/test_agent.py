"""An agent stops for the reason that there is, and claims nothing that is not so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.examples.agent import Ending, Proposal, Recipe, agent_story, improve, made
from lab.examples.agent_figure import draw_agent
from lab.examples.selection import Table, digits, noise, right
from peekproof.learn.holdout import Holdout


def brightness(rng: np.random.Generator, rows: int) -> Table:
    """Rows whose label is whether they are bright: easy to learn with enough features."""
    table = noise(rng, rows)
    bright = rng.integers(0, 2, rows)
    return Table(pixels=(table.pixels + bright[:, None]) / 2, labels=bright.astype(np.float64))


def test_an_improvement_that_is_certified_ends_the_search() -> None:
    pytest.importorskip("sklearn")
    rng, everybody = np.random.default_rng(2), digits()
    training, held = everybody.draw(rng, 2_000), everybody.draw(rng, 2_000)
    story = agent_story(training, held, questions=30, failures=3, seed=2)

    assert story.ending is Ending.IMPROVED
    first, *others, last = story.told
    assert last.low > first.high
    assert all(each.low <= first.high for each in others)
    assert story.remaining.startswith(f"{30 - len(story.told)} of 30 scores left")


def test_on_noise_the_budget_ends_the_search_and_nothing_is_claimed() -> None:
    rng = np.random.default_rng(1)
    story = agent_story(noise(rng, 800), noise(rng, 800), questions=12, failures=3, seed=1)

    assert story.ending is Ending.REFUSED
    assert len(story.told) == 12
    assert all(0.5 in each for each in story.told)
    assert story.remaining.startswith("0 of 12 scores left")


def test_an_agent_whose_guesses_keep_failing_stops_and_says_so() -> None:
    rng = np.random.default_rng(1)
    training, held = noise(rng, 800), noise(rng, 800)

    def overconfident(best: Proposal) -> Proposal:
        return replace(made(best.recipe.varied(rng), training), guess=0.95)

    first = made(Recipe(width=3, ridge=1.0, seed=1), training)
    with Holdout(held.pixels, held.labels, questions=12) as holdout:
        story = improve(holdout, first, overconfident, failures=2)

    assert story.ending is Ending.DISTRUST
    assert len(story.told) == 3
    assert all(0.5 in each for each in story.told)


def test_cross_validation_guesses_what_other_rows_say() -> None:
    rng = np.random.default_rng(1)
    training, fresh = brightness(rng, 2_000), brightness(rng, 2_000)
    proposal = made(Recipe(width=5, ridge=1.0, seed=1), training)

    assert proposal.guess > 0.7
    assert abs(right(proposal.model, fresh) - proposal.guess) < 0.05


def test_cross_validation_does_not_know_its_rows_by_heart() -> None:
    rng = np.random.default_rng(1)
    training = noise(rng, 400)
    proposal = made(Recipe(width=200, ridge=1e-6, seed=1), training)

    assert right(proposal.model, training) > 0.75
    assert abs(proposal.guess - 0.5) < 0.1


def test_the_picture_says_how_it_was_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    written = draw_agent(tmp_path / "agent.svg", rows=300, questions=4, seed=4).read_text()
    for words in (
        "Digits: is it odd?",
        "the budget is spent",
        "300 rows",
        "4 scores",
        "seed 4",
        "python -m lab.examples.agent_figure",
    ):
        assert words in written
