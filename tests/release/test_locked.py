"""constraints.txt names the exact version of everything that the extras bring."""

from __future__ import annotations

from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.project import PROJECT, ROOT

EXTRAS = PROJECT["optional-dependencies"]


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def brought(*requirements: str) -> dict[str, str]:
    """The installed version of everything that these bring, directly or not."""
    found: dict[str, str] = {}
    done: set[tuple[str, str]] = set()
    todo = [Requirement(each) for each in requirements]
    while todo:
        wanted = todo.pop()
        name = canonicalize_name(wanted.name)
        installed = distribution(name)
        found[name] = installed.version
        for extra in {"", *wanted.extras} - {extra for known, extra in done if known == name}:
            done.add((name, extra))
            inner = [Requirement(each) for each in installed.requires or ()]
            todo += [
                each for each in inner if not each.marker or each.marker.evaluate({"extra": extra})
            ]
    return found


def test_everything_that_is_installed_for_development_is_pinned() -> None:
    installed = brought("peekproof[dev]")
    del installed["peekproof"]

    assert len(installed) > len(EXTRAS["dev"])
    assert installed.items() <= pinned().items(), installed.items() - pinned().items()


def test_what_extras_name_is_pinned_whether_or_not_it_is_installed() -> None:
    """Spark and what drives browsers and notebooks are not in every environment."""
    named = {canonicalize_name(Requirement(each).name) for key in EXTRAS for each in EXTRAS[key]}

    assert named - {"peekproof"} <= pinned().keys()


def test_what_brings_others_is_followed_to_them() -> None:
    """Otherwise the first test looks at less than it says."""
    assert {"ibis-framework", "sqlglot", "duckdb"} <= brought("peekproof[duckdb]").keys()
    assert "sqlglot" not in brought("peekproof")
