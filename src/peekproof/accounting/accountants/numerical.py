"""The sharpest bound for a mixture: laws of the loss, composed on a grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event, Laplace
from peekproof.accounting.grid import few, step_for
from peekproof.accounting.reading import as_approximate, as_gaussian
from peekproof.core import check
from peekproof.core.charge import GDP, ApproxDP
from peekproof.core.numerics import float_down
from peekproof.theory.composition import basic, joined, left_over, log_survival
from peekproof.theory.conversion import failure
from peekproof.theory.loss_law import LossLaw, composed_law

# Cut from the ends of the laws, as a part of δ; and the whole of it when only ε is known.
_PART = 2.0**-24
_LOST = 1e-100


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Numerical:
    """Privacy-loss laws of Laplace, Gaussian and any (ε, δ) events together, rounded up."""

    NAME: ClassVar[str] = "numerical"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-grid",)

    def covers(self, event: Event) -> bool:
        return as_gaussian(event) is not None or as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        parts = _Parts.of(conversation)
        rest = left_over(failure(delta=delta), survival=parts.survival)
        epsilon = parts.law(lost=rest * _PART).epsilon_at(rest)
        return min(epsilon, parts.most) if parts.most is not None else epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        check.amount(epsilon=epsilon)
        parts = _Parts.of(conversation)
        known = parts.most is not None and epsilon >= parts.most
        # A smaller ε has a larger δ, and beyond 1e300 there are no floats.
        level = float_down(min(epsilon, Fraction(10**300)))
        rest = 0.0 if known else parts.law(lost=_LOST).delta_at(level)
        return joined(rest, survival=parts.survival)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """A conversation sorted by the kind of law."""

    responses: dict[Fraction, int]
    laplaces: dict[Fraction, int]
    gaussian: GDP
    survival: float
    most: Fraction | None

    @classmethod
    def of(cls, conversation: Conversation) -> "_Parts":
        kinds = read_all(conversation, _kind, accountant=Numerical.NAME)
        laplaces, responses = dict[Fraction, int](), dict[Fraction, int]()
        pairs = dict[ApproxDP, int]()
        gaussian = GDP(Fraction(0))
        for (loss, is_laplace), count in kinds.items():
            if isinstance(loss, GDP):
                gaussian += loss * count
                continue
            group = laplaces if is_laplace else responses
            group[loss.epsilon] = group.get(loss.epsilon, 0) + count
            pairs[loss] = pairs.get(loss, 0) + count
        return cls(
            responses=few(responses),
            laplaces=few(laplaces),
            gaussian=gaussian,
            survival=log_survival((loss.delta, count) for loss, count in pairs.items()),
            most=None if gaussian.mu_squared else basic(pairs).epsilon,
        )

    def law(self, *, lost: float) -> LossLaw:
        step = step_for(responses=self.responses, laplaces=self.laplaces, gaussian=self.gaussian)
        return composed_law(
            responses=self.responses,
            laplaces=self.laplaces,
            gaussian=self.gaussian,
            step=step,
            lost=lost,
        )


def _kind(event: Event) -> tuple[GDP | ApproxDP, bool] | None:
    loss = as_gaussian(event) or as_approximate(event)
    return (loss, isinstance(event, Laplace)) if loss else None
