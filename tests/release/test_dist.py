"""What is released: a wheel with the package and nothing else, and an sdist with everything."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

import peekproof
from release.project import PROJECT, ROOT

NAME = f"peekproof-{peekproof.__version__}"
SAID = f"{NAME}.dist-info"
ASSETS = {".css", ".html", ".js", ".svg"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, made by the backend that is installed: nothing is fetched."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Iterator[ZipFile]:
    with ZipFile(built / f"{NAME}-py3-none-any.whl") as file:
        yield file


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    return Parser().parsestr(wheel.read(f"{SAID}/METADATA").decode())


def files_below(folder: Path, suffixes: set[str]) -> set[str]:
    files = (path for path in folder.rglob("*") if path.suffix in suffixes)
    return {path.relative_to(folder).as_posix() for path in files}


def test_the_wheel_is_the_package_and_what_is_said_of_it(wheel: ZipFile) -> None:
    names = set(wheel.namelist())
    said = {name for name in names if name.startswith(SAID)}

    assert names - said == files_below(ROOT / "src", {".py", ".typed", *ASSETS})
    assert {Path(name).suffix for name in names if "/assets/" in name} == ASSETS
    assert "peekproof/py.typed" in names
    assert f"{SAID}/licenses/LICENSE" in said
    command = wheel.read(f"{SAID}/entry_points.txt").decode()
    assert command.split("\n")[:2] == ["[console_scripts]", "peekproof = peekproof.cli.main:main"]


def test_the_metadata_is_what_the_project_says(metadata: Message) -> None:
    assert metadata["Version"] == peekproof.__version__
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    always = [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]
    assert len(always) == len(PROJECT["dependencies"])
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text("utf-8")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a checkout knows what is part of it")
def test_the_sdist_is_the_checkout_without_what_lies_around(built: Path) -> None:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    meant = {name for name in listed.splitlines() if (ROOT / name).exists()}
    with tarfile.open(built / f"{NAME}.tar.gz") as file:
        names = {name.removeprefix(f"{NAME}/") for name in file.getnames()}

    assert names == meant | {"PKG-INFO"}
