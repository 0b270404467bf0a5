"""Sessions that a number of failed guesses ends: when they end, for whom, and what they promise."""

import threading
from fractions import Fraction
from math import ceil, comb, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from mpmath import log as mplog
from mpmath import mpf, mpmathify, workdps
from mpmath import sqrt as mpsqrt

import peekproof
from adversary.attacks import LABEL, draw_sample, features
from peekproof.audit.analysts.correlation import agreement
from peekproof.core.certificate import UNIT
from peekproof.core.errors import BudgetExhausted, FailuresExhausted
from peekproof.ledger.ledger import Written
from peekproof.mechanisms.base import Ask
from peekproof.query.form import FINE
from peekproof.query.question import parse_question
from peekproof.session.queries import ANY_SHARE
from peekproof.session.records import offer_of
from peekproof.testing.statistics import excess_p_value, statistical
from session.limited import DATA, QUESTIONS, ROWS, fail, limited, promised

FALSE_ALARM = 1e-8


# When it ends ----------------------------------------------------------------------------------


def test_it_ends_with_the_last_failure_and_not_before() -> None:
    with limited(failures=3) as session:
        for number in range(2):
            fail(session, number)
            assert session.ask(f"x > 0.5{number}", guess=0.5 - number / 100).value == (
                0.5 - number / 100
            )
        assert (session.failures, session.remaining) == (2, QUESTIONS - 4)
        last = session.ask("x > 0.2", guess=0.3)
        assert last.value == pytest.approx(0.8, abs=0.02)
        assert last.remaining == 0
        assert 0.8 in last
        assert (session.failures, session.remaining) == (3, 0)
        entries = len(session.ledger.entries())
        for text, guess in (("x > 0.7", 0.3), ("mean(y, 0, 100, 0)", 49.5)):
            with pytest.raises(FailuresExhausted) as caught:
                session.ask(text, guess=guess)
            assert caught.value.fields() == {"asked": 1, "failures": 3, "of_several": False}
        assert len(session.ledger.entries()) == entries


def test_what_was_answered_stays_free_after_the_end() -> None:
    with limited(failures=1) as session:
        passed = session.ask("x > 0.5", guess=0.5)
        failed = session.ask("x > 0.2", guess=0.3)
        for first in (passed, failed):
            again = session.ask(first.question)
            assert again.replayed
            assert (again.released, again.interval) == (first.released, first.interval)
            assert session.ask(first.question, guess=0.9).replayed
        assert [each.replayed for each in session.ask_many(["x > 0.2", "x > 0.5"])] == [True, True]
        with pytest.raises(FailuresExhausted) as caught:
            session.ask_many(["x > 0.5", "x > 0.6", "x > 0.7"])
        assert caught.value.asked == 2


def test_questions_can_run_out_before_failures_do() -> None:
    with limited(failures=5, questions=2) as session:
        fail(session, 1)
        session.ask("x > 0.5", guess=0.5)
        with pytest.raises(BudgetExhausted):
            session.ask("x > 0.6", guess=0.4)
        assert "1 of at most 5 failed" in repr(session)


def test_it_says_how_many_failed() -> None:
    with limited(failures=3) as session:
        fail(session, 1, 2)
        assert "checks guesses" in repr(session)
        assert "2 of at most 3 failed, 198 left" in repr(session)


def test_two_sessions_on_one_file_share_the_failures(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=3, ledger=place) as one, peekproof.open(DATA, ledger=place) as other:
        fail(one, 1)
        fail(other, 2)
        fail(one, 3)
        assert (one.failures, other.failures, other.remaining) == (3, 3, 0)
        for session in (one, other):
            with pytest.raises(FailuresExhausted):
                fail(session, 4)
        assert other.ask("x > 0.1001").replayed
    with peekproof.open(DATA, ledger=place) as later, pytest.raises(FailuresExhausted):
        later.ask("x > 0.5", guess=0.5)


