"""Questions of one request, read one after another until there are too many numbers in them."""

from collections.abc import Iterable, Iterator

from peekproof.core.errors import InvalidInput
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from peekproof.server import messages

# A short text can ask for ten thousand cells: without this, a small request that costs nothing
# takes hours, or fills the memory with its reply.
MOST_NUMBERS = 100_000


def read_all(given: Iterable[messages.Question], schema: Schema) -> Iterator[Question]:
    """The questions, each read when it is wanted."""
    numbers = 0
    for each in given:
        asked = parse_question(each, schema)
        numbers += asked.form.dimension
        if numbers > MOST_NUMBERS:
            raise InvalidInput(
                argument="questions",
                accepted=f"with at most {MOST_NUMBERS:,} numbers together",
                given="more",
                hint="send those with many cells in requests of their own",
            )
        yield asked
