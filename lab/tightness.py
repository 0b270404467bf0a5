"""How much of an interval is necessary: what is promised, beside what an attack forces.

Of one conversation, `used` is the largest part of an interval that its truth lies away from its
answer: 0 if an answer is right, 1 if a truth is at an end, more if it is outside. Intervals hold
together with confidence 1 − β against an attack if and only if Pr[used ≤ 1] ≥ 1 − β; made
narrower by a factor s around their answers they hold if and only if Pr[used ≤ s] ≥ 1 − β. So the
(1 − β)-quantile of `used` over samples and noise is the part that is *necessary* against it: no
honest certificate for the same answers is narrower. The radius over the error that it stands for is

    ratio = 1/necessary ≥ 1         for every certificate that holds; 1 would be tight

and only ever falls when a better attack is found. The quantile is estimated by order statistics: of
R conversations the ⌈(1 − β)R⌉-th, and from below by the largest that lies at or below the quantile
except with probability `FALSE_ALARM`, whatever the law.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf
from typing import final

import numpy as np

from lab.forcing.coins import Coins
from lab.forcing.protocol import Attack
from lab.forcing.routes import Route
from peekproof.audit.evidence import excess_p_value
from peekproof.audit.fight import Claim
from peekproof.core import check
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.noise.entropy import Seeded

FALSE_ALARM = 0.05


def used(claim: Claim) -> float:
    """The part of the interval, from the answer towards the truth, that the truth is away."""
    reply, away = claim.reply, float(claim.truth) - claim.reply.value
    if not away:
        return 0.0
    reach = reply.high - reply.value if away > 0 else reply.value - reply.low
    return abs(away) / reach if reach > 0 else inf


@final
@dataclass(frozen=True, slots=True, order=True)
class Worst:
    """The claim of a conversation that used most of its interval, and by how much it errs."""

    used: float
    error: float


def worst(claims: Iterable[Claim]) -> Worst:
    """What one conversation forces."""
    return max((Worst(used(each), each.error) for each in claims), default=Worst(0.0, 0.0))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Tightness:
    """What conversations on independent samples force, from the least to the most."""

    route: Route
    attack: Attack
    target: Target
    rows: int
    forced: tuple[Worst, ...]

    @property
    def needed(self) -> Worst:
        """What lies at the quantile, as estimated."""
        return self.forced[ceil(self.target.confidence * len(self.forced)) - 1]

    @property
    def necessary_at_least(self) -> float:
        """The part that it needs, except with probability `FALSE_ALARM`; 0 if that is not known."""
        rank = surely_below(len(self.forced), quantile=self.target.confidence)
        return self.forced[rank - 1].used if rank else 0.0

    @property
    def finding(self) -> "Finding":
        return Finding(
            route=self.route.name,
            ours=self.route.ours,
            attack=self.attack.name,
            rows=self.rows,
            questions=self.target.questions,
            repetitions=len(self.forced),
            radius=self.needed.error / self.needed.used if self.needed.used else self.route.radius,
            forced=self.needed.error,
            necessary=self.needed.used,
            necessary_at_least=self.necessary_at_least,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is recorded of a measurement.

    `forced` is the error that every honest certificate must allow for, as estimated, and `radius`
    how far the interval of that answer reaches; most routes have the same for all answers.
    """

    route: str
    ours: bool
    attack: str
    rows: int
    questions: int
    repetitions: int
    radius: float
    forced: float
    necessary: float
    necessary_at_least: float

    @property
    def ratio(self) -> float:
        """The radius over the error that is forced."""
        return 1 / self.necessary if self.necessary else inf

    @property
    def ratio_at_most(self) -> float:
        """The same for the error that is surely forced."""
        return 1 / self.necessary_at_least if self.necessary_at_least else inf


@lru_cache(maxsize=64)
def surely_below(size: int, *, quantile: Fraction) -> int:
    """The largest r such that the r-th of `size` draws is rarely above the quantile; 0 if none is.

    The r-th exceeds it only if fewer than r draws are at or below it, and each is with
    probability at least `quantile`.
    """
    for rank in range(check.positive_integer(size=size), 0, -1):
        if excess_p_value(rank, trials=size, probability=float(quantile)) >= 1 - FALSE_ALARM:
            return rank
    return 0


def tightness(
    routes: Sequence[Route],
    *,
    rows: int,
    target: Target,
    repetitions: int,
    seed: int,
) -> tuple[Tightness, ...]:
    """What every route needs, all attacked on the same samples.

    Where there are several attacks, as many other samples choose the one that surely forces most;
    what it forces is then measured anew, so that the choice flatters nothing.
    """
    if repetitions < ceil(1 / target.beta):
        raise InvalidInput(
            argument="repetitions",
            accepted=f"at least {ceil(1 / target.beta):,}, to tell what happens that rarely",
            given=f"{repetitions:,}",
        )
    chosen = [
        _strongest(route, rows=rows, target=target, repetitions=repetitions, seed=seed)
        for route in routes
    ]
    found: list[list[Worst]] = [[] for _ in routes]
    features = max((attack.features for attack in chosen), default=0)
    for number in range(repetitions):
        sample, *others = np.random.SeedSequence([seed, 1, number]).spawn(1 + len(chosen))
        coins = Coins(features, rows=rows, rng=np.random.default_rng(sample))
        for attack, own, kept in zip(chosen, others, found, strict=True):
            kept.append(_played(attack, coins, own))
    return tuple(
        Tightness(route=route, attack=attack, target=target, rows=rows, forced=tuple(sorted(kept)))
        for route, attack, kept in zip(routes, chosen, found, strict=True)
    )


def _strongest(route: Route, *, rows: int, target: Target, repetitions: int, seed: int) -> Attack:
    if len(route.attacks) == 1:
        return route.attacks[0]
    empty = Coins(0, rows=rows, rng=np.random.default_rng(seed))

    def necessary(attack: Attack) -> float:
        seeds = (np.random.SeedSequence([seed, 2, number]) for number in range(repetitions))
        found = tuple(sorted(_played(attack, empty, own) for own in seeds))
        tried = Tightness(route=route, attack=attack, target=target, rows=rows, forced=found)
        return tried.necessary_at_least

    return max(route.attacks, key=necessary)


def _played(attack: Attack, coins: Coins, seed: np.random.SeedSequence) -> Worst:
    rows, noise = seed.spawn(2)
    entropy = Seeded(int(noise.generate_state(1, np.uint64)[0]))
    return worst(attack.play(coins, rng=np.random.default_rng(rows), noise=entropy))
