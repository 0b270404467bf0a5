"""All routes from a number of rows and questions to a radius, side by side.

What each promises, why it is no better, and the routes of the literature as they would be quoted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

import peekproof.theory.composition  # noqa: F401 (T-tv-comp is cited below)
from peekproof.core import check
from peekproof.core.certificate import Certificate, OneQuestion, Simultaneous, Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_up
from peekproof.mechanisms.base import VACUOUS
from peekproof.mechanisms.gaussian import Gaussian, on_grid
from peekproof.mechanisms.plan import plan
from peekproof.theory.generalization import bassily, jung, monitor, mutual_information, variation
from peekproof.theory.generalization.drift import (
    best_gdp_sigma,
    best_laplace_scale,
    gdp_certificate,
    laplace_certificate,
)
from peekproof.theory.generalization.search import Priced
from peekproof.theory.generalization.splitting import rows_per_round, split_certificate
from peekproof.theory.generalization.truncation import best_bins, truncation_certificate

OURS = "Gaussian noise, our certificate"
TRUNCATION = "answers cut to bins"
SPLIT = "fresh rows for every question"
ROUNDS = "fresh rows for every round"
REFERENCE = "if nothing were adaptive"

Parameters = tuple[tuple[str, Fraction], ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NotAdaptive:
    """All answers within `radius` with probability 1 − `beta`, if no question saw an answer.

    A line to compare with. It certifies no answer to a question that was chosen adaptively.
    """

    radius: float
    beta: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.radius <= 1:  # also true for NaN
            raise InvalidInput(
                argument="radius", accepted="between 0 and 1", given=repr(self.radius)
            )
        check.unit_fraction(beta=self.beta)


Bound = Simultaneous | OneQuestion | NotAdaptive

# From the strongest to the weakest; the words are for people.
_STRENGTHS: dict[type[Bound], str] = {
    Simultaneous: "all answers together",
    OneQuestion: "one question only",
    NotAdaptive: "only if nothing adapts",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A route, the theorems it takes, and the radius they give at the parameters named.

    `runs` says whether a session can take this route; only one that promises all answers
    together may. No parameters: the route's theorems do not apply to these numbers at all.
    """

    route: str
    theorems: tuple[str, ...]
    bound: Bound
    parameters: tuple[tuple[str, Fraction], ...]
    why: str
    runs: bool = False

    def __post_init__(self) -> None:
        if self.runs and not isinstance(self.bound, Simultaneous):
            raise InvalidInput(
                argument="runs",
                accepted="true only for a bound that holds for all answers together",
                given=type(self.bound).__name__,
            )

    @property
    def radius(self) -> float:
        return self.bound.radius

    @property
    def simultaneous(self) -> bool:
        return isinstance(self.bound, Simultaneous)

    @property
    def promises(self) -> str:
        """What the radius holds for, in words."""
        return _STRENGTHS[type(self.bound)]

    @property
    def place(self) -> tuple[int, float, bool]:
        """Where it stands in a comparison: stronger promises first, then narrower ones."""
        return list(_STRENGTHS).index(type(self.bound)), self.radius, not self.runs

    def to_dict(self) -> dict[str, object]:
        return {
            "route": self.route,
            "theorems": list(self.theorems),
            "radius": self.radius,
            "promises": self.promises,
            "simultaneous": self.simultaneous,
            "runs": self.runs,
            "parameters": {name: level_up(value) for name, value in self.parameters},
            "why": self.why,
        }


_Priced = (
    Callable[[int, Target], Priced[Simultaneous]] | Callable[[int, Target], Priced[OneQuestion]]
)


@final
@dataclass(frozen=True, slots=True)
class Published:
    """How a route is priced, and what to say about it."""

    route: str
    price: _Priced
    steps: tuple[str, ...]
    why: str
    elsewhere: str = "the theorem does not apply to these numbers"

    def quote(self, rows: int, target: Target) -> Quote:
        priced = self.price(rows, target)
        why = self.why
        if not priced.parameters:
            why = f"{why}; but {self.elsewhere}"
        elif priced.bound.radius >= 1:
            why = f"{why}; with these numbers that says nothing"
        return Quote(
            route=self.route,
            theorems=(priced.theorem, *self.steps),
            bound=priced.bound,
            parameters=priced.parameters,
            why=f"{why}.",
        )

    def does_not_apply(self, target: Target, *, theorem: str, because: str) -> Quote:
        return Quote(
            route=self.route,
            theorems=(theorem, *self.steps),
            bound=Simultaneous.of(1.0, beta=target.beta),
            parameters=(),
            why=f"{self.why}; but {because}.",
        )


