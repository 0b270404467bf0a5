"""Peekproof: answers to adaptively chosen questions, with intervals for the population.

    import peekproof

    with peekproof.open("people.csv", confidence=0.95, questions=1000) as data:
        answer = data.ask("age > 50 and income < 30000")
        print(answer.value, answer.low, answer.high)

Names are imported when they are first used, so that `import peekproof` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peekproof.client.connecting import connect
    from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
    from peekproof.core.certificate import Certificate, Interval, Target
    from peekproof.core.errors import (
        BudgetElsewhere,
        BudgetExhausted,
        CertificateMismatch,
        DataChanged,
        DataError,
        EvaluationFailed,
        FailuresExhausted,
        GatewayError,
        GatewayUnavailable,
        InvalidInput,
        KeyInUse,
        LedgerClosed,
        LedgerDamaged,
        LedgerError,
        LedgerMismatch,
        LedgerMissing,
        LedgerMoved,
        LedgerRolledBack,
        LedgerTooNew,
        LedgerUnavailable,
        Malformed,
        MechanismMissing,
        NotAllowed,
        NotServed,
        NotThisWay,
        PeekproofError,
        QuestionError,
        Refusal,
        RoundsExhausted,
        ShareExhausted,
        TooLarge,
        TooManyRequests,
        TooSlow,
        TypeMismatch,
        Unauthenticated,
        UnknownColumn,
        VacuousPlan,
        WitnessDamaged,
    )
    from peekproof.core.frames import to_pandas
    from peekproof.data.frame import split
    from peekproof.data.load import load
    from peekproof.data.source import Source
    from peekproof.data.statistic import Statistic
    from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
    from peekproof.guess.domain import Domain, Ranges
    from peekproof.learn.board.board import Board
    from peekproof.learn.board.export import verify_export
    from peekproof.learn.choosing import Best
    from peekproof.learn.comparing import Comparison
    from peekproof.learn.holdout import Holdout
    from peekproof.learn.metrics.custom import metric
    from peekproof.learn.scorer import HoldoutScorer
    from peekproof.learn.searching import Search
    from peekproof.mechanisms.checking import Checking
    from peekproof.mechanisms.fresh_rows import FreshRows
    from peekproof.mechanisms.gaussian import Gaussian
    from peekproof.mechanisms.laplace import Laplace
    from peekproof.mechanisms.limited_checking import LimitedChecking
    from peekproof.mechanisms.open_ended import OpenEnded
    from peekproof.mechanisms.plan import Plan, Price, plan
    from peekproof.mechanisms.thresholdout import Thresholdout
    from peekproof.mechanisms.truncation import Truncation
    from peekproof.session.guessers import Training, consistent_median, learned_weights
    from peekproof.session.history import History, Recorded
    from peekproof.session.opening import open
    from peekproof.session.session import Session

__version__ = "0.1.0"

_ERRORS = (
    "CertificateMismatch",
    "DataChanged",
    "DataError",
    "EvaluationFailed",
    "PeekproofError",
    "InvalidInput",
    "LedgerClosed",
    "LedgerDamaged",
    "LedgerError",
    "LedgerMismatch",
    "LedgerMissing",
    "LedgerMoved",
    "LedgerTooNew",
    "LedgerUnavailable",
    "MechanismMissing",
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
    "Answer": "peekproof.core.answer",
    "Choice": "peekproof.core.answer",
    "HistogramAnswer": "peekproof.core.answer",
    "QuantileAnswer": "peekproof.core.answer",
    "ConditionalAnswer": "peekproof.derive.conditional",
    "GroupedAnswer": "peekproof.derive.conditional",
    "Source": "peekproof.data.source",
    "Statistic": "peekproof.data.statistic",
    "load": "peekproof.data.load",
    "metric": "peekproof.learn.metrics.custom",
    "split": "peekproof.data.frame",
    "Board": "peekproof.learn.board.board",
    "Checking": "peekproof.mechanisms.checking",
    "Domain": "peekproof.guess.domain",
    "Best": "peekproof.learn.choosing",
    "Comparison": "peekproof.learn.comparing",
    "Holdout": "peekproof.learn.holdout",
    "HoldoutScorer": "peekproof.learn.scorer",
    "Search": "peekproof.learn.searching",
    "Ranges": "peekproof.guess.domain",
    "Training": "peekproof.session.guessers",
    "consistent_median": "peekproof.session.guessers",
    "learned_weights": "peekproof.session.guessers",
    "Gaussian": "peekproof.mechanisms.gaussian",
    "Laplace": "peekproof.mechanisms.laplace",
    "LimitedChecking": "peekproof.mechanisms.limited_checking",
    "OpenEnded": "peekproof.mechanisms.open_ended",
    "Price": "peekproof.mechanisms.plan",
    "FreshRows": "peekproof.mechanisms.fresh_rows",
    "Thresholdout": "peekproof.mechanisms.thresholdout",
    "Truncation": "peekproof.mechanisms.truncation",
    "Certificate": "peekproof.core.certificate",
    "Interval": "peekproof.core.certificate",
    "Plan": "peekproof.mechanisms.plan",
    "Session": "peekproof.session.session",
    "Target": "peekproof.core.certificate",
    "connect": "peekproof.client.connecting",
    "open": "peekproof.session.opening",
    "plan": "peekproof.mechanisms.plan",
    "to_pandas": "peekproof.core.frames",
    "verify_export": "peekproof.learn.board.export",
    "History": "peekproof.session.history",
    "Recorded": "peekproof.session.history",
    **dict.fromkeys(_ERRORS, "peekproof.core.errors"),
    **dict.fromkeys(_REFUSALS, "peekproof.core.errors"),
    **dict.fromkeys(_IN_DOUBT, "peekproof.core.errors"),
    **dict.fromkeys(_OF_GATEWAYS, "peekproof.core.errors"),
}

__all__ = [
    "Answer",
    "Best",
    "Board",
    "BudgetElsewhere",
    "BudgetExhausted",
    "Certificate",
    "CertificateMismatch",
    "Checking",
    "Choice",
    "Comparison",
    "ConditionalAnswer",
    "DataChanged",
    "DataError",
    "Domain",
    "EvaluationFailed",
    "FailuresExhausted",
    "FreshRows",
    "GatewayError",
    "GatewayUnavailable",
    "Gaussian",
    "GroupedAnswer",
    "HistogramAnswer",
    "History",
    "Holdout",
    "HoldoutScorer",
    "Interval",
    "InvalidInput",
    "KeyInUse",
    "Laplace",
    "LedgerClosed",
    "LedgerDamaged",
    "LedgerError",
    "LedgerMismatch",
    "LedgerMissing",
    "LedgerMoved",
    "LedgerRolledBack",
    "LedgerTooNew",
    "LedgerUnavailable",
    "LimitedChecking",
    "Malformed",
    "MechanismMissing",
    "NotAllowed",
    "NotServed",
    "NotThisWay",
    "OpenEnded",
    "PeekproofError",
    "Plan",
    "Price",
    "QuantileAnswer",
    "QuestionError",
    "Ranges",
    "Recorded",
    "Refusal",
    "RoundsExhausted",
    "Search",
    "Session",
    "ShareExhausted",
    "Source",
    "Statistic",
    "Target",
    "Thresholdout",
    "TooLarge",
    "TooManyRequests",
    "TooSlow",
    "Training",
    "Truncation",
    "TypeMismatch",
    "Unauthenticated",
    "UnknownColumn",
    "VacuousPlan",
    "WitnessDamaged",
    "connect",
    "consistent_median",
    "learned_weights",
    "load",
    "metric",
    "open",
    "plan",
    "split",
    "to_pandas",
    "verify_export",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'peekproof' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
