"""What a session would promise: the narrowest mechanism for so many rows and questions.

`plan` asks every mechanism that is registered; `questions_affordable` and `rows_needed` are the
inverse questions. A `Price` is what one ask would cost, and how far its interval would reach.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target, Width
from peekproof.core.charge import Charge, charge_in
from peekproof.core.errors import InvalidInput, LedgerDamaged, MechanismMissing, VacuousPlan
from peekproof.core.html import Html, bold, box, faint, folded_certificate, joined, lines, text
from peekproof.core.numerics import decimal_up, digits_up, float_up, largest, level_down, up
from peekproof.ledger.entry import Opening, PublicOpening
from peekproof.mechanisms.base import (
    VACUOUS,
    Draw,
    Limit,
    Mechanism,
    Options,
    Past,
    Recorded,
    every_mechanism,
    is_foreign,
    recorded_mechanism,
)
from peekproof.noise.entropy import SystemEntropy

# What a new session promises unless told otherwise.
CONFIDENCE = Fraction(95, 100)
QUESTIONS = 1000

# Beyond these no one has rows or patience, and searches must end somewhere.
MOST_QUESTIONS = 10**12
MOST_ROWS = 10**18

_LONGEST = 24  # of a parameter that is no number
_MOST_WORTH = 10**12  # a price beyond is no longer a number to read


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A mechanism, the promise it keeps, and the certificate for it."""

    target: Target
    mechanism: Mechanism
    certificate: Certificate

    @property
    def rows(self) -> int:
        return self.mechanism.rows

    @property
    def radius(self) -> float:
        """How far the widest interval can reach."""
        return self.certificate.radius

    @property
    def vacuous(self) -> bool:
        """Whether the intervals say no more than that a share is between 0 and 1."""
        return self.radius >= VACUOUS

    @property
    def budget(self) -> Charge:
        return self.mechanism.budget(self.target)

    @property
    def nothing_asked(self) -> Past:
        """The past of a conversation by this plan before its first question."""
        return Past(target=self.target)

    def to_dict(self) -> dict[str, object]:
        return {
            "rows": self.rows,
            "questions": self.target.questions,
            "confidence": level_down(self.target.confidence),
            "radius": self.radius,
            "vacuous": self.vacuous,
            "mechanism": {name: _number(said) for name, said in self.mechanism.described.items()},
            "certificate": self.certificate.to_dict(),
        }

    def _repr_html_(self) -> str:
        """The plan for a notebook: the promise in words, how it is kept, and why it holds."""
        mechanism, warning = self.mechanism, ""
        if self.vacuous and not mechanism.guesses:
            warning = "The intervals say no more than that a share is between 0 and 1."
        said = bold(mechanism.headline(self.radius)), text(mechanism.promise(self.target))
        return box(
            lines(
                joined(said, " "),
                _drawn_by(mechanism),
                bold(warning) if warning else Html(""),
            ),
            folded_certificate(self.certificate),
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A draw, what it is certified to, and how many planned questions its cost is worth.

    What was answered before is not drawn again: it costs nothing, counts as no draw, and its
    certificate is the recorded one. `told` is how far the interval of the answer would reach,
    where that is not as far as a certified share.
    """

    draw: Draw
    certificate: Certificate
    cost: Charge
    draws: int
    questions: Fraction
    told: Width | None = None
    failed: bool = False  # whether what was answered before corrected a guess

    @classmethod
    def of(cls, draw: Draw, plan: Plan) -> "Price":
        """The price of something new."""
        return cls(
            draw=draw,
            certificate=certificate_of(plan, draw),
            cost=draw.cost,
            draws=draw.draws,
            questions=plan.mechanism.worth(draw, plan.target),
        )

    @classmethod
    def recorded(cls, draw: Draw, certificate: Certificate, *, failed: bool) -> "Price":
        """The price of what was answered before: nothing, for what was released."""
        return cls(
            draw=draw,
            certificate=certificate,
            cost=charge_in(draw.cost.unit),
            draws=0,
            questions=Fraction(0),
            failed=failed,
        )

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
        return self.draws == 0

    def affordable(self, remaining: int) -> int:
        """How many such draws fit into what `remaining` planned questions would take.

        What is known can be had even if nothing is left.
        """
        if self.known:
            return max(1, remaining)
        return int(remaining // max(self.questions, Fraction(self.draws)))

    def _repr_html_(self) -> str:
        """The price for a notebook: what a draw costs and is worth, before it is paid for."""
        worth = min(self.questions, Fraction(_MOST_WORTH))
        than = "more than " if worth < self.questions else ""
        plural = "question" if worth == 1 else "questions"
        amount = digits_up(float_up(worth)) if worth.denominator > 1 else f"{int(worth):,}"
        said = (
            f"for as much as {than}{amount} planned {plural}; it counts as {self.draws:,} of "
            "those that were promised"
        )
        if self.known:
            said = "answered before, and free"
        words, radius = self.width.words, self.certificate.radius
        # In other units, or of a quotient, the interval reaches elsewhere than what is drawn.
        drawn = f"what is drawn is within ±{decimal_up(radius)} of its scale"
        return box(
            lines(
                bold(words[0].upper() + words[1:]),
                text(said),
                faint(text(drawn)) if radius != self.width.most else Html(""),
                _drawn_by(self.draw),
            ),
            folded_certificate(self.certificate),
        )


def certificate_of(plan: Plan, draw: Draw, *, failed: bool = False) -> Certificate:
    """The certificate of an answer, with all that its session assumes."""
    found = draw.certificate(plan.mechanism, plan.target, failed=failed)
    assumed = (*plan.certificate.assumptions, *draw.assumptions)
    return replace(found, assumptions=assumed)


def plan(
    *,
    rows: int,
    target: Target,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> Plan:
    """The plan with the smallest radius: Gaussian noise, few possible answers, or fresh rows.

    `rounds` is the number of batches in which the questions come, if that is known. Questions of
    a batch can share fresh rows; other mechanisms make no use of it and set no limit to it.
    `limit` says how many guesses may fail, for LimitedChecking, or be corrected, for Thresholdout
    (10 if it is not said).

    `mechanisms` names the ones to choose from; only noise also protects records. Laplace noise
    is tried only if named: it is narrower than Gaussian noise for one to three questions at most,
    where fresh rows are narrower still.

    A search only chooses parameters; the radius is then certified for them as they are, so an
    imperfect search costs width and never validity.
    """
    check.positive_integer(rows=rows)
    for argument, value, most in (
        ("rows", rows, MOST_ROWS),
        ("questions", target.questions, MOST_QUESTIONS),
    ):
        if value > most:
            raise InvalidInput(argument=argument, accepted=f"at most {most:,}", given="more")
    every = [kind for kind in every_mechanism().values() if not kind.open_ended]
    if mechanisms is None:
        mechanisms = [kind for kind in every if kind.automatic and not is_foreign(kind)]
    if rounds is not None and check.positive_integer(rounds=rounds) > target.questions:
        raise InvalidInput(
            argument="rounds",
            accepted=f"at most the number of questions, {target.questions:,}",
            given=f"{rounds:,}",
        )
    options = Options(rounds, limit)
    chosen = [kind for kind in every if kind in mechanisms]
    if not chosen or len(chosen) != len(set(mechanisms)):
        raise InvalidInput(
            argument="mechanisms",
            accepted=f"some of {', '.join(kind.__name__ for kind in every)}",
            given=repr(mechanisms),
        )
    _check_limit(limit, chosen, every)
    plans = [found for kind in chosen if (found := _best(kind, rows, target, _for(kind, options)))]
    if not plans:
        name, given = ("rounds", rounds) if rounds else ("questions", target.questions)
        raise InvalidInput(
            argument=name,
            accepted=f"at most {rows:,}, one row each, for fresh rows",
            given=f"{given:,}",
        )
    return min(plans, key=lambda each: each.radius)


def _for(kind: type[Mechanism], options: Options) -> Options:
    """What of the options a mechanism makes use of."""
    return Options(
        options.rounds if "rounds" in kind.options else None,
        options.limit if "failures" in kind.options else None,
    )


def _check_limit(
    limit: Limit | None, chosen: Collection[type[Mechanism]], every: Collection[type[Mechanism]]
) -> None:
    needs = [kind for kind in chosen if "failures" in kind.required]
    if limit is None and needs:
        accepted = f"given: {needs[0].__name__} ends after so many failed guesses"
        raise InvalidInput(argument="failures", accepted=accepted, given="None")
    if limit is None:
        return
    if not any("failures" in kind.options for kind in chosen):
        takers = sorted(kind.__name__ for kind in every if "failures" in kind.options)
        accepted = f"left out, unless {' or '.join(takers)} is named"
        raise InvalidInput(argument="failures", accepted=accepted, given=f"{limit.failures:,}")
    if limit.tolerance is not None and not any("tolerance" in kind.options for kind in chosen):
        accepted = "left out: a threshold takes its place"
        raise InvalidInput(argument="tolerance", accepted=accepted, given=str(limit.tolerance))


@lru_cache(maxsize=768)
def _best(kind: type[Mechanism], rows: int, target: Target, options: Options) -> Plan | None:
    """The best plan with one kind of mechanism; None if it cannot be run at all."""
    mechanism = kind.plan(rows, target, options)
    if mechanism is None:
        return None
    return Plan(target=target, mechanism=mechanism, certificate=mechanism.certify(target))


def open_ended_plan(kind: type[Mechanism], *, rows: int, confidence: Fraction) -> Plan:
    """A plan by a mechanism that says itself how many questions there will be at most."""
    mechanism = kind.plan(rows, Target(confidence=confidence, questions=1), Options())
    questions = None if mechanism is None else mechanism.most_questions
    if mechanism is None or questions is None:
        raise TypeError(f"{kind.__name__} plans no number of questions")
    target = Target(confidence=confidence, questions=questions)
    return Plan(target=target, mechanism=mechanism, certificate=mechanism.certify(target))


def recorded_plan(opening: Opening | PublicOpening, *, ledger: str) -> Plan:
    """The plan of a ledger's first entry, certified anew by the theorems of today.

    Seeded noise is named among its assumptions.
    """
    target = Target(confidence=opening.confidence, questions=opening.questions)
    try:
        mechanism = recorded_mechanism(opening.mechanism, rows=opening.rows)
    except MechanismMissing as error:
        raise replace_ledger(error, ledger) from None
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        raise LedgerDamaged(ledger=ledger, problem="describes no known mechanism") from error
    try:
        mechanism.check_target(target)
    except ValueError as error:
        raise LedgerDamaged(ledger=ledger, problem=str(error)) from error
    certificate = mechanism.certify(target)
    if opening.entropy != SystemEntropy.description:
        certificate = replace(
            certificate, assumptions=(*certificate.assumptions, f"noise from {opening.entropy}")
        )
    found = Plan(target=target, mechanism=mechanism, certificate=certificate)
    if found.budget != opening.budget:
        raise LedgerDamaged(ledger=ledger, problem="records a budget its plan does not have")
    return found


def replace_ledger(error: MechanismMissing, ledger: str) -> MechanismMissing:
    """The same error, about a ledger."""
    return MechanismMissing(ledger=ledger, mechanism=error.mechanism, package=error.package)


def useful_plan(
    rows: int,
    target: Target,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> Plan:
    """The best plan with one of the `mechanisms`, unless it says nothing."""
    best = plan(rows=rows, target=target, mechanisms=mechanisms, rounds=rounds, limit=limit)
    if best.vacuous:
        raise VacuousPlan(
            rows=rows,
            questions=target.questions,
            confidence=target.confidence,
            rows_needed=rows_needed(
                target=target, mechanisms=mechanisms, rounds=rounds, limit=limit
            ),
            questions_affordable=questions_affordable(
                rows=rows,
                confidence=target.confidence,
                mechanisms=mechanisms,
                rounds=rounds,
                limit=limit,
            ),
        )
    return best


def checked_radius(radius: float) -> float:
    """A radius that says something."""
    if not check.positive_float(radius=radius) <= VACUOUS:
        raise InvalidInput(
            argument="radius",
            accepted="at most 0.5 (wider intervals say nothing)",
            given=repr(radius),
        )
    return float(radius)


def questions_affordable(
    *,
    rows: int,
    confidence: float | Fraction,
    radius: float = VACUOUS,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> int:
    """How many questions keep every interval within `radius`; 0 if not even one, at most 10¹²."""
    check.positive_integer(rows=rows)
    radius = checked_radius(radius)

    def fits(questions: int) -> bool:
        target = Target.of(confidence=confidence, questions=questions)
        # Fewer questions cannot come in more batches.
        batches = None if rounds is None else min(rounds, questions)
        best = plan(rows=rows, target=target, mechanisms=mechanisms, rounds=batches, limit=limit)
        return best.radius <= radius and not best.vacuous

    return largest(fits, most=MOST_QUESTIONS)


def rows_needed(
    *,
    target: Target,
    radius: float = VACUOUS,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> int:
    """The fewest rows on which every interval stays within `radius`."""
    radius, options = checked_radius(radius), Options(rounds, limit)
    # With fewer there is not even a row for each part, and no plan at all.
    least = min(
        (kind.least_rows(target, _for(kind, options)) for kind in mechanisms or ()), default=1
    )

    def misses(rows: int) -> bool:
        if rows < least:
            return True
        best = plan(rows=rows, target=target, mechanisms=mechanisms, rounds=rounds, limit=limit)
        return best.radius > radius or best.vacuous

    needed = largest(misses, most=MOST_ROWS) + 1
    if needed > MOST_ROWS:
        raise InvalidInput(
            argument="radius",
            accepted=f"reachable with at most {MOST_ROWS:,} rows",
            given=repr(radius),
            hint="ask fewer questions or accept a wider interval",
        )
    return needed


def _drawn_by(recorded: Recorded) -> Html:
    """How answers are drawn; a long list is left out."""
    shown = {name: _shown(value) for name, value in recorded.parameters.items()}
    return faint(text(f"drawn by {recorded.phrased(shown)}"))


def _number(said: str) -> str | float:
    """A parameter as a number, if it is one."""
    try:
        return float(Fraction(said))
    except (ValueError, OverflowError, ZeroDivisionError):
        return said


def _shown(value: str) -> str:
    """A parameter to read: most are exact numbers, some are pairs of them."""
    found = _number(value)
    if isinstance(found, float):
        return f"{found:.6g}"
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
