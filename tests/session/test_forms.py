"""Means, histograms, quantiles, choices and statistics, in real sessions."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peekproof
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.noise.entropy import Seeded
from session.people import noise_of

ROWS = 40_000
GAUSSIAN = (peekproof.Gaussian,)
Kind = type[peekproof.Laplace] | type[peekproof.Truncation] | type[peekproof.OpenEnded]
KINDS = [
    peekproof.Laplace,
    peekproof.Truncation,
    peekproof.FreshRows,
    peekproof.OpenEnded,
]


def flights(seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    delay = rng.gamma(2.0, 20.0, ROWS) - 15
    right = {f"m{i}": rng.random(ROWS) < (0.8 if i == 7 else 0.5) for i in range(30)}
    return pl.DataFrame(
        {
            "delay": pl.Series(np.where(rng.random(ROWS) < 0.03, np.nan, delay)).fill_nan(None),
            "carrier": rng.choice(["AA", "UA", "DL", "WN"], ROWS, p=[0.4, 0.3, 0.2, 0.1]),
            "x": rng.random(ROWS),
            **right,
        }
    )


@pytest.fixture
def session() -> peekproof.Session:
    return peekproof.open(flights(), questions=400, mechanisms=GAUSSIAN, entropy=Seeded(3))


def used(session: peekproof.Session) -> Fraction:
    """What was spent, in planned questions."""
    return session.ledger.spent().amount / noise_of(session).cost().amount


def test_a_mean_is_in_the_units_of_its_column(session: peekproof.Session) -> None:
    frame = flights()
    truth = frame["delay"].clip(-20, 120).fill_null(-20).mean()
    answer = session.ask("mean(delay, -20, 120, -20)")

    assert isinstance(truth, float)
    assert truth in answer
    assert abs(answer.value - truth) < 140 * 5 * float(noise_of(session).sigma)
    assert answer.radius == pytest.approx(140 * answer.certificate.radius)
    assert "T-fixed-point" in answer.certificate.theorems
    assert used(session) == 1


def test_a_mean_can_say_what_a_missing_value_counts_as(session: peekproof.Session) -> None:
    low, high = session.ask_many(["mean(delay, -20, 120, -20)", "mean(delay, -20, 120, 120)"])
    missing = flights()["delay"].null_count() / ROWS

    assert high.value - low.value == pytest.approx(140 * missing, abs=140 * 0.1)
    assert high.value - low.value > 140 * missing / 2 - 140 * 0.1


def test_a_mean_keeps_the_radius_that_was_asked_for(session: peekproof.Session) -> None:
    wanted = 0.9 * 140 * session.plan.radius
    price = session.price_of("mean(delay, -20, 120, -20)", radius=wanted)
    answer = session.ask("mean(delay, -20, 120, -20)", radius=wanted)

    assert answer.radius <= wanted
    assert answer.cost == price.cost
    assert price.questions > 1


def test_a_mean_of_a_condition_is_the_share() -> None:
    """The same noise on the same number, read in fixed point and as a count."""
    table = {"x": [0.0] * 600 + [1.0] * 400}
    for seed in range(5):
        opened = {
            text: peekproof.open(table, questions=3, mechanisms=GAUSSIAN, entropy=Seeded(seed))
            for text in ("x = 1", "mean(x, 0, 1, 0)")
        }
        share, mean = (each.ask(text).value for text, each in opened.items())

        assert share == mean


@pytest.mark.parametrize("kind", KINDS)
def test_every_promise_answers_means(kind: Kind) -> None:
    size = None if kind is peekproof.OpenEnded else 8
    session = peekproof.open(flights(), questions=size, mechanisms=[kind])
    truth = flights()["x"].mean()
    answer = session.ask("mean(x, 0, 1, 0)")

    assert isinstance(truth, float)
    assert truth in answer
    assert "T-fixed-point" in answer.certificate.theorems
    assert answer.certificate.verify() == answer.certificate


def test_a_histogram_costs_a_few_questions_whatever_its_cells(session: peekproof.Session) -> None:
    edges = ", ".join(str(edge) for edge in range(-10, 90))
    price = session.price_of(f"histogram(delay, ({edges}))")
    before = session.remaining
    found = session.histogram(f"histogram(delay, ({edges}))")

    assert len(found) == 101
    assert 0 <= price.questions - 4 * (1 - Fraction(1, 101)) < Fraction(1, 10**5)
    assert used(session) == price.questions
    assert found.remaining == before - 4
    assert found.certificate.theorems[0] == "T-own-radius"


def test_the_cells_of_a_histogram_are_the_shares_of_all_rows(session: peekproof.Session) -> None:
    frame = flights()
    found = session.histogram("histogram(carrier, ('AA', 'UA', 'DL'))")
    truths = [float(np.mean(frame["carrier"].to_numpy() == each)) for each in ("AA", "UA", "DL")]

    assert found.labels == ("carrier = 'AA'", "carrier = 'UA'", "carrier = 'DL'")
    for cell, truth in zip(found, truths, strict=True):
        assert truth in cell
        assert abs(cell.value - truth) < 5 * float(noise_of(session).sigma)
    assert found["carrier = 'UA'"] == found[1]
    with pytest.raises(KeyError):
        found["carrier = 'XX'"]


def test_a_weighted_histogram_adds_up_to_its_mean(session: peekproof.Session) -> None:
    frame = flights()
    late = frame["delay"].clip(0, 100).fill_null(0)
    found = session.histogram("histogram(carrier, ('AA', 'WN'), mean(delay, 0, 100, 0))")
    for cell, name in zip(found, ("AA", "WN"), strict=True):
        truth = float(np.mean(np.where(frame["carrier"] == name, late, 0.0)))

        assert truth in cell
        assert abs(cell.value - truth) < 100 * 5 * float(noise_of(session).sigma)


def test_a_histogram_keeps_the_radius_that_was_asked_for(session: peekproof.Session) -> None:
    text, wanted = "histogram(delay, (0, 15))", 0.09
    assert wanted < session.price_of(text).certificate.radius
    found = session.histogram(text, radius=wanted)

    assert all(cell.radius <= wanted for cell in found)
    assert used(session) > 3
    with pytest.raises(InvalidInput, match="which no noise takes away"):
        session.histogram("histogram(delay, (0, 16))", radius=0.001)


def test_a_quantile_is_near_the_level_that_was_asked(session: peekproof.Session) -> None:
    delays = flights()["delay"].fill_null(120).to_numpy()
    found = session.quantile("quantile(delay, 0.25, -20, 120)")
    at_most, below = (float(np.mean(delays <= end)) for end in (found.value, found.after))

    assert at_most >= found.levels.low
    assert below <= found.levels.high
    assert below - 0.05 < 0.25 < at_most + 0.05
    assert found.levels.high - found.levels.low < 0.35
    assert used(session) == session.price_of("quantile(delay, 0.75, -20, 120)").questions


def test_a_smaller_loss_costs_more(session: peekproof.Session) -> None:
    text = "quantile(delay, 0.5, -20, 120)"
    coarse, fine = (session.price_of(text, loss=loss).questions for loss in (0.1, 0.05))

    # The cost is quadratic in 1/loss, but for ε being a multiple of a small step.
    assert float(fine / coarse) == pytest.approx(4, rel=1e-6)


def test_the_best_is_found_and_is_cheaper_than_asking_all(session: peekproof.Session) -> None:
    names = [f"m{i}" for i in range(30)]
    price = session.price_of_best(names, loss=0.1)
    choice = session.best(names, loss=0.1)

    assert (choice.chosen, choice.index, choice.candidates) == ("m7", 7, 30)
    assert price.questions < 30
    assert used(session) == price.questions
    assert choice.gap < 0.4
    assert session.best(names, loss=0.01).replayed
    assert choice.certificate.verify() == choice.certificate


def test_the_best_of_means_is_in_their_units(session: peekproof.Session) -> None:
    choice = session.best(["mean(delay, 0, 100, 0)", "mean(x, 0, 100, 0)"], loss=10)

    assert choice.chosen == "mean(delay, 0, 100, 0)"
    assert choice.gap == pytest.approx(100 * choice.certificate.radius)
    assert "T-fixed-point" in choice.certificate.theorems


@pytest.mark.parametrize(
    ("candidates", "says"),
    [
        ([], "2 to"),
        (["m1"], "2 to"),
        (["m1", "m1 = true"], "twice"),
        (["m1", "mean(x, 0, 1, 0)"], "one scale"),
        (["mean(x, 0, 1, 0)", "mean(x, 0, 2, 0)"], "one scale"),
        (["histogram(x, (0, 1))", "histogram(x, (0, 2))"], "one scale"),
        ("m1", "list"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    session: peekproof.Session, candidates: list[str], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        session.best(candidates)
    assert used(session) == 0


def median_of_x(frame: pl.DataFrame) -> float:
    return float(np.median(frame["x"].to_numpy()))


def test_a_statistic_is_answered_in_its_units(session: peekproof.Session) -> None:
    median = peekproof.Statistic(
        name="median of x", function=median_of_x, sensitivity=Fraction(1, 4000), low=0, high=1
    )
    answer = session.measure(median)
    reach = ROWS / 4000

    assert abs(answer.value - 0.5) < reach * 5 * float(noise_of(session).sigma)
    assert 0.5 in answer
    assert 0 <= answer.low <= answer.high <= 1
    assert session.measure(median).replayed
    assert answer.certificate.verify() == answer.certificate


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 7.0, -3.0])
def test_a_statistic_that_leaves_its_bounds_is_cut(value: float) -> None:
    session = peekproof.open(flights(), questions=50, mechanisms=GAUSSIAN, entropy=Seeded(1))
    found = session.measure(
        peekproof.Statistic(
            name="odd", function=lambda _: value, sensitivity=1 / ROWS, low=0, high=1
        )
    )

    assert found.value == pytest.approx(1.0 if value == 7 else 0.0, abs=0.2)


def test_a_statistic_that_fails_counts_as_its_lower_bound(session: peekproof.Session) -> None:
    def failing(frame: pl.DataFrame) -> float:
        raise ValueError(f"secret {frame['x'][0]}")

    broken = peekproof.Statistic(name="x", function=failing, sensitivity=1 / ROWS, low=2, high=3)
    answer = session.measure(broken)

    assert 2 in answer
    assert answer.value < 2 + 5 * float(noise_of(session).sigma)
    assert used(session) == 1


@pytest.mark.parametrize("sensitivity", [0, -1, float("nan"), float("inf"), True, "1"])
def test_an_absurd_sensitivity_is_refused(sensitivity: float) -> None:
    with pytest.raises(InvalidInput, match="sensitivity"):
        peekproof.Statistic(name="x", function=median_of_x, sensitivity=sensitivity, low=0, high=1)


def test_forms_can_be_asked_together_and_are_charged_together(session: peekproof.Session) -> None:
    share, cells, level = session.respond(
        ["x > 0.5", "histogram(carrier, ('AA', 'UA'))", "quantile(x, 0.5, 0, 1)"]
    )

    assert isinstance(share, peekproof.Answer)
    assert isinstance(cells, peekproof.HistogramAnswer)
    assert isinstance(level, peekproof.QuantileAnswer)
    assert len(session.ledger.entries()) == 2  # opened, answered
    costs = [each.cost.amount for each in (share, cells, level)]
    assert sum(costs) == session.ledger.spent().amount
    json.dumps([each.to_dict() for each in (share, cells, level)])
    again = session.respond(["quantile(x, 0.5, 0, 1)", "x > 0.5"])
    assert all(each.replayed for each in again)


def test_a_batch_that_does_not_fit_is_refused_whole(session: peekproof.Session) -> None:
    fine = ["quantile(x, 0.5, 0, 1, 1000)", "x > 0.25"]
    small = peekproof.open(flights(), questions=2, mechanisms=GAUSSIAN)
    with pytest.raises(BudgetExhausted):
        small.respond(fine)

    assert small.ledger.spent().amount == 0
    assert small.remaining == 2


def test_all_forms_survive_the_file(tmp_path: Path) -> None:
    place = tmp_path / "ledger.peekproof"
    texts = [
        "mean(delay, -20, 120, -20)",
        "histogram(carrier, ('AA', 'UA'))",
        "quantile(x, 0.5, 0, 1)",
    ]
    names = ["m1", "m7"]
    with peekproof.open(flights(), questions=400, mechanisms=GAUSSIAN, ledger=place) as session:
        first = session.respond(texts)
        chosen = session.best(names)
    with peekproof.open(flights(), ledger=place) as session:
        again = session.respond(texts)
        assert session.best(names).index == chosen.index
        assert session.ledger.verify() == 3
    for old, new in zip(first, again, strict=True):
        assert new.replayed
        assert new.certificate == old.certificate
        assert str(new) == str(old)
        assert old.certificate.verify() == old.certificate


@pytest.mark.parametrize(
    "text", ["histogram(x, (0.5))", "histogram(carrier, ('AA', 'UA'))", "quantile(x, 0.5, 0, 1)"]
)
def test_what_is_no_number_needs_its_own_call(session: peekproof.Session, text: str) -> None:
    with pytest.raises(InvalidInput, match="call session"):
        session.ask(text)


@pytest.mark.parametrize("kind", KINDS)
def test_promises_without_a_clock_refuse_what_needs_one(
    kind: Kind,
) -> None:
    size = None if kind is peekproof.OpenEnded else 8
    session = peekproof.open(flights(), questions=size, mechanisms=[kind])
    for call in (
        lambda: session.histogram("histogram(x, (0.5, 0.6))"),
        lambda: session.quantile("quantile(x, 0.5, 0, 1)"),
        lambda: session.best(["m1", "m2"]),
        lambda: session.measure(
            peekproof.Statistic(name="x", function=median_of_x, sensitivity=1, low=0, high=1)
        ),
    ):
        with pytest.raises(InvalidInput, match="Gaussian"):
            call()
    assert session.ledger.spent().amount == 0
