import json
import os
import re
from math import exp, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any
from xml.etree import ElementTree

import pytest

import peekproof
from audit.small import CHECKPOINTS as FEW_CHECKPOINTS
from audit.small import FEATURES as FEW_FEATURES
from audit.small import ROWS as FEW_ROWS
from audit.small import SIGNAL, shrink
from cli.running import Run, in_pipe
from peekproof.audit.analysts.correlation import predicted_share
from peekproof.audit.demonstration import (
    CHECKPOINTS,
    FEATURES,
    NOISE_ONLY_SIGMA,
    ROWS,
    SIGNAL_SHARE,
    TRUTH,
)
from peekproof.core.certificate import Target
from peekproof.testing.statistics import statistical

FALSE_ALARM = 1e-9
FIGURES = ["peekproof-demo.png", "peekproof-demo.svg"]
TITLES = {"Data without any signal", "Data with one real signal"}


def strays(distance: float, *, sigma: float = 0.0) -> float:
    """A bound on the chance that a claim for the vote lies `distance` above its mean.

    The claim is a mean of ROWS negatively associated zeros and ones (see test_correlation)
    plus Gaussian noise `sigma`, hence sub-Gaussian with variance 1/(4·ROWS) + sigma².
    """
    assert distance > 0
    return exp(-(distance**2) / (2 * (1 / (4 * ROWS) + sigma**2)))


def unlucky(runs: int) -> float:
    """The chance that a correct demonstration disappoints the test below."""
    asked = FEATURES + len(CHECKPOINTS)
    best = peekproof.plan(rows=ROWS, target=Target.of(confidence=0.95, questions=asked))
    assert isinstance(best.mechanism, peekproof.Gaussian)
    ours, theirs = float(best.mechanism.sigma), float(NOISE_ONLY_SIGMA)

    def gain(size: int, sigma: float) -> float:
        return predicted_share(rows=ROWS, questions=size, sigma=sigma) - TRUTH

    plain_covers = strays(gain(FEATURES, 0.0) - 1.96 * sqrt(0.25 / ROWS))
    noisy_covers = strays(gain(FEATURES, theirs) - 1.96 * theirs, sigma=theirs)
    ours_misses = sum(
        strays(best.radius + side * gain(size, ours), sigma=ours)
        for size in CHECKPOINTS
        for side in (-1, 1)
    )
    spread = sqrt(ours**2 + SIGNAL_SHARE * (1 - SIGNAL_SHARE) / ROWS)
    hidden = NormalDist().cdf(-(SIGNAL_SHARE - TRUTH - best.radius) / spread)
    false_finds = 2 * FEATURES * strays(best.radius, sigma=ours)
    return runs * (plain_covers + noisy_covers + ours_misses + false_finds) + hidden**runs


def told(seed: int, out: Path) -> dict[str, Any]:
    """The real demonstration in a process of its own, checked for all but the signal."""
    done = in_pipe("-m", "peekproof", "demo", "--json", "--seed", str(seed), "--out", str(out))
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert isinstance(found, dict)

    assert [(name, claim["covers"]) for name, claim in found["claims"].items()] == [
        ("plain holdout", False),
        ("noise only", False),
        ("Peekproof", True),
    ]
    for claim in found["claims"].values():
        assert claim["low"] <= claim["value"] <= claim["high"]
    assert found["claims"]["plain holdout"]["low"] > TRUTH
    assert found["claims"]["noise only"]["low"] > TRUTH
    assert {answer["question"] for answer in found["found"]} <= {"x137 = y"}
    assert found["exit_code_after_restart"] == 3
    assert found["refusal"].startswith("refused: 1 new question asked, 0 of 2,010 left")
    return found


