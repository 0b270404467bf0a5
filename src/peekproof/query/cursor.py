"""A place in the tokens of a question, and the errors that point at it."""

from typing import final

from peekproof.core.errors import QuestionError, TypeMismatch
from peekproof.query.tokens import Token, TokenKind, named, tokenize
from peekproof.query.tree import Numeric
from peekproof.query.walk import levels

MOST_DEPTH = 48
MOST_REPEATED = 25_000

_LONGEST_QUOTE = 40


@final
class Cursor:
    """Reads tokens one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokenize(text)
        self._index = 0
        self._depth = 0
        self._repeated = 0
        self.next = self._tokens[0]
        self.size = len(self._tokens)

    @property
    def finished(self) -> bool:
        return self.next.kind is TokenKind.END

    def advance(self) -> Token:
        token = self.next
        if token.kind is not TokenKind.END:
            self._index += 1
            self.next = self._tokens[self._index]
        return token

    def sees(self, *words: str) -> bool:
        """Whether the next token is one of these keywords or signs."""
        return self.next.kind is TokenKind.WORD and self.next.value in words

    def says(self, *names: str) -> bool:
        """Whether one of these names comes next, bare and in any case.

        Asked where no name could stand otherwise, so that columns may have these names too.
        """
        token = self.next
        return token.kind is TokenKind.NAME and token.value.lower() in names and _bare(token)

    def opens(self, *names: str) -> bool:
        """Whether one of these names, or any if none is given, comes next and then a "(".

        Nothing else in the grammar begins like that, so columns may have these names too.
        """
        token = self.next
        if token.kind is not TokenKind.NAME or (names and token.value.lower() not in names):
            return False
        return _bare(token) and self.follows("(")

    def follows(self, word: str) -> bool:
        """Whether this keyword or sign, or bare name, comes right behind the next token."""
        after = self._tokens[min(self._index + 1, self.size - 1)]
        if after.kind is TokenKind.NAME:
            return after.value.lower() == word and _bare(after)
        return after.kind is TokenKind.WORD and after.value == word

    @property
    def quotes(self) -> bool:
        """Whether quoted text comes right behind the next token."""
        return self._tokens[min(self._index + 1, self.size - 1)].kind is TokenKind.TEXT

    def takes(self, *words: str) -> bool:
        """Whether the next token was one of these; if so it is behind us now."""
        found = self.sees(*words)
        if found:
            self.advance()
        return found

    def expect(self, word: str) -> None:
        if not self.takes(word):
            raise self.error(f"expected {word!r}, found {named(self.next)}", self.next)

    def since(self, token: Token) -> str:
        """What was written from this token up to the next one, for a message."""
        written = " ".join(self.text[token.position : self.next.position].split())
        plain = "".join(each if each.isprintable() else " " for each in written[:_LONGEST_QUOTE])
        return plain if len(written) <= _LONGEST_QUOTE else f"{plain}…"

    def enter(self, token: Token) -> None:
        """One level deeper, with `leave` on the way out; an error ends the reading for good."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self.error(f"nested more than {MOST_DEPTH} deep", token)

    def leave(self) -> None:
        self._depth -= 1

    def repeat(self, node: Numeric, token: Token) -> Numeric:
        """The node once more. What is written once and meant twice must not add up unseen."""
        for level in levels(node):
            self._repeated += len(level)
            if self._repeated > MOST_REPEATED:
                problem = f"more than {MOST_REPEATED:,} parts that are meant more than once"
                raise self.error(problem, token, "simplify the question")
        return node

    def error(self, problem: str, token: Token, hint: str = "") -> QuestionError:
        return QuestionError(
            problem=problem,
            text=self.text,
            position=token.position,
            length=token.length,
            hint=hint,
        )

    def mismatch(self, problem: str, token: Token, hint: str = "") -> TypeMismatch:
        return TypeMismatch(
            problem=problem,
            text=self.text,
            position=token.position,
            length=token.length,
            hint=hint,
        )


def _bare(token: Token) -> bool:
    return token.length == len(token.value)  # backticks would add to the length
