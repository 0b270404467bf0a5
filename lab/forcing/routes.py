"""Every route to an interval, each with the attacks that are made on it."""

from dataclasses import dataclass, replace
from typing import final

from lab.forcing.bold import (
    BOLDNESS,
    FirstGuess,
    Guesses,
    Unseen,
    proposed_tolerance,
)
from lab.forcing.exact import Edges, Fresh
from lab.forcing.protocol import Attack, around
from lab.forcing.voting import Staged, Steady, voting
from peekproof.audit.opponents.sessions import Opened
from peekproof.audit.routes import OURS, Quote, quotes
from peekproof.core.certificate import Simultaneous, Target
from peekproof.core.numerics import float_up
from peekproof.mechanisms.base import VACUOUS, Limit
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian, on_grid
from peekproof.mechanisms.ladder import Ladder, best_ladder
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.plan import Plan, open_ended_plan, plan
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.mechanisms.truncation import Truncation

# Batches of questions, and guesses that may fail, as where opponents are opened.
_ROUNDS = _FAILURES = 10


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A way to an interval: its radius for a share near one half, and what is tried on it.

    `ours` is whether a mechanism of this package is certified by it, in place of a theorem of the
    literature. If there are several attacks, a trial decides between them.
    """

    name: str
    ours: bool
    radius: float
    attacks: tuple[Attack, ...]


def routes(*, rows: int, target: Target) -> tuple[Route, ...]:
    """All routes that say something here: those that certify first, then the published ones."""
    found = (
        *(_noisy(rows, target, kind) for kind in (Gaussian, Laplace)),
        _open_ended(rows, target),
        _truncated(rows, target),
        _fresh(rows, target),
        _fresh(rows, target, rounds=min(_ROUNDS, target.questions)),
        _checked(rows, target),
        *(_limited(rows, target, kind) for kind in (LimitedChecking, Thresholdout)),
        _ladder(rows, target),
        *(_published(rows, target, quote) for quote in quotes(rows=rows, target=target)),
    )
    return tuple(route for route in found if route is not None and route.radius < VACUOUS)


def _noisy(rows: int, target: Target, kind: type[Gaussian | Laplace]) -> Route:
    best = plan(rows=rows, target=target, mechanisms=(kind,))
    if not isinstance(best.mechanism, Gaussian | Laplace):
        raise TypeError(kind)
    answering = Steady(best.mechanism, around(best.certificate))
    return _route(best, voting(answering, rows=rows, target=target))


def _open_ended(rows: int, target: Target) -> Route | None:
    best = open_ended_plan(OpenEnded, rows=rows, confidence=target.confidence)
    if not isinstance(best.mechanism, OpenEnded) or best.target.questions < target.questions:
        return None
    answering = Staged(best.mechanism, best.target)
    last = best.mechanism.certify_stage(best.mechanism.stage_of(target.questions), best.target)
    return Route(
        name=OpenEnded.kind,
        ours=True,
        radius=last.radius,
        attacks=(voting(answering, rows=rows, target=target),),
    )


def _truncated(rows: int, target: Target) -> Route:
    best = plan(rows=rows, target=target, mechanisms=(Truncation,))
    if not isinstance(best.mechanism, Truncation):
        raise TypeError(Truncation)
    allows = around(best.certificate)
    return _route(best, Edges(mechanism=best.mechanism, target=target, allows=allows))


def _fresh(rows: int, target: Target, *, rounds: int | None = None) -> Route:
    best = plan(rows=rows, target=target, mechanisms=(FreshRows,), rounds=rounds)
    if not isinstance(best.mechanism, FreshRows):
        raise TypeError(FreshRows)
    attack = Fresh(mechanism=best.mechanism, target=target, allows=around(best.certificate))
    return replace(_route(best, attack), name=Opened(FreshRows, rounds).name)


def _checked(rows: int, target: Target) -> Route:
    mechanism = Checking(rows=rows)
    return Route(
        name=Checking.kind,
        ours=True,
        radius=float_up(proposed_tolerance(rows, target)),
        attacks=tuple(
            FirstGuess(mechanism=mechanism, target=target, boldness=each) for each in BOLDNESS
        ),
    )


def _limited(rows: int, target: Target, kind: type[LimitedChecking | Thresholdout]) -> Route:
    limit = Limit(failures=min(_FAILURES, target.questions))
    best = plan(rows=rows, target=target, mechanisms=(kind,), limit=limit)
    mechanism = best.mechanism
    if not isinstance(mechanism, LimitedChecking | Thresholdout):
        raise TypeError(kind)
    return _route(
        best,
        *(Guesses(mechanism=mechanism, target=target, boldness=each) for each in BOLDNESS),
    )


def _ladder(rows: int, target: Target) -> Route:
    best = best_ladder(rows, target)
    return Route(
        name=Ladder.kind,
        ours=True,
        radius=best.certify(target).radius,
        attacks=tuple(Unseen(mechanism=best, target=target, boldness=each) for each in BOLDNESS),
    )


def _published(rows: int, target: Target, quote: Quote) -> Route | None:
    """The noise that the theorem would choose, and the interval that it would give."""
    named = dict(quote.parameters)
    if quote.route == OURS or not isinstance(quote.bound, Simultaneous):
        return None
    mechanism: Gaussian | Laplace
    if "sigma" in named:
        mechanism = on_grid(rows, float(named["sigma"]))
    elif "scale" in named:
        scale = named["scale"].limit_denominator(2**20)
        mechanism = Laplace(rows=rows, scale=scale, step=on_grid(rows, float(scale)).step)
    else:
        return None
    answering = Steady(mechanism, quote.bound.around)
    attack = voting(answering, rows=rows, target=target)
    return Route(name=quote.route, ours=False, radius=quote.radius, attacks=(attack,))


def _route(best: Plan, *attacks: Attack) -> Route:
    return Route(name=best.mechanism.kind, ours=True, radius=best.radius, attacks=attacks)
