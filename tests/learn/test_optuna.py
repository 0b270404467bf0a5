"""Studies of Optuna whose trials are scored on a holdout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import optuna
import pytest

import peekproof
from learn.holdouts import Cut, cuts, opened, rows


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


def study_of() -> optuna.Study:
    return optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))


@pytest.mark.parametrize("threads", [1, 4])
def test_a_study_is_scored_trial_by_trial(threads: int, tmp_path: Path) -> None:
    features, labels = rows(1)

    def objective(trial: optuna.Trial) -> float:
        trial.suggest_float("unused", -2, 2)
        model = Cut(cuts(12)[trial.number])  # never the same predictions twice
        guess = float(np.mean(model.predict(features) == labels))
        answer = holdout.score(model, guess=guess, trained_on=len(labels))
        trial.set_user_attr("interval", (answer.low, answer.high))
        return answer.value

    with opened(tmp_path / "ledger") as holdout:
        study = study_of()
        study.optimize(objective, n_trials=12, n_jobs=threads)
        low, high = study.best_trial.user_attrs["interval"]
        assert low <= study.best_value <= high
        assert 100 - holdout.left == len(holdout.answers()) == 12
        holdout.desk.session.ledger.verify()


def test_a_study_ends_with_the_budget(tmp_path: Path) -> None:
    with opened(tmp_path / "ledger", questions=3) as holdout:
        study = study_of()
        with pytest.raises(peekproof.BudgetExhausted):
            study.optimize(
                lambda trial: holdout.score(Cut(cuts(10)[trial.number])).value,
                n_trials=10,
            )
        assert holdout.left == 0
        assert len(study.get_trials(states=[optuna.trial.TrialState.COMPLETE])) == 3
