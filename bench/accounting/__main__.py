"""Holdfast's accounting beside dp-accounting, autodp, prv-accountant, OpenDP and diffprivlib.

Run: make bench-accounting, with ARGS=--quick for under three minutes
"""

import argparse
import json
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from accounting.contender import MODULES, unusable
from accounting.offline import compare
from accounting.online import measure
from accounting.page import page
from accounting.pictures import draw
from accounting.question import FULL, QUICK
from accounting.verdict import verdict
from measure import RESULTS

PACKAGES = ("dp-accounting", "autodp", "prv-accountant", "opendp", "diffprivlib", "numpy", "scipy")


def installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and less patience")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the folder to write to")
    chosen = parser.parse_args()
    questions, limit, patience = (QUICK, 10.0, 3.0) if chosen.quick else (FULL, 90.0, 30.0)
    missing = unusable()
    modules = tuple(module for module in MODULES if module not in missing)
    comparisons = []
    for question in questions:
        print(f"{question.family}, {question.count:,}", flush=True)
        comparisons.append(compare(question, limit=limit, modules=modules))
    growths = measure(patience=patience)
    machine = {package: installed(package) for package in PACKAGES}
    chosen.out.mkdir(parents=True, exist_ok=True)
    text = page(
        comparisons,
        growths,
        missing=missing,
        machine=machine,
        limit=limit,
        pictures=draw(comparisons, chosen.out),
    )
    (chosen.out / "accounting.md").write_text(text)
    results = {
        "comparisons": [
            {**asdict(each), "verdict": asdict(found) if (found := verdict(each)) else None}
            for each in comparisons
        ],
        "growths": [asdict(growth) for growth in growths],
        "missing": missing,
        "packages": machine,
    }
    (chosen.out / "accounting.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
