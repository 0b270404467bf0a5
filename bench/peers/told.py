"""What the peers tell of themselves, each asked in its own environment."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from environments import last_words, prepare
from measure import BENCH

PEERS = {"opendp": "OpenDP", "diffprivlib": "diffprivlib", "smartnoise": "SmartNoise SQL"}
LIMIT = 600  # seconds


@final
@dataclass(frozen=True, slots=True)
class Told:
    """What was found by name, the versions of who was asked, and who takes no part and why."""

    found: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def told(*words: str) -> Told:
    """Ask every peer that can be installed; see `peers.asking` for the words."""
    all_told = Told()
    for name, title in PEERS.items():
        environment = prepare(name)
        if environment.failure:
            all_told.missing[title] = environment.failure
            continue
        said = run(environment.python, "-m", f"peers.{name}_asked", *words)
        if isinstance(said, str):
            all_told.missing[title] = said
            continue
        all_told.found.update(said)
        all_told.versions.update(versions(environment.python, name))
    return all_told


def versions(python: Path, name: str) -> dict[str, str]:
    """The versions of what the requirements of an environment name first."""
    package = {"smartnoise": "smartnoise-sql"}.get(name, name)
    code = f"import importlib.metadata as m, json; print(json.dumps(m.version({package!r})))"
    said = run(python, "-c", code)
    return {package: str(said)}


def run(python: Path, *words: str) -> Any:
    """What a command prints as JSON, or in words why it printed nothing."""
    command = [str(python), *words]
    surroundings: Mapping[str, str] = {**os.environ, "PYTHONPATH": str(BENCH)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, check=False, env=surroundings
        )
    except subprocess.TimeoutExpired:
        return f"stopped after {LIMIT} s"
    if done.returncode:
        return last_words(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])
