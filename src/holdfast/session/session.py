"""The flow: question → replay → filter → reserve → read → release → settle → answer.

Read `ask_many` first; everything else in the package serves it.
"""

from collections.abc import Iterable
from typing import final

from holdfast.core.answer import Answer
from holdfast.core.errors import BudgetExhausted, InvalidInput
from holdfast.core.gate import Refused
from holdfast.core.loss import FREE, GDP
from holdfast.core.numerics import decimal_up, level_down
from holdfast.data.table import Table
from holdfast.ledger.sqlite import Ledger
from holdfast.noise.entropy import Entropy
from holdfast.planner.plan import Plan
from holdfast.query.question import Question, parse_question
from holdfast.query.schema import Schema


@final
class Session:
    """Data, a promise about it, and the ledger that keeps the promise. See `holdfast.open`."""

    def __init__(self, *, table: Table, plan: Plan, ledger: Ledger, rng: Entropy) -> None:
        self.plan = plan
        self.ledger = ledger
        self._table = table
        self._rng = rng
        self._filter = plan.filter()
        self._cost = plan.mechanism.cost()
        self._budget = plan.budget

    def ask(self, question: str) -> Answer:
        """The share of the population for which `question` holds, with its interval.

        The same question again, in any spelling, gets the same answer for free.
        """
        return self.ask_many([question])[0]

    def ask_many(self, questions: Iterable[str]) -> list[Answer]:
        """Answers to all `questions`, charged, evaluated and recorded together.

        All or nothing: if the new ones among them do not fit, none is charged.
        """
        if isinstance(questions, str):
            raise InvalidInput(
                argument="questions",
                accepted="a list of questions",
                given=repr(questions),
                hint="use ask for a single one",
            )
        asked = [parse_question(text, self.schema) for text in questions]
        known = self.ledger.seen.answers
        fresh = {each.digest: each for each in asked if each.digest not in known}
        charged = self._answer_fresh(fresh) if fresh else frozenset()
        return self._answers(asked, charged)

    def _answer_fresh(self, fresh: dict[str, Question]) -> frozenset[str]:
        """Pay for, read, release and record; the digests that were charged."""
        mechanism = self.plan.mechanism
        texts = {digest: question.text for digest, question in fresh.items()}
        reserved = self.ledger.reserve(texts, cost=self._cost, gate=self._filter)
        if isinstance(reserved, Refused):
            left, size = self._left(self.ledger.seen.spent), self.plan.target.questions
            raise BudgetExhausted(asked=len(fresh), remaining=left, questions=size)
        if reserved.digests:  # else another process answered them all in the meantime
            counts = self._table.count([fresh[digest] for digest in reserved.digests])
            released = [mechanism.release(count, rng=self._rng) for count in counts]
            self.ledger.settle(reserved, dict(zip(reserved.digests, released, strict=True)))
        return frozenset(reserved.digests)

    def _answers(self, asked: list[Question], charged: frozenset[str]) -> list[Answer]:
        settled = self.ledger.seen.answers
        # A reservation has just looked at the file; a free repeat looks now.
        remaining = self._left(self.ledger.seen.spent) if charged else self.remaining
        answers: list[Answer] = []
        unpaid = set(charged)
        for question in asked:
            # A question repeated within a batch is paid for once.
            price = self._cost if question.digest in unpaid else FREE
            unpaid.discard(question.digest)
            answers.append(
                Answer(
                    question=question.text,
                    released=settled[question.digest].value,
                    certificate=self.plan.certificate,
                    cost=price,
                    remaining=remaining,
                )
            )
        return answers

    @property
    def schema(self) -> Schema:
        return self._table.schema

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take, whoever asks them."""
        return self._left(self.ledger.spent())

    def _left(self, spent: GDP) -> int:
        return (self._budget.mu_squared - spent.mu_squared) // self._cost.mu_squared

    def close(self) -> None:
        """Release the ledger file. Nothing is lost: every answer is already on disk."""
        self.ledger.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        target = self.plan.target
        return (
            f"<Session: {self.plan.rows:,} rows, ±{decimal_up(self.plan.radius)} at confidence "
            f"{level_down(target.confidence)} for all of {target.questions:,} questions, "
            f"{self._left(self.ledger.seen.spent):,} left, ledger {self.ledger.place}>"
        )
