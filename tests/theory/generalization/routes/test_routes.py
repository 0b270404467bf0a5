"""Every route against the published map of radii."""

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.certificate import OneQuestion, Simultaneous, Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization import bassily, jung, mutual_information, variation
from peekproof.theory.generalization import monitor as monitors
from peekproof.theory.generalization.monitor import monitor, monitor_two_sided
from peekproof.theory.generalization.search import Priced
from theory.generalization import naive_routes

Route = Callable[[int, Target], Priced[Simultaneous]] | Callable[[int, Target], Priced[OneQuestion]]
Cell = tuple[str, int, int, Fraction, float]

with (Path(__file__).parents[1] / "published_radius_map.csv").open() as file:
    MAP: list[Cell] = [
        (row["route"], int(row["n"]), int(row["k"]), Fraction(row["beta"]), float(row["radius"]))
        for row in csv.DictReader(file)
    ]

PUBLISHED: dict[str, Route] = {
    "T-tv-expected_not_simultaneous": variation.one_question_added,
    "laplace_T-advanced_T-bassily": bassily.laplace_bassily,
    "T-monitor-gdp": monitors.gaussian_monitor,
    "laplace_T-advanced_T-jung": jung.laplace_jung,
    "gauss_exact_T-jung": jung.gaussian_jung,
}
# Priced with a sharper form; how much of the published radius is left at least.
SHARPER: dict[str, tuple[Route, float]] = {
    "tv_markov": (variation.markov_added, 0.85),
    "gauss_zcdp_T-jung": (jung.gaussian_zcdp_jung, 0.74),
    "gauss_T-mi_zcdp": (mutual_information.gaussian_zcdp_information, 0.92),
    "gauss_T-mi_feldman_steinke": (mutual_information.gaussian_leave_one_out, 0.92),
}
NAIVE: dict[str, Callable[[int, int, float], float]] = {
    "tv_markov": naive_routes.markov_split,
    "gauss_zcdp_T-jung": naive_routes.zcdp_closed_jung,
    "gauss_T-mi_zcdp": naive_routes.zcdp_split,
    "gauss_T-mi_feldman_steinke": naive_routes.feldman_steinke_split,
}
# A proof of our own, and the published route it improves.
OWN: list[tuple[Route, Route]] = [
    (variation.one_question_composed, variation.one_question_added),
    (variation.markov_composed, variation.markov_added),
    (monitors.gaussian_monitor_two_sided, monitors.gaussian_monitor),
    (jung.gaussian_jung_joint, jung.gaussian_jung),
]
EVERY: list[Route] = [
    *PUBLISHED.values(),
    *(route for route, _ in SHARPER.values()),
    *(own for own, _ in OWN),
]


def target(questions: int, beta: Fraction = Fraction(1, 20)) -> Target:
    return Target.of(confidence=1 - beta, questions=questions)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_route_reproduces_the_map(name: str) -> None:
    cells = [cell for cell in MAP if cell[0] == name]
    for _, rows, questions, beta, radius in cells:
        priced = PUBLISHED[name](rows, target(questions, beta))

        assert priced.bound.radius == pytest.approx(radius, rel=0.01)
        assert priced.bound.beta == beta
    assert len(cells) == 15
    assert any(radius < 1 for *_, radius in cells)


@pytest.mark.parametrize("name", SHARPER)
def test_a_sharper_form_is_below_the_map(name: str) -> None:
    route, share = SHARPER[name]
    cells = [cell for cell in MAP if cell[0] == name]
    for _, rows, questions, beta, radius in cells:
        priced = route(rows, target(questions, beta))

        assert share * radius <= priced.bound.radius <= radius
        assert priced.bound.beta == beta
    assert len(cells) == 15


@pytest.mark.parametrize("name", SHARPER)
def test_the_published_form_of_a_sharper_route_is_what_the_map_holds(name: str) -> None:
    """So the route differs from the map by the sharper form and by nothing else."""
    for cell in [(10_000, 100), (1_000_000, 1000)]:
        (expected,) = (r for route, n, k, _, r in MAP if (route, n, k) == (name, *cell))

        assert min(1, NAIVE[name](*cell, 0.05)) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("own", "published"), OWN)
@pytest.mark.parametrize(("rows", "questions"), [(10_000, 10), (10_000, 100), (10**6, 1000)])
def test_our_own_forms_improve_the_published_ones(
    own: Route, published: Route, rows: int, questions: int
) -> None:
    ours, theirs = own(rows, target(questions)), published(rows, target(questions))

    assert ours.bound.radius < 0.8 * theirs.bound.radius or theirs.bound.radius == 1
    assert type(ours.bound) is type(theirs.bound)


@pytest.mark.parametrize("route", EVERY)
@given(
    rows=st.integers(1, 10**12),
    questions=st.integers(1, 10**6),
    beta=st.sampled_from([Fraction(1, 10**12), Fraction(1, 20), Fraction(1, 2), Fraction(99, 100)]),
)
@settings(max_examples=8, deadline=None)
def test_every_corner_has_a_price(route: Route, rows: int, questions: int, beta: Fraction) -> None:
    priced = route(rows, target(questions, beta))

    assert 0 < priced.bound.radius <= 1
    assert priced.bound.beta == beta
    assert all(value > 0 for _, value in priced.parameters)


@pytest.mark.parametrize("route", EVERY)
def test_no_rows_have_no_price(route: Route) -> None:
    with pytest.raises(InvalidInput, match="rows"):
        route(0, target(10))


def test_a_route_whose_theorem_does_not_apply_has_no_parameters() -> None:
    priced = bassily.laplace_bassily(1000, target(10))

    assert priced.parameters == ()
    assert priced.bound == Simultaneous(radius=1.0, beta=Fraction(1, 20))


@pytest.mark.parametrize(
    ("route", "theorem"),
    [
        (monitors.gaussian_monitor, monitor),
        (monitors.gaussian_monitor_two_sided, monitor_two_sided),
    ],
)
def test_no_neighbouring_copies_or_noise_do_better(
    route: Callable[[int, Target], Priced[Simultaneous]],
    theorem: Callable[..., Simultaneous],
) -> None:
    priced = route(10**5, target(100))
    sigma, copies = (dict(priced.parameters)[name] for name in ("sigma", "copies"))
    for s in (sigma * Fraction(8, 10), sigma, sigma * Fraction(12, 10)):
        for t in (
            int(copies) // 2,
            int(copies) - 10,
            int(copies),
            int(copies) + 10,
            int(copies) * 2,
        ):
            other = theorem(rows=10**5, sigma=s, copies=t, target=target(100))

            assert other.radius >= priced.bound.radius * (1 - 1e-3)
