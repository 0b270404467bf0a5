"""The last score that a holdout gave: a guess at the next, where nobody has a better one."""

import re

from peekproof.core.finding import Numbers
from peekproof.learn.composite import Composite
from peekproof.learn.holdout import Holdout
from peekproof.learn.metric import Metric


def last_score(holdout: Holdout, metric: Metric | Composite) -> float | None:
    """What the last predictions scored on all rows by this metric, whoever asked.

    It was released, so a guess may depend on it.
    """
    column = rf"{re.escape(metric.NAME)}_[0-9a-f]{{32}}"
    scored = re.compile(rf"{column}|mean\({column}, .*\)")
    for each in reversed(holdout.answers()):
        if scored.fullmatch(each.question) and isinstance(each.found, Numbers):
            return each.found.value
    return None


def digest_of(holdout: Holdout, question: str) -> str | None:
    """The digest of a question that was answered, by which its receipt is found."""
    found = (each.digest for each in reversed(holdout.answers()) if each.question == question)
    return next(found, None)
