"""Install every extra alone into a clean environment, and use what it is for once.

    python tests/release/extras.py            # all of them
    python tests/release/extras.py postgres   # only these

An extra that works beside all others may still lack what another one brings. The PostgreSQL of the
tests is started from the environment that runs this; Spark needs Java, the browser Chromium. Every
extra that fails is named at the end, and the exit code says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from ledger.postgres_server import server  # noqa: E402
from release.project import PROJECT  # noqa: E402

ASKED = """
with peekproof.open(rows, questions=10, ledger="people.peekproof") as data:
    answer = data.ask("age > 50")
assert answer.low <= 0.55 <= answer.high, answer
"""
PEOPLE = """
import polars as pl
people = pl.DataFrame({"age": [18 + i % 72 for i in range(4000)], "id": range(4000)})
"""

# What each extra is for, as its user would write it. `DATABASE` is an empty PostgreSQL database.
USES = {
    "": PEOPLE + "rows = people" + ASKED,
    "fast": """
from fractions import Fraction
from peekproof.guess.median.constraint import Constraint
from peekproof.guess.median.sampled import SampledHolder, fastest
assert fastest().__name__ == "Compiled", fastest()
holder = SampledHolder(cells=3, size=6, seed=5, chains=100)
values = [Fraction(0), Fraction(1), Fraction(1, 2)]
holder.keep(Constraint(values=values, low=Fraction(6, 10), high=Fraction(7, 10)))
assert 0 < holder.median(values) < 1
""",
    "learn": """
import numpy as np
from sklearn.linear_model import RidgeClassifier
features = np.random.default_rng(2).normal(size=(8000, 3))
labels = features[:, 0] > 0
model = RidgeClassifier().fit(features[:4000], labels[:4000])
with peekproof.Holdout(features[4000:], labels[4000:]) as holdout:
    score = holdout.score(model)
assert score.low <= model.score(features[4000:], labels[4000:]) <= score.high, score
""",
    "plot": """
subprocess.run([COMMAND, "demo", "--out", "demo"], check=True, stdout=subprocess.DEVNULL)
assert list(Path("demo").glob("*.png"))
""",
    "pld": """
words = [COMMAND, "account", "compose", "--delta", "1e-6", "10 * gaussian(sigma=4)"]
said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
assert "PLD" in said, said
""",
    "duckdb": PEOPLE
    + """
import duckdb
with duckdb.connect("people.duckdb") as connection:
    connection.execute("CREATE TABLE people AS SELECT * FROM people")
rows = peekproof.load("duckdb://people.duckdb#people")
"""
    + ASKED,
    "postgres": PEOPLE
    + """
import psycopg
with psycopg.connect(DATABASE) as connection:
    connection.execute("CREATE TABLE people AS SELECT 18 + i % 72 AS age, i AS id "
                       "FROM generate_series(0, 3999) AS i")
rows = peekproof.load(f"{DATABASE}#people")
"""
    + ASKED
    + """
fresh = {"size": [i * i % 4001 for i in range(4001)]}
with peekproof.open(fresh, questions=10, ledger=f"{DATABASE}&ledger=sizes") as data:
    data.ask("size > 50")
""",
    "spark": PEOPLE
    + 'people.write_parquet("people.parquet")\n'
    + 'rows = peekproof.load("spark://local[2]#people.parquet")'
    + ASKED,
    "server": """
import json
from itertools import takewhile
words = [COMMAND, "serve", "--demo", "--address", "127.0.0.1:0", "--json"]
with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as gateway:
    try:
        said = json.loads("".join([*takewhile("}\\n".__ne__, gateway.stdout), "}"]))
        with peekproof.connect(said["address"], said["token"]) as data:
            assert data.ask("delay > 15").certificate is not None
    finally:
        gateway.terminate()
assert gateway.wait(60) == 0, gateway.returncode
""",
    "board": """