@statistical(false_alarm=FALSE_ALARM)
def test_the_demonstration_fools_the_others_and_not_peekproof(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert unlucky(runs=2) < FALSE_ALARM
    found = told(1, tmp_path / "new" / "folder")
    if not found["found"]:  # about once in 300,000 runs the noise hides the signal
        found = told(2, tmp_path / "new" / "folder")

    (signal,) = found["found"]
    assert signal["low"] > TRUTH
    png, svg = map(Path, found["figures"])
    assert [png.name, svg.name] == FIGURES
    assert png.read_bytes().startswith(b"\x89PNG")
    assert png.stat().st_size > 20_000
    written = {"".join(node.itertext()) for node in ElementTree.parse(svg).iter()}
    assert written >= TITLES


@pytest.mark.parametrize("inside", ["", "deeper"])
def test_a_folder_that_cannot_be_written_is_found_out_first(
    run: Run, tmp_path: Path, inside: str
) -> None:
    (tmp_path / "file").touch()
    out = str(tmp_path / "file" / inside)
    done = run("demo", "--out", out)

    assert (done.code, done.out) == (2, "")
    assert "--out" in done.err
    assert out in done.err


def test_a_seed_is_not_negative(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--seed", "-1", "--out", str(tmp_path))

    assert (done.code, done.out) == (2, "")
    assert "--seed" in done.err


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peekproof.cli.demo.find_spec", lambda name: None)


@statistical(false_alarm=1e-12)
@pytest.mark.usefixtures("small")
def test_the_story_in_words(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = run("demo", "--out", str(tmp_path))
    said = done.out
    asked = FEW_FEATURES + len(FEW_CHECKPOINTS)

    assert (done.code, done.err) == (0, "")
    headings = [line for line in said.splitlines() if re.match(r"\d\. ", line)]
    assert [heading[0] for heading in headings] == ["1", "2", "3", "4"]
    assert f"{FEW_ROWS:,} rows, {FEW_FEATURES} coin-flip features" in said
    for name in ("plain holdout", "noise only", "Peekproof"):
        assert re.search(rf"^{name} +\d+\.\d%  ", said, re.MULTILINE)
    assert f"Found: {SIGNAL} = y, " in said
    assert said.count(f"refused: 1 new question asked, 0 of {asked} left") == 2
    assert "(exit code 3)" in said
    assert ", ".join(str(tmp_path / name) for name in FIGURES) in said
    assert sorted(path.name for path in tmp_path.iterdir()) == FIGURES


@pytest.mark.usefixtures("small")
def test_the_demonstration_can_be_repeated_in_the_same_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")

    def told_by(seed: str) -> dict[str, Any]:
        found = json.loads(run("demo", "--json", "--out", str(tmp_path), "--seed", seed).out)
        assert isinstance(found, dict)
        return found

    first, second = told_by("5"), told_by("5")
    monkeypatch.setattr(
        "peekproof.cli.demo.find_spec", lambda name: None
    )  # its figure says no more
    other = told_by("6")

    # The seed fixes the data, so exact claims repeat.
    assert first["claims"]["plain holdout"] == second["claims"]["plain holdout"]
    assert first["claims"]["plain holdout"] != other["claims"]["plain holdout"]
    assert first["figures"] == second["figures"] == [str(tmp_path / name) for name in FIGURES]
    assert sorted(path.name for path in tmp_path.iterdir()) == FIGURES


@pytest.mark.usefixtures("small", "no_matplotlib")
def test_without_matplotlib_the_story_is_told_without_a_figure(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--out", str(tmp_path))
    in_json = run("demo", "--json", "--out", str(tmp_path))

    assert (done.code, done.err) == (0, "")
    assert "4. A restart changes nothing." in done.out
    assert "pip install 'peekproof[plot]'" in done.out
    assert "Figure:" not in done.out
    assert json.loads(in_json.out)["figures"] == []
    assert json.loads(in_json.out)["exit_code_after_restart"] == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("small", "no_matplotlib")
def test_a_second_demonstration_in_a_row_is_not_taken_for_a_second_budget(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, witness_folder: Path
) -> None:
    for _ in range(2):
        assert run("demo", "--out", str(tmp_path / "out")).code == 0
        assert os.environ["PEEKPROOF_WITNESS"] == str(witness_folder)
    monkeypatch.delenv("PEEKPROOF_WITNESS")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert run("demo", "--out", str(tmp_path / "out")).code == 0
    assert "PEEKPROOF_WITNESS" not in os.environ
    assert not witness_folder.exists()
    assert not (tmp_path / "home/.local").exists()