_MONITORS: dict[str, Published] = {
    "T-monitor-gdp": Published(
        "Gaussian noise, monitor",
        monitor.gaussian_monitor,
        ("T-noise-mean",),
        "Holds many copies of the conversation in thought and picks the worst, so the noise "
        "counted is the largest in all of them",
    ),
    "T-monitor-two-sided": Published(
        "Gaussian noise, two-sided monitor",
        monitor.gaussian_monitor_two_sided,
        ("T-noise-mean",),
        "The monitor with a smaller leak, since a question and its complement bound each other",
    ),
}

_OTHERS = (
    Published(
        "Laplace noise, monitor for (ε, δ)",
        bassily.laplace_bassily,
        ("T-advanced-sharp", "T-accuracy-laplace"),
        "Pays six times the ε of the whole conversation and shares β among all questions",
        "it needs an ε between √(12/n) and 1/8, and no such ε reaches this confidence: there are "
        "too few rows",
    ),
    Published(
        "Laplace noise, posterior",
        jung.laplace_jung,
        ("T-advanced-sharp", "T-accuracy-laplace"),
        "Bounds how far a posterior can move by the e^ε − 1 of advanced composition and sets "
        "parts of β aside for noise and δ",
    ),
    Published(
        "Gaussian noise as zCDP, posterior",
        jung.gaussian_zcdp_jung,
        ("T-zcdp-dp-at", "T-accuracy-gauss"),
        "Forgets that the noise is Gaussian and keeps its zCDP, then bounds the posterior by the "
        "e^ε − 1 of that",
    ),
    Published(
        "Gaussian noise, posterior",
        jung.gaussian_jung,
        ("T-gdp-dp-at", "T-accuracy-gauss"),
        "Bounds how far a posterior can move by the exact ε and δ of Gaussian noise and sets "
        "parts of β aside for both",
    ),
    Published(
        "Gaussian noise, joint posterior",
        jung.gaussian_jung_joint,
        ("T-gdp-dp-at", "T-noise"),
        "Bounds the posterior by tanh(ε/2) in place of e^ε − 1 and sets no part of β aside, but "
        "still fixes one ε for every outcome",
    ),
    Published(
        "Gaussian noise, information by zCDP",
        mutual_information.gaussian_zcdp_information,
        ("T-mi-zcdp", "T-noise"),
        "Bounds the information in the transcript through zCDP, and a second moment is all that "
        "it keeps of the deviation",
    ),
    Published(
        "Gaussian noise, information by leaving one out",
        mutual_information.gaussian_leave_one_out,
        ("T-mi-leave-one-out", "T-noise"),
        "Bounds the information four times better than zCDP does, and a second moment is still "
        "all that it keeps of the deviation",
    ),
    Published(
        "Gaussian noise, total variation added",
        variation.markov_added,
        ("T-tv-gauss", "T-tv-comp", "T-noise"),
        "Adds the total variation of every answer, so it grows with k and not √k, and divides it "
        "by β",
    ),
    Published(
        "Gaussian noise, total variation of the whole",
        variation.markov_composed,
        ("T-gdp-tv", "T-noise"),
        "Takes the total variation of all answers at once, which grows with √k, and divides it "
        "by β",
    ),
    Published(
        "one question, total variation added",
        variation.one_question_added,
        ("T-tv-gauss", "T-tv-comp", "T-accuracy-gauss"),
        "The chain of the founding notes: for one question and on average over the coins, so "
        "it certifies no answer; a single record may move it by twice the total variation",
    ),
    Published(
        "one question, total variation of the whole",
        variation.one_question_composed,
        ("T-gdp-tv", "T-accuracy-gauss"),
        "The founding chain with the total variation of all answers at once; still for one "
        "question and on average over the coins, so it certifies no answer",
    ),
)


def published_quotes(rows: int, target: Target) -> tuple[Quote, ...]:
    """Every published route, whether or not it says something here."""
    quotes = [route.quote(rows, target) for route in _OTHERS]
    for theorem, route in _MONITORS.items():
        if float(target.beta) < 1:
            quotes.append(route.quote(rows, target))
        else:
            because = "no number of copies serves a confidence this near 0"
            quotes.append(route.does_not_apply(target, theorem=theorem, because=because))
    return tuple(quotes)


