"""`peekproof account tables`: what kinds of noise cost, side by side."""

import click

from peekproof.accounting.accuracy import noise_for_many, vector_accuracy
from peekproof.accounting.events import number
from peekproof.cli import options, render
from peekproof.core import check
from peekproof.core.charge import ApproxDP


@click.command()
@click.option("--epsilon", default="1", show_default=True, help="The ε that all may cost.")
@options.delta
@click.option("--rows", type=int, default=10_000, show_default=True, help="For the first table.")
@options.as_json
def tables(epsilon: str, delta: str, rows: int, json_wanted: bool) -> None:
    """Laplace against Gaussian in many dimensions; k/ε against √k for many answers."""
    eps, level = number(epsilon, argument="--epsilon"), number(delta, argument="--delta")
    target = ApproxDP(epsilon=check.positive_fraction(epsilon=eps), delta=level)
    sizes = (1, 10, 100, 1_000, 10_000)
    vectors = [vector_accuracy(rows=rows, dimensions=size, target=target) for size in sizes]
    many = [noise_for_many(count=size, target=target) for size in sizes]
    if json_wanted:
        render.as_json(
            {
                "dimensions": [
                    {"dimensions": v.dimensions, "laplace": v.laplace, "gaussian": v.gaussian}
                    for v in vectors
                ],
                "answers": [
                    {
                        "answers": m.count,
                        "basic": m.basic,
                        "advanced": m.advanced,
                        "optimal": m.optimal,
                        "gaussian": m.gaussian,
                    }
                    for m in many
                ],
            }
        )
        return
    render.line(f"Error ‖answer − mean‖ of {rows:,} records in [0, 1]^K, at ε = {float(eps):g}")
    render.line(f"(Gaussian also δ = {float(level):g}): K^1.5 against K")
    render.table(
        ["K", "Laplace", "Gaussian", "ratio"],
        [
            [
                f"{v.dimensions:,}",
                *map(render.upper, (v.laplace, v.gaussian)),
                f"{v.laplace / v.gaussian:.2f}",
            ]
            for v in vectors
        ],
    )
    render.line()
    render.line("Standard deviation of the noise on each of k answers of sensitivity 1:")
    render.table(
        ["k", "Laplace, basic", "Laplace, advanced", "Laplace, optimal", "Gaussian, exact"],
        [
            [f"{m.count:,}", *map(render.upper, (m.basic, m.advanced, m.optimal, m.gaussian))]
            for m in many
        ],
    )
