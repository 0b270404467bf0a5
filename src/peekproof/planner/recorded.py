"""The plan that a ledger recorded, certified anew by the theorems of today."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from peekproof.core.certificate import UNIT, Certificate, Span, Target
from peekproof.core.charge import GDP, Offer, nothing, unit_of
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.opening import Opening, PublicOpening
from peekproof.mechanisms.checking import (
    PAIRS,
    Checking,
    GuessAndCheck,
    Selection,
    checked_certificate,
    described_check,
    described_selection,
    selection_certificate,
)
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.mechanisms.fresh_rows import Rounds, Splitting
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.limited_checking import LimitedChecking, limited_certificate
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout, held_certificate
from peekproof.mechanisms.truncation import Truncation
from peekproof.noise.entropy import SystemEntropy
from peekproof.planner.own import Clock, Own, Price
from peekproof.planner.plan import Checks, Guessed, Mechanism, Plan
from peekproof.theory.generalization.checking import Weights
from peekproof.theory.generalization.fixed_point import fixed_point_certificate
from peekproof.theory.generalization.pairs import paired_certificate
from peekproof.theory.generalization.statistic import statistic_certificate

Planned = Gaussian | Laplace | Truncation | Splitting | Rounds
Drawing = Planned | Own | GuessAndCheck | Selection


def recorded_plan(opening: Opening | PublicOpening, *, ledger: str) -> Plan:
    """The plan of a ledger's first entry; seeded noise is named among its assumptions."""
    target = Target(confidence=opening.confidence, questions=opening.questions)
    mechanism = _mechanism(opening, ledger)
    if isinstance(mechanism, Thresholdout) and mechanism.questions != opening.questions:
        raise LedgerDamaged(ledger=ledger, problem="compares otherwise than it promises")
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
    if isinstance(plan.mechanism, Thresholdout):
        if terms.get("kind") != Thresholdout.KIND:
            raise LedgerDamaged(ledger=ledger, problem="records a draw that is no guess")
        held = held_certificate(plan.mechanism, terms, plan.target)
        return replace(held, assumptions=plan.certificate.assumptions)
    try:
        drawn = mechanism_under(plan, terms)
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error
    try:
        certificate = _certified(plan, drawn, terms, ledger)
        if "statistic" in terms:
            certificate = statistic_certificate(certificate)
        if PAIRS in terms:
            certificate = _of_pairs(plan, drawn, certificate)
    except (KeyError, ValueError) as error:
        problem = "records noise where the promise has none"
        raise LedgerDamaged(ledger=ledger, problem=problem) from error
    if "levels" in terms and PAIRS not in terms:  # pairs are counted exactly
        certificate = fixed_point_certificate(certificate, levels=int(terms["levels"]))
    return replace(certificate, assumptions=(*plan.certificate.assumptions, *_declared(terms)))


def recorded_price(plan: Plan, terms: Mapping[str, str], certificate: Certificate) -> Price:
    """The price of what was answered before under these terms: nothing, for what was released."""
    held = isinstance(plan.mechanism, Thresholdout)
    return Price(
        mechanism=plan.mechanism if held else mechanism_under(plan, terms),
        certificate=certificate,
        offer=Offer(cost=nothing(unit_of(plan.budget)), terms=terms, draws=0),
        questions=Fraction(0),
    )


def _declared(terms: Mapping[str, str]) -> tuple[str, ...]:
    """What the custodian said of a statistic, on which every answer of the session rests."""
    moved = terms.get("statistic")
    return (
        (f"one row moves the statistic by at most its declared sensitivity, {moved}",)
        if moved
        else ()
    )


def _certified(plan: Plan, drawn: Drawing, terms: Mapping[str, str], ledger: str) -> Certificate:
    if "kind" not in terms:
        # Noise on finer totals has another law than on counts.
        return drawn.certify(plan.target) if isinstance(drawn, Laplace) else plan.certificate
    if isinstance(drawn, Selection) and isinstance(plan.mechanism, Checking):
        return selection_certificate(drawn, terms, plan.target, promised=plan.mechanism)
    if isinstance(drawn, GuessAndCheck) != isinstance(plan.mechanism, Checks):
        raise ValueError("a checked guess where the promise has none, or the reverse")
    if isinstance(drawn, GuessAndCheck) and isinstance(plan.mechanism, LimitedChecking):
        return limited_certificate(plan.mechanism, drawn, terms, plan.target)
    if isinstance(drawn, GuessAndCheck) and isinstance(plan.mechanism, Checking):
        return checked_certificate(drawn, terms, plan.target, weights=plan.mechanism.weights)
    if isinstance(drawn, GaussianVector | Exponential | Quantile):
        return Clock.of(plan, asked="a draw of its own").certify(drawn)
    if not isinstance(drawn, Gaussian) or not isinstance(plan.budget, GDP):
        raise ValueError("noise where the promise has none")
    if isinstance(plan.mechanism, OpenEnded):
        return _of_stage(plan.mechanism, replace(drawn, levels=1), terms, plan.target, ledger)
    return drawn.certify_own(plan.target, budget=plan.budget)


