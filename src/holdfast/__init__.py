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
    from holdfast.client.connecting import connect
    from holdfast.client.session import RemoteSession
    from holdfast.core.answer import Answer
    from holdfast.core.certificate import Certificate
    from holdfast.core.choice import Choice
    from holdfast.core.errors import (
        CertificateMismatch,
        DataChanged,
        DataError,
        EvaluationFailed,
        HoldfastError,
        InvalidInput,
        LedgerClosed,
        LedgerDamaged,
        LedgerError,
        LedgerMismatch,
        LedgerMissing,
        LedgerTooNew,
        LedgerUnavailable,
        QuestionError,
        Refusal,
        TypeMismatch,
        UnknownColumn,
    )
    from holdfast.core.frames import to_pandas
    from holdfast.core.gateway_errors import (
        GatewayError,
        GatewayUnavailable,
        KeyInUse,
        Malformed,
        NotAllowed,
        NotServed,
        NotThisWay,
        TooLarge,
        TooManyRequests,
        TooSlow,
        Unauthenticated,
    )
    from holdfast.core.histogram_answer import HistogramAnswer
    from holdfast.core.interval import Interval
    from holdfast.core.quantile_answer import QuantileAnswer
    from holdfast.core.refusals import (
        BudgetExhausted,
        FailuresExhausted,
        RoundsExhausted,
        ShareExhausted,
        VacuousPlan,
    )
    from holdfast.core.target import Target
    from holdfast.core.witness_errors import BudgetElsewhere, LedgerRolledBack, WitnessDamaged
    from holdfast.data.frame import split
    from holdfast.data.load import load
    from holdfast.data.source import Source
    from holdfast.data.statistic import Statistic
    from holdfast.derive.within import ConditionalAnswer, GroupedAnswer
    from holdfast.guess.domain import Domain, Ranges
    from holdfast.learn.board.board import Board
    from holdfast.learn.board.export import verify_export
    from holdfast.learn.choosing import Best
    from holdfast.learn.comparing import Comparison
    from holdfast.learn.holdout import Holdout
    from holdfast.learn.metrics.custom import metric
    from holdfast.learn.scorer import HoldoutScorer
    from holdfast.learn.searching import Search
    from holdfast.mechanisms.checking import Checking
    from holdfast.mechanisms.gaussian import Gaussian
    from holdfast.mechanisms.laplace import Laplace
    from holdfast.mechanisms.limited_checking import LimitedChecking
    from holdfast.mechanisms.open_ended import OpenEnded
    from holdfast.mechanisms.rounds import Rounds
    from holdfast.mechanisms.splitting import Splitting
    from holdfast.mechanisms.thresholdout import Thresholdout
    from holdfast.mechanisms.truncation import Truncation
    from holdfast.mechanisms.votes import Votes
    from holdfast.planner.own import Price
    from holdfast.planner.plan import Plan, plan
    from holdfast.session.guessers import Training, consistent_median, learned_weights
    from holdfast.session.history import History, Recorded
    from holdfast.session.opening import open
    from holdfast.session.session import Session
    from holdfast.session.switching import Switching

__version__ = "0.1.0"

_ERRORS = (
    "CertificateMismatch",
    "DataChanged",
    "DataError",
    "EvaluationFailed",
    "HoldfastError",
    "InvalidInput",
    "LedgerClosed",
    "LedgerDamaged",
    "LedgerError",
    "LedgerMismatch",
    "LedgerMissing",
    "LedgerTooNew",
    "LedgerUnavailable",
    "QuestionError",
    "Refusal",
    "TypeMismatch",
    "UnknownColumn",
)

_REFUSALS = (
    "BudgetExhausted",
    "FailuresExhausted",
    "RoundsExhausted",
    "ShareExhausted",
    "VacuousPlan",
)

_OF_GATEWAYS = (
    "GatewayError",
    "GatewayUnavailable",
    "KeyInUse",
    "Malformed",
    "NotAllowed",
    "NotServed",
    "NotThisWay",
    "TooLarge",
    "TooManyRequests",
    "TooSlow",
    "Unauthenticated",
)

_IN_DOUBT = ("BudgetElsewhere", "LedgerRolledBack", "WitnessDamaged")

