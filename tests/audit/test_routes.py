"""All routes side by side: against the map, in order, and never more than they may claim."""

import csv
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import log, mpf, sqrt, workdps

from peekproof.audit.routes import (
    OURS,
    REFERENCE,
    ROUNDS,
    SPLIT,
    TRUNCATION,
    NotAdaptive,
    Quote,
    quotes,
    taken,
)
from peekproof.core.certificate import OneQuestion, Simultaneous, Target
from peekproof.core.theorem import lookup
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.plan import plan
from peekproof.theory.generalization.drift import gdp_certificate, laplace_certificate
from peekproof.theory.generalization.truncation import truncation_certificate

GDP_DRIFT = "Gaussian noise, drift of any GDP"
PURE_DRIFT = "Laplace noise, drift of pure DP"
BASSILY = "Laplace noise, monitor for (ε, δ)"
MONITORS = ("Gaussian noise, monitor", "Gaussian noise, two-sided monitor")

# The name in the map, ours, and the range of quoted/map: 1 % for the same form of a theorem, and
# what the sharper form saves where we have one (no part of β set aside, or a better conversion).
SAME = (0.99, 1.01)
MAP: dict[str, tuple[str, tuple[float, float]]] = {
    "hoeffding_not_adaptive": (REFERENCE, SAME),
    "T-split": (SPLIT, SAME),
    "truncation": (TRUNCATION, SAME),
    "T-tv-expected_not_simultaneous": ("one question, total variation added", SAME),
    "laplace_T-advanced_T-bassily": (BASSILY, SAME),
    "T-monitor-gdp": (MONITORS[0], SAME),
    "laplace_T-advanced_T-jung": ("Laplace noise, posterior", SAME),
    "gauss_exact_T-jung": ("Gaussian noise, posterior", SAME),
    "laplace_T-drift-pure": (PURE_DRIFT, SAME),
    "tv_markov": ("Gaussian noise, total variation added", (0.85, 1.0)),
    "gauss_zcdp_T-jung": ("Gaussian noise as zCDP, posterior", (0.74, 1.0)),
    "gauss_T-mi_zcdp": ("Gaussian noise, information by zCDP", (0.92, 1.0)),
    "gauss_T-mi_feldman_steinke": ("Gaussian noise, information by leaving one out", (0.92, 1.0)),
    "gauss_T-drift-gdp": (GDP_DRIFT, (0.9, 1.0)),
    "gauss_T-drift-gauss": (OURS, (0.9, 1.0)),
}
# Sharper forms that are not in the map, and what they sharpen.
BEYOND = {
    MONITORS[1]: MONITORS[0],
    "Gaussian noise, joint posterior": "Gaussian noise, posterior",
    "Gaussian noise, total variation of the whole": "Gaussian noise, total variation added",
    "one question, total variation of the whole": "one question, total variation added",
}

with Path(__file__).with_name("route_map.csv").open(encoding="utf-8", newline="") as file:
    PUBLISHED = {
        (row["route"], int(row["n"]), int(row["k"])): float(row["radius"])
        for row in csv.DictReader(file)
        if Fraction(row["beta"]) == Fraction(1, 20)
    }
SIZES = sorted({(rows, questions) for _, rows, questions in PUBLISHED})


def target(questions: int, confidence: float | Fraction = 0.95) -> Target:
    return Target.of(confidence=confidence, questions=questions)


def named(found: tuple[Quote, ...]) -> dict[str, Quote]:
    by_route = {quote.route: quote for quote in found}
    assert len(by_route) == len(found)
    return by_route


def at(rows: int, questions: int) -> dict[str, Quote]:
    return named(quotes(rows=rows, target=target(questions)))


def narrowest_running(rows: int, questions: int) -> str:
    """The first that runs, whether or not it says something."""
    return next(quote.route for quote in quotes(rows=rows, target=target(questions)) if quote.runs)


def test_the_map_is_complete() -> None:
    assert len(PUBLISHED) == 225
    assert len(SIZES) == 15
    assert {route for route, _, _ in PUBLISHED} == set(MAP)
    assert set(at(1000, 10)) == {name for name, _ in MAP.values()} | set(BEYOND)


@pytest.mark.parametrize("route", MAP)
def test_every_route_of_the_map_is_reproduced_or_sharpened(route: str) -> None:
    name, (least, most) = MAP[route]
    cells = {size: PUBLISHED[route, *size] for size in SIZES}
    for size, radius in cells.items():
        rounding = 0.5e-6 / radius  # the map has six decimals
        share = at(*size)[name].radius / radius
        assert least - rounding <= share <= most + rounding, (size, share)
    assert any(radius < 1 for radius in cells.values())


@pytest.mark.parametrize("route", [name for name, (_, span) in MAP.items() if span != SAME])
def test_a_sharper_form_is_sharper_wherever_the_map_says_something(route: str) -> None:
    name, _ = MAP[route]
    for size in SIZES:
        if PUBLISHED[route, *size] < 1:
            assert at(*size)[name].radius < 0.999 * PUBLISHED[route, *size]


@pytest.mark.parametrize("own", BEYOND)
def test_a_form_of_our_own_is_narrower_than_what_it_sharpens(own: str) -> None:
    found = at(10**6, 10)

    assert found[own].radius < 0.8 * found[BEYOND[own]].radius < 0.8


@pytest.mark.parametrize(("rows", "questions"), SIZES)
def test_from_a_hundred_questions_on_gaussian_noise_is_the_best_to_run(
    rows: int, questions: int
) -> None:
    if questions >= 100:
        assert narrowest_running(rows, questions) == OURS
    elif rows == 1000:
        assert narrowest_running(rows, questions) == TRUNCATION