import random
import polars
chance = random.Random(1)
truth = {f"r{i}": chance.randrange(2) for i in range(4000)}
labels = polars.DataFrame({"id": list(truth), "label": list(truth.values())})
with peekproof.Board.create("contest", labels=labels, final=0.5) as board:
    board.submit("ann", {each: truth[each] for each in board.ids})
    board.choose("ann", 1)
    board.close()
    peekproof.verify_export(board.export(), board.settings.public_key)
""",
    "notebooks": """
import nbclient
import nbformat
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(
    "import peekproof\\npeekproof.open({'age': range(4000)}, questions=5).ask('age > 50')")])
shown = nbclient.NotebookClient(notebook).execute().cells[0].outputs
assert "text/html" in shown[-1]["data"], shown
""",
    "browser": """
import shutil
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page()
    page.set_content("<h1>seen</h1>")
    assert page.inner_text("h1") == "seen"
    browser.close()
import axe_playwright_python
""",
    "docs": """
import furo, sphinx_copybutton
Path("pages").mkdir()
conf = ["extensions = ['myst_parser', 'sphinx_copybutton']", "html_theme = 'furo'"]
Path("pages/conf.py").write_text("\\n".join(conf))
Path("pages/index.md").write_text("# Seen")
build = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "pages", "site"]
subprocess.run(build, check=True)
assert "Seen" in Path("site/index.html").read_text()
""",
    "dev": "import hypothesis, mypy, pytest, sklearn, starlette",
}

BEFORE = """
import os, subprocess, sys
from pathlib import Path
import peekproof
assert Path(sys.prefix) in Path(peekproof.__file__).parents, peekproof.__file__
COMMAND = str(Path(sys.executable).with_name("peekproof"))
DATABASE = os.environ.get("DATABASE", "")
"""


def main(*names: str) -> int:
    unknown = {*names} - USES.keys()
    if unknown:
        sys.stdout.write(f"no such extra: {', '.join(sorted(unknown))}\n")
        return 2
    troubles = []
    with tempfile.TemporaryDirectory() as place:
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place]
        subprocess.run([*build, str(ROOT)], check=True, stdout=subprocess.DEVNULL)
        (wheel,) = Path(place).glob("*.whl")
        for name in names or USES:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    used(name, wheel, Path(folder))
                except subprocess.CalledProcessError as error:
                    troubles.append(f"{named(name)} does not work: {error.cmd[1:4]}\n")
                else:
                    sys.stdout.write(f"{named(name)} works\n")
                sys.stdout.flush()
    sys.stdout.write("".join(troubles))
    return 1 if troubles else 0


def named(extra: str) -> str:
    return f"peekproof[{extra}]" if extra else "peekproof"


def used(extra: str, wheel: Path, folder: Path) -> None:
    """Install one extra into a new environment in the folder, and use it there."""
    run([sys.executable, "-m", "venv", str(folder / "venv")], folder)
    inside = str(folder / "venv" / "bin" / "python")
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    run([*pip, f"{wheel}[{extra}]" if extra else str(wheel)], folder)
    script = folder / "use.py"
    script.write_text(BEFORE + USES[extra])
    with database() if extra == "postgres" else nullcontext("") as uri:
        run([inside, str(script)], folder, DATABASE=uri)


@contextmanager
def database() -> Iterator[str]:
    """The address of an empty database on a real server."""
    with server() as own, own.database() as made:
        yield made.uri


def run(command: list[str], folder: Path, **more: str) -> None:
    """Run a command where neither the checkout nor anybody's witness is in reach."""
    pinned = {"PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    seen = {"PEEKPROOF_WITNESS": str(folder / "witness")}
    environment = {**os.environ, **pinned, **seen, **more}
    environment.pop("PYTHONPATH", None)
    subprocess.run(command, check=True, cwd=folder, env=environment)


if __name__ == "__main__":
    if USES.keys() - {""} != PROJECT["optional-dependencies"].keys():
        sys.exit("every extra of pyproject.toml needs its use here, and no other")
    sys.exit(main(*sys.argv[1:]))
