"""How much of every interval is necessary: the radius of each route beside what attacks force.

Every route is attacked on many samples at several sizes (see holdfast.audit.tightness). A quantile
at 0.95 takes some repetitions: of 60 it is estimated by the 57th, and bounded by the 54th. Attacks
that need no table of coins are cheap, and are repeated more often.

Run: python bench/tightness.py (several minutes; --quick for the small sizes)
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from fractions import Fraction

from measure import record

from holdfast.audit.forcing.routes import Route, routes
from holdfast.audit.tightness import FALSE_ALARM, Finding, tightness
from holdfast.core.target import Target

CONFIDENCE = Fraction(19, 20)
SEED = 1
SIZES = ((10**3, 10), (10**4, 10), (10**5, 10), (10**4, 100), (10**5, 100), (10**5, 10**3))
QUICK = SIZES[:2]
CHEAP = 400
WORKERS = 2


def repeated(rows: int, questions: int) -> int:
    """How many tables of coins are drawn."""
    if rows * questions >= 10**8:
        return 60
    return 100 if rows * questions >= 10**6 else 200


def needs_coins(route: Route) -> bool:
    return any(attack.features for attack in route.attacks)


def measured(rows: int, questions: int) -> list[Finding]:
    target = Target(confidence=CONFIDENCE, questions=questions)
    found = {route.name: route for route in routes(rows=rows, target=target)}
    findings: dict[str, Finding] = {}
    for wanted, repetitions in ((True, repeated(rows, questions)), (False, CHEAP)):
        among = [route for route in found.values() if needs_coins(route) is wanted]
        for each in tightness(among, rows=rows, target=target, repetitions=repetitions, seed=SEED):
            findings[each.route.name] = each.finding
    return [findings[name] for name in found]


def shown(finding: Finding) -> str:
    return (
        f"{finding.rows:>9,}{finding.questions:>7,}  {finding.route:48}{finding.radius:>8.4f}"
        f"{finding.forced:>9.4f}{finding.ratio:>7.2f} (at most {finding.ratio_at_most:.2f})  "
        f"{finding.attack}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, not recorded")
    given = parser.parse_args()
    findings: list[Finding] = []
    print(f"{'rows':>9}{'asked':>7}  {'route':48}{'radius':>8}{'forced':>9}{'ratio':>7}")
    with ProcessPoolExecutor(WORKERS) as pool:
        for found in pool.map(measured, *zip(*(QUICK if given.quick else SIZES), strict=True)):
            findings += found
            print(*map(shown, found), sep="\n", flush=True)
    if not given.quick:
        terms = {"confidence": float(CONFIDENCE), "seed": SEED, "false_alarm": FALSE_ALARM}
        record("tightness", {**terms, "findings": [asdict(finding) for finding in findings]})


if __name__ == "__main__":
    main()
