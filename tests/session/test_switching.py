"""Guesses on some rows, noise on others: which one is asked, and that both keep their promise."""

from fractions import Fraction

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.session.session import Session

AGES = np.random.default_rng(4).normal(45, 15, 60_000)


def checks(rows: int = 20_000, **arguments: object) -> Session:
    arguments = {"questions": 200, "confidence": 0.975, **arguments}
    return peekproof.open({"age": AGES[:rows]}, mechanisms=[peekproof.Checking], **arguments)  # type: ignore[arg-type]


def noise(**arguments: object) -> Session:
    arguments = {"questions": 200, "confidence": 0.975, **arguments}
    return peekproof.open({"age": AGES[20_000:]}, mechanisms=[peekproof.Gaussian], **arguments)  # type: ignore[arg-type]


def share(years: float) -> float:
    return float(np.mean(years < AGES))


def test_good_guesses_are_checked_and_never_reach_the_noise() -> None:
    with peekproof.Switching(checks=checks(), noise=noise()) as both:
        answers = [both.ask(f"age > {years}", guess=share(years)) for years in range(20, 70)]

        assert both.failures == 0
        assert both.noise.remaining == 200
        assert all(
            share(years) in answer for years, answer in zip(range(20, 70), answers, strict=True)
        )


def test_failures_that_pile_up_send_questions_to_the_noise() -> None:
    with peekproof.Switching(checks=checks(), noise=noise()) as both:
        asked = range(20, 70)
        answers = [both.ask(f"age > {years}", guess=0.5) for years in asked]

        switched = 200 - both.noise.remaining
        assert 2 < both.failures < 45
        assert switched == 50 - (200 - both.checks.remaining) > 0
        # From the switch on it stays there: the past of the checks does not change any more.
        assert {len(each.certificate.parts) for each in answers[-switched:]} == {
            len(both.noise.plan.certificate.parts)
        }
        # It switched when, and not before, passing would have been as wide as noise.
        wide = both.checks.price_of("age > 18.5", guess=0.5).certificate.radius
        assert wide > both.noise.plan.radius
        assert all(share(years) in answer for years, answer in zip(asked, answers, strict=True))


def test_what_either_has_answered_is_free_and_the_narrower_is_told() -> None:
    with peekproof.Switching(checks=checks(), noise=noise()) as both:
        first = both.ask("age > 40", guess=share(40))
        both.noise.ask("age > 50")
        left = both.remaining

        assert both.ask("age > 40").released == first.released
        assert (
            both.ask("not (age <= 50)", guess=0.9).released == both.noise.ask("age > 50").released
        )
        both.noise.ask("age > 40")
        assert both.ask("age > 40").radius == first.radius
        assert both.remaining == left - 1


def test_a_tolerance_that_failures_left_no_room_for_goes_to_the_noise() -> None:
    with peekproof.Switching(checks=checks(), noise=noise()) as both:
        assert both.checks_next("age > 40", guess=0.6, tolerance=0.05)
        assert not both.checks_next("age > 40", guess=0.6, tolerance=0.001)
        with pytest.raises(InvalidInput, match="guess"):
            both.ask("age > 40")  # and nobody guesses


def test_the_last_questions_go_where_there_is_room() -> None:
    with peekproof.Switching(checks=checks(questions=2), noise=noise()) as both:
        for years in (30, 40, 50):
            both.ask(f"age > {years}", guess=share(years))
        assert (both.checks.remaining, both.noise.remaining) == (0, 199)
    with peekproof.Switching(checks=checks(), noise=noise(questions=1)) as both:
        both.noise.ask("age > 30")
        assert both.checks_next("age > 40", guess=0.5, tolerance=0.9)


def test_the_failure_probabilities_are_added() -> None:
    with peekproof.Switching(checks=checks(), noise=noise(confidence=0.99)) as both:
        assert both.confidence == Fraction(965, 1000)
        assert "at confidence 0.965" in repr(both)


def test_means_are_compared_in_the_same_units() -> None:
    with peekproof.Switching(checks=checks(), noise=noise()) as both:
        assert both.checks_next("mean(age, 0, 100)", guess=45, tolerance=2)
        assert not both.checks_next("mean(age, 0, 100)", guess=45, tolerance=50)


def test_sessions_that_do_not_go_together_are_refused() -> None:
    with checks() as first, noise() as second:
        with pytest.raises(InvalidInput, match="checks must be a session that checks"):
            peekproof.Switching(checks=second, noise=second)
        with pytest.raises(InvalidInput, match="without guesses"):
            peekproof.Switching(checks=first, noise=first)
        same = peekproof.open({"age": AGES[:20_000]}, mechanisms=[peekproof.Gaussian], questions=5)
        with pytest.raises(InvalidInput, match="other rows"), same:
            peekproof.Switching(checks=first, noise=same)
        other = peekproof.open({"years": AGES[20_000:]}, questions=50)
        with pytest.raises(InvalidInput, match="columns years"), other:
            peekproof.Switching(checks=first, noise=other)


def test_a_price_is_told_before_a_guess_is_checked() -> None:
    with checks() as session:
        price = session.price_of("age > 40", guess=0.63)
        answer = session.ask("age > 40", guess=0.63)

        assert answer.released == Fraction(63, 100)
        assert price.certificate.radius == answer.certificate.radius
        assert price.questions == 1
        with pytest.raises(InvalidInput, match="radius"):
            session.price_of("age > 41", guess=0.6, radius=0.1)
        with pytest.raises(InvalidInput, match="guess"):
            session.price_of("age > 45")
    with noise() as session, pytest.raises(InvalidInput, match="guess"):
        session.price_of("age > 45", guess=0.5)