def quotes(*, rows: int, target: Target, rounds: int | None = None) -> tuple[Quote, ...]:
    """Every route at its best parameters, narrowest first; what is not simultaneous comes last.

    `rounds` is the number of batches in which the questions will come, if that is known: questions
    of one batch see only the answers of earlier ones, and can share fresh rows.
    """
    found = _at_any_rounds(rows, target)
    if rounds is not None:
        if check.positive_integer(rounds=rounds) > target.questions:
            raise InvalidInput(
                argument="rounds",
                accepted=f"at most the number of questions, {target.questions:,}",
                given="more",
            )
        found = (*found, _split(ROUNDS, rows, target, rounds))
    return tuple(sorted(found, key=lambda quote: quote.place))


def taken(among: Sequence[Quote]) -> Quote | None:
    """The narrowest quote that a session can run, or none where even that says nothing."""
    running = [quote for quote in among if quote.runs and quote.radius < VACUOUS]
    return min(running, key=lambda quote: quote.place, default=None)


@lru_cache(maxsize=512)
def _at_any_rounds(rows: int, target: Target) -> tuple[Quote, ...]:
    return (
        _gaussian(rows, target),
        _truncation(rows, target),
        _split(SPLIT, rows, target, target.questions),
        _gdp(rows, target),
        _laplace(rows, target),
        *published_quotes(rows, target),
        _reference(rows, target),
    )


def _certified(route: str, certificate: Certificate, parameters: Parameters, why: str) -> Quote:
    if certificate.radius >= 1:
        why = f"{why}; with these numbers that says nothing"
    return Quote(
        route=route,
        theorems=certificate.theorems,
        bound=Simultaneous.of(certificate.radius, beta=certificate.target.beta),
        parameters=parameters,
        why=f"{why}.",
        runs=route in (OURS, TRUNCATION, SPLIT, ROUNDS),
    )


def _gaussian(rows: int, target: Target) -> Quote:
    best = plan(rows=rows, target=target, mechanisms=(Gaussian,))
    return _certified(
        OURS,
        best.certificate,
        tuple((name, Fraction(said)) for name, said in best.mechanism.parameters.items()),
        "Follows how each record's posterior moves answer by answer, for all questions at once, "
        "and sets no part of β aside for noise or drift",
    )


def _truncation(rows: int, target: Target) -> Quote:
    bins = best_bins(rows=rows, target=target)
    return _certified(
        TRUNCATION,
        truncation_certificate(rows=rows, bins=bins, target=target),
        (("bins", Fraction(bins)),),
        "Shows only which of a few bins an answer is in and counts all transcripts that could "
        "have been: good for few questions, as the count grows exponentially with them",
    )


def _split(route: str, rows: int, target: Target, rounds: int) -> Quote:
    batch = "question" if route == SPLIT else "round of questions"
    if rounds > rows:
        return Quote(
            route=route,
            theorems=("T-split",),
            bound=Simultaneous.of(1.0, beta=target.beta),
            parameters=(),
            why=f"Gives every {batch} rows of its own; but there are more of them than rows.",
            runs=True,
        )
    each = rows_per_round(rows=rows, rounds=rounds)
    return _certified(
        route,
        split_certificate(rows=rows, rounds=rounds, target=target),
        (("rounds", Fraction(rounds)), ("rows_per_round", Fraction(each))),
        f"Gives every {batch} rows of its own, so nothing leaks, and each sees only a part of the "
        "data",
    )


def _gdp(rows: int, target: Target) -> Quote:
    sigma = best_gdp_sigma(rows=rows, target=target)
    step = on_grid(rows, float(sigma)).step
    return _certified(
        "Gaussian noise, drift of any GDP",
        gdp_certificate(rows=rows, sigma=sigma, step=step, target=target),
        (("sigma", sigma), ("step", step)),
        "Uses only that the conversation is Gaussian differentially private, so it must allow "
        "for all that a record could reveal at once",
    )


def _laplace(rows: int, target: Target) -> Quote:
    scale = best_laplace_scale(rows=rows, target=target)
    step = on_grid(rows, float(scale)).step
    return _certified(
        "Laplace noise, drift of pure DP",
        laplace_certificate(rows=rows, scale=scale, step=step, target=target),
        (("scale", scale), ("step", step)),
        "Bounds the drift with certainty by tanh(ε/4), and pure ε grows with k and not √k",
    )


def _reference(rows: int, target: Target) -> Quote:
    one_round = split_certificate(rows=rows, rounds=1, target=target)
    return Quote(
        route=REFERENCE,
        theorems=("T-split",),
        bound=NotAdaptive(radius=one_round.radius, beta=target.beta),
        parameters=(("rounds", Fraction(1)), ("rows_per_round", Fraction(rows))),
        why="Exact means of all rows, for questions that were all fixed before the first answer: "
        "the price of adaptivity is the distance from here, and it certifies no adaptive answer.",
    )
