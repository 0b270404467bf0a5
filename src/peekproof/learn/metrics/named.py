"""Metrics by the names that people, commands and gateways give them."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from typing import cast

from peekproof.core.errors import InvalidInput
from peekproof.learn.composite import Composite
from peekproof.learn.metric import Metric
from peekproof.learn.metrics import kinds
from peekproof.learn.metrics.auc import AUC
from peekproof.learn.metrics.classification import Accuracy, Count, Counted, Gain, ZeroOne
from peekproof.learn.metrics.probability import Brier, InBin, LogLoss, Outcome
from peekproof.learn.metrics.quotients import F1, BalancedAccuracy, Precision, Recall, Rest
from peekproof.learn.metrics.ranked import Order, Ranked
from peekproof.learn.metrics.regression import (
    R2,
    AbsoluteError,
    LabelMean,
    LabelSpread,
    Pinball,
    SquaredError,
)

_LONGEST = 1000

# Means over rows. Each makes a metric of the numbers and texts between its parentheses.
METRICS: dict[str, Callable[..., Metric]] = {
    Accuracy.NAME: Accuracy,
    ZeroOne.NAME: ZeroOne,
    Brier.NAME: Brier,
    LogLoss.NAME: LogLoss,
    AbsoluteError.NAME: AbsoluteError,
    SquaredError.NAME: SquaredError,
    Pinball.NAME: Pinball,
    **{each.value: partial(Counted, each) for each in Count},
    **{each.value: partial(InBin, each) for each in Outcome},
    LabelMean.NAME: LabelMean,
    LabelSpread.NAME: LabelSpread,
}

# Functions of several means.
COMPOSITES: dict[str, Callable[..., Composite]] = {
    Precision.NAME: Precision,
    Recall.NAME: Recall,
    F1.NAME: F1,
    BalancedAccuracy.NAME: BalancedAccuracy,
    R2.NAME: R2,
    AUC.NAME: AUC,
}

# Means over pairs of rows, which are parts of functions and no scores by themselves.
PAIRS: dict[str, Callable[..., Ranked]] = {each.value: partial(Ranked, each) for each in Order}


def pairs_of(given: str) -> Ranked | None:
    """The mean over pairs that a text such as "concordant(1)" names; None if it names none."""
    name, bracket, rest = given.strip().partition("(")
    made = PAIRS.get(name.strip())
    if made is None:
        return None
    try:
        if bool(bracket) != rest.endswith(")"):
            raise ValueError("no closing bracket")
        return made(*kinds.read(rest.removesuffix(")")))
    except (ValueError, TypeError, RecursionError):
        raise _unknown(repr(given[:80]), name) from None


# How those are written that say nothing without their numbers, and those that may name a class.
_NUMBERED = {
    **{each: f"{each}(0, 100)" for each in (AbsoluteError.NAME, SquaredError.NAME, R2.NAME)},
    **{each.value: f"{each.value}(0.2, 0.3)" for each in Outcome},
    Pinball.NAME: "pinball(0.9, 0, 100)",
    LabelMean.NAME: "label_mean(0, 100)",
    LabelSpread.NAME: "label_spread(50, 0, 100)",
}
_CLASSED = {
    **{each: f'{each}("yes")' for each in (Brier.NAME, Precision.NAME, Recall.NAME, F1.NAME)},
    **{each.value: f'{each.value}("yes")' for each in Count},
    LogLoss.NAME: 'log_loss(0.001, "yes")',
    BalancedAccuracy.NAME: 'balanced_accuracy("yes", "no")',
}
_OTHER_NAMES = {
    "mae": AbsoluteError.NAME,
    "mse": SquaredError.NAME,
    "rmse": SquaredError.NAME,
    "r2_score": R2.NAME,
}


def metric_of(given: object) -> Metric:
    """The mean over rows that a text such as "pinball(0.9, 0, 100)" names, or that it is."""
    found = measure_of(given)
    if isinstance(found, Composite):
        raise InvalidInput(
            argument="metric",
            accepted="a mean over rows here, such as accuracy",
            given=repr(found.text)[:80],
            hint="it is made of several, and can be asked for by Holdout.score",
        )
    return found


def measure_of(given: object) -> Metric | Composite:
    """The metric that a text names, or that it is, of either kind."""
    if not isinstance(given, str):
        if isinstance(given, type):
            raise _unknown(repr(given)[:80])
        if isinstance(given, Composite):
            return given
        if callable(getattr(given, "values", None)) and hasattr(given, "NAME"):
            return cast(Metric, given)
        raise _unknown(repr(given)[:80], function=callable(given))
    if len(given) > _LONGEST:  # each bracket is a call, of which only so many can be nested
        raise _unknown(repr(given[:80]))
    if given.strip().startswith(Rest.PREFIX):
        return Rest(metric_of(given.strip().removeprefix(Rest.PREFIX)))
    name, bracket, rest = given.strip().partition("(")
    name = name.strip()
    if name == Gain.NAME and rest.endswith(")"):
        return Gain(metric_of(rest.removesuffix(")")))
    try:
        if bool(bracket) != rest.endswith(")"):
            raise ValueError("no closing bracket")
        made = (METRICS.get(name) or COMPOSITES[name])(*kinds.read(rest.removesuffix(")")))
    except InvalidInput:
        raise
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError):
        raise _unknown(repr(given[:80]), name) from None
    return made


def _unknown(given: str, name: str = "", *, function: bool = False) -> InvalidInput:
    every = [*METRICS, *COMPOSITES]
    if name in every:
        written = _NUMBERED.get(name) or _CLASSED.get(name, name)
        return InvalidInput(
            argument="metric",
            accepted=f"{name} with what belongs in its brackets, such as {written}",
            given=given,
            hint="numbers are plain, texts in double quotation marks",
        )
    near = _OTHER_NAMES.get(name) or next(iter(get_close_matches(name, every, n=1)), "")
    if name == "calibration":
        hint = "rates by bins of probability are asked for by Holdout.calibration"
    elif function:
        hint = "peekproof.metric(function, name=…) makes one of a function of each row"
    else:
        hint = f"did you mean {_NUMBERED.get(near, near)!r}?" if near else ""
    return InvalidInput(
        argument="metric",
        accepted=f"one of {', '.join(every)}, with its numbers if it has some",
        given=given,
        hint=hint,
    )
