"""A place in the tokens of a question, and the errors that point at it."""

from collections.abc import Callable
from typing import TypeVar, final

from holdfast.core.errors import QuestionError, TypeMismatch
from holdfast.query.tokens import Token, TokenKind, tokenize

MOST_DEPTH = 48

_LONGEST_QUOTE = 40

R = TypeVar("R")


@final
class Cursor:
    """Reads tokens one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokenize(text)
        self._index = 0
        self._depth = 0
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

    def opens(self, *names: str) -> bool:
        """Whether one of these names comes next, bare and in any case, and a "(" right after.

        Nothing else in the grammar begins like that, so columns may have these names too.
        """
        token = self.next
        if token.kind is not TokenKind.NAME or token.value.lower() not in names:
            return False
        after = self._tokens[self._index + 1]
        bare = token.length == len(token.value)  # backticks would add to the length
        return bare and after.kind is TokenKind.WORD and after.value == "("

    def takes(self, *words: str) -> bool:
        """Whether the next token was one of these; if so it is behind us now."""
        found = self.sees(*words)
        if found:
            self.advance()
        return found

    def expect(self, word: str) -> None:
        if not self.takes(word):
            raise self.error(f"expected {word!r}, found {self.next.value!r}", self.next)

    def since(self, token: Token) -> str:
        """What was written from this token up to the next one, for a message."""
        written = " ".join(self.text[token.position : self.next.position].split())
        return written if len(written) <= _LONGEST_QUOTE else f"{written[:_LONGEST_QUOTE]}…"

    def nested(self, parse_inside: Callable[[], R], token: Token) -> R:
        """What `parse_inside` returns, one level deeper."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self.error(f"nested more than {MOST_DEPTH} deep", token)
        inside = parse_inside()
        self._depth -= 1
        return inside

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
