"""Attacks on a copy of a configuration: made-up rows, in a process that ends with its gateway."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from inspect import getdoc
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import final

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.fight import Outcome, end_with_parent, fight
from peekproof.audit.matrix import sized
from peekproof.audit.opponents.catalogue import OPPONENTS, opponent_by
from peekproof.audit.opponents.protocol import Setup
from peekproof.core.errors import GatewayUnavailable, InvalidInput, PeekproofError
from peekproof.mechanisms.plan import Plan

# The largest copy: the slowest attack takes some seconds on it.
MOST_ROWS, MOST_QUESTIONS = 20_000, 500

CONTROL = "plain"

_PATIENCE = 120.0  # seconds for a whole attack
_PAUSE = 0.1  # seconds between two words about how far it is

# Told how many questions were asked, of the most that there can be.
Listener = Callable[[int, int], None]
Both = tuple[Outcome, Outcome]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """An attack and a configuration of which nothing is known but sizes and the mechanism."""

    attack: str
    mechanism: str
    rows: int
    questions: int
    confidence: Fraction
    seed: int

    @classmethod
    def of(cls, plan: Plan, *, attack: str, seed: int) -> "Copy":
        """The configuration of a plan, made small enough; the data are not asked."""
        if attack not in ANALYSTS:
            accepted = f"one of {', '.join(ANALYSTS)}"
            raise InvalidInput(argument="attack", accepted=accepted, given=repr(attack)[:80])
        return cls(
            attack=attack,
            mechanism=opponent_by(type(plan.mechanism)).name,
            rows=min(plan.rows, MOST_ROWS),
            questions=min(plan.target.questions, MOST_QUESTIONS),
            confidence=plan.target.confidence,
            seed=seed,
        )

    @property
    def analyst(self) -> Analyst:
        """Who attacks; an error if the copy is too small for that."""
        return sized(ANALYSTS[self.attack], rows=self.rows, questions=self.questions)

    @property
    def opponents(self) -> tuple[Setup, Setup]:
        return OPPONENTS[CONTROL], OPPONENTS[self.mechanism]


def does(attack: str) -> str:
    """What an attack does, in one sentence."""
    return (getdoc(ANALYSTS[attack]) or attack).partition("\n")[0]


def run(copy: Copy, told: Listener, *, patience: float = _PATIENCE) -> Both:
    """What came of the attack on the control and on the mechanism; whoever calls this waits."""
    # A forked process would share the locks of the gateway's threads.
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_in_child, args=(copy, theirs), daemon=True)
    child.start()
    theirs.close()
    end = time.monotonic() + patience
    try:
        while ours.poll(max(0.0, end - time.monotonic())):
            match ours.recv():
                case (int(done), int(total)):
                    told(done, total)
                case PeekproofError() as error:
                    raise error
                case (Outcome() as control, Outcome() as held):
                    return control, held
    except EOFError:
        problem = "the process of the attack ended before it was done"
        raise GatewayUnavailable(problem=problem) from None
    finally:
        child.kill()
        child.join()
        ours.close()
    raise GatewayUnavailable(problem="the attack took too long", hint="try another one")


def _in_child(copy: Copy, pipe: Connection) -> None:
    end_with_parent()
    try:
        pipe.send(_fought(copy, pipe))
    except PeekproofError as error:
        pipe.send(error)


def _fought(copy: Copy, pipe: Connection) -> tuple[Outcome, ...]:
    analyst = copy.analyst
    most, said = analyst.questions, time.monotonic()
    found: list[Outcome] = []

    def tell(asked: int) -> None:
        nonlocal said
        if time.monotonic() > said + _PAUSE:
            said = time.monotonic()
            pipe.send((len(found) * most + asked, 2 * most))

    for setup in copy.opponents:
        bout = fight(
            setup,
            analyst,
            confidence=copy.confidence,
            seed=copy.seed,
            questions=copy.questions,  # what is configured, also if fewer are asked
            progress=tell,
        )
        found.append(Outcome.of(bout, seed=copy.seed, predicted=analyst.predicted))
    return tuple(found)
