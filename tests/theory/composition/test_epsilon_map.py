"""Every bound against the values of independent accountants, copied from the reference map.

`laplace`: count answers of pure ε = 0.01 each; `gaussian`: of μ = 0.01 each; δ = 1e-6.
"""

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP
from peekproof.theory.composition import advanced, advanced_sharp, basic_pure
from peekproof.theory.conversion import (
    gdp_to_approx,
    gdp_to_zcdp,
    pure_to_zcdp,
    zcdp_to_approx,
    zcdp_to_approx_closed,
)
from peekproof.theory.optimal_composition import optimal

DELTA = Fraction(1, 10**6)
ONE = Fraction(1, 100)
EACH = ApproxDP(epsilon=ONE, delta=Fraction(0))
TEXT = (Path(__file__).parent / "epsilon_map.csv").read_text()
ROWS = list(csv.DictReader(TEXT.splitlines()))


def zcdp_of(scenario: str, count: int) -> ZCDP:
    if scenario == "laplace":
        return pure_to_zcdp(PureDP(ONE)) * count
    return gdp_to_zcdp(GDP(ONE**2)) * count


Bound = Callable[[str, int], Fraction]
BOUNDS: dict[str, Bound] = {
    "basic": lambda _, k: basic_pure([PureDP(ONE)] * k).epsilon,
    "advanced": lambda _, k: advanced(EACH, count=k, slack=DELTA).epsilon,
    "advanced sharp": lambda _, k: advanced_sharp(EACH, count=k, slack=DELTA).epsilon,
    "optimal": lambda _, k: optimal(EACH, count=k, delta=DELTA).epsilon,
    "zCDP closed": lambda s, k: zcdp_to_approx_closed(zcdp_of(s, k), delta=DELTA).epsilon,
    "zCDP": lambda s, k: zcdp_to_approx(zcdp_of(s, k), delta=DELTA).epsilon,
    "gaussian": lambda _, k: gdp_to_approx(GDP(ONE**2) * k, delta=DELTA).epsilon,
}
SAME = {
    "closed basic": "basic",
    "opendp basic (pure)": "basic",
    "closed advanced (DRV)": "advanced",
    "closed advanced (tanh mean)": "advanced sharp",
    "closed KOV optimal": "optimal",
    "closed zCDP BS16": "zCDP closed",
    "closed zCDP CKS20": "zCDP",
    "opendp zCDP": "zCDP",
    "autodp RDP": "zCDP",
    "closed exact Gaussian": "gaussian",
    "dp_accounting get_epsilon_gaussian": "gaussian",
    "autodp ComposeGaussian": "gaussian",
}
FOR_SCENARIO = {
    "laplace": ("basic", "advanced", "advanced sharp", "optimal", "zCDP closed", "zCDP"),
    "gaussian": ("zCDP closed", "zCDP", "gaussian"),
}


def label(row: dict[str, str]) -> str:
    return f"{row['scenario']}-{row['count']}-{row['tool']}"


def value(row: dict[str, str]) -> Fraction:
    return Fraction(row["epsilon_at_delta_1e-6"])


@pytest.mark.parametrize("row", [row for row in ROWS if row["tool"] in SAME], ids=label)
def test_the_same_bound_is_the_same_number(row: dict[str, str]) -> None:
    ours = BOUNDS[SAME[row["tool"]]](row["scenario"], int(row["count"]))

    assert abs(ours - value(row)) <= value(row) / 10**9


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] != "upper"], ids=label)
def test_no_bound_is_below_what_is_known_to_be_reached(row: dict[str, str]) -> None:
    printed = value(row) * (1 - Fraction(1, 10**9))  # the map has ten digits
    for name in FOR_SCENARIO[row["scenario"]]:
        assert BOUNDS[name](row["scenario"], int(row["count"])) >= printed, name


@pytest.mark.parametrize("row", [row for row in ROWS if "KOV closed" in row["tool"]], ids=label)
def test_the_optimum_is_below_the_closed_form_that_others_offer(row: dict[str, str]) -> None:
    assert optimal(EACH, count=int(row["count"]), delta=DELTA).epsilon < value(row)


def test_every_row_of_the_copy_is_used() -> None:
    unused = [
        label(row)
        for row in ROWS
        if row["tool"] not in SAME and row["kind"] == "upper" and "KOV closed" not in row["tool"]
    ]
    assert unused == []
    assert len(ROWS) > 50
