"""Errors as RFC 9457 problems: one table of statuses, and nothing about rows or machines."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from peekproof.core.errors import (
    CertificateMismatch,
    DataChanged,
    DataError,
    EvaluationFailed,
    GatewayUnavailable,
    InvalidInput,
    KeyInUse,
    LedgerClosed,
    LedgerError,
    Malformed,
    NotAllowed,
    NotServed,
    NotThisWay,
    PeekproofError,
    QuestionError,
    Refusal,
    TooLarge,
    TooManyRequests,
    TooSlow,
    Unauthenticated,
    VacuousPlan,
    problem_name,
)

MEDIA_TYPE = "application/problem+json"

# The first that fits; what a custodian must mend is 503, and what nobody foresaw is 500.
STATUSES: tuple[tuple[type[PeekproofError], int], ...] = (
    (QuestionError, 422),
    (InvalidInput, 422),
    (VacuousPlan, 422),
    (Refusal, 409),
    (LedgerClosed, 409),
    (Unauthenticated, 401),
    (NotAllowed, 403),
    (NotServed, 404),
    (Malformed, 400),
    (NotThisWay, 405),
    (TooSlow, 408),
    (TooLarge, 413),
    (TooManyRequests, 429),
    (KeyInUse, 409),
    (GatewayUnavailable, 503),
    (DataChanged, 503),
    (DataError, 503),
    (LedgerError, 503),
    (CertificateMismatch, 503),
    (EvaluationFailed, 500),
)

Problem = dict[str, Any]


def status_of(error: PeekproofError) -> int:
    return next((status for kind, status in STATUSES if isinstance(error, kind)), 500)


def problem_of(error: PeekproofError, *, dataset: str = "") -> Problem:
    """The problem to send: type, title, status, detail, and the fields of the error."""
    told = _without_places(error, dataset)
    name = problem_name(type(told))
    return {
        "type": f"/v1/problems/{name}",
        "title": name.replace("-", " "),
        "status": status_of(told),
        "detail": str(told),
        "fields": {key: _plain(value) for key, value in told.fields().items()},
    }


def unforeseen() -> Problem:
    """What is said of an error that nobody foresaw: nothing, for it may come from the rows."""
    return {
        "type": "/v1/problems/unforeseen",
        "title": "unforeseen",
        "status": 500,
        "detail": "something went wrong; the reason is withheld, because it may depend on the data",
        "fields": {},
    }


def _without_places(error: PeekproofError, dataset: str) -> PeekproofError:
    """The error without paths and addresses, which are the custodian's business."""
    name = dataset or "this data set"
    if isinstance(error, LedgerClosed):
        return LedgerClosed(ledger=name)
    if isinstance(error, DataChanged):
        return replace(error, source=name)
    if isinstance(error, LedgerError | DataError):
        return GatewayUnavailable(
            problem=f"{name} cannot be answered now",
            hint="the gateway's own log tells its custodian why",
        )
    return error


def _plain(value: object) -> object:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
