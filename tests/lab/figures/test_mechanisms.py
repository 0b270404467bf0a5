"""The picture of mechanisms: its laws by other means, and every line named."""

import runpy
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb, exp, fsum
from pathlib import Path
from xml.etree import ElementTree

import mpmath
import pytest

from lab.figures import mechanisms as mechanisms_figure
from lab.figures.mechanisms import (
    BETA,
    CANDIDATES,
    EPSILON,
    QUESTIONS,
    RHO,
    ROWS,
    Line,
    choice_lines,
    draw_mechanisms,
    error_lines,
)
from peekproof.core.charge import GDP, PureDP
from peekproof.theory.discrete_noise import bounded_range, discrete_gaussian, gaussian, laplace

SVG = "{http://www.w3.org/2000/svg}"
ERRORS = (0.0, 0.00333, 0.0151, 0.0402, 0.0777)


def line(lines: tuple[Line, ...], start: str) -> Line:
    (found,) = [each for each in lines if each.name.startswith(start)]
    return found


def share(start: str) -> Line:
    return line(error_lines(), start)


def test_all_that_have_a_price_pay_the_same() -> None:
    on_counts = 1 / EPSILON
    assert laplace(scale=on_counts, sensitivity=Fraction(1)) == PureDP(EPSILON)
    assert discrete_gaussian(sigma=on_counts, sensitivity=Fraction(1)).rho == RHO
    assert gaussian(sigma=on_counts, sensitivity=Fraction(1)) == GDP(2 * RHO)
    assert bounded_range(PureDP(2 * EPSILON)).rho == RHO


@pytest.mark.parametrize("t", ERRORS)
def test_noise_reaches_as_far_as_sums_and_integrals_say(t: float) -> None:
    wide, first = int(1 / EPSILON), int(t * ROWS) + 1
    geometric = [exp(-z / wide) for z in range(60 * wide)]
    squares = [exp(-((z / wide) ** 2) / 2) for z in range(15 * wide)]
    for start, weights in (("Laplace", geometric), ("discrete", squares)):
        exact = 2 * fsum(weights[first:]) / (2 * fsum(weights) - 1)
        assert share(start).law(t) == pytest.approx(exact, rel=1e-9)
    normal = 2 * mpmath.ncdf(-t * ROWS / wide)
    assert share("Gaussian").law(t) == pytest.approx(float(normal), rel=1e-9)


@pytest.mark.parametrize("t", ERRORS)
def test_fresh_rows_reach_as_far_as_exact_counting_says(t: float) -> None:
    part, half = ROWS // QUESTIONS, ROWS // 2
    far = [x for x in range(part + 1) if abs(Fraction(x, part) - Fraction(1, 2)) > Fraction(t)]
    by_rows = Fraction(sum(comb(half, x) * comb(half, part - x) for x in far), comb(ROWS, part))

    assert share("fresh rows").law(t) == pytest.approx(float(by_rows), rel=1e-6)


def test_bins_err_evenly_up_to_half_of_one() -> None:
    bins = share("25 bins")

    assert [bins.law(t) for t in (0.0, 0.005, 0.02, 0.5)] == [1.0, 0.75, 0.0, 0.0]


def missed_by_coins(chance: float, candidates: int) -> float:
    """Permute-and-flip by enumeration: the best, of chance 1, wins a fair draw among all heads."""
    total = 0.0
    for coins in product((0, 1), repeat=candidates - 1):
        heads = sum(coins)
        total += chance**heads * (1 - chance) ** (candidates - 1 - heads) * heads / (heads + 1)
    return total


def missed_by_noise(t: float, candidates: int) -> float:
    """Noisy max by quadrature: some other's Laplace noise is more than t above the best's."""

    def below(z: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2

    def missed(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(-abs(x)) / 2 * (1 - below(x + t) ** (candidates - 1))

    return float(mpmath.quad(missed, [-60, -t - 5, -t, -t + 5, 0, 5, 60]))


@pytest.mark.parametrize("t", [0.0, 0.7, 3.0, 9.0])
@pytest.mark.parametrize("candidates", [2, 3, 8])
def test_choices_miss_as_often_as_enumeration_says(
    t: float, candidates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanisms_figure, "CANDIDATES", candidates)
    chance = float(mpmath.exp(-t))
    others = candidates - 1
    scale = 2 / (ROWS * float(EPSILON))  # in shares, of all but the exponential at 2ε
    found = choice_lines()

    def law(start: str) -> Callable[[float], float]:
        return line(found, start).law

    exact = others * chance / (1 + others * chance)
    assert law("exponential, ε = 0.001")(t * scale) == pytest.approx(exact, rel=1e-9)
    assert law("exponential,\n")(t * scale / 2) == pytest.approx(exact, rel=1e-9)
    flipped = missed_by_coins(chance, candidates)
    assert law("permute")(t * scale) == pytest.approx(flipped, rel=1e-8, abs=1e-12)
    noisy = missed_by_noise(t, candidates)
    assert law("noisy max")(t * scale) == pytest.approx(noisy, rel=1e-4)


def test_every_promised_radius_covers_the_law_that_is_drawn() -> None:
    lines = (*error_lines(), *choice_lines())
    promised = [each for each in lines if each.radius is not None]

    assert [each.name for each in lines if each.radius is None] == ["fresh rows,\n100 a question"]
    for each in promised:
        assert each.radius is not None
        assert each.law(each.radius) <= BETA
        assert each.law(each.radius * 0.7) > BETA  # it is no wild overstatement
    assert CANDIDATES == 100


def test_the_picture_names_every_line_and_its_own_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    path = draw_mechanisms(tmp_path / "mechanisms.svg")
    root = ElementTree.parse(path).getroot()
    written = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]

    for each in (*error_lines(), *choice_lines()):
        for words in each.name.split("\n"):
            assert words in written
    (caption,) = [text for text in written if "ρ = 5e-07" in text]
    command = caption.split("·")[1].strip()
    assert command == "python -m lab.figures.mechanisms FILE"
    again = tmp_path / "again.svg"
    monkeypatch.setattr(sys, "argv", ["mechanisms", str(again)])
    monkeypatch.delitem(sys.modules, "lab.figures.mechanisms")
    runpy.run_module("lab.figures.mechanisms", run_name="__main__")
    assert again.read_bytes() == path.read_bytes()
