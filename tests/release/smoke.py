"""What a fresh installation must be able to do. It needs Peekproof and its extras, nothing else.

    python tests/release/smoke.py        # in an environment with peekproof[learn,server]

`check.py` runs it in environments that have nothing but the built distribution.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import chdir
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeClassifier

import peekproof

ROWS = 4_000
PATIENCE = 60  # seconds, only so that a gateway that hangs is seen to
COMMAND = str(Path(sys.executable).with_name("peekproof"))


def the_package_is_the_one_that_was_installed() -> None:
    package = Path(peekproof.__file__).parent
    assert Path(sys.prefix) in package.parents, package
    assert version("peekproof") == peekproof.__version__
    assert (package / "py.typed").exists()


def the_command_knows_its_version() -> None:
    done = subprocess.run([COMMAND, "--version"], check=True, capture_output=True, text=True)
    assert done.stdout.split()[-1] == peekproof.__version__, done.stdout


def a_question_is_planned_and_asked() -> None:
    target = peekproof.Target.of(confidence=0.95, questions=10)
    plan = peekproof.plan(rows=ROWS, target=target)
    ages = np.random.default_rng(1).integers(18, 90, ROWS)
    with peekproof.open({"age": ages}, questions=10, ledger="people.peekproof") as data:
        answer = data.ask("age > 50")
    assert data.plan.radius == plan.radius
    assert answer.low <= (ages > 50).mean() <= answer.high, answer
    assert Path("people.peekproof").exists()


def a_model_is_scored() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(2 * ROWS, 3))
    labels = features[:, 0] > 0
    model = RidgeClassifier().fit(features[:ROWS], labels[:ROWS])
    with peekproof.Holdout(features[ROWS:], labels[ROWS:]) as holdout:
        score = holdout.score(model)
    assert score.low <= model.score(features[ROWS:], labels[ROWS:]) <= score.high, score


def a_gateway_answers_and_ends() -> None:
    words = [COMMAND, "serve", "--demo", "--address", "127.0.0.1:0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as gateway:
        try:
            assert gateway.stdout is not None
            told = list(takewhile("}\n".__ne__, gateway.stdout))
            said = json.loads("".join([*told, "}"]))
            with peekproof.connect(said["address"], said["token"]) as data:
                assert data.ask("delay > 15").certificate is not None
        finally:
            gateway.terminate()
    assert gateway.wait(PATIENCE) == 0, gateway.returncode


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        os.environ["PEEKPROOF_WITNESS"] = str(Path(folder) / "witness")
        the_package_is_the_one_that_was_installed()
        the_command_knows_its_version()
        a_question_is_planned_and_asked()
        a_model_is_scored()
        a_gateway_answers_and_ends()


if __name__ == "__main__":
    main()
