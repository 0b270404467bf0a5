"""OpenDP: noise on a count by hand, and its Context over Polars."""

from importlib import import_module
from typing import Any

import numpy as np
import polars as pl
from peers.asking import Ask, Numbers, answer

dp: Any = import_module("opendp.prelude")  # of a version that has no types
dp.enable_features("contrib")

EPSILON = 0.01


def context(x: Numbers, y: Numbers, questions: int) -> Any:
    return dp.Context.compositor(
        data=pl.LazyFrame({"x": x, "y": y}),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=EPSILON * questions),
        split_evenly_over=questions,
        margins=[dp.polars.Margin(max_length=len(x))],
    )


def counted(held: Any) -> Any:
    return held.query().filter((pl.col.x > 0.5) & (pl.col.y < 0.3)).select(dp.len())


def low_level(x: Numbers, y: Numbers) -> Ask:
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    laplace = dp.m.make_laplace(*space, scale=1 / EPSILON)
    return lambda: laplace(int(np.count_nonzero((x > 0.5) & (y < 0.3))))


def in_context(x: Numbers, y: Numbers, *, told: bool, questions: int) -> Ask:
    held = context(x, y, questions)

    def ask() -> object:
        query = counted(held)
        if not told:
            return query.release().collect()
        # The interval that its summary allows, and what is left of the budget.
        return query.summarize(alpha=0.05), query.release().collect(), held.current_privacy_loss()

    return ask


def latency(x: Numbers, y: Numbers) -> dict[str, Ask]:
    return {
        "OpenDP, Laplace noise on a count by hand": low_level(x, y),
        "OpenDP Context over Polars, the answer alone": in_context(
            x, y, told=False, questions=1000
        ),
        "OpenDP Context over Polars, with its interval and what is left": in_context(
            x, y, told=True, questions=1000
        ),
    }


def filtered() -> Ask:
    """The accounting alone, by the filter of its low level."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
    asked = dp.c.make_privacy_filter(odometer, d_in=1, d_out=1e9)(0)
    laplace = dp.m.make_laplace(*space, scale=1 / EPSILON)
    return lambda: asked(laplace)


def growth(x: Numbers, y: Numbers) -> dict[str, Ask]:
    return {
        "OpenDP Context over Polars": in_context(x, y, told=False, questions=10_000),
        "OpenDP, its filter alone": filtered(),
    }


if __name__ == "__main__":
    answer(latency, growth)
