"""What `peekproof score` says: a line for people, and a document for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, cast, final

from peekproof.core.answer import Answer
from peekproof.core.numerics import decimal_down, decimal_up
from peekproof.derive.derived import Derived
from peekproof.learn.holdout import Holdout
from peekproof.learn.last import digest_of, last_score
from peekproof.learn.metrics.named import measure_of

_FAILED = "T-check-failed"


class _Compared(Protocol):
    """What is read of a comparison."""

    @property
    def difference(self) -> Derived: ...
    @property
    def winner(self) -> str | None: ...
    @property
    def tied(self) -> bool: ...
    def to_dict(self) -> dict[str, object]: ...


class _Scores(Protocol):
    """What is asked of a holdout; options that were not given are left to it."""

    def score(self, what: object, **given: object) -> Answer | Derived: ...
    def compare(self, a: object, b: object, **given: object) -> _Compared: ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says about a score; None is left to the holdout."""

    metric: str | None
    guess: float | None
    tolerance: float | None
    trained_on: int | None
    where: str | None
    require: float | None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An answer as it is shown; `reached` is None if nothing was required."""

    line: str
    document: dict[str, object]
    reached: bool | None


def scored(holdout: Holdout, title: str, values: object, asked: Asked) -> Result:
    """The score of predictions, with its interval."""
    metric = holdout.metric if asked.metric is None else measure_of(asked.metric)
    guess = asked.guess
    if guess is None and asked.where is None:
        guess = last_score(holdout, metric)
    given = _given(asked, guess)
    answer = cast(_Scores, holdout).score(values, **given)
    confirmed = _FAILED not in _theorems(answer)
    replayed = isinstance(answer, Answer) and answer.replayed
    if replayed:  # another guess may have been checked: a confirmed one is the answer
        guess = answer.value if confirmed else None
    elif guess is None and confirmed:
        guess = answer.value
    reached = _reached(answer, asked.require, higher=metric.higher)
    now = holdout.desk.standing()
    digest = digest_of(holdout, answer.question) if isinstance(answer, Answer) else None
    document = {
        "holdout": title,
        "metric": metric.text,
        **_interval(answer),
        "guess": guess,
        "confirmed": confirmed,
        "replayed": replayed,
        "remaining": now.left,
        "failures": now.failures,
        "digest": digest,
        "require": asked.require,
        "reached": reached,
    }
    outcome = "guess confirmed" if confirmed else "guess failed"
    cost = ", asked before" if replayed else ""
    line = (
        f"{_shown(answer)}  {metric.text}; {outcome}{cost}; {holdout.remaining}"
        f"{_requirement(asked.require, reached, higher=metric.higher)}"
    )
    return Result(line=line, document=document, reached=reached)


def compared(
    holdout: Holdout, title: str, values: Sequence[object], names: Sequence[str], asked: Asked
) -> Result:
    """Which of two predictions is better, and by how much."""
    metric = holdout.metric if asked.metric is None else measure_of(asked.metric)
    first, second = values
    given = {**_given(asked, asked.guess), "names": _called(names)}
    found = cast(_Scores, holdout).compare(first, second, **given)
    reached = _reached(found.difference, asked.require, higher=metric.higher)
    now = holdout.desk.standing()
    document = {
        "holdout": title,
        "metric": metric.text,
        "predictions": list(names),
        **_interval(found.difference),
        "winner": found.winner,
        "tied": found.tied,
        "remaining": now.left,
        "failures": now.failures,
        "comparison": found.to_dict(),
        "require": asked.require,
        "reached": reached,
    }
    line = (
        f"{found}; {metric.text}; {holdout.remaining}"
        f"{_requirement(asked.require, reached, higher=metric.higher)}"
    )
    return Result(line=line, document=document, reached=reached)


def _called(names: Sequence[str]) -> tuple[str, str]:
    """What the two are called in the answer: the same file twice is told apart."""
    first, second = names
    return (first, second) if first != second else (f"{first} (a)", f"{second} (b)")


def _given(asked: Asked, guess: float | None) -> dict[str, object]:
    said = {
        "guess": guess,
        "tolerance": asked.tolerance,
        "trained_on": asked.trained_on,
        "metric": asked.metric,
        "where": asked.where,
    }
    return {name: value for name, value in said.items() if value is not None}


def _theorems(answer: Answer | Derived) -> tuple[str, ...]:
    if isinstance(answer, Answer):
        return answer.certificate.theorems
    return tuple(answer.joint.theorems)


def _interval(answer: Answer | Derived) -> dict[str, object]:
    ends = {"low": answer.low, "high": answer.high, "radius": answer.radius}
    return {
        "value": answer.value,
        **{name: end if isfinite(end) else None for name, end in ends.items()},
        "confidence": answer.confidence,
    }


def _shown(answer: Answer | Derived) -> str:
    if isinstance(answer, Answer):
        places = answer.span.places
        low = decimal_down(answer.low, places=places)
        high = decimal_up(answer.high, places=places)
        return f"{answer.value:.{places}f}  [{low}, {high}]"
    return f"{answer.value:.4f}  {answer.interval}"


def _reached(answer: Answer | Derived, require: float | None, *, higher: bool) -> bool | None:
    if require is None:
        return None
    return answer.low >= require if higher else answer.high <= require


def _requirement(require: float | None, reached: bool | None, *, higher: bool) -> str:
    if require is None:
        return ""
    end = "at least" if higher else "at most"
    return f"; {'' if reached else 'not '}shown to be {end} {require:g}"
