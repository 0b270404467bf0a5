"""Draws that are not as planned: what they are worth, and how many questions they count as."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate
from peekproof.core.charge import GDP, Offer, amount_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import up
from peekproof.core.width import Width
from peekproof.mechanisms.checking import GuessAndCheck, Selection
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector
from peekproof.planner.html import price_html
from peekproof.planner.plan import VACUOUS, Mechanism, Plan
from peekproof.theory.generalization.choice import choice_certificate, quantile_certificate
from peekproof.theory.generalization.drift import choice_cost
from peekproof.theory.generalization.fixed_point import fixed_point_certificate

Own = GaussianVector | Exponential | Quantile


def own_radius(radius: object) -> float:
    """A radius that one question may have, as a part of its scale.

    An answer stays: one that says nothing would cost next to nothing, and be all that anybody
    ever gets for that question.
    """
    wanted = check.positive_float(radius=radius)
    if wanted >= VACUOUS:
        raise InvalidInput(
            argument="radius",
            accepted=f"below {VACUOUS:g}, from where on an interval says nothing",
            given=repr(radius),
            hint="the first answer to a question is the one that everybody gets; leave the "
            "radius out for the planned one",
        )
    return wanted


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A draw, what it is certified to, and how many planned questions its cost is worth.

    What was answered before is not drawn again: its certificate is the recorded one. `told` is how
    far the interval of the answer would reach, where that is not as far as a certified share.
    """

    mechanism: Mechanism | Own | GuessAndCheck | Selection
    certificate: Certificate
    offer: Offer
    questions: Fraction
    told: Width | None = None

    @property
    def width(self) -> Width:
        """How far the interval of the answer would reach, in its units."""
        return self.told or Width.within(self.certificate.radius)

    def reach(self, width: float) -> float:
        """How far what is drawn would reach, for shares that stand for so wide a scale.

        Of a guess, if it is confirmed.
        """
        radius = self.certificate.radius
        return radius if width == 1 else up(radius * width)

    @property
    def known(self) -> bool:
        """Whether it was answered before, and is free."""
        return self.offer.draws == 0

    def affordable(self, remaining: int) -> int:
        """How many such draws fit into what `remaining` planned questions would take.

        What is known can be had even if nothing is left.
        """
        if self.known:
            return max(1, remaining)
        return int(remaining // max(self.questions, Fraction(self.offer.draws)))

    def _repr_html_(self) -> str:
        """The price for a notebook."""
        return price_html(self)


@final
@dataclass(frozen=True, slots=True)
class Clock:
    """What a session with Gaussian noise can spend, and on what: the only kind that mixes draws."""

    plan: Plan
    noise: Gaussian
    budget: GDP

    @classmethod
    def of(cls, plan: Plan, *, asked: str) -> "Clock":
        if isinstance(plan.mechanism, Gaussian) and isinstance(plan.budget, GDP):
            return cls(plan, plan.mechanism, plan.budget)
        raise InvalidInput(
            argument="question",
            accepted="a share or a mean in this session",
            given=asked,
            hint="open the data with mechanisms=[peekproof.Gaussian] and a number of questions",
        )

    def worth(self, cost: GDP) -> Fraction:
        """How many planned questions a cost pays for."""
        return cost.mu_squared / amount_of(self.noise.cost())

    def draws(self, cost: GDP) -> int:
        """How many questions a draw of this cost counts as: at least as many as it is worth."""
        return min(self.plan.target.questions, max(1, ceil(self.worth(cost))))

    def cost(self, mechanism: Own) -> GDP:
        """What a draw uses up."""
        if isinstance(mechanism, GaussianVector):
            return mechanism.cost()
        return choice_cost(mechanism.cost())

    def certify(self, mechanism: Own) -> Certificate:
        """What a draw is certified to, together with all others."""
        draws = self.draws(self.cost(mechanism))
        target, budget, rows = self.plan.target, self.budget, self.plan.rows
        if isinstance(mechanism, GaussianVector):
            return mechanism.certify_own(target, budget=budget, draws=draws)
        if isinstance(mechanism, Quantile):
            return quantile_certificate(
                rows=rows,
                candidates=mechanism.cells,
                epsilon=mechanism.epsilon,
                budget=budget,
                target=target,
                draws=draws,
            )
        certificate = choice_certificate(
            rows=rows,
            candidates=mechanism.candidates,
            epsilon=mechanism.epsilon,
            budget=budget,
            target=target,
            draws=draws,
        )
        if mechanism.sensitivity == 1:
            return certificate
        # Two means are compared, each read in fixed point.
        return fixed_point_certificate(certificate, levels=mechanism.sensitivity // 2)

    def price(self, mechanism: Own) -> Price:
        """What a draw costs."""
        cost = self.cost(mechanism)
        offer = Offer(cost=cost, terms=mechanism.describe(), draws=self.draws(cost))
        return Price(
            mechanism=mechanism,
            certificate=self.certify(mechanism),
            offer=offer,
            questions=self.worth(cost),
        )
