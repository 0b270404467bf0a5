from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import peekproof
from peekproof.audit.demonstration import HeldFast, Holdout, NoiseOnlyHoldout, PlainHoldout
from peekproof.audit.opponents.protocol import Reply
from peekproof.core.errors import BudgetExhausted, UnknownColumn
from peekproof.data.load import in_memory
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical

FALSE_ALARM = 1e-9
ROWS = 700
VALUES = np.random.default_rng(7).normal(size=ROWS)
CUTS = [-1.0, 0.0, 0.5, 2.0]
QUESTIONS = [f"x > {cut}" for cut in CUTS]
SHARES = [float(np.mean(cut < VALUES)) for cut in CUTS]

SIGMA = Fraction(1, 40)


def noisy(*, seed: int, sigma: Fraction = SIGMA) -> NoiseOnlyHoldout:
    return NoiseOnlyHoldout(in_memory({"x": VALUES}), sigma=sigma, rng=Seeded(seed))


def test_a_reply_contains_its_ends_and_nothing_beyond() -> None:
    reply = Reply(0.5, 0.25, 0.75)

    assert all(share in reply for share in (0.25, 0.5, 0.75))
    assert 0.2499 not in reply
    assert 0.7501 not in reply


def test_the_plain_holdout_is_exact_with_a_textbook_interval() -> None:
    replies = PlainHoldout(in_memory({"x": VALUES})).reply(QUESTIONS)

    assert [reply.value for reply in replies] == SHARES
    for reply, share in zip(replies, SHARES, strict=True):
        radius = 1.96 * sqrt(share * (1 - share) / ROWS)
        assert reply.low == pytest.approx(share - radius, abs=1e-12)
        assert reply.high == pytest.approx(share + radius, abs=1e-12)


def test_the_plain_holdout_is_sure_of_what_all_rows_share() -> None:
    nothing, everything = PlainHoldout(in_memory({"x": VALUES})).reply(["x > 99", "x < 99"])

    assert nothing == Reply(0.0, 0.0, 0.0)
    assert everything == Reply(1.0, 1.0, 1.0)


def test_the_plain_holdout_repeats_itself_however_it_is_asked() -> None:
    holdout = PlainHoldout(in_memory({"x": VALUES}))

    assert holdout.reply(QUESTIONS) == [holdout.reply([text])[0] for text in QUESTIONS]


def test_one_question_in_two_spellings_has_one_share() -> None:
    replies = PlainHoldout(in_memory({"x": VALUES})).reply(["x > 0", "0 < x", "x > 0.5"])

    assert [reply.value for reply in replies] == [SHARES[1], SHARES[1], SHARES[2]]


def test_the_noisy_interval_is_as_wide_as_the_noise_alone() -> None:
    for reply in noisy(seed=1).reply(QUESTIONS):
        assert reply.value - reply.low == pytest.approx(1.96 * float(SIGMA), abs=1e-12)
        assert reply.high - reply.value == pytest.approx(1.96 * float(SIGMA), abs=1e-12)


def test_the_noise_comes_from_the_given_source_and_is_new_for_every_reply() -> None:
    holdout = noisy(seed=1)
    first, second = holdout.reply(QUESTIONS), holdout.reply(QUESTIONS)

    assert noisy(seed=1).reply(QUESTIONS) == first
    assert first != second


@statistical(false_alarm=FALSE_ALARM)
def test_the_noisy_interval_is_right_about_the_sample() -> None:
    trials = 2_000
    share = SHARES[CUTS.index(0.0)]

    def misses(*, drawn: Fraction, seed: int) -> int:
        """Intervals of the width for SIGMA, around values with noise `drawn`."""
        radius = 1.96 * float(SIGMA)
        holdout = noisy(seed=seed, sigma=drawn)
        values = [holdout.reply(["x > 0"])[0].value for _ in range(trials)]
        return sum(abs(value - share) > radius for value in values)

    def p_value(hits: int) -> float:
        # 1.96 is the point of 0.049996; rounding to the grid of 2^-20 is far below the slack.
        return excess_p_value(hits, trials=trials, probability=0.0501)

    assert p_value(misses(drawn=SIGMA, seed=2)) > FALSE_ALARM / 2
    assert p_value(misses(drawn=2 * SIGMA, seed=2)) < FALSE_ALARM / 2
    # As many hits as trials allow would also be wrong: an interval that is too wide.
    hits = trials - misses(drawn=SIGMA, seed=3)
    assert excess_p_value(hits, trials=trials, probability=0.9501) > FALSE_ALARM / 2
    hits = trials - misses(drawn=SIGMA / 2, seed=3)
    assert excess_p_value(hits, trials=trials, probability=0.9501) < FALSE_ALARM / 2


def test_peekproof_replies_are_the_answers_of_its_session() -> None:
    with peekproof.open({"x": VALUES}, questions=5, entropy=Seeded(1)) as session:
        replies = HeldFast(session).reply(QUESTIONS)
        answers = session.ask_many(QUESTIONS)

        assert session.remaining == 1
        assert all(answer.replayed for answer in answers)
        assert replies == [Reply(each.value, each.low, each.high) for each in answers]
        with pytest.raises(BudgetExhausted):
            HeldFast(session).reply(["x > 7", "x > 8"])


def test_every_holdout_reads_questions_alike() -> None:
    with peekproof.open({"x": VALUES}, questions=5, entropy=Seeded(1)) as session:
        holdouts: list[Holdout] = [
            PlainHoldout(in_memory({"x": VALUES})),
            noisy(seed=1),
            HeldFast(session),
        ]
        for holdout in holdouts:
            assert len(holdout.reply(QUESTIONS)) == len(QUESTIONS)
            with pytest.raises(UnknownColumn):
                holdout.reply(["z > 0"])