def test_sessions_that_race_do_not_exceed_the_failures(tmp_path: Path) -> None:
    place, most, racers = tmp_path / "l.peekproof", 4, 4
    with limited(failures=most, ledger=place):
        pass
    start = threading.Barrier(racers)
    failed: list[int] = []
    refused: list[int] = []

    def race(racer: int) -> None:
        with peekproof.open(DATA, ledger=place) as session:
            start.wait(timeout=10)
            for number in range(3):
                try:
                    fail(session, 10 * racer + number)
                    failed.append(racer)
                except FailuresExhausted:
                    refused.append(racer)

    threads = [threading.Thread(target=race, args=(racer,)) for racer in range(racers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(failed), len(refused)) == (most, 3 * racers - most)
    with peekproof.open(DATA, ledger=place) as session:
        assert session.failures == most
        answered = [settled.text for settled in session.ledger.answers().values()]
        assert len(answered) == most
        session.ask(answered[0]).certificate.verify()


def test_what_was_never_answered_counts_as_failed(tmp_path: Path) -> None:
    place = tmp_path / "l.peekproof"
    with limited(failures=2, ledger=place) as session:
        draw = promised(session).offer(Ask(what=ANY_SHARE, guess=0.5), session.past)
        offer, asked = offer_of(draw, UNIT), parse_question("x > 0.7", session.schema)
        lost = session.ledger.lose({asked.digest: asked.text}, offers=lambda _: [offer])
        assert isinstance(lost, Written)
        assert session.failures == 1
    with peekproof.open(DATA, ledger=place) as session:
        fail(session, 1)
        assert session.remaining == 0
        with pytest.raises(FailuresExhausted):
            session.ask("x > 0.5", guess=0.5)
        session.ask("x > 0.1001").certificate.verify()


# What it promises ------------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "known"), [(0, 0.02485), (10, 0.04793), (30, 0.06814)])
def test_the_known_radii_at_half_of_the_data(before: int, known: float) -> None:
    """50,000 rows check, 1,000 questions, β = 0.05, and so many failures before the last."""
    half = {"x": np.random.default_rng(2).random(50_000)}
    with peekproof.open(
        half, questions=1000, mechanisms=[peekproof.LimitedChecking], failures=before + 1
    ) as session:
        tolerance = sqrt(log(2 * 1000 / 0.05) / 50_000)
        count = sum(comb(1000, j + 1) * ceil(2 / tolerance) ** j for j in range(before + 1))
        naive = tolerance + sqrt(log(2 * count / 0.05) / (2 * 50_000))

        assert round(session.plan.radius, 5) == known
        assert session.plan.radius == pytest.approx(naive, rel=1e-12)
        assert float(promised(session).tolerance) == pytest.approx(tolerance, rel=1e-12)


@pytest.mark.parametrize("failures", [1, 4])
def test_certificates_are_those_of_a_naive_count(failures: int) -> None:
    with limited(failures=failures, tolerance=0.03) as session:
        passed = session.ask("x > 0.5", guess=0.51)
        mean = session.ask("mean(y, 0, 100, 0)", guess=49)
        failed = session.ask("x > 0.7", guess=0.5)
        with workdps(40):
            bins = 67  # ⌈2/0.03⌉
            count = sum(comb(QUESTIONS, j + 1) * bins**j for j in range(failures))
            sampling = mpsqrt(mplog(mpf(40) * count) / (2 * ROWS))
            close = mpf(10) ** -11
            tolerance = mpmathify(Fraction(3, 100))
            for answer, exact in (
                (passed, tolerance + sampling),
                (mean, tolerance + sampling + mpf(1) / FINE),
                (failed, mpf(1) / (2 * bins) + sampling),
            ):
                radius = answer.certificate.radius
                assert exact <= radius <= exact * (1 + close)
        assert failed.released == Fraction(2 * int(np.mean(DATA["x"] > 0.7) * bins) + 1, 2 * bins)
        assert 0.3 in failed
        assert 0.5 in passed
        assert 49.5 in mean
        for answer in (passed, mean, failed):
            assert answer.certificate.verify() == answer.certificate
        assert {"T-check-halt", "T-check"} <= set(passed.certificate.theorems)
        assert "T-check" not in failed.certificate.theorems


def test_a_guess_near_the_edge_has_a_narrower_interval() -> None:
    with limited(tolerance=0.01) as session:
        edge = session.ask("x < 0.001", guess=0.001)
        middle = session.ask("x < 0.5", guess=0.5)

        assert edge.high < 0.8 * session.plan.radius
        assert middle.radius == pytest.approx(session.plan.radius, rel=0.01)


@statistical(false_alarm=FALSE_ALARM)
def test_a_vote_of_what_failed_misleads_no_session() -> None:
    """All agreements with a label that none has to do with, then the vote of those that failed.

    The mutant: the interval of that vote without a word about the failures before it.
    """
    sessions, signs, voters, most = 7, 2_000, 151, 62
    rng = np.random.default_rng(41)
    missed = fooled = 0
    for _ in range(sessions):
        sample, told, votes = draw_sample(signs, voters, rng), [], {}
        with peekproof.open(
            sample,
            questions=voters + 1,
            mechanisms=[peekproof.LimitedChecking],
            failures=most,
            tolerance=0.005,
        ) as session:
            for name in features(voters):
                told.append(session.ask(agreement(name, LABEL), guess=0.5))
                if told[-1].value != 0.5:
                    votes[name] = 1 if told[-1].value > 0.5 else -1
                if session.failures == most - 1:
                    break
            assert len(votes) == most - 1  # odd, so no vote ties
            terms = " ".join(f"{sign:+d}*{name}" for name, sign in votes.items())
            told.append(session.ask(f"({terms}) * {LABEL} > 0", guess=0.5))
            assert session.remaining == 0
        missed += any(0.5 not in answer for answer in told)
        forgetful = sqrt(log(2 * (voters + 1) / 0.05) / (2 * signs)) + 1 / 800
        fooled += abs(told[-1].value - 0.5) > forgetful

    assert excess_p_value(missed, trials=sessions, probability=0.05) > FALSE_ALARM
    assert excess_p_value(fooled, trials=sessions, probability=0.05) < FALSE_ALARM


# Who guesses -----------------------------------------------------------------------------------


def test_a_guesser_learns_from_failures() -> None:
    rng = np.random.default_rng(4)
    skewed = {"a": rng.random(ROWS) < 0.9, "b": rng.random(ROWS) < 0.2}
    weights = peekproof.learned_weights(peekproof.Domain({"a": (True, False), "b": (True, False)}))
    with peekproof.open(
        skewed,
        questions=QUESTIONS,
        mechanisms=[peekproof.LimitedChecking],
        failures=3,
        tolerance=0.05,
        guesser=weights,
    ) as session:
        session.ask_many(["a", "b"])
        assert (session.failures, weights.updates) == (2, 2)  # uniform weights guess one half
        both = session.ask("a and b")
        assert session.failures == 2
        assert 0.18 in both


def test_a_list_of_questions_ends_where_the_session_does() -> None:
    wrong = peekproof.Training({"x": np.zeros(10)})  # guesses that no x is above anything
    with limited(failures=2, guesser=wrong) as session:
        with pytest.raises(FailuresExhausted):
            session.ask_many(["x > 0.1", "x > 0.2", "x > 0.3"])
        assert session.failures == 2
        assert [each.replayed for each in session.ask_many(["x > 0.1", "x > 0.2"])] == [True] * 2


def test_guesses_from_as_many_training_rows_do_not_fail_by_chance() -> None:
    training = peekproof.Training({"x": np.random.default_rng(9).random(ROWS), "y": DATA["y"]})
    with limited(failures=1, guesser=training) as session:
        answers = session.ask_many([f"x > {number / 100}" for number in range(1, 100)])

        assert session.failures == 0
        assert all(1 - n / 100 in answer for n, answer in enumerate(answers, 1))
