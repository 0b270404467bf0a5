"""Install what `make dist` built into clean environments of every supported Python, and use it.

    python tests/release/check.py dist python3.11 python3.12 python3.13

A Python that is not on the path is looked for among those of pyenv. One that is missing, and
every step that fails, is named at the end, and the exit code says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CONSTRAINTS = HERE.parents[1] / "constraints.txt"
EXTRAS = "[board,learn,server]"


def found(name: str) -> str | None:
    """A Python of that version that runs: shims of pyenv are on the path, but may lead nowhere."""
    wanted = name.removeprefix("python")
    candidates = [shutil.which(name), *Path.home().glob(f".pyenv/versions/{wanted}*/bin/python")]
    for each in candidates:
        if (
            each
            and subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0
        ):
            return str(each)
    return None


def used(python: str, distribution: Path, folder: Path) -> None:
    """Install the distribution into a new environment in the folder, and try it there."""
    run([python, "-m", "venv", str(folder)])
    inside = str(folder / "bin" / "python")
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    run([*pip, f"{distribution}{EXTRAS}", "mypy"])
    run([inside, str(HERE / "smoke.py")])
    run([inside, "-m", "mypy", "--strict", "--cache-dir", os.devnull, str(HERE / "consumer.py")])


def run(command: list[str]) -> None:
    # Outside of the checkout, so that neither its package nor its settings are in reach. Both
    # names, as pip reads one of them for what is installed and, by its version, either for what
    # an sdist is built with.
    pinned = {"PIP_CONSTRAINT": str(CONSTRAINTS), "PIP_BUILD_CONSTRAINT": str(CONSTRAINTS)}
    with tempfile.TemporaryDirectory() as elsewhere:
        subprocess.run(command, check=True, cwd=elsewhere, env={**os.environ, **pinned})


def main(folder: str, *names: str) -> int:
    (wheel,), (sdist,) = (list(Path(folder).resolve().glob(end)) for end in ("*.whl", "*.tar.gz"))
    troubles = []
    for name in names:
        python = found(name)
        if python is None:
            troubles.append(f"{name}: not found")
            continue
        for distribution in (wheel, sdist):
            what = f"{name}, {distribution.name}"
            with tempfile.TemporaryDirectory() as place:
                try:
                    used(python, distribution, Path(place))
                except subprocess.CalledProcessError as error:
                    troubles.append(f"{what}: {error}")
                else:
                    sys.stdout.write(f"{what}: works\n")
    sys.stdout.write("".join(f"{trouble}\n" for trouble in troubles))
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
