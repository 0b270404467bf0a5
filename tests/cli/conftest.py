"""A command line without a terminal, and a file to ask about."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.running import TERMINAL_VARIABLES, Outcome, Run
from peekproof.cli.main import main

ROWS = 4_000


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TERMINAL_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """`main` with its exit code and both streams; a command that does not exit fails the test."""

    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Outcome(ended.value.code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def frame() -> pl.DataFrame:
    """Made-up people; the shares that the tests ask about are far apart."""
    rng = np.random.default_rng(20)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 100, ROWS),
            "income": rng.normal(40_000, 10_000, ROWS).round(),
            "city": rng.choice(["Oslo", "[red]x[/red]", "Zürich"], ROWS, p=[0.1, 0.8, 0.1]),
            "größe": rng.normal(170, 10, ROWS),
            "smoker": rng.random(ROWS) < 0.2,
        }
    )


@pytest.fixture
def people(tmp_path: Path, frame: pl.DataFrame) -> Path:
    path = tmp_path / "people.csv"
    frame.write_csv(path)
    return path
