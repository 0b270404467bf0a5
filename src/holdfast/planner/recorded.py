"""The plan that a ledger recorded, certified anew by the theorems of today."""

from dataclasses import replace
from fractions import Fraction

from holdfast.core.errors import LedgerDamaged
from holdfast.core.target import Target
from holdfast.ledger.state import Opening
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.noise.entropy import SystemEntropy
from holdfast.planner.plan import Plan


def recorded_plan(opening: Opening, *, ledger: str) -> Plan:
    """The plan of a ledger's first entry; seeded noise is named among its assumptions."""
    target = Target(confidence=opening.confidence, questions=opening.questions)
    mechanism = _mechanism(opening, ledger)
    certificate = mechanism.certify(target)
    if opening.entropy != SystemEntropy.description:
        certificate = replace(
            certificate, assumptions=(*certificate.assumptions, f"noise from {opening.entropy}")
        )
    plan = Plan(target=target, mechanism=mechanism, certificate=certificate)
    if plan.budget != opening.budget:
        raise LedgerDamaged(ledger=ledger, problem="records a budget its plan does not have")
    return plan


def _mechanism(opening: Opening, ledger: str) -> Gaussian:
    try:
        if opening.mechanism["kind"] != Gaussian.KIND:
            raise ValueError("another kind of mechanism")
        return Gaussian(
            rows=opening.rows,
            sigma=Fraction(opening.mechanism["sigma"]),
            step=Fraction(opening.mechanism["step"]),
        )
    except (KeyError, ValueError, ZeroDivisionError) as error:
        raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error
