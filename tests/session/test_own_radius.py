"""Questions with a radius of their own, in a real session."""

from pathlib import Path

import pytest

from peekproof.core.errors import BudgetExhausted, InvalidInput
from session.conftest import Opener
from session.people import noise_of


def test_what_is_priced_is_what_is_charged(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=100)
    radius = 0.95 * session.plan.radius
    price = session.price(radius)
    before = session.ledger.spent()
    answer = session.ask("age > 50", radius=radius)

    spent = session.ledger.spent().amount - before.amount
    assert answer.cost == price.cost
    assert spent == price.cost.amount
    assert answer.radius <= radius
    assert answer.certificate.joins == "T-own-radius"
    assert session.remaining == (100 - price.questions) // 1


def test_terms_survive_the_file_and_the_answer_is_free(csv: Path, opened: Opener) -> None:
    with opened(csv, questions=100) as session:
        fine = session.ask("age > 50", radius=0.95 * session.plan.radius)
        plain = session.ask("age > 60")
    again = opened(csv)

    assert again.ask("age > 50").interval == fine.interval
    assert again.ask("age > 60").interval == plain.interval
    assert again.ask("age > 50").certificate == fine.certificate
    assert again.ask("age > 50", radius=0.3).interval == fine.interval
    assert fine.certificate.verify() == fine.certificate


def test_coarse_questions_save_the_clock_but_not_the_draws(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=6)
    coarse = 2 * session.plan.radius
    assert session.price(coarse).questions < 1
    session.ask_many([f"age > {i}" for i in range(20, 25)], radius=coarse)

    assert session.ledger.spent().amount < 5 * noise_of(session).cost().amount
    assert session.remaining == 1
    session.ask("age > 80")
    with pytest.raises(BudgetExhausted):
        session.ask("age > 81", radius=coarse)


def test_a_price_beyond_the_budget_is_refused_and_costs_nothing(csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=3)
    for share in (99, 97, 95, 93, 91):
        radius = session.plan.radius * share / 100
        try:
            price = session.price(radius)
        except ValueError:
            break
        if price.questions > 3:
            with pytest.raises(BudgetExhausted):
                session.ask("age > 50", radius=radius)
            break
    assert session.remaining == 3
    assert not session.ledger.draws()


def test_what_was_answered_is_priced_as_it_was_answered(csv: Path, opened: Opener) -> None:
    with opened(csv, questions=100) as session:
        coarse = session.ask("age > 50", radius=0.4)
    session = opened(csv)
    price = session.price_of("50 < age", radius=0.9 * session.plan.radius)

    assert price.known
    assert price.certificate == coarse.certificate
    assert price.cost.amount == price.questions == price.draws == 0
    assert price.affordable(0) == 1
    assert not session.price_of("age > 51", radius=0.4).known
    assert "answered before" in price._repr_html_()


@pytest.mark.parametrize("question", ["age > 50", "mean(age, 0, 200)", "age > 50 given age > 20"])
def test_a_radius_that_says_nothing_is_refused(question: str, csv: Path, opened: Opener) -> None:
    session = opened(csv, questions=100)
    width = 200 if "mean" in question else 1
    for radius in (0.5 * width, 1e308):
        with pytest.raises(InvalidInput, match=r"below 0\.5"):
            session.respond([question], radius=radius)
        with pytest.raises(InvalidInput, match=r"below 0\.5"):
            session.price_of(question, radius=radius)
    assert not session.ledger.draws()
    session.respond([question], radius=0.499 * width)
