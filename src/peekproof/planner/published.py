"""The routes of the literature, and our sharper forms of them, as they would be quoted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import peekproof.theory.composition  # noqa: F401 (T-tv-comp is cited below)
from peekproof.core.certificate import OneQuestion, Simultaneous, Target
from peekproof.planner.quote import Quote
from peekproof.theory.generalization import bassily, jung, monitor, mutual_information, variation
from peekproof.theory.generalization.search import Priced

Price = Callable[[int, Target], Priced[Simultaneous]] | Callable[[int, Target], Priced[OneQuestion]]


@final
@dataclass(frozen=True, slots=True)
class Published:
    """How a route is priced, and what to say about it."""

    route: str
    price: Price
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
