"""Answers that are means of votes: the certificate by mutual information, and how many votes."""

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part
from peekproof.core.target import Target
from peekproof.theory.generalization.mutual_information import information_radius, vote_information
from peekproof.theory.generalization.noise import Shortfall, vote_shortfall
from peekproof.theory.generalization.parts import drift_part
from peekproof.theory.generalization.search import golden


def vote_certificate(*, rows: int, votes: int, target: Target) -> Certificate:
    """The radius that all answers keep together if each is the mean of `votes` random votes.

        radius = √((ln(2k/β) + 1)/(2v)) + √(V/β)          v = `votes`, k = target.questions

    with V of T-mi for the information 4kv/n of T-mi-votes. Votes that are never asked for can
    be thought of as cast and not shown, so stopping early, however decided, changes nothing.
    Rounds: up, part by part.
    """
    noise = vote_shortfall(votes=votes, count=target.questions, beta=target.beta)
    information = vote_information(rows=rows, votes=votes * target.questions)
    voting = Part(
        theorem="T-noise-votes",
        covers="the error of the votes themselves",
        radius=noise.radius,
        numbers=(("votes", float(votes)),),
    )
    drift = information_radius(
        Shortfall(radius=0.0, beta=target.beta), information=information, rows=rows
    )
    return Certificate(
        target=target,
        rows=rows,
        joins="T-mi",
        parts=(voting, drift_part("T-mi-votes", drift, information=information)),
    )


def best_votes(*, rows: int, target: Target) -> int:
    """The number of votes with about the smallest radius; always at least one."""
    check.positive_integer(rows=rows)

    def votes(point: float) -> int:
        return max(1, round(point))

    def radius(point: float) -> float:
        noise = vote_shortfall(votes=votes(point), count=target.questions, beta=target.beta)
        information = vote_information(rows=rows, votes=votes(point) * target.questions)
        return information_radius(noise, information=information, rows=rows)

    return votes(golden(radius, low=1, high=1e4 * rows))
