"""What a session is asked to draw: a question, a choice, or a statistic, and on which terms."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Span
from peekproof.core.charge import Offer
from peekproof.core.errors import InvalidInput
from peekproof.data.statistic import PairStatistic, Statistic, exact_number
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.planner.choice_price import best_price, quantile_price
from peekproof.planner.own import Clock, Price, own_radius
from peekproof.planner.plan import VACUOUS, Guessed, Plan
from peekproof.planner.price import planned_offer, price
from peekproof.planner.recorded import mechanism_under, own_certificate_of
from peekproof.planner.vector_price import histogram_price
from peekproof.query.candidates import Candidates
from peekproof.query.form import FILL, FINE, Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.question import Question
from peekproof.session.guess import Guess, own_tolerance, rows_guessed_from, short
from peekproof.session.holdout import HeldGuess
from peekproof.session.selecting import Selecting
from peekproof.theory.generalization.checking import Transcript
from peekproof.theory.generalization.fixed_point import fixed_point_certificate
from peekproof.theory.generalization.statistic import statistic_span

# A radius below what fixed point can read: refused, whoever asks for it.
_SMALLEST_SHARE = 1e-12


@final
@dataclass(frozen=True, slots=True)
class Request:
    """Something to draw. `extra` terms go into the ledger whatever the noise turns out to be."""

    asked: Question | Candidates | Statistic | PairStatistic
    price: Price | None = None  # None: as the plan draws it
    extra: tuple[tuple[str, str], ...] = ()
    guess: Guess | HeldGuess | Selecting | None = None

    @property
    def digest(self) -> str:
        return self.asked.digest

    @property
    def text(self) -> str:
        return self.asked.text

    @property
    def worth(self) -> int:
        """How many planned questions it takes, at least."""
        return max(1, ceil(self.price.questions)) if self.price else 1

    def offer(self, plan: Plan, *, draw: int, batch: int) -> Offer:
        """What it costs in a batch of this size that ends with this draw of the ledger."""
        if self.guess:
            return self._added(self.guess.offer(plan, levels=self._levels))
        # A price without terms is the planned one, and that depends on the batch.
        if self.price and self.price.offer.terms:
            made = self.price.offer
        else:
            made = planned_offer(plan, draw=draw, batch=batch)
        return self._added(made)

    def _added(self, made: Offer) -> Offer:
        return replace(made, terms={**made.terms, **dict(self.extra)}) if self.extra else made

    def checked_price(self, plan: Plan) -> Price:
        """What checking the guess costs, and is certified to if it passes."""
        offer, held = self.offer(plan, draw=1, batch=1), isinstance(self.guess, HeldGuess)
        return Price(
            mechanism=plan.mechanism if held else mechanism_under(plan, offer.terms),
            certificate=own_certificate_of(plan, offer.terms, ledger="none"),
            offer=offer,
            questions=Fraction(1),
        )

    @property
    def _levels(self) -> int:
        return int(dict(self.extra).get("levels", "1"))


def question_request(
    plan: Plan, question: Question, *, radius: float | None = None, loss: float | None = None
) -> Request:
    """The draw that answers a question. A radius is in the units of the answer."""
    form = question.form
    if loss is not None and not isinstance(form, Quantile):
        raise InvalidInput(argument="loss", accepted="for quantiles only", given=repr(loss))
    match form:
        case Share():
            return Request(question, None if radius is None else price(plan, radius=radius))
        case Mean():
            return _real_request(plan, question, Span.between(*_exact(form.span)), radius, {})
        case Histogram():
            return _histogram_request(plan, question, form, radius)
        case Quantile():
            if radius is not None:
                raise InvalidInput(
                    argument="radius",
                    accepted="left out: a quantile has a loss in its level instead",
                    given=repr(radius),
                )
            drawn = quantile_price(plan, form, loss=loss)
            if drawn.certificate.radius >= max(form.level, 1 - form.level):
                raise says_nothing(
                    "a quantile of any level at all",
                    hint="ask for it with a smaller loss, or plan for fewer questions",
                )
            return Request(question, drawn, _bounds(*form.span))
        case Grouped():
            return _grouped_request(plan, question, form, radius)
        case Given():
            raise TypeError("a quotient is drawn as its parts")


def says_nothing(given: str, *, hint: str) -> InvalidInput:
    """The refusal of a question whose interval is certain to be all of its range.

    An answer stays, and everybody who asks for it gets the same: it is refused before it is paid.
    """
    return InvalidInput(
        argument="question", accepted="one whose interval can say something", given=given, hint=hint
    )


def guess_request(
    plan: Plan,
    question: Question,
    *,
    guess: float | None,
    share: object,
    tolerance: float | None,
    past: Callable[[], Transcript],
    trained_on: int | None = None,
) -> Request:
    """The check of a guess about a share or a mean, in the units of the answer or as a share."""
    form = question.form
    if guess is None and share is None:
        planned_offer(plan, draw=1)  # refuses, and says why
    checks = isinstance(plan.mechanism, Guessed)
    if not checks or not isinstance(form, Share | Mean):
        raise InvalidInput(
            argument="guess",
            accepted="for shares and means, in a session that checks guesses",
            given=repr(guess),
            hint=_no_guess(form)
            if checks
            else "open the data with mechanisms=[peekproof.Checking]",
        )
    guessing_rows = rows_guessed_from(plan, trained_on, guess=guess, tolerance=tolerance)
    span = Span.between(*_exact(form.span))
    if share is None:
        share = short(guess=span.share(exact_number(guess=guess)))
        if not 0 <= share <= 1:
            accepted = f"from {float(span.low):g} to {float(span.high):g}"
            raise InvalidInput(argument="guess", accepted=accepted, given=repr(guess)[:80])
    elif not isinstance(share, Fraction) or not 0 <= share <= 1:
        accepted = "one whose guess is a Fraction from 0 to 1"
        raise InvalidInput(argument="guesser", accepted=accepted, given=repr(share)[:80])
    if isinstance(plan.mechanism, Thresholdout):
        held = HeldGuess.about(form, share=share, tolerance=tolerance)
        return Request(question, guess=held)
    allowed = None
    if tolerance is not None and isinstance(plan.mechanism, LimitedChecking):
        raise InvalidInput(
            argument="tolerance",
            accepted="left out: all guesses of this session have the same, "
            f"{float(plan.mechanism.tolerance):.6g} of the scale",
            given=repr(tolerance)[:80],
        )
    if tolerance is not None:
        allowed = own_tolerance(tolerance, share=share, width=span.width)
    real = isinstance(form, Mean)
    terms = {"levels": str(FINE), "low": str(span.low), "high": str(span.high)} if real else {}
    made = Guess(
        share=share,
        tolerance=allowed,
        past=past,
        width=span.width,
        guessing_rows=guessing_rows,
    )
    request = Request(question, extra=tuple(terms.items()), guess=made)
    request.offer(plan, draw=1, batch=1)  # refused here, or remembered for the ledger's lock
    return request


def _no_guess(form: Form) -> str:
    return FILL if isinstance(form, Given) and form.about_known else ""


def statistic_request(plan: Plan, statistic: object, *, radius: float | None = None) -> Request:
    """The draw that answers a statistic, in units of what all rows together can move it by."""
    if not isinstance(statistic, Statistic):
        raise InvalidInput(
            argument="statistic", accepted="a peekproof.Statistic", given=repr(statistic)[:80]
        )
    Clock.of(plan, asked="a statistic")
    low, high = statistic.bounds
    span = statistic_span(rows=plan.rows, sensitivity=statistic.moved_by, low=low, high=high)
    extra = {"statistic": str(statistic.moved_by), "most": str(span.most)}
    return _real_request(plan, statistic, span, radius, extra)


def best_request(
    plan: Plan,
    candidates: Candidates,
    *,
    loss: float | None = None,
    past: Callable[[], Transcript] = Transcript,
) -> Request:
    """The draw that chooses one of the candidates. A loss is in their units."""
    real = isinstance(candidates.questions[0].form, Mean)
    low, high = _exact(candidates.span)
    if isinstance(plan.mechanism, Checking):
        if loss is not None:
            accepted = "left out where guesses are checked: the sample's best is chosen"
            raise InvalidInput(argument="loss", accepted=accepted, given=repr(loss))
        terms = {"levels": str(FINE), "low": str(low), "high": str(high)} if real else {}
        chosen = Selecting(candidates=len(candidates.questions), past=past)
        return Request(candidates, extra=tuple(terms.items()), guess=chosen)
    drawn = best_price(
        plan,
        candidates=len(candidates.questions),
        sensitivity=FINE if real else 1,
        loss=None if loss is None else check.positive_float(loss=loss) / float(high - low),
    )
    if drawn.certificate.radius >= 1:
        raise says_nothing(
            f"a choice of any of {len(candidates.questions):,}",
            hint="ask for it with a smaller loss, or plan for fewer questions",
        )
    return Request(candidates, drawn, _bounds(*candidates.span) if real else ())


def _real_request(
    plan: Plan, asked: Question | Statistic, span: Span, radius: float | None, extra: dict[str, str]
) -> Request:
    drawn = None
    if radius is not None:
        own = _in_units(span.width, radius, lambda share: price(plan, radius=share))
        drawn = in_fixed_point(own)
    terms = {"levels": str(FINE), "low": str(span.low), "high": str(span.high), **extra}
    return Request(asked, drawn, tuple(terms.items()))


def _histogram_request(
    plan: Plan, question: Question, form: Histogram, radius: float | None
) -> Request:
    if not isinstance(form.weight, Mean):
        return Request(question, _told(histogram_price(plan, form, radius=radius)))
    if radius is None:
        drawn = _told(histogram_price(plan, form))
    else:
        low, high = _exact(form.extent)
        drawn = _in_units(
            high - low, radius, lambda share: histogram_price(plan, form, radius=share)
        )
    return Request(question, in_fixed_point(drawn), _bounds(*form.extent))


def _grouped_request(
    plan: Plan, question: Question, form: Grouped, radius: float | None
) -> Request:
    """The radius is that of the shares that are drawn, of all rows."""
    drawn = _told(histogram_price(plan, form, radius=radius))
    return Request(question, in_fixed_point(drawn) if isinstance(form.weight, Mean) else drawn)


def _told(drawn: Price) -> Price:
    """The price of a draw for cells, unless every cell may be anything."""
    if drawn.certificate.radius >= VACUOUS:
        raise says_nothing(
            "one whose cells may each be anything", hint="plan for fewer questions, or ask shares"
        )
    return drawn


def in_fixed_point(drawn: Price) -> Price:
    """The price of a draw that reads numbers, with what reading them takes."""
    return replace(drawn, certificate=fixed_point_certificate(drawn.certificate, levels=FINE))


def _in_units(width: Fraction, radius: float, priced: Callable[[float], Price]) -> Price:
    """The price of a radius that is given in the units of the answer.

    What fixed point takes is given back beforehand. A refusal speaks of the analyst's units.
    """
    share = check.positive_float(radius=radius) / float(width)
    try:
        return priced(max(own_radius(share) - 1 / FINE, _SMALLEST_SHARE))
    except InvalidInput as refused:
        raise InvalidInput(
            argument="radius",
            accepted=f"{refused.accepted}; shares of a width of {float(width):g}",
            given=repr(radius),
            hint=refused.hint,
        ) from None


def _exact(bounds: tuple[float, float]) -> tuple[Fraction, Fraction]:
    return Fraction(bounds[0]), Fraction(bounds[1])


def _bounds(low: float, high: float) -> tuple[tuple[str, str], ...]:
    return ("low", str(Fraction(low))), ("high", str(Fraction(high)))
