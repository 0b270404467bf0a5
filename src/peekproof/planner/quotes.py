"""All routes from a number of rows and questions to a radius, side by side."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from peekproof.core import check
from peekproof.core.certificate import Certificate, Simultaneous, Target
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.gaussian import Gaussian, on_grid
from peekproof.planner.plan import VACUOUS, plan
from peekproof.planner.published import published_quotes
from peekproof.planner.quote import NotAdaptive, Quote
from peekproof.theory.generalization.drift import (
    best_gdp_sigma,
    best_laplace_scale,
    gdp_certificate,
    laplace_certificate,
)
from peekproof.theory.generalization.splitting import rows_per_round, split_certificate
from peekproof.theory.generalization.truncation import best_bins, truncation_certificate

OURS = "Gaussian noise, our certificate"
TRUNCATION = "answers cut to bins"
SPLIT = "fresh rows for every question"
ROUNDS = "fresh rows for every round"
REFERENCE = "if nothing were adaptive"

Parameters = tuple[tuple[str, Fraction], ...]


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
    described = best.mechanism.describe()
    return _certified(
        OURS,
        best.certificate,
        tuple((name, Fraction(described[name])) for name in ("sigma", "step")),
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
