"""How to say what to ask next: a generator that yields questions and is sent the answers."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import final

import numpy as np


@final
@dataclass(frozen=True, slots=True)
class Supposed:
    """A question with a guess, for sessions that check guesses; others never look at it."""

    question: str
    guess: float
    tolerance: float | None = None


# What is sent back is the answer, or None if the question was refused. The coins are the
# analyst's own.
Questions = Generator[str | Supposed, float | None, None]
Strategy = Callable[[np.random.Generator], Questions]
