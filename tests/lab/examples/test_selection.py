"""Variables chosen on a holdout: noise is found by the plain one alone, and digits by both."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from lab.examples.selection import (
    Model,
    Origin,
    Study,
    Variable,
    Vote,
    digits,
    noise,
    right,
    some_variables,
    study,
    study_twice,
)
from lab.examples.selection_figure import draw_selection
from peekproof.audit.opponents.protocol import Reply
from peekproof.core.errors import DataError
from sizes import sized

ROWS = 2_000
VARIABLES = sized(60, full=300)
SEED = sized(4, full=1)


def misses(found: Study) -> int:
    return sum(each.truth not in each.told for each in found.told)


def test_the_plain_holdout_finds_what_is_not_there_and_peekproof_does_not() -> None:
    found = study_twice(Origin.NOISE, rows=ROWS, variables=VARIABLES, seed=SEED)

    assert len(found.plain.found) >= VARIABLES / 40
    assert found.plain.vote is not None
    assert found.plain.vote.told.low > found.plain.vote.truth == 0.5
    assert found.held.found == ()
    assert found.held.vote is None
    assert misses(found.held) == 0 < misses(found.plain)


def test_what_is_there_is_found_and_all_that_is_found_is_there() -> None:
    pytest.importorskip("sklearn")
    found = study_twice(Origin.DIGITS, rows=ROWS, variables=VARIABLES, seed=1).held

    assert len(found.found) >= VARIABLES / 20
    for each in found.found:
        assert (each.truth - 0.5) * (each.told.value - 0.5) > 0
    assert found.vote is not None
    assert found.vote.told.low > 0.5
    assert found.vote.truth in found.vote.told


def test_variables_against_the_label_vote_the_other_way() -> None:
    """Two pixels of which one is the label: one variable is right always, another one never."""
    rng = np.random.default_rng(1)
    table = noise(rng, 50)
    table.pixels[:, 0], table.pixels[:, 1] = table.labels, 0.5
    pro, con = Variable(bright=0, dark=1), Variable(bright=1, dark=0)

    def told(model: Model) -> Reply:
        share = right(model, table)
        return Reply(share, share - 0.1, share + 0.1)

    assert (right(pro, table), right(con, table), right(con.turned, table)) == (1, 0, 1)
    found = study([con, pro], told, lambda model: right(model, table))
    assert len(found.found) == 2
    assert found.vote is not None
    assert found.vote.truth == 1
    assert right(Vote((pro, con, con.turned)), table) == 1


def test_no_pair_of_pixels_is_tried_twice() -> None:
    every = some_variables(5_000, rng=np.random.default_rng(1))
    assert len(every) == 64 * 63 // 2
    assert len({frozenset((each.bright, each.dark)) for each in every}) == len(every)


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(DataError, match=r"needs scikit-learn.*pip install scikit-learn"):
        digits()


def test_the_picture_says_how_it_was_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    written = draw_selection(tmp_path / "selection.svg", rows=500, variables=21, seed=4).read_text()
    for words in (
        "Noise: no variable knows anything",
        "Peekproof finds 0 of 21",
        "500 rows",
        "21 variables",
        "seed 4",
        "python -m lab.examples.selection_figure",
    ):
        assert words in written
