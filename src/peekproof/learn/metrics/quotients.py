"""Precision, recall, F1 and balanced accuracy: quotients of shares that hold together.

Each share is a question of its own, asked once and free from then on, so that the three of them
for one model cost no more than their different parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived
from peekproof.derive.linear import affine, portion, weighted
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.composite import Asking
from peekproof.learn.metric import Metric, Rows, Wants
from peekproof.learn.metrics.classification import Count, Counted, check_class
from peekproof.learn.metrics.kinds import Argument, class_name, written

_HITS = Count.TRUE_POSITIVE


@dataclass(frozen=True, slots=True)
class OfClass:
    """What composites about one class share: it is named, and predicted by labels."""

    NAME: ClassVar[str] = ""
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    of_classes: ClassVar[bool] = True
    least: ClassVar[float] = 0.0
    grouped: ClassVar[bool] = True

    positive: Argument = 1.0

    def __post_init__(self) -> None:
        class_name(positive=self.positive)

    @property
    def text(self) -> str:
        return written(self.NAME, self.positive)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        check_class(self.positive, labels, predictions)


@final
@dataclass(frozen=True, slots=True)
class Precision(OfClass):
    """TP/(TP + FP): how much of what is said to be the class is."""

    NAME: ClassVar[str] = "precision"

    def found(self, asking: Asking) -> Derived:
        return _checked_of_class(asking, self.positive, Count.FALSE_POSITIVE)


@final
@dataclass(frozen=True, slots=True)
class Recall(OfClass):
    """TP/(TP + FN): how much of the class is said to be it."""

    NAME: ClassVar[str] = "recall"

    def found(self, asking: Asking) -> Derived:
        return _checked_of_class(asking, self.positive, Count.FALSE_NEGATIVE)


@final
@dataclass(frozen=True, slots=True)
class F1(OfClass):
    """2TP/(2TP + FP + FN), where FP and FN are asked for as one share: narrower than their sum."""

    NAME: ClassVar[str] = "f1"

    def found(self, asking: Asking) -> Derived:
        parts = over, rest = Counted(_HITS, self.positive), Counted(Count.MISTAKEN, self.positive)
        _check(asking, parts, shares=[1.0], weight=2)
        if any(asking.unknown(each) for each in parts):
            _check(asking, parts, shares=[asking.class_share(self.positive)], weight=2)
        hits = asking.part(over, lambda: asking.whole * asking.class_share(self.positive))
        mistakes = asking.part(
            rest, lambda: 2 * (1 - asking.whole) * asking.class_share(self.positive)
        )
        return portion(affine(hits, scale=2, shift=0), rest=mistakes)


@final
@dataclass(frozen=True, slots=True, init=False)
class BalancedAccuracy:
    """The mean of the recalls of all classes, which have to be named unless they are 0 and 1."""

    NAME: ClassVar[str] = "balanced_accuracy"
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    of_classes: ClassVar[bool] = True
    least: ClassVar[float] = 0.0
    grouped: ClassVar[bool] = True

    classes: tuple[Argument, ...]

    def __init__(self, *classes: Argument) -> None:
        named = tuple(class_name(classes=each) for each in classes) or (0.0, 1.0)
        if len(set(named)) < max(2, len(named)):
            raise InvalidInput(
                argument="classes", accepted="at least two, each once", given=repr(classes)[:80]
            )
        object.__setattr__(self, "classes", named)

    @property
    def text(self) -> str:
        return written(self.NAME, *self.classes)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        for each in self.classes:
            check_class(each, labels, predictions)

    def found(self, asking: Asking) -> Derived:
        """From the recalls, if at least one of them will say something."""
        count = len(self.classes)
        parts = {
            each: (Counted(_HITS, each), Counted(Count.FALSE_NEGATIVE, each))
            for each in self.classes
        }
        _check(asking, *parts.values(), shares=[1.0] * count)
        unknown = {each for each in self.classes if any(map(asking.unknown, parts[each]))}
        if unknown:
            shares = [
                asking.class_share(each, classes=count) if each in unknown else 1.0
                for each in self.classes
            ]
            _check(asking, *parts.values(), shares=shares)
        recalls = [
            _part_of_class(asking, each, Count.FALSE_NEGATIVE, classes=count)
            for each in self.classes
        ]
        return weighted(recalls, [Fraction(1, count)] * count)


def _check(
    asking: Asking,
    *quotients: tuple[Counted, Counted],
    shares: Sequence[float],
    weight: float = 1.0,
) -> None:
    """Refuse quotients of which none would say anything, before their parts are asked for."""
    problems = [
        asking.empty(over, rest, share=share, weight=weight)
        for (over, rest), share in zip(quotients, shares, strict=True)
    ]
    if problems[0] is not None and all(problems):
        raise problems[0]


def _checked_of_class(asking: Asking, positive: Argument, others: Count) -> Derived:
    """TP/(TP + others), if it will say something."""
    parts = Counted(_HITS, positive), Counted(others, positive)
    _check(asking, parts, shares=[1.0])
    if any(asking.unknown(each) for each in parts):
        _check(asking, parts, shares=[asking.class_share(positive)])
    return _part_of_class(asking, positive, others)


def _part_of_class(
    asking: Asking, positive: Argument, others: Count, *, classes: int = 2
) -> Derived:
    """TP/(TP + others). Of a guess at it alone, as if the class were said as often as it is."""
    hits = asking.part(
        Counted(_HITS, positive),
        lambda: asking.whole * asking.class_share(positive, classes=classes),
    )
    rest = asking.part(
        Counted(others, positive),
        lambda: (1 - asking.whole) * asking.class_share(positive, classes=classes),
    )
    return portion(hits, rest=rest)


@final
@dataclass(frozen=True, slots=True)
class Rest:
    """1 minus what a row is worth under another metric."""

    PREFIX: ClassVar[str] = "rest_of_"

    of: Metric

    @property
    def NAME(self) -> str:  # noqa: N802 (a constant of other metrics)
        return self.PREFIX + self.of.NAME

    @property
    def flag(self) -> bool:
        return self.of.flag

    @property
    def charge_first(self) -> bool:
        return self.of.charge_first

    @property
    def higher(self) -> bool:
        return not self.of.higher

    @property
    def wants(self) -> Wants:
        return self.of.wants

    @property
    def span(self) -> float:
        return self.of.span

    @property
    def text(self) -> str:
        return self.PREFIX + self.of.text

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        self.of.check(labels, *predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        return 1 - self.of.values(labels, *predictions)
