"""Run the notebooks of the documentation from top to bottom, and store what they show.

    make notebooks
    make notebooks ARGS=choose-a-budget

Each runs in a folder of its own with a witness of its own. Nothing that changes from run to run is
kept but outputs: no times, no names of programs and machines.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

TUTORIAL = Path(__file__).parent / "tutorial"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(path: Path) -> None:
    """Run a notebook, and write it back."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PEEKPROOF_WITNESS"] = str(Path(folder) / "witness")
        NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=120,
            record_timing=False,
            resources={"metadata": {"path": folder}},
        ).execute()
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        cell.metadata = {}
    nbformat.validate(notebook)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    wanted = sys.argv[1:] or sorted(path.stem for path in TUTORIAL.glob("*.ipynb"))
    for name in wanted:
        execute(TUTORIAL / f"{name}.ipynb")
