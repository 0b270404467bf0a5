"""A list of questions, of which the one with the largest answer is sought."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.form import FILL, Given, Mean, Share
from peekproof.query.question import Question, is_json, parse_question
from peekproof.query.schema import Schema
from peekproof.query.tokens import tokenize

MOST_CANDIDATES = 100_000


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Shares, or means between the same bounds: numbers that can be compared. Public."""

    questions: tuple[Question, ...]

    @property
    def text(self) -> str:
        return candidates_named(len(self.questions)) + BETWEEN.join(
            question.text for question in self.questions
        )

    @property
    def digest(self) -> str:
        form = json.dumps(["largest", [question.digest for question in self.questions]])
        return hashlib.sha256(form.encode()).hexdigest()

    @property
    def span(self) -> tuple[float, float]:
        return self.questions[0].form.span


def candidates_named(count: int) -> str:
    """How the text of so many candidates begins."""
    return f"the largest of {count:,}: "


_NAMED = re.compile(r"the largest of ([0-9,]{1,9}): ")
BETWEEN = "; "  # candidates in a text


def counted_in_text(text: str) -> tuple[int, str]:
    """How many candidates a text says it names, and the names; 0 if it is of no candidates."""
    named = _NAMED.match(text)
    count = int(named[1].replace(",", "") or 0) if named else 0
    begun = candidates_named(count)
    return (count, text.removeprefix(begun)) if count and text.startswith(begun) else (0, "")


def listed_in_text(text: str) -> list[str]:
    """The questions that a text names as candidates; none if they are not as many as it says."""
    count, names = counted_in_text(text)
    listed = names.split(BETWEEN)
    if len(listed) > count:  # then quotations have such signs in them
        listed = _joined(listed)
    return listed if len(listed) == count else []


def _joined(pieces: Iterable[str]) -> list[str]:
    """The pieces, those that end within a quotation together with what comes after them."""
    found, begun = [], ""
    for piece in pieces:
        begun = f"{begun}{BETWEEN}{piece}" if begun else piece
        if _is_whole(begun):
            found.append(begun)
            begun = ""
    return [*found, begun] if begun else found


def _is_whole(text: str) -> bool:
    try:
        if is_json(text):
            json.loads(text)
        else:
            tokenize(text)
    except (QuestionError, ValueError, RecursionError):
        return False
    return True


def check_candidates(digests: Sequence[str]) -> None:
    """Refuse too few or too many candidates, and one that is there twice, by their digests."""
    if not 2 <= len(digests) <= MOST_CANDIDATES:
        raise InvalidInput(
            argument="candidates",
            accepted=f"from 2 to {MOST_CANDIDATES:,} questions",
            given=f"{len(digests):,}",
        )
    if len(set(digests)) < len(digests):
        raise InvalidInput(
            argument="candidates",
            accepted="different questions",
            given="one of them twice, perhaps in another spelling",
        )


def parse_candidates(texts: Iterable[str | Question], schema: Schema) -> Candidates:
    """The candidates that `texts` name, if they can be compared with one another.

    Those that were read already are taken as they are.
    """
    if isinstance(texts, str):
        raise InvalidInput(
            argument="candidates", accepted="a list of questions", given=repr(texts)[:80]
        )
    questions = tuple(
        each if isinstance(each, Question) else parse_question(each, schema) for each in texts
    )
    check_candidates([question.digest for question in questions])
    kinds = {(type(question.form), question.form.span) for question in questions}
    if len(kinds) > 1 or not isinstance(questions[0].form, Share | Mean):
        raise InvalidInput(
            argument="candidates",
            accepted="shares, or means between the same bounds",
            given=", ".join(sorted({_named(each) for each in questions})),
            hint=_hint(questions),
        )
    return Candidates(questions=questions)


def _named(question: Question) -> str:
    some = isinstance(question.form, Given)
    return "share or mean of some rows" if some else type(question.form).__name__.lower()


def _hint(questions: Iterable[Question]) -> str:
    if any(isinstance(each.form, Given) for each in questions):
        return FILL
    return "only numbers on one scale can be compared"
