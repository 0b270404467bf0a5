"""Trees as questions, and what a source says to them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from peekproof.data.source import Source
from peekproof.query.canonical import canonical_form, form_text
from peekproof.query.form import Form, Share
from peekproof.query.question import Question
from peekproof.query.tree import Predicate

Totals = int | tuple[int, ...]


def asked(form: Form | Predicate) -> Question:
    """The question, whether or not the parser knows how it is written."""
    shares = not hasattr(form, "span")
    canonical = canonical_form(Share(form) if shares else form)  # type: ignore[arg-type]
    digest = hashlib.sha256(form_text(canonical).encode()).hexdigest()
    return Question(text="asked by a test", form=canonical, digest=digest)


def told(source: Source, forms: Sequence[Form | Predicate]) -> list[Totals]:
    """The exact totals, which only a test may look at."""
    return [total.reveal() for total in source.totals([asked(form) for form in forms])]