@pytest.mark.parametrize(
    ("rows", "questions", "best"),
    [
        (1_000, 3, SPLIT),
        (1_000, 10, TRUNCATION),
        (10_000, 5, SPLIT),
        (10_000, 8, TRUNCATION),
        (10_000, 10, OURS),
        (100_000, 8, SPLIT),
        (100_000, 10, OURS),
        (1_000_000, 8, SPLIT),
        (1_000_000, 10, OURS),
    ],
)
def test_few_questions_are_best_cut_or_split(rows: int, questions: int, best: str) -> None:
    found = taken(quotes(rows=rows, target=target(questions)))

    assert found is not None
    assert found.route == best
    assert narrowest_running(rows, questions) == best


def test_joining_the_levels_is_what_beats_cutting_and_splitting_at_ten_questions() -> None:
    for size, other in (((10_000, 10), "truncation"), ((1_000_000, 10), "T-split")):
        split_level = PUBLISHED["gauss_T-drift-gauss", *size]
        assert at(*size)[OURS].radius < PUBLISHED[other, *size] < split_level


@given(
    size=st.tuples(st.integers(1, 10**9), st.integers(1, 10**6)),
    confidence=st.sampled_from((0.05, 0.95, 0.999999)),
)
@settings(max_examples=5, deadline=None)
def test_stronger_promises_come_first_and_then_narrower_ones(
    size: tuple[int, int], confidence: float
) -> None:
    rows, questions = size
    found = quotes(rows=rows, target=target(questions, confidence), rounds=1)
    kinds = [type(quote.bound) for quote in found]
    strong = [quote for quote in found if quote.simultaneous]

    assert kinds == sorted(kinds, key=[Simultaneous, OneQuestion, NotAdaptive].index)
    assert [kinds.count(kind) for kind in (OneQuestion, NotAdaptive)] == [2, 1]
    assert [quote.radius for quote in strong] == sorted(quote.radius for quote in strong)
    assert all(0 < quote.radius <= 1 for quote in found)
    assert all(quote.bound.beta == 1 - Fraction(str(confidence)) for quote in found)
    assert all(value > 0 for quote in found for _, value in quote.parameters)


@given(size=st.tuples(st.integers(1, 10**9), st.integers(1, 10**6)))
@settings(max_examples=5, deadline=None)
def test_nothing_runs_that_is_not_simultaneous(size: tuple[int, int]) -> None:
    rows, questions = size
    found = quotes(rows=rows, target=target(questions), rounds=1)

    assert {quote.route for quote in found if quote.runs} == {OURS, TRUNCATION, SPLIT, ROUNDS}
    assert all(isinstance(quote.bound, Simultaneous) for quote in found if quote.runs)


@given(rows=st.integers(50, 10**12), questions=st.integers(1, 10**5), data=st.data())
@settings(max_examples=5, deadline=None)
def test_fresh_rows_and_the_reference_are_hoeffdings_inequality(
    rows: int, questions: int, data: st.DataObject
) -> None:
    rounds = data.draw(st.integers(1, min(rows, questions)))
    found = named(quotes(rows=rows, target=target(questions), rounds=rounds))

    with workdps(50):
        for name, batches in ((ROUNDS, rounds), (REFERENCE, 1)):
            exact = sqrt(log(mpf(40) * questions) / (2 * (rows // batches)))
            claimed = mpf(found[name].radius)
            assert min(exact, mpf(1)) <= claimed <= min(exact * (1 + mpf("1e-9")), mpf(1))
    assert dict(found[ROUNDS].parameters) == {"rounds": rounds, "rows_per_round": rows // rounds}


def test_a_quote_is_its_theorem_at_the_parameters_shown() -> None:
    rows, wanted = 20_000, target(50)
    found = named(quotes(rows=rows, target=wanted))
    of = {name: dict(quote.parameters) for name, quote in found.items()}
    best = plan(rows=rows, target=wanted, mechanisms=(Gaussian,))
    assert isinstance(best.mechanism, Gaussian)
    bins = int(of[TRUNCATION]["bins"])
    gdp, pure = of[GDP_DRIFT], of[PURE_DRIFT]

    assert (of[OURS]["sigma"], of[OURS]["step"]) == (best.mechanism.sigma, best.mechanism.step)
    for route, certificate in (
        (OURS, best.certificate),
        (TRUNCATION, truncation_certificate(rows=rows, bins=bins, target=wanted)),
        (
            GDP_DRIFT,
            gdp_certificate(rows=rows, sigma=gdp["sigma"], step=gdp["step"], target=wanted),
        ),
        (
            PURE_DRIFT,
            laplace_certificate(rows=rows, scale=pure["scale"], step=pure["step"], target=wanted),
        ),
    ):
        assert found[route].radius == certificate.radius
        assert found[route].theorems == certificate.theorems
        step = of[route].get("step")
        assert step is None or step.numerator == 1


def test_every_theorem_is_known_and_every_route_is_explained_in_one_sentence() -> None:
    for rows, questions in ((10**6, 10), (10, 1000)):
        found = quotes(rows=rows, target=target(questions), rounds=5)
        for quote in found:
            assert quote.theorems
            assert all(lookup(key).key == key for key in quote.theorems)
            assert quote.why.endswith(".")
            assert ". " not in quote.why
        assert len({quote.why for quote in found}) == len(found)
