"""The page of a leaderboard as a team sees it, with made-up entries of eight teams.

Run: python -m lab.figures.board FILE
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.figures.browsing import browsed, posted, served

TEAMS = ("heron", "ibis", "jay", "kite", "lark", "merlin", "nightjar", "osprey")
ENTRIES = 32
ROWS = 40_000
SILENT = "kite"  # a team that declares nothing
_SEEN_BY = "lark"


def draw_board(path: Path) -> Path:
    """Hand in for all teams, and take a picture of what one of them sees."""
    with tempfile.TemporaryDirectory() as name:
        folder, labels = Path(name), np.random.default_rng(1).integers(0, 2, ROWS)
        _make(folder, labels)
        with (
            served(["--config", "gateway.toml"], folder) as said,
            browsed(_handed_in(said["address"], said["token"], labels)) as page,
        ):
            page.get_by_role("heading", name="Standings").wait_for()
            page.screenshot(path=path)
    return path


def _make(folder: Path, labels: npt.NDArray[np.int64]) -> None:
    rows = [f"r{number},{label}" for number, label in enumerate(labels)]
    (folder / "labels.csv").write_text("\n".join(["id,label", *rows]))
    (folder / "gateway.toml").write_text('[boards.birds]\nfolder = "birds.board"\n')
    made = ["board", "create", "birds", "--labels", "labels.csv", "--final", "0.5"]
    made += ["--title", "Bird or not?", "--per-team", "1/10"]
    subprocess.run(  # noqa: S603 (this program)
        [sys.executable, "-m", "peekproof", *made],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _handed_in(address: str, custodian: str, labels: npt.NDArray[np.int64]) -> str:
    """The link of a team, after all have handed in."""
    rng = np.random.default_rng(2)
    tokens = {
        team: posted(address, custodian, "/v1/tokens", {"analyst": team})["token"] for team in TEAMS
    }
    ids = [f"r{number}" for number in range(ROWS)]
    for number in range(ENTRIES):
        turn, place = divmod(number, len(TEAMS))
        team, skill = TEAMS[place], 0.7 + 0.02 * place + 0.03 * turn
        right = rng.random(ROWS) < (0.7 if team == SILENT else skill)
        sent: dict[str, Any] = {
            "ids": ids,
            "values": np.where(right, labels, 1 - labels).tolist(),
            "name": f"{('forest', 'boosting', 'net')[number % 3]} {turn + 1}",
        }
        if team != SILENT:
            sent |= {"declared": round(skill, 3), "trained_on": ROWS // 2}
        posted(address, tokens[team], "/v1/boards/birds/entries", sent)
    return f"{address}/boards/birds#token={tokens[_SEEN_BY]}"


if __name__ == "__main__":
    draw_board(Path(sys.argv[1]))
