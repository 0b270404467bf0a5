"""Holdfast: answers to adaptively chosen questions, with intervals for the population.

    import holdfast

    with holdfast.open("people.csv", confidence=0.95, questions=1000) as data:
        answer = data.ask("age > 50 and income < 30000")
        print(answer.value, answer.low, answer.high)

Names are imported when they are first used, so that `import holdfast` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.core.answer import Answer
    from holdfast.core.certificate import Certificate
    from holdfast.core.choice import Choice
    from holdfast.core.errors import (
        BudgetExhausted,
        CertificateMismatch,
        DataError,
        EvaluationFailed,
        HoldfastError,
        InvalidInput,
        LedgerDamaged,
        LedgerError,
        LedgerMismatch,
        LedgerMissing,
        LedgerTooNew,
        LedgerUnavailable,
        QuestionError,
        Refusal,
        RoundsExhausted,
        TypeMismatch,
        UnknownColumn,
        VacuousPlan,
    )
    from holdfast.core.histogram_answer import HistogramAnswer
    from holdfast.core.interval import Interval
    from holdfast.core.quantile_answer import QuantileAnswer
    from holdfast.core.target import Target
    from holdfast.data.statistic import Statistic
    from holdfast.guess.domain import Domain, Ranges
    from holdfast.mechanisms.checking import Checking
    from holdfast.mechanisms.gaussian import Gaussian
    from holdfast.mechanisms.laplace import Laplace
    from holdfast.mechanisms.open_ended import OpenEnded
    from holdfast.mechanisms.rounds import Rounds
    from holdfast.mechanisms.splitting import Splitting
    from holdfast.mechanisms.truncation import Truncation
    from holdfast.mechanisms.votes import Votes
    from holdfast.planner.own import Price
    from holdfast.planner.plan import Plan, plan
    from holdfast.session.guessers import Training, consistent_median, learned_weights
    from holdfast.session.opening import open
    from holdfast.session.session import Session

__version__ = "0.1.0"

_ERRORS = (
    "BudgetExhausted",
    "CertificateMismatch",
    "DataError",
    "EvaluationFailed",
    "HoldfastError",
    "InvalidInput",
    "LedgerDamaged",
    "LedgerError",
    "LedgerMismatch",
    "LedgerMissing",
    "LedgerTooNew",
    "LedgerUnavailable",
    "QuestionError",
    "Refusal",
    "RoundsExhausted",
    "TypeMismatch",
    "UnknownColumn",
    "VacuousPlan",
)

_HOMES = {
    "Answer": "holdfast.core.answer",
    "Choice": "holdfast.core.choice",
    "HistogramAnswer": "holdfast.core.histogram_answer",
    "QuantileAnswer": "holdfast.core.quantile_answer",
    "Statistic": "holdfast.data.statistic",
    "Checking": "holdfast.mechanisms.checking",
    "Domain": "holdfast.guess.domain",
    "Ranges": "holdfast.guess.domain",
    "Training": "holdfast.session.guessers",
    "consistent_median": "holdfast.session.guessers",
    "learned_weights": "holdfast.session.guessers",
    "Gaussian": "holdfast.mechanisms.gaussian",
    "Laplace": "holdfast.mechanisms.laplace",
    "OpenEnded": "holdfast.mechanisms.open_ended",
    "Price": "holdfast.planner.own",
    "Rounds": "holdfast.mechanisms.rounds",
    "Splitting": "holdfast.mechanisms.splitting",
    "Truncation": "holdfast.mechanisms.truncation",
    "Votes": "holdfast.mechanisms.votes",
    "Certificate": "holdfast.core.certificate",
    "Interval": "holdfast.core.interval",
    "Plan": "holdfast.planner.plan",
    "Session": "holdfast.session.session",
    "Target": "holdfast.core.target",
    "open": "holdfast.session.opening",
    "plan": "holdfast.planner.plan",
    **dict.fromkeys(_ERRORS, "holdfast.core.errors"),
}

__all__ = [
    "Answer", "BudgetExhausted", "Certificate", "CertificateMismatch", "Checking", "Choice",
    "DataError", "Domain", "EvaluationFailed", "Gaussian", "HistogramAnswer", "HoldfastError",
    "Interval", "InvalidInput", "Laplace", "LedgerDamaged", "LedgerError", "LedgerMismatch",
    "LedgerMissing", "LedgerTooNew", "LedgerUnavailable", "OpenEnded", "Plan", "Price",
    "QuantileAnswer", "QuestionError", "Ranges", "Refusal", "Rounds", "RoundsExhausted", "Session",
    "Splitting", "Statistic", "Target", "Training", "Truncation", "TypeMismatch", "UnknownColumn",
    "VacuousPlan", "Votes", "consistent_median", "learned_weights", "open", "plan",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
