"""Sessions with Laplace noise: pure differential privacy, and a radius that is about the best."""

from fractions import Fraction
from math import log, tanh

import pytest

import peekproof
from peekproof.core.certificate import Target
from peekproof.core.charge import PureDP
from peekproof.core.errors import BudgetExhausted
from peekproof.mechanisms.laplace import Laplace, best_laplace


@pytest.mark.parametrize(("rows", "questions"), [(10_000, 1), (10_000, 10), (10**6, 40)])
def test_no_scale_nearby_is_much_better(rows: int, questions: int) -> None:
    target = Target(confidence=Fraction(19, 20), questions=questions)
    found = best_laplace(rows, target)
    radius = found.certify(target).radius
    scale = float(found.scale)
    scan = min(
        b * (1 + log(questions / 0.05)) + tanh(questions / (4 * rows * b))
        for b in (scale * 1.02**step for step in range(-200, 200))
    )

    assert radius == pytest.approx(scan, rel=0.01)
    assert found.cost() == PureDP(1 / (rows * found.scale))


def test_the_budget_is_epsilon_and_it_runs_out() -> None:
    numbers = {"x": [i / 2000 for i in range(2000)]}
    with peekproof.open(numbers, questions=3, mechanisms=[Laplace]) as session:
        answers = session.ask_many(["x > 0.25", "x > 0.5", "mean(x, 0, 1, 0)"])
        with pytest.raises(BudgetExhausted):
            session.ask("x > 0.75")
        total = session.ledger.spent()

    assert isinstance(total, PureDP)
    assert total.amount == sum(each.cost.amount for each in answers)
    assert session.plan.budget == total
    for answer, truth in zip(answers, (0.75, 0.5, 0.5), strict=True):
        assert abs(answer.value - truth) < answer.radius


def test_the_ledger_rebuilds_the_promise(tmp_path: object) -> None:
    place = f"{tmp_path}/ledger.peekproof"
    numbers = {"x": [i / 2000 for i in range(2000)]}
    with peekproof.open(numbers, questions=3, mechanisms=[Laplace], ledger=place) as session:
        share, mean = session.ask_many(["x > 0.25", "mean(x, 0, 1, 0)"])
    with peekproof.open(numbers, ledger=place) as session:
        assert session.ask("x > 0.25").certificate == share.certificate
        assert session.ask("mean(x, 0, 1, 0)").certificate == mean.certificate

    # Noise on finer totals is nearly continuous, and its bound a little larger than on counts.
    assert mean.certificate.parts[0].radius > share.certificate.parts[0].radius