def _of_pairs(plan: Plan, drawn: Drawing, certificate: Certificate) -> Certificate:
    if not isinstance(drawn, GuessAndCheck) or not isinstance(plan.mechanism, Checking):
        raise ValueError("pairs where the promise has none")
    return paired_certificate(certificate, rows=plan.rows)


def _of_stage(
    plan: OpenEnded, noise: Gaussian, terms: Mapping[str, str], target: Target, ledger: str
) -> Certificate:
    stages = {str(number): stage for number, stage in enumerate(plan.stages)}
    if stages.get(terms.get("stage", "")) != noise:
        raise LedgerDamaged(ledger=ledger, problem="records a stage its plan does not have")
    return plan.certify_stage(int(terms["stage"]), target)


def _mechanism(opening: Opening | PublicOpening, ledger: str) -> Mechanism:
    try:
        return described_mechanism(opening.mechanism, rows=opening.rows)
    except (KeyError, ValueError, ZeroDivisionError) as error:
        raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error


def described_mechanism(description: Mapping[str, str], *, rows: int) -> Mechanism:
    """The mechanism that `describe` described, on this number of rows."""
    levels = int(description.get("levels", "1"))
    match description["kind"]:
        case Gaussian.KIND:
            return Gaussian(
                rows=rows,
                sigma=Fraction(description["sigma"]),
                step=Fraction(description["step"]),
                levels=levels,
            )
        case Laplace.KIND:
            return Laplace(
                rows=rows,
                scale=Fraction(description["scale"]),
                step=Fraction(description["step"]),
                levels=levels,
            )
        case Truncation.KIND:
            return Truncation(rows=rows, bins=int(description["bins"]), levels=levels)
        case Splitting.KIND:
            return Splitting(
                rows=rows, parts=int(description["parts"]), key=description["key"], levels=levels
            )
        case Checking.KIND:
            # Levels of two kinds do not add up: a ledger goes on with those that it began with.
            weights = Weights(description.get("weights", Weights.ANYTIME.value))
            return Checking(rows=rows, weights=weights)
        case LimitedChecking.KIND:
            return LimitedChecking(
                rows=rows,
                tolerance=Fraction(description["tolerance"]),
                failures=int(description["failures"]),
            )
        case Thresholdout.KIND:
            return Thresholdout(
                rows=rows,
                threshold=int(description["threshold"]),
                epsilon=Fraction(description["epsilon"]),
                budget=int(description["budget"]),
                questions=int(description["questions"]),
                comparing=Fraction(description["comparing"]),
            )
        case Rounds.KIND:
            return Rounds(
                rows=rows, rounds=int(description["rounds"]), key=description["key"], levels=levels
            )
        case OpenEnded.KIND:
            pairs = [stage.split(":") for stage in description["stages"].split(" ")]
            stages = [
                Gaussian(rows=rows, sigma=Fraction(sigma), step=Fraction(step))
                for sigma, step in pairs
            ]
            return OpenEnded(rows=rows, stages=tuple(stages))
        case _:
            raise ValueError("another kind of mechanism")


def _own_mechanism(
    terms: Mapping[str, str], *, rows: int
) -> Own | GuessAndCheck | Selection | None:
    """The mechanism of a draw that no plan makes by itself, or None."""
    match terms["kind"]:
        case GaussianVector.KIND:
            return GaussianVector(
                rows=rows,
                sigma=Fraction(terms["sigma"]),
                step=Fraction(terms["step"]),
                cells=int(terms["cells"]),
                ball=Fraction(terms["ball"]),
                levels=int(terms.get("levels", "1")),
            )
        case GuessAndCheck.KIND:
            return described_check(terms, rows=rows)
        case Selection.KIND:
            return described_selection(terms, rows=rows)
        case Exponential.KIND:
            return Exponential(
                candidates=int(terms["candidates"]),
                epsilon=Fraction(terms["epsilon"]),
                sensitivity=int(terms["sensitivity"]),
            )
        case Quantile.KIND:
            return Quantile(
                rows=rows,
                cells=int(terms["cells"]),
                level=Fraction(terms["level"]),
                epsilon=Fraction(terms["epsilon"]),
            )
        case _:
            return None


def mechanism_under(plan: Plan, terms: Mapping[str, str]) -> Drawing:
    """The mechanism that draws an answer under these terms."""
    if "kind" in terms:
        own = _own_mechanism(terms, rows=plan.rows)
        mechanism = own or described_mechanism(terms, rows=plan.rows)
    else:
        mechanism = plan.mechanism
    if isinstance(mechanism, OpenEnded | Guessed):
        raise TypeError("a draw of this session has terms of its own")
    if "kind" not in terms and "levels" in terms and isinstance(mechanism, Planned):
        return replace(mechanism, levels=int(terms["levels"]))
    return mechanism


def span_of(terms: Mapping[str, str]) -> Span:
    """The units of an answer drawn under these terms."""
    if "low" not in terms:
        return UNIT
    low, high = Fraction(terms["low"]), Fraction(terms["high"])
    return Span(low=low, high=high, most=Fraction(terms.get("most", terms["high"])))
