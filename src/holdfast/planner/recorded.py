"""The plan that a ledger recorded, certified anew by the theorems of today."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from holdfast.core.certificate import Certificate
from holdfast.core.errors import LedgerDamaged
from holdfast.core.loss import GDP
from holdfast.core.target import Target
from holdfast.ledger.state import Opening
from holdfast.mechanisms.gaussian import Gaussian
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.splitting import Splitting
from holdfast.mechanisms.truncation import Truncation
from holdfast.noise.entropy import SystemEntropy
from holdfast.planner.plan import Mechanism, Plan

Drawing = Gaussian | Truncation | Splitting


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
    if isinstance(mechanism, Splitting) and mechanism.parts != opening.questions:
        raise LedgerDamaged(ledger=ledger, problem="splits rows otherwise than it promises")
    if plan.budget != opening.budget:
        raise LedgerDamaged(ledger=ledger, problem="records a budget its plan does not have")
    return plan


def own_certificate_of(plan: Plan, terms: Mapping[str, str], *, ledger: str) -> Certificate:
    """The certificate of an answer that was drawn under terms of its own."""
    try:
        mechanism = described_mechanism(terms, rows=plan.rows)
    except (KeyError, ValueError, ZeroDivisionError) as error:
        raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error
    if not isinstance(mechanism, Gaussian) or not isinstance(plan.budget, GDP):
        raise LedgerDamaged(ledger=ledger, problem="records noise where the promise has none")
    if isinstance(plan.mechanism, OpenEnded):
        certificate = _of_stage(plan.mechanism, mechanism, terms, plan.target, ledger)
    else:
        certificate = mechanism.certify_own(plan.target, budget=plan.budget)
    return replace(certificate, assumptions=plan.certificate.assumptions)


def _of_stage(
    plan: OpenEnded, noise: Gaussian, terms: Mapping[str, str], target: Target, ledger: str
) -> Certificate:
    stages = {str(number): stage for number, stage in enumerate(plan.stages)}
    if stages.get(terms.get("stage", "")) != noise:
        raise LedgerDamaged(ledger=ledger, problem="records a stage its plan does not have")
    return plan.certify_stage(int(terms["stage"]), target)


def _mechanism(opening: Opening, ledger: str) -> Mechanism:
    try:
        return described_mechanism(opening.mechanism, rows=opening.rows)
    except (KeyError, ValueError, ZeroDivisionError) as error:
        raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error


def described_mechanism(description: Mapping[str, str], *, rows: int) -> Mechanism:
    """The mechanism that `describe` described, on this number of rows."""
    match description["kind"]:
        case Gaussian.KIND:
            return Gaussian(
                rows=rows,
                sigma=Fraction(description["sigma"]),
                step=Fraction(description["step"]),
            )
        case Truncation.KIND:
            return Truncation(rows=rows, bins=int(description["bins"]))
        case Splitting.KIND:
            return Splitting(rows=rows, parts=int(description["parts"]), key=description["key"])
        case OpenEnded.KIND:
            pairs = [stage.split(":") for stage in description["stages"].split(" ")]
            stages = [
                Gaussian(rows=rows, sigma=Fraction(sigma), step=Fraction(step))
                for sigma, step in pairs
            ]
            return OpenEnded(rows=rows, stages=tuple(stages))
        case _:
            raise ValueError("another kind of mechanism")


def mechanism_under(plan: Plan, terms: Mapping[str, str]) -> Drawing:
    """The mechanism that draws an answer under these terms."""
    mechanism = described_mechanism(terms, rows=plan.rows) if terms else plan.mechanism
    if isinstance(mechanism, OpenEnded):
        raise TypeError("a draw of an open-ended session has the terms of its stage")
    return mechanism
