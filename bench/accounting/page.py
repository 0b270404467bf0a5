"""The comparison as a page of tables."""

from collections.abc import Iterable, Iterator, Mapping

from accounting.isolated import MEMORY
from accounting.offline import Comparison, Row
from accounting.online import CHECKPOINTS, Growth
from accounting.question import TITLES
from accounting.verdict import LOOSENESS, SPEED, verdict

WORDS = {"accountant", "question", "what", "claim", "fastest as tight", "note"}


def duration(seconds: float | None) -> str:
    """Seconds to three digits, in the unit that suits them."""
    if seconds is None:
        return "–"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    columns = list(head)
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "|".join("---" if name in WORDS else "---:" for name in columns) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _cells(row: Row) -> Iterator[str]:
    value, memory = row.attempt.value, row.attempt.megabytes
    yield row.name
    yield "–" if value is None else f"{value:.7g}"
    yield row.kind
    yield "–" if row.looser is None else f"{100 * row.looser:+.3f} %"
    yield duration(row.seconds)
    yield "–" if row.over_ours is None else f"{row.over_ours:.3g} ×"
    yield "–" if memory is None else f"{memory:.0f} MB"
    yield row.note.replace("|", "/").replace("\n", " ")


def _comparison(comparison: Comparison) -> Iterator[str]:
    question = comparison.question
    answer = "σ" if question.family == "calibration" else "ε"
    yield f"### {TITLES[question.family]}; k = {question.count:,}"
    yield ""
    head = (answer, "claim", "over the tightest", "time", "over ours", "memory", "note")
    yield from _table(("accountant", *head), map(_cells, comparison.rows))


def _verdicts(comparisons: Iterable[Comparison]) -> Iterator[str]:
    def row(comparison: Comparison) -> Iterator[str]:
        found = verdict(comparison)
        yield f"{comparison.question.family.replace('_', ' ')}, k = {comparison.question.count:,}"
        if found is None:
            yield from ("only through the bridge to dp-accounting", "–", "–", "–", "–")
            return
        yield f"{100 * found.looser:.4f} %"
        yield "yes" if found.tight else "**no**"
        yield found.rival or "nobody"
        yield "–" if found.over_ours is None else f"{found.over_ours:.3g} ×"
        yield "yes" if found.fast else "**no**"

    head = ("over the tightest", f"≤ {100 * LOOSENESS:g} %", "fastest as tight")
    yield from _table(
        ("question", *head, "its time over ours", f"≥ {SPEED:g} ×"), map(row, comparisons)
    )


def _growth(growths: Iterable[Growth]) -> Iterator[str]:
    head = ("what", *(f"after {checkpoint:,}" for checkpoint in CHECKPOINTS), "note")
    yield from _table(
        head,
        (
            (g.name, *(duration(g.seconds.get(checkpoint)) for checkpoint in CHECKPOINTS), g.note)
            for g in growths
        ),
    )


def page(
    comparisons: list[Comparison],
    growths: list[Growth],
    *,
    missing: Mapping[str, str],
    machine: Mapping[str, str],
    limit: float,
    pictures: Iterable[str],
) -> str:
    """The whole page, in Markdown."""
    lines = [
        "# Accountants side by side",
        "",
        "Made by `make bench-accounting`. δ = 1e-6 throughout. Times are medians of rounds that",
        "interleave all contenders in one process; what took over two seconds was run once.",
        f"Every first run had {limit:g} s and {MEMORY / 2**30:g} GiB of address space; *memory*",
        "is what it added to the process. *Claim*: an upper bound is promised never to be too",
        "small; an exact value is a closed form in floats, without a direction of rounding; an",
        "estimate promises nothing; a lower bound shows what no valid answer can beat. *Over the",
        "tightest* compares with the smallest upper or exact answer that is not known to be wrong.",
        "",
        ", ".join(f"{name} {version}" for name, version in machine.items()) + ".",
        "",
        *(f"Not taking part: {name} ({reason})." for name, reason in missing.items()),
        "## Verdict",
        "",
        *_verdicts(comparisons),
        *(f"![{name}]({name})" for name in pictures),
        "",
        "## One more charge",
        "",
        *_growth(growths),
        "## Every answer",
        "",
    ]
    for comparison in comparisons:
        lines += _comparison(comparison)
    return "\n".join(lines).rstrip() + "\n"
