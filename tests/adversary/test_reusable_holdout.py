"""Analysts who learn labels that are coin flips: plain holdouts and leaderboards believe them.

Entry (i, j) of a table says whether variable j predicts the label of row i. All are fair coins, so
the truth about every predictor, majority votes of an odd number included, is one half.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from peekproof.core.certificate import Certificate, Target
from peekproof.core.secret import Exact
from peekproof.mechanisms.ladder import Improved, Ladder
from peekproof.mechanisms.thresholdout import Corrected, Stands, Thresholdout
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical

FALSE_ALARM = 1e-9
HALF = Fraction(1, 2)

Right = NDArray[np.int8]


def coins(rng: np.random.Generator, rows: int, variables: int) -> Right:
    bits = np.unpackbits(rng.integers(0, 256, (rows, -(-variables // 8)), dtype=np.uint8), axis=1)
    return bits[:, :variables].astype(np.int8)


def majority_right(right: Right, votes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows a vote of variables, each for (1), against (−1) or left out (0), gets right."""
    if np.abs(votes).sum() % 2 == 0:  # an odd number cannot tie
        votes = votes.copy()
        votes[0] = 0 if votes[0] else 1
    tally = (2 * right.astype(np.float32) - 1) @ votes.astype(np.float32)
    return np.asarray(tally > 0)


