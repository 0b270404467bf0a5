"""Every attack on every opponent."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.fight import BoutProgress, Outcome, Pairing, settle, silent
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.protocol import Setup
from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_down

ROWS, QUESTIONS = 20_000, 500
CONFIDENCE = Fraction(19, 20)
SEED = 1

# Of a table with a column for each question; a fight holds a few copies of it.
_MOST_CELLS = 10**8


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """All outcomes, one row of them after another: by mechanism, and in it by attack."""

    rows: int
    questions: int
    confidence: Fraction
    seed: int
    outcomes: tuple[Outcome, ...]

    @property
    def attacks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.attack for each in self.outcomes))

    @property
    def mechanisms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.mechanism for each in self.outcomes))

    @property
    def controls(self) -> tuple[str, ...]:
        """The mechanisms whose intervals nobody promises against such analysts."""
        return tuple(dict.fromkeys(each.mechanism for each in self.outcomes if not each.certified))

    def at(self, attack: str, mechanism: str) -> Outcome:
        """The outcome of one attack on one mechanism."""
        for each in self.outcomes:
            if (each.attack, each.mechanism) == (attack, mechanism):
                return each
        raise InvalidInput(
            argument="attack and mechanism",
            accepted=f"among {', '.join(self.attacks)} and {', '.join(self.mechanisms)}",
            given=f"{attack} and {mechanism}",
        )

    def of(self, mechanism: str) -> tuple[Outcome, ...]:
        """All attacks on one mechanism."""
        return tuple(each for each in self.outcomes if each.mechanism == mechanism)

    @property
    def broken(self) -> dict[str, tuple[str, ...]]:
        """By which attacks each control was broken."""
        return {
            control: tuple(each.attack for each in self.of(control) if not each.covered)
            for control in self.controls
        }

    @property
    def certified(self) -> tuple[Outcome, ...]:
        """The conversations for which a certificate was given."""
        return tuple(each for each in self.outcomes if each.certified and each.began)

    @property
    def missed(self) -> tuple[Outcome, ...]:
        """Those whose certificate failed, each by right with probability 1 − confidence."""
        return tuple(each for each in self.certified if not each.covered)

    @property
    def held(self) -> bool:
        """Whether all certificates held."""
        return not self.missed

    def to_dict(self) -> dict[str, object]:
        return {
            "rows": self.rows,
            "questions": self.questions,
            "confidence": level_down(self.confidence),
            "seed": self.seed,
            "attacks": list(self.attacks),
            "mechanisms": list(self.mechanisms),
            "controls": list(self.controls),
            "broken": {control: list(attacks) for control, attacks in self.broken.items()},
            "certified": len(self.certified),
            "missed": [[each.attack, each.mechanism] for each in self.missed],
            "held": self.held,
            "outcomes": [each.to_dict() for each in self.outcomes],
        }


def sized(kind: type[Analyst], *, rows: int, questions: int) -> Analyst:
    """An attack of this size, or an error that names it and what it accepts."""
    if check.positive_integer(rows=rows) * check.positive_integer(questions=questions) > (
        _MOST_CELLS
    ):
        raise InvalidInput(
            argument="rows times questions",
            accepted=f"at most {_MOST_CELLS:,}, which a fight holds in memory",
            given=f"{rows * questions:,}",
        )
    try:
        return kind.sized(rows=rows, questions=questions)
    except InvalidInput as refusal:
        if kind.kind in refusal.accepted:
            raise
        raise InvalidInput(
            argument=refusal.argument,
            accepted=f"{refusal.accepted} for {kind.kind}",
            given=refusal.given,
        ) from refusal


def _all_have(method: str, **named: Sequence[object]) -> None:
    """Refuse names where what is named is meant."""
    ((argument, given),) = named.items()
    for each in given:
        if not hasattr(each, method):
            raise InvalidInput(
                argument=argument, accepted=f"things that have `{method}`", given=repr(each)[:80]
            )


def _all_different(**named: list[str]) -> None:
    """Refuse names under which an outcome would not be found, or none at all."""
    ((argument, names),) = named.items()
    if not names or len(set(names)) < len(names):
        raise InvalidInput(
            argument=argument,
            accepted="one or more, each under a name of its own",
            given=", ".join(names) or "none",
        )


def matrix(
    *,
    rows: int = ROWS,
    questions: int = QUESTIONS,
    confidence: Fraction = CONFIDENCE,
    seed: int = SEED,
    attacks: Sequence[type[Analyst]] = tuple(ANALYSTS.values()),
    setups: Sequence[Setup] = tuple(OPPONENTS.values()),
    workers: int | None = None,
    progress: BoutProgress = silent,
) -> Matrix:
    """Each attack, as strong as it gets at this size, against each opponent.

    All opponents hold the same sample of an attack's population. Controls come first.
    """
    confidence = check.probability(confidence=confidence)
    _all_have("sized", attacks=attacks)
    _all_have("open", setups=setups)
    analysts = [sized(kind, rows=rows, questions=questions) for kind in attacks]
    _all_different(attacks=[analyst.kind for analyst in analysts])
    _all_different(setups=[setup.name for setup in setups])
    pairings = [
        Pairing(setup=setup, analyst=analyst, confidence=confidence, seed=seed)
        for setup in sorted(setups, key=lambda setup: setup.certified)
        for analyst in analysts
    ]
    return Matrix(
        rows=rows,
        questions=questions,
        confidence=confidence,
        seed=seed,
        outcomes=settle(pairings, workers=workers, progress=progress),
    )
