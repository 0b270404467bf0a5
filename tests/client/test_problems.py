"""What a gateway refuses is raised here as the error that a session would raise."""

from __future__ import annotations

from typing import Any

import pytest

import peekproof
from core.test_errors import EXAMPLES
from peekproof.client.http import error_in, error_of
from peekproof.core.errors import DataError, LedgerError, PeekproofError
from peekproof.server.problems import problem_of
from server.gateways import Running

# The gateway keeps to itself which files and folders these are about.
TELLING = [
    error
    for error in EXAMPLES
    if not isinstance(error, LedgerError | DataError | peekproof.DataChanged)
    and type(error) not in (PeekproofError, peekproof.Refusal, peekproof.GatewayError)
]


@pytest.mark.parametrize("error", TELLING, ids=lambda error: type(error).__name__)
def test_every_error_survives_the_way(error: PeekproofError) -> None:
    found = error_of(problem_of(error))
    assert type(found) is type(error)
    assert found.fields() == error.fields()
    assert str(found) == str(error)


def test_what_is_about_the_gateways_files_says_no_more_than_that() -> None:
    lost = error_of(problem_of(peekproof.LedgerUnavailable(ledger="/srv/x", problem="is locked")))
    assert isinstance(lost, peekproof.GatewayUnavailable)
    assert "/srv" not in str(lost)
    closed = error_of(problem_of(peekproof.LedgerClosed(ledger="/srv/x"), dataset="flights"))
    assert isinstance(closed, peekproof.LedgerClosed)
    assert closed.ledger == "flights"


@pytest.mark.parametrize(
    "problem",
    [
        {"type": "/v1/problems/newer-than-this", "detail": "something new", "fields": {}},
        {"type": "/v1/problems/budget-exhausted", "detail": "something new", "fields": {}},
        {"type": "/v1/problems/vacuous-plan", "detail": "something new", "fields": {"rows": 1}},
        {"type": "/v1/problems/unforeseen", "detail": "something new", "fields": {}},
    ],
)
def test_an_unknown_problem_keeps_its_words(problem: dict[str, Any]) -> None:
    assert "something new" in str(error_of(problem))
    assert isinstance(error_of(problem), peekproof.GatewayUnavailable)


def test_fields_of_a_newer_gateway_do_no_harm() -> None:
    fields = {"asked": 2, "remaining": 1, "questions": 5, "colour": "red"}
    found = error_of({"type": "/v1/problems/budget-exhausted", "detail": "", "fields": fields})
    assert isinstance(found, peekproof.BudgetExhausted)
    assert found.remaining == 1


@pytest.mark.parametrize("body", [b"<html>bad gateway</html>", b"[]", b"{}", b'{"type": 7}', b""])
def test_what_is_no_problem_is_said_to_come_from_no_gateway(body: bytes) -> None:
    found = error_in(body, status=502, address="https://data.example.org")
    assert str(found).startswith("https://data.example.org answers 502, and not as a gateway does")


def test_refusals_come_with_their_numbers(
    everything: Running, remote: peekproof.Session, local: peekproof.Session
) -> None:
    left = remote.remaining
    with pytest.raises(peekproof.BudgetExhausted) as refused:
        remote.ask_many([f"distance > {each}" for each in range(5000, 5000 + left + 7)])
    assert (refused.value.asked, refused.value.remaining) == (left + 7, left)
    assert refused.value.questions == 400
    assert remote.remaining == left == local.remaining


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda asked: asked.ask("dely > 1"), peekproof.UnknownColumn),
        (lambda asked: asked.ask("delay >"), peekproof.QuestionError),
        (lambda asked: asked.ask("carrier > 1"), peekproof.TypeMismatch),
        (lambda asked: asked.ask("histogram(carrier)"), peekproof.InvalidInput),
        (lambda asked: asked.histogram("delay > 1"), peekproof.InvalidInput),
        (lambda asked: asked.ask_many("delay > 1"), peekproof.InvalidInput),
        (lambda asked: asked.ask("delay > 1", radius=-1), peekproof.InvalidInput),
        (lambda asked: asked.ask("delay > 1", radius=1e-9), peekproof.InvalidInput),
        (lambda asked: asked.ask("delay > 1", guess=0.5), peekproof.InvalidInput),
        (
            lambda asked: asked.quantile("quantile(delay, 0.5, 0, 9)", loss=0),
            peekproof.InvalidInput,
        ),
        (lambda asked: asked.best(["delay > 1"]), peekproof.InvalidInput),
        (lambda asked: asked.price_of("delay > 1", loss=0.1), peekproof.InvalidInput),
        (lambda asked: asked.price(float("nan")), peekproof.InvalidInput),
    ],
)
def test_input_is_refused_in_the_words_of_a_session(
    call: Any, kind: type[PeekproofError], remote: peekproof.Session, local: peekproof.Session
) -> None:
    with pytest.raises(kind) as ours:
        call(remote)
    with pytest.raises(kind) as theirs:
        call(local)
    assert str(ours.value) == str(theirs.value)
    assert type(ours.value) is type(theirs.value)


def test_what_only_rows_here_can_do_is_refused_with_a_way_out(
    remote: peekproof.Session,
) -> None:
    with pytest.raises(peekproof.InvalidInput, match=r"runs no functions.*ask for means"):
        remote.measure(peekproof.Statistic(name="s", function=len, sensitivity=1, low=0, high=1))
    with pytest.raises(peekproof.NotAllowed, match="by the token who asks"):
        remote.as_analyst("bob")
