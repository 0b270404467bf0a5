"""What is asked of a data set, and what is known of it: its promise and its budget."""

from collections.abc import Sequence
from typing import final

from peekproof.client.dataset import Budget, RemoteData
from peekproof.client.derivation import another_ledger
from peekproof.client.http import Json
from peekproof.client.promise import Promise, understood
from peekproof.client.rebuilding import Rebuilding
from peekproof.core.errors import GatewayError, GatewayUnavailable
from peekproof.mechanisms.base import Ask, Draw, Past
from peekproof.query.form import Given
from peekproof.query.question import Question
from peekproof.session.queries import AnyAnswer, InWords, drawn_for, drawn_within


@final
class Conversation:
    """Sends questions, and makes answers of what comes back."""

    def __init__(self, data: RemoteData) -> None:
        self._data = data
        self._budget: Budget = data.budget()
        self._stale = self._closed = False
        self.promise: Promise = data.promise()
        self.place = data.place

    @property
    def data(self) -> RemoteData:
        """The data set, as long as the session is open."""
        if self._closed:
            raise GatewayUnavailable(problem="this session was closed", hint="connect again")
        return self._data

    @property
    def checks(self) -> bool:
        """Whether guesses are checked."""
        return self.promise.plan.mechanism.guesses

    def drawn(self, asked: Sequence[Question], *, radius: float | None) -> list[AnyAnswer]:
        """The answers to questions; a quotient travels as its two parts."""
        parts = drawn_within(self.promise.plan, asked, radius)
        if not self.checks:
            for each, own in parts:  # refused here in the words of a session, before all is sent
                self.offer(Ask(what=InWords(each), radius=own))
        if not parts:
            return []
        plain = {each.digest for each in asked}
        for each in asked:
            # Only the gateway knows of which groups nothing can be said, and its price refuses.
            if isinstance(each.form, Given) and drawn_for([each])[0].digest not in plain:
                self.data.price(each.text, radius=radius)
        replies: dict[int, Json] = {}
        # A batch has one radius: a mean among some rows has two, and is sent as two.
        for wanted in dict.fromkeys(own for _, own in parts):
            places = [place for place, (_, own) in enumerate(parts) if own == wanted]
            texts = [parts[place][0].text for place in places]
            sent = self._sent(texts, wanted)
            with understood(self.promise.place, version=self.promise.version):
                replies.update(zip(places, sent, strict=True))
        return self.answers(asked, [replies[place] for place in range(len(parts))])

    def offer(self, ask: Ask) -> Draw:
        """How it would be drawn, or refused in the words of a session, before it is sent."""
        plan = self.promise.plan
        return plan.mechanism.offer(ask, plan.nothing_asked)

    def _sent(self, texts: list[str], radius: float | None) -> Sequence[Json]:
        if len(texts) == 1:
            return [self.data.ask(texts[0], radius=radius)]
        return self.data.batch(texts, radius=radius)

    def answers(self, asked: Sequence[Question], replies: Sequence[Json]) -> list[AnyAnswer]:
        """The answers in replies to what is drawn for questions."""
        return self.rebuilding(replies).answers(asked, replies)

    def rebuilding(self, replies: Sequence[Json] = ()) -> Rebuilding:
        """What makes answers of replies: under the promise that they name, which may be news."""
        self._stale = True
        marks = {each.get("promise") for each in replies if isinstance(each, dict)}
        known = marks <= {self.promise.mark}
        return Rebuilding(self._data, self.promise if known else self.refreshed())

    def refreshed(self) -> Promise:
        """The promise as of now: overrides may have come, but no other ledger."""
        newer = self.data.promise()
        if newer.session != self.promise.session:
            raise another_ledger(self.place)
        self.promise = newer
        return newer

    def look(self) -> Budget:
        """What is spent and left now."""
        budget = self.data.budget()
        self._budget, self._stale = budget, False
        return budget

    def last_look(self) -> Budget:
        """The same for a repr, which never fails: as of the last look, or the last answer."""
        if self._stale and not self._closed:
            try:
                return self.look()
            except GatewayError:
                pass
        return self._budget

    def promised(self, budget: Budget) -> str:
        """What is promised after what was asked, in a few words."""
        plan = self.promise.plan
        return plan.mechanism.words(self.past(budget), radius=plan.radius)

    def past(self, budget: Budget) -> Past:
        """As much of the past as a gateway tells with the budget."""
        asked = max(budget.asked, budget.failures)
        return Past(target=self.promise.plan.target, draws=asked, failures=budget.failures)

    def close(self) -> None:
        self._closed = True
        self._data.close()
