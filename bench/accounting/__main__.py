"""Peekproof's accounting beside dp-accounting, autodp, prv-accountant, OpenDP and diffprivlib.

Run: make bench ARGS="--only accounting"
"""

from accounting.contender import MODULES, unusable
from accounting.offline import compare
from accounting.online import measure
from accounting.question import FULL, QUICK
from accounting.told import result
from measure import asked, installed

PACKAGES = ("dp-accounting", "autodp", "prv-accountant", "opendp", "diffprivlib", "numpy", "scipy")


def main() -> None:
    run = asked(__doc__)
    questions, limit, patience = (QUICK, 1.5, 0.5) if run.quick else (FULL, 90.0, 30.0)
    missing = unusable()
    modules = tuple(module for module in MODULES if module not in missing)
    comparisons = []
    for question in questions:
        print(f"{question.family}, {question.count:,}", flush=True)
        comparisons.append(compare(question, limit=limit, modules=modules))
    growths = measure(patience=patience)
    versions = installed(*PACKAGES)
    run.keep(result(comparisons, growths, missing=missing, versions=versions, limit=limit))


if __name__ == "__main__":
    main()
