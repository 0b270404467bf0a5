"""How often all intervals of a conversation hold, when the questions are an attack.

Run: make bench ARGS="--only coverage"
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import final

from measure import asked, installed
from peers.opendp_opponent import OpenDP
from result import Cell, Chart, Result, Sheet

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.fight import Outcome, Pairing, settle
from peekproof.audit.matrix import sized
from peekproof.audit.opponents.controls import Plain
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.opponents.sessions import Planned

CONFIDENCE = Fraction(19, 20)
SIZE, QUICK = (10_000, 300), (2_000, 60)  # rows, questions
HELD = "conversations in which all held"
ABOUT = (
    "Eight attacks whose populations are known question a plain holdout with textbook intervals "
    "(Bonferroni's for all questions), OpenDP's noise with the interval that its accuracy gives, "
    "and a session of Peekproof. All claim that all intervals of a conversation hold together with "
    "probability 0.95. OpenDP promises that of the sample, not of the population: the comparison "
    "shows what happens to who reads it as the latter. The last columns show the price: the "
    "widest interval, beside the largest error that was forced."
)


@final
@dataclass(frozen=True, slots=True)
class Contender:
    """A way to answer, and what it is called here."""

    title: str
    setup: Setup


def contenders() -> list[Contender]:
    noised = [OpenDP(epsilon) for epsilon in (1_000.0, 100.0, 10.0)]
    return [
        Contender("a plain holdout", Plain()),
        *(Contender(each.name, each) for each in noised),
        Contender("Peekproof", Planned()),
    ]


def row(outcomes: Sequence[Outcome]) -> dict[str, Cell]:
    return {
        HELD: sum(each.covered for each in outcomes) / len(outcomes),
        "conversations": len(outcomes),
        "widest radius": fmean(each.widest for each in outcomes),
        "largest error": fmean(each.forced for each in outcomes),
    }


def by_attack(outcomes: Sequence[Outcome], attacks: Sequence[str]) -> dict[str, Cell]:
    return {
        attack: fmean(each.covered for each in outcomes if each.attack == attack)
        for attack in attacks
    }


def main() -> None:
    run = asked(__doc__)
    rows, questions = QUICK if run.quick else SIZE
    seeds = range(1 if run.quick else 10)
    analysts = [sized(kind, rows=rows, questions=questions) for kind in ANALYSTS.values()]
    taking_part = contenders()
    pairings = [
        Pairing(setup=each.setup, analyst=analyst, confidence=CONFIDENCE, seed=seed)
        for each in taking_part
        for analyst in analysts
        for seed in seeds
    ]
    outcomes = settle(pairings)
    found = {
        each.title: [done for done in outcomes if done.mechanism == each.setup.name and done.began]
        for each in taking_part
    }
    kinds = [analyst.kind for analyst in analysts]
    size = f"{rows:,} rows, at most {questions:,} questions, confidence 0.95"
    run.keep(
        Result(
            name="coverage",
            title="Intervals under attack",
            about=ABOUT,
            sheets=(
                Sheet.of(f"All attacks; {size}", {name: row(each) for name, each in found.items()}),
                Sheet.of(
                    "The part of the conversations in which all intervals held, by attack",
                    {
                        kind: {name: by_attack(each, kinds)[kind] for name, each in found.items()}
                        for kind in kinds
                    },
                ),
            ),
            charts=(
                Chart("bars", "How often all intervals held (promised: 0.95)", HELD, column=HELD),
            ),
            versions=installed("opendp"),
        )
    )


if __name__ == "__main__":
    main()