def votes_for(counts: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """For the variables that were right about more than half of the rows, against the others."""
    return np.sign(2 * counts - rows).astype(np.int64)


def misses(certificate: Certificate, said: list[Fraction]) -> bool:
    return any(0.5 not in certificate.interval(share) for share in said)


@statistical(false_alarm=3 * FALSE_ALARM)
def test_the_reusable_holdout_effect() -> None:
    """500 rows to train, 500 held out, 200 variables, each asked about; then a vote of all.

    Asked plainly, the holdout says that the vote is good. Asked whether the training share is
    right, it says yes about the variables, and so has told nothing that helps to fit it.
    """
    rows, variables, trials = 500, 200, 40
    target = Target.of(confidence=0.95, questions=variables + 1)
    mechanism = Thresholdout(
        rows=rows, threshold=80, epsilon=HALF, corrections=1, questions=variables + 1
    )
    promises = {
        Stands: mechanism.certify_standing(target),
        Corrected: mechanism.certify_corrected(target),
    }
    assert max(promise.radius for promise in promises.values()) < 0.5
    data, noise = np.random.default_rng(1), Seeded(1)
    naive, corrected, missed = [], [], 0

    for _ in range(trials):
        train, holdout = coins(data, rows, variables), coins(data, rows, variables)
        trained, held = train.sum(axis=0), holdout.sum(axis=0)
        naive.append(majority_right(holdout, votes_for(held, rows)).mean())

        run, said = mechanism.start_run(rng=noise), list[Stands | Corrected]()
        for count, guess in zip(held, trained, strict=True):
            said.append(run.release(Exact(int(count)), guess=Fraction(int(guess), rows)))
            if isinstance(said[-1], Corrected):
                break  # the only correction is used up
        else:
            votes = votes_for(np.array([int(one.share * rows) for one in said]), rows)
            said.append(
                run.release(
                    Exact(int(majority_right(holdout, votes).sum())),
                    guess=Fraction(int(majority_right(train, votes).sum()), rows),
                )
            )
            if isinstance(said[-1], Corrected):
                corrected.append(float(said[-1].share))
        missed += any(misses(promises[type(one)], [one.share]) for one in said)

    assert np.mean(naive) > 0.58  # although the truth is one half
    assert excess_p_value(missed, trials=trials, probability=0.05) > FALSE_ALARM
    # Many hear at the end that their vote, far better than chance in training, is not.
    assert len(corrected) > 8
    assert np.median(corrected) < 0.58


@statistical(false_alarm=2 * FALSE_ALARM)
def test_certificates_cover_an_attack_that_breaks_a_plain_holdout() -> None:
    """Guesses as wrong as may stand, corrections that are followed, a vote of the best at the end.

    The mutants leave the threshold, or the noise of corrections, out of the radius.
    """
    rows, variables, trials = 20_000, 61, 40
    target = Target.of(confidence=0.95, questions=variables + 1)
    mechanism = Thresholdout(
        rows=rows,
        threshold=2000,
        epsilon=Fraction(1, 10),
        corrections=2,
        questions=variables + 1,
        comparing=Fraction(49, 50),
    )
    stands, told = mechanism.certify_standing(target), mechanism.certify_corrected(target)
    assert max(stands.radius, told.radius) < 0.3
    no_threshold = Certificate(target=target, rows=rows, joins=stands.joins, parts=stands.parts[1:])
    no_noise = Certificate(target=target, rows=rows, joins=told.joins, parts=told.parts[1:])
    plain = sqrt(log(2 * (variables + 1) / 0.05) / (2 * rows))
    data, noise = np.random.default_rng(2), Seeded(2)
    missed = {"certified": 0, "no threshold": 0, "no noise": 0, "plain": 0}

    for _ in range(trials):
        holdout = coins(data, rows, variables)
        held = holdout.sum(axis=0)
        best = majority_right(holdout, votes_for(held, rows)).mean()
        missed["plain"] += abs(best - 0.5) > plain

        run, votes = mechanism.start_run(rng=noise), np.ones(variables, dtype=np.int64)
        let_stand: list[Fraction] = []
        corrections: list[Fraction] = []
        crossed = 0
        for j in range(variables + 1):
            # The first guess and the last are far off; the others are wrong, and mostly stand.
            guess = Fraction(1) if j in (0, variables) else Fraction(58, 100)
            count = held[j] if j < variables else majority_right(holdout, votes).sum()
            answer = run.release(Exact(int(count)), guess=guess)
            if isinstance(answer, Stands):
                let_stand.append(answer.share)
                continue
            corrections.append(answer.share)
            crossed += 1
            if j < variables and answer.share < HALF:
                votes[j] = -1
            if crossed == mechanism.corrections:
                break
        missed["certified"] += misses(stands, let_stand) or misses(told, corrections)
        missed["no threshold"] += misses(no_threshold, let_stand)
        missed["no noise"] += misses(no_noise, corrections)

    chance = {
        name: excess_p_value(count, trials=trials, probability=0.05)
        for name, count in missed.items()
    }
    assert chance["certified"] > FALSE_ALARM
    assert chance["no threshold"] < FALSE_ALARM
    assert chance["no noise"] < FALSE_ALARM
    assert chance["plain"] < FALSE_ALARM


@statistical(false_alarm=2 * FALSE_ALARM)
def test_a_vote_of_the_best_submissions_cannot_climb_the_ladder() -> None:
    """2,000 random submissions, then a vote of those that scored; on an exact board it wins."""
    rows, submissions, trials = 2000, 1999, 12
    target = Target.of(confidence=0.95, questions=submissions + 1)
    ladder = Ladder(rows=rows, step=Fraction(1, 20), questions=submissions + 1)
    promise, shown = ladder.certify(target), ladder.certify_improvement(target)
    assert promise.radius < 0.25
    data = np.random.default_rng(3)
    missed, fooled = 0, 0

    for _ in range(trials):
        right = coins(data, rows, submissions)
        scores = right.sum(axis=0)
        boosted = majority_right(right, np.where(scores > rows / 2, 1, -1))
        fooled += 0.5 not in promise.interval(Fraction(int(boosted.sum()), rows))

        run, votes = ladder.start(rng=Seeded(0)), np.zeros(submissions, dtype=np.int64)
        said = []
        for j, score in enumerate(scores):
            said.append(run.release(Exact(int(score))))
            votes[j] = isinstance(said[-1], Improved)
        said.append(run.release(Exact(int(majority_right(right, votes).sum()))))
        bests = list({one.best for one in said})
        improved = [one.best for one in said if isinstance(one, Improved)]
        missed += misses(promise, bests) or misses(shown, improved)
        assert abs(said[-1].best - HALF) <= Fraction(1, 10)

    assert excess_p_value(missed, trials=trials, probability=0.05) > FALSE_ALARM
    assert excess_p_value(fooled, trials=trials, probability=0.05) < FALSE_ALARM
