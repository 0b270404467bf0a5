"""The radius that every route certifies, beside the error that the strongest known attack forces.

Every route is attacked on many samples at several sizes (see lab.tightness). A quantile
at 0.95 takes some repetitions: of 60 it is estimated by the 57th, and bounded by the 54th. Attacks
that need no table of coins are cheap, and are repeated more often. A full run also writes down all
findings, from which the page on tightness and its figure are made (make bench-tightness).

Run: make bench ARGS="--only radius"
"""

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from fractions import Fraction
from functools import partial

from measure import Run, asked
from result import Chart, Result, Sheet

from lab.forcing.routes import Route, routes
from lab.tightness import FALSE_ALARM, Finding, tightness
from peekproof.audit.routes import REFERENCE, quotes
from peekproof.core.certificate import Simultaneous, Target

CONFIDENCE = Fraction(19, 20)
SEED = 1
SIZES = ((10**3, 10), (10**4, 10), (10**5, 10), (10**4, 100), (10**5, 100), (10**5, 10**3))
QUICK = SIZES[:2]
CHEAP, FEW = 400, 60
WORKERS = 2
OVER, FORCED = "radius", "forced error"  # both over what questions fixed beforehand would need
# They answer only batches, guesses or improvements, or have radii that grow as questions come.
OTHERWISE = (
    "fresh-rows-in-rounds",
    "checking",
    "limited-checking",
    "thresholdout",
    "ladder",
    "open-ended",
)
AXIS = "over the radius for questions that were all fixed beforehand"
ABOUT = (
    "The radius that each route certifies for all of so many adaptively chosen questions "
    "together, at confidence 0.95, over the radius that would do if all of them had been written "
    "down beforehand. *Forced* is the error that the strongest known attack forces on the same "
    "answers, over the same: no honest interval is narrower than that. What a session of Peekproof "
    "can run is named so; the others are theorems of the literature and sharper forms of them, "
    "each at the noise that is best for it."
)


def repeated(rows: int, questions: int) -> int:
    """How many tables of coins are drawn."""
    if rows * questions >= 10**8:
        return FEW
    return 100 if rows * questions >= 10**6 else 200


def needs_coins(route: Route) -> bool:
    return any(attack.features for attack in route.attacks)


def measured(size: tuple[int, int], *, quick: bool) -> list[Finding]:
    rows, questions = size
    target = Target(confidence=CONFIDENCE, questions=questions)
    found = {route.name: route for route in routes(rows=rows, target=target)}
    findings: dict[str, Finding] = {}
    often, cheaply = (FEW, FEW) if quick else (repeated(rows, questions), CHEAP)
    for wanted, repetitions in ((True, often), (False, cheaply)):
        among = [route for route in found.values() if needs_coins(route) is wanted]
        for each in tightness(among, rows=rows, target=target, repetitions=repetitions, seed=SEED):
            findings[each.route.name] = each.finding
    return [findings[name] for name in found]


def sheets(findings: Sequence[Finding]) -> tuple[Sheet, Sheet]:
    """Routes that answer any question at one radius, then those that promise otherwise."""
    rows, questions = findings[0].rows, findings[0].questions
    quoted = quotes(rows=rows, target=Target(confidence=CONFIDENCE, questions=questions))
    fixed = next(quote.radius for quote in quoted if quote.route == REFERENCE)
    tables: dict[bool, dict[str, dict[str, float]]] = {True: {}, False: {}}
    for each in findings:
        tables[each.route not in OTHERWISE][_named(each)] = {
            OVER: each.radius / fixed,
            FORCED: each.forced / fixed,
            "radius over forced": each.radius / each.forced,
        }
    for quote in quoted:  # those of the literature that no attack was made for
        if isinstance(quote.bound, Simultaneous) and not quote.runs and quote.radius < 1:
            tables[True].setdefault(quote.route, {OVER: quote.radius / fixed})
    size = f"{rows:,} rows, {questions:,} questions"
    return _sheet(f"Any question, all with one radius; {size}", tables[True]), _sheet(
        f"Fewer questions, or radii that differ: that of the interval which was used most; {size}",
        tables[False],
    )


def _sheet(caption: str, table: dict[str, dict[str, float]]) -> Sheet:
    narrowest = sorted(table, key=lambda name: table[name][OVER])
    return Sheet.of(caption, {name: table[name] for name in narrowest})


def _named(finding: Finding) -> str:
    return f"Peekproof, {finding.route}" if finding.ours else finding.route


def kept(run: Run, findings: Sequence[Finding]) -> None:
    terms = {"confidence": float(CONFIDENCE), "seed": SEED, "false_alarm": FALSE_ALARM}
    raw = {**terms, "findings": [asdict(finding) for finding in findings]}
    (run.folder / "tightness.json").write_text(json.dumps(raw, indent=2) + "\n")


def main() -> None:
    run = asked(__doc__)
    sizes = QUICK if run.quick else SIZES
    with ProcessPoolExecutor(WORKERS) as pool:
        found = list(pool.map(partial(measured, quick=run.quick), sizes))
    if not run.quick:
        kept(run, [finding for each in found for finding in each])
    largest, *smaller = map(sheets, reversed(found))
    rows, questions = sizes[-1]
    title = f"Certified radius, {rows:,} rows, {questions:,} questions"
    run.keep(
        Result(
            name="radius",
            title="How wide the intervals are",
            about=ABOUT,
            sheets=largest,
            details=tuple(sheet for both in smaller for sheet in both),
            charts=(Chart("bars", title, AXIS, column=OVER, mark=FORCED),),
        )
    )


if __name__ == "__main__":
    main()
