"""What a gateway refuses is raised here as the error that a session would raise."""

from __future__ import annotations

from typing import Any

import pytest

import holdfast
from core.test_errors import EXAMPLES
from holdfast.client.problems import error_in, error_of
from holdfast.core.errors import DataError, HoldfastError, LedgerError
from holdfast.server.problems import problem_of
from server.gateways import Running

# The gateway keeps to itself which files and folders these are about.
TELLING = [
    error
    for error in EXAMPLES
    if not isinstance(error, LedgerError | DataError | holdfast.DataChanged)
    and type(error) not in (HoldfastError, holdfast.Refusal, holdfast.GatewayError)
]


@pytest.mark.parametrize("error", TELLING, ids=lambda error: type(error).__name__)
def test_every_error_survives_the_way(error: HoldfastError) -> None:
    found = error_of(problem_of(error))
    assert type(found) is type(error)
    assert found.fields() == error.fields()
    assert str(found) == str(error)


def test_what_is_about_the_gateways_files_says_no_more_than_that() -> None:
    lost = error_of(problem_of(holdfast.LedgerUnavailable(ledger="/srv/x", problem="is locked")))
    assert isinstance(lost, holdfast.GatewayUnavailable)
    assert "/srv" not in str(lost)
    closed = error_of(problem_of(holdfast.LedgerClosed(ledger="/srv/x"), dataset="flights"))
    assert isinstance(closed, holdfast.LedgerClosed)
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
    assert isinstance(error_of(problem), holdfast.GatewayUnavailable)


def test_fields_of_a_newer_gateway_do_no_harm() -> None:
    fields = {"asked": 2, "remaining": 1, "questions": 5, "colour": "red"}
    found = error_of({"type": "/v1/problems/budget-exhausted", "detail": "", "fields": fields})
    assert isinstance(found, holdfast.BudgetExhausted)
    assert found.remaining == 1


@pytest.mark.parametrize("body", [b"<html>bad gateway</html>", b"[]", b"{}", b'{"type": 7}', b""])
def test_what_is_no_problem_is_said_to_come_from_no_gateway(body: bytes) -> None:
    found = error_in(body, status=502, address="https://data.example.org")
    assert str(found).startswith("https://data.example.org answers 502, and not as a gateway does")


def test_refusals_come_with_their_numbers(
    everything: Running, remote: holdfast.RemoteSession, local: holdfast.Session
) -> None:
    left = remote.remaining
    with pytest.raises(holdfast.BudgetExhausted) as refused:
        remote.ask_many([f"distance > {each}" for each in range(5000, 5000 + left + 7)])
    assert (refused.value.asked, refused.value.remaining) == (left + 7, left)
    assert refused.value.questions == 400
    assert remote.remaining == left == local.remaining


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda asked: asked.ask("dely > 1"), holdfast.UnknownColumn),
        (lambda asked: asked.ask("delay >"), holdfast.QuestionError),
        (lambda asked: asked.ask("carrier > 1"), holdfast.TypeMismatch),
        (lambda asked: asked.ask("histogram(carrier)"), holdfast.InvalidInput),
        (lambda asked: asked.histogram("delay > 1"), holdfast.InvalidInput),
        (lambda asked: asked.ask_many("delay > 1"), holdfast.InvalidInput),
        (lambda asked: asked.ask("delay > 1", radius=-1), holdfast.InvalidInput),
        (lambda asked: asked.ask("delay > 1", radius=1e-9), holdfast.InvalidInput),
        (lambda asked: asked.ask("delay > 1", guess=0.5), holdfast.InvalidInput),
        (lambda asked: asked.quantile("quantile(delay, 0.5, 0, 9)", loss=0), holdfast.InvalidInput),
        (lambda asked: asked.best(["delay > 1"]), holdfast.InvalidInput),
        (lambda asked: asked.price_of("delay > 1", loss=0.1), holdfast.InvalidInput),
        (lambda asked: asked.price(float("nan")), holdfast.InvalidInput),
    ],
)
def test_input_is_refused_in_the_words_of_a_session(
    call: Any, kind: type[HoldfastError], remote: holdfast.RemoteSession, local: holdfast.Session
) -> None:
    with pytest.raises(kind) as ours:
        call(remote)
    with pytest.raises(kind) as theirs:
        call(local)
    assert str(ours.value) == str(theirs.value)
    assert type(ours.value) is type(theirs.value)


def test_what_only_rows_here_can_do_is_refused_with_a_way_out(
    remote: holdfast.RemoteSession,
) -> None:
    with pytest.raises(holdfast.InvalidInput, match=r"runs no functions.*ask for means"):
        remote.measure(object())
    with pytest.raises(holdfast.NotAllowed, match="by the token who asks"):
        remote.as_analyst("bob")
