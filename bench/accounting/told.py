"""The comparison of accountants as a result: verdicts and growth first, every answer behind."""

from collections.abc import Iterator, Mapping, Sequence

from accounting.isolated import MEMORY
from accounting.offline import Comparison, Row
from accounting.online import CHECKPOINTS, Growth
from accounting.question import TITLES
from accounting.verdict import verdict
from result import Cell, Chart, Result, Sheet

FILTER = "Peekproof zCDP filter"  # what one more charge is compared with
RIVAL, RATIO = "fastest as tight", "its time over ours"
DRAWN = {
    "laplace": "Time of composing Laplace losses of ε = 0.01",
    "gaussian": "Time of composing Gaussian losses of σ = 100",
}
ABOUT = (
    "δ = 1e-6 throughout. *Looseness* is by how much the ε that is told (for a calibration, the "
    "σ) exceeds the smallest valid one of anybody; then comes the fastest peer whose answer is "
    "valid and no looser than 0.3 % or ours, and its time over ours. Times are medians of rounds "
    "that interleave all contenders in one process; what took over two seconds was run once. "
    "Every first run had {limit:g} s and {memory:g} GiB of address space."
)


def result(
    comparisons: Sequence[Comparison],
    growths: Sequence[Growth],
    *,
    missing: Mapping[str, str],
    versions: Mapping[str, str],
    limit: float,
) -> Result:
    """All that was found, in ratios."""
    verdicts = Sheet.of("Looseness and time", dict(map(_verdict, comparisons)))
    charges = Sheet.of(
        f"One more charge after so many, over that of the {FILTER} after {CHECKPOINTS[0]:,}",
        dict(_growth(growths)),
    )
    drawn = list(_times(comparisons))
    charts = (
        Chart("lines", "One more charge", "over ours", sheet=1, across="charges before it"),
        *(
            Chart("lines", DRAWN[family], "over ours with 1", sheet=number, across="mechanisms")
            for number, (family, _) in enumerate(drawn, 2)
        ),
    )
    return Result(
        name="accounting",
        title="Accountants",
        about=ABOUT.format(limit=limit, memory=MEMORY / 2**30),
        sheets=(verdicts, charges, *(sheet for _, sheet in drawn)),
        charts=charts,
        details=tuple(map(_answers, comparisons)),
        missing={name.removeprefix("peer_"): why for name, why in missing.items()},
        versions=dict(versions),
    )


def _verdict(comparison: Comparison) -> tuple[str, dict[str, Cell]]:
    question, found = comparison.question, verdict(comparison)
    name = f"{question.family.replace('_', ' ')}, k = {question.count:,}"
    if found is None:
        return name, {"looseness, %": None, RIVAL: "ours goes through dp-accounting", RATIO: None}
    loose = round(100 * found.looser, 4)
    return name, {"looseness, %": loose, RIVAL: found.rival or "nobody", RATIO: found.over_ours}


def _growth(growths: Sequence[Growth]) -> Iterator[tuple[str, dict[str, Cell]]]:
    unit = next(each.seconds[CHECKPOINTS[0]] for each in growths if each.name == FILTER)
    for each in growths:
        cells: dict[str, Cell] = {
            f"{count:,}": each.seconds[count] / unit if count in each.seconds else None
            for count in CHECKPOINTS
        }
        yield each.name, {**cells, "note": each.note or None}


def _times(comparisons: Sequence[Comparison]) -> Iterator[tuple[str, Sheet]]:
    """Where there are several numbers of mechanisms: every time over ours with the fewest."""
    for family, title in DRAWN.items():
        chosen = [each for each in comparisons if each.question.family == family]
        if len(chosen) < 2:
            continue
        unit = chosen[0].rows[0].seconds
        table: dict[str, dict[str, Cell]] = {}
        for comparison in chosen:
            for row in comparison.rows:
                if unit and row.seconds and row.kind in ("upper", "exact") and not row.note:
                    cells = table.setdefault(row.name, {})
                    cells[f"{comparison.question.count:,}"] = row.seconds / unit
        yield family, Sheet.of(f"{title}, over ours with {chosen[0].question.count}", table)


def _answers(comparison: Comparison) -> Sheet:
    question = comparison.question
    answer = "σ" if question.family == "calibration" else "ε"
    return Sheet(
        f"{TITLES[question.family]}; k = {question.count:,}",
        ("accountant", answer, "claim", "over the tightest, %", "time over ours", "MB", "note"),
        tuple(map(_answer, comparison.rows)),
    )


def _answer(row: Row) -> tuple[Cell, ...]:
    value, looser = row.attempt.value, row.looser
    return (
        row.name,
        None if value is None else f"{value:.7g}",
        row.kind,
        None if looser is None else f"{100 * looser:+.4f}",
        row.over_ours,
        None if row.attempt.megabytes is None else round(row.attempt.megabytes),
        row.note or None,
    )
