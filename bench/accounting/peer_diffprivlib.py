"""diffprivlib: the budget accountant's total."""

from importlib import import_module

from accounting.contender import Contender
from accounting.question import DELTA, EPSILONS, SCALE

library = import_module("diffprivlib")


def total(spent: list[tuple[float, float]]) -> dict[str, Contender]:
    return {
        "diffprivlib BudgetAccountant": Contender(
            "upper",
            lambda: float(library.BudgetAccountant(spent_budget=spent).total(slack=DELTA)[0]),
        )
    }


def laplace(count: int) -> dict[str, Contender]:
    return total([(1 / SCALE, 0.0)] * count)


def laplace_mixed(count: int) -> dict[str, Contender]:
    return total([(float(epsilon), 0.0) for epsilon in EPSILONS[:count]])