_HOMES = {
    "Answer": "holdfast.core.answer",
    "Choice": "holdfast.core.choice",
    "HistogramAnswer": "holdfast.core.histogram_answer",
    "QuantileAnswer": "holdfast.core.quantile_answer",
    "ConditionalAnswer": "holdfast.derive.within",
    "GroupedAnswer": "holdfast.derive.within",
    "Source": "holdfast.data.source",
    "Statistic": "holdfast.data.statistic",
    "load": "holdfast.data.load",
    "metric": "holdfast.learn.metrics.custom",
    "split": "holdfast.data.frame",
    "Board": "holdfast.learn.board.board",
    "Checking": "holdfast.mechanisms.checking",
    "Domain": "holdfast.guess.domain",
    "Best": "holdfast.learn.choosing",
    "Comparison": "holdfast.learn.comparing",
    "Holdout": "holdfast.learn.holdout",
    "HoldoutScorer": "holdfast.learn.scorer",
    "Search": "holdfast.learn.searching",
    "Ranges": "holdfast.guess.domain",
    "Training": "holdfast.session.guessers",
    "consistent_median": "holdfast.session.guessers",
    "learned_weights": "holdfast.session.guessers",
    "Gaussian": "holdfast.mechanisms.gaussian",
    "Laplace": "holdfast.mechanisms.laplace",
    "LimitedChecking": "holdfast.mechanisms.limited_checking",
    "OpenEnded": "holdfast.mechanisms.open_ended",
    "Price": "holdfast.planner.own",
    "Rounds": "holdfast.mechanisms.rounds",
    "Splitting": "holdfast.mechanisms.splitting",
    "Thresholdout": "holdfast.mechanisms.thresholdout",
    "Truncation": "holdfast.mechanisms.truncation",
    "Votes": "holdfast.mechanisms.votes",
    "Certificate": "holdfast.core.certificate",
    "Interval": "holdfast.core.interval",
    "Plan": "holdfast.planner.plan",
    "RemoteSession": "holdfast.client.session",
    "Session": "holdfast.session.session",
    "Switching": "holdfast.session.switching",
    "Target": "holdfast.core.target",
    "connect": "holdfast.client.connecting",
    "open": "holdfast.session.opening",
    "plan": "holdfast.planner.plan",
    "to_pandas": "holdfast.core.frames",
    "verify_export": "holdfast.learn.board.export",
    "History": "holdfast.session.history",
    "Recorded": "holdfast.session.history",
    **dict.fromkeys(_ERRORS, "holdfast.core.errors"),
    **dict.fromkeys(_REFUSALS, "holdfast.core.refusals"),
    **dict.fromkeys(_IN_DOUBT, "holdfast.core.witness_errors"),
    **dict.fromkeys(_OF_GATEWAYS, "holdfast.core.gateway_errors"),
}

__all__ = [
    "Answer", "Best", "Board", "BudgetElsewhere", "BudgetExhausted", "Certificate",
    "CertificateMismatch", "Checking", "Choice", "Comparison", "ConditionalAnswer", "DataChanged",
    "DataError", "Domain", "EvaluationFailed", "FailuresExhausted", "GatewayError",
    "GatewayUnavailable", "Gaussian", "GroupedAnswer", "HistogramAnswer", "History",
    "HoldfastError", "Holdout", "HoldoutScorer", "Interval", "InvalidInput", "KeyInUse", "Laplace",
    "LedgerClosed", "LedgerDamaged", "LedgerError", "LedgerMismatch", "LedgerMissing",
    "LedgerRolledBack", "LedgerTooNew", "LedgerUnavailable", "LimitedChecking", "Malformed",
    "NotAllowed", "NotServed", "NotThisWay", "OpenEnded", "Plan", "Price", "QuantileAnswer",
    "QuestionError", "Ranges", "Recorded", "Refusal", "RemoteSession", "Rounds", "RoundsExhausted",
    "Search", "Session", "ShareExhausted", "Source", "Splitting", "Statistic", "Switching",
    "Target", "Thresholdout", "TooLarge", "TooManyRequests", "TooSlow", "Training", "Truncation",
    "TypeMismatch", "Unauthenticated", "UnknownColumn", "VacuousPlan", "Votes", "WitnessDamaged",
    "connect", "consistent_median", "learned_weights", "load", "metric", "open", "plan", "split",
    "to_pandas", "verify_export",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
