"""How much overfitting a claim allows, by every theorem that applies."""

from dataclasses import dataclass
from fractions import Fraction
from math import expm1
from typing import final

from peekproof.audit.opponents.promises import Loss
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import argmin
from peekproof.theory.conversion import gdp_to_approx_at
from peekproof.theory.generalization.drift import pure_drift
from peekproof.theory.generalization.monitor_pick import (
    monitored,
    monitored_drift,
    monitored_drift_chosen,
)

_NO_CHOICE = PureDP(Fraction(0))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The most that a mean can be if a claim is true, and the theorem that says so."""

    theorem: str
    most: float


def allowances(loss: Loss | None, *, samples: int, choice: PureDP) -> tuple[Allowance, ...]:
    """What the pick of a monitor may overfit by; `choice` is its own ε′, or 0 for a free pick."""
    if loss is None:
        return ()
    if not isinstance(loss, GDP | PureDP):
        raise InvalidInput(
            argument="claim", accepted="PureDP, or the GDP of Gaussian noise", given=repr(loss)
        )
    if isinstance(loss, GDP) and not loss.mu_squared:
        loss = PureDP(Fraction(0))  # either says that nothing depends on the rows
    notes = Allowance(theorem="T-monitor", most=_by_the_notes(loss, samples=samples, choice=choice))
    if isinstance(loss, PureDP):
        # T-drift-pure holds surely, so for every pick; the pick is a part of the conversation.
        return notes, Allowance(theorem="T-drift-pure", most=pure_drift(loss + choice))
    if not choice.epsilon:
        most = monitored_drift(loss, samples=samples)
        return notes, Allowance(theorem="T-monitor-drift", most=most)
    most = monitored_drift_chosen(loss, choice=choice, samples=samples)
    return notes, Allowance(theorem="T-monitor-drift-choice", most=most)


def free_allowances(loss: Loss | None, *, samples: int) -> tuple[Allowance, ...]:
    """The same for a pick that is made from the answers alone."""
    return allowances(loss, samples=samples, choice=_NO_CHOICE)


def _by_the_notes(loss: Loss, *, samples: int, choice: PureDP) -> float:
    if isinstance(loss, PureDP):
        each = ApproxDP(epsilon=loss.epsilon, delta=Fraction(0))
        return monitored(each, choice=choice, samples=samples)
    return monitored(_split(loss, samples=samples), choice=choice, samples=samples)


def _split(loss: GDP, *, samples: int) -> ApproxDP:
    """The ε and δ of a μ-GDP conversation with about the smallest e^ε − 1 + Tδ; any serve."""

    def allowed(epsilon: float) -> float:
        delta = gdp_to_approx_at(loss, epsilon=Fraction(epsilon)).delta
        return expm1(epsilon) + samples * float(delta)

    return gdp_to_approx_at(loss, epsilon=Fraction(argmin(allowed, low=0.0, high=1.0)))
