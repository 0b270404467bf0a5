"""Post-processing keeps every notion, also interactively, by enumeration of small conversations.

A filter between analyst and mechanism translates questions and answers; whatever both remember
and toss, what the analyst sees is a random function of what the mechanism wrote.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import isclose, log
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.core.charge import ApproxDP
from peekproof.core.numerics import up
from peekproof.theory.composition import basic
from peekproof.theory.divergence import Pair
from peekproof.theory.optimal_composition import optimal_mixed_at
from theory.divergence.pairs import DIVERGENCES, laws, pairs_of, through

ROUNDING = 1e-13
BITS = (0, 1)
Law = tuple[Fraction, ...]
View = tuple[int, ...]

few = settings(max_examples=40)


def rises(before: Pair, after: Pair) -> list[str]:
    """The divergences that are larger after than before."""
    return [
        name
        for name, divergence in DIVERGENCES.items()
        if divergence(after) > (least := divergence(before)) + ROUNDING * abs(least)
    ]


def pair_of(near: dict[View, Fraction], far: dict[View, Fraction]) -> Pair:
    seen = sorted({*near, *far})
    return Pair(
        p=tuple(near.get(view, Fraction(0)) for view in seen),
        q=tuple(far.get(view, Fraction(0)) for view in seen),
    )


@few
@given(st.data())
def test_no_chain_of_random_maps_raises_a_divergence(data: st.DataObject) -> None:
    pair = data.draw(pairs_of(4))
    for width in data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)):
        channel = data.draw(st.lists(laws(width), min_size=len(pair.p), max_size=len(pair.p)))
        after = Pair(p=through(channel, pair.p), q=through(channel, pair.q))
        assert rises(pair, after) == []
        pair = after


class Conversations:
    """Two rounds of bits: asked → filtered question → answer → shown, twice.

    Every table is keyed by all that its owner has seen; the mechanism's also by the data.
    """

    def __init__(self, seed: int, *, peeks: bool) -> None:
        self._draw, self._peeks = Random(seed).randint, peeks
        # Half of the mechanisms are so private that nobody else may say anything.
        self._least = {"mechanism": 90} if seed % 2 else {}
        self._tables: dict[tuple[object, ...], Law] = {}

    def law(self, owner: str, *seen: object) -> Law:
        if (owner, *seen) not in self._tables:
            yes = self._draw(self._least.get(owner, 0), 100)
            total = yes + self._draw(self._least.get(owner, 1), 100)
            self._tables[owner, *seen] = (Fraction(yes, total), 1 - Fraction(yes, total))
        return self._tables[owner, *seen]

    def laws(self, dataset: int) -> tuple[dict[View, Fraction], dict[View, Fraction]]:
        """The laws of the mechanism's transcript and of the analyst's view."""
        transcript: dict[View, Fraction] = {}
        view: dict[View, Fraction] = {}
        known = dataset if self._peeks else None  # what the analyst's side knows of the data
        for asked, x, a, shown, again, y, b, told in product(BITS, repeat=8):
            chance = (
                self.law("analyst")[asked]
                * self.law("filter", asked)[x]
                * self.law("mechanism", dataset, x)[a]
                * self.law("back", asked, x, a, known)[shown]
                * self.law("analyst", asked, shown)[again]
                * self.law("filter", asked, x, a, shown, again)[y]
                * self.law("mechanism", dataset, x, a, y)[b]
                * self.law("back", again, y, b, a)[told]
            )
            if chance:
                for law, seen in ((transcript, (x, a, y, b)), (view, (asked, shown, again, told))):
                    law[seen] = law.get(seen, Fraction(0)) + chance
        return transcript, view


def worse_for(conversations: Conversations) -> list[str]:
    (written, seen), (other_written, other_seen) = map(conversations.laws, BITS)
    return rises(pair_of(written, other_written), pair_of(seen, other_seen))


def test_no_filter_and_no_analyst_sees_more_than_was_written() -> None:
    for seed in range(20):
        assert worse_for(Conversations(seed, peeks=False)) == []


def test_a_filter_that_looks_at_the_data_is_caught() -> None:
    caught = {name for seed in range(20) for name in worse_for(Conversations(seed, peeks=True))}
    assert caught == set(DIVERGENCES)


def private(odds: int, channel: list[Law]) -> tuple[Law, Law]:
    """A pair of answers with ratios of at most `odds`: randomised response, seen through a map."""
    yes, no = Fraction(odds, 1 + odds), Fraction(1, 1 + odds)
    return through(channel, (yes, no)), through(channel, (no, yes))


def epsilon_of(odds: int) -> ApproxDP:
    return ApproxDP(epsilon=Fraction(up(log(odds))), delta=Fraction(0))


Answers = Callable[[int, int], tuple[Law, Law]]


def transcripts(first: int, then: View, answers: Answers) -> Pair:
    """Two rounds where the second question depends on the first answer."""
    p, q = [], []
    near, far = answers(0, first)
    for a, asked in enumerate(then):
        later_near, later_far = answers(1, asked)
        p += [near[a] * mass for mass in later_near]
        q += [far[a] * mass for mass in later_far]
    return Pair(p=tuple(p), q=tuple(q))


def excess(pair: Pair, odds: tuple[int, int]) -> float:
    """By how much δ exceeds the bounds of composition, at the worst of some levels."""
    losses = [epsilon_of(each) for each in odds]
    total = basic(losses).epsilon
    worst = pair.hockey_stick(epsilon=total)
    for part in range(4):
        level = total * part / 4
        bound = optimal_mixed_at(losses, epsilon=level, step=Fraction(1, 8)).delta
        worst = max(worst, pair.hockey_stick(epsilon=level) - float(bound))
    return worst


@settings(max_examples=12)
@given(st.data(), st.integers(2, 6), st.integers(2, 6))
def test_every_adaptive_strategy_is_within_the_bounds(
    data: st.DataObject, one: int, other: int
) -> None:
    channels = st.lists(laws(3), min_size=2, max_size=2)
    table = {(turn, q): data.draw(channels) for turn in BITS for q in BITS}
    odds = (one, other)

    def answers(turn: int, question: int) -> tuple[Law, Law]:
        return private(odds[turn], table[turn, question])

    for first, *then in product(BITS, repeat=4):
        pair = transcripts(first, tuple(then), answers)
        assert excess(pair, odds) <= 0
        assert excess(pair.swapped(), odds) <= 0


def test_randomised_response_reaches_the_bound_and_one_more_look_exceeds_it() -> None:
    plain: list[Law] = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
    loss = epsilon_of(3)
    pair = transcripts(0, (0, 0), lambda *_: private(3, plain))
    bound = optimal_mixed_at([loss] * 2, epsilon=Fraction(0), step=loss.epsilon).delta
    assert isclose(pair.total_variation(), float(bound), rel_tol=1e-9)

    peeked = transcripts(0, (0, 0), lambda turn, _: private(3 + turn, plain))
    assert excess(peeked, (3, 3)) > 0
