"""Answers from a gateway are those of its own session: every form, every mechanism."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

import peekproof
from backends import behind
from client.served import SERVED
from peekproof.client.http_backend import within_told
from peekproof.derive.derived import Derived
from peekproof.derive.linear import difference
from server.gateways import Running

GUESSED = ("checking", "limited-checking", "thresholdout")
_new = count(1)

FORMS = [
    ("ask", "delay > 10"),
    ("ask", "mean(delay, -50, 50)"),
    ("histogram", "histogram(carrier)"),
    ("histogram", "histogram(carrier, ('AA', 'DL'), mean(delay, -20, 120))"),
    ("grouped", "delay > 10 by carrier"),
    ("grouped", "mean(delay, -50, 50) by night"),
    ("conditional", "delay > 10 given carrier = 'AA'"),
    ("conditional", "mean(delay, -50, 50) given night"),
    ("conditional", "mean(distance, 0, 3000)"),
    ("quantile", "quantile(delay, 0.5, -20, 120)"),
]


def connected(gateway: Running, name: str) -> peekproof.Session:
    return peekproof.connect(gateway.address, gateway.analyst, dataset=name)


def own(gateway: Running, name: str) -> peekproof.Session:
    return gateway.gateway.served[name].as_analyst("ann")


def placeless(found: Any) -> Any:
    """The same without the ledger's place, which only the gateway knows."""
    match found:
        case Derived():
            levels = tuple((None, level) for _, level in found.joint.levels)
            return replace(found, joint=replace(found.joint, levels=levels))
        case peekproof.ConditionalAnswer():
            missing = found.missing and placeless(found.missing)
            return replace(found, found=placeless(found.found), missing=missing)
        case peekproof.GroupedAnswer():
            cells = tuple(placeless(each) for each in found.cells)
            sizes = tuple(placeless(each) for each in found.sizes)
            return replace(found, cells=cells, sizes=sizes)
        case _:
            return found


def spent(session: peekproof.Session) -> Fraction:
    return session.ledger.spent().amount


@pytest.mark.parametrize(("method", "question"), FORMS)
def test_every_form_is_rebuilt_as_the_session_has_it(
    method: str, question: str, remote: peekproof.Session, local: peekproof.Session
) -> None:
    before = spent(local)
    first = getattr(remote, method)(question)
    cost = spent(local) - before
    assert first.cost.amount == cost > 0
    assert not first.replayed
    again = getattr(remote, method)(question)
    expected = getattr(local, method)(question)
    assert again.replayed
    assert placeless(again) == placeless(expected)
    assert again.to_dict() == expected.to_dict()
    assert first.to_dict() == {**again.to_dict(), **paid(first)}
    assert first.certificate == expected.certificate


def paid(found: Any) -> dict[str, object]:
    """What distinguishes a new answer from its repeat."""
    told = found.to_dict()
    return {name: told[name] for name in ("cost", "replayed", "over", "under") if name in told}


def test_a_quotient_that_nothing_is_left_of_is_refused_free(
    remote: peekproof.Session, local: peekproof.Session
) -> None:
    remote.ask("delay > 9000")
    before = spent(local)
    for ask in (remote.ask, remote.conditional, remote.price_of):
        with pytest.raises(peekproof.InvalidInput, match="group of at most"):
            ask("night given delay > 9000")
    assert spent(local) == before


def test_a_choice_is_rebuilt_as_the_session_has_it(
    remote: peekproof.Session, local: peekproof.Session
) -> None:
    shares = ["delay > 10", "night", "distance > 900"]
    means = ["mean(delay, 0, 9, 0)", "mean(distance, 0, 9, 0)"]
    for candidates in (shares, means):
        before = spent(local)
        first = remote.best(candidates)
        assert first.cost.amount == spent(local) - before > 0
        again = remote.best(candidates)
        assert again == local.best(candidates)
        assert first == replace(again, cost=first.cost)
        assert remote.price_of_best(candidates) == local.price_of_best(candidates)
        first.certificate.verify()


def test_a_choice_where_guesses_are_checked_is_rebuilt_with_its_value(everything: Running) -> None:
    local, candidates = own(everything, "checking"), ["delay > 10", "night", "distance > 900"]
    with connected(everything, "checking") as remote:
        priced = remote.price_of_best(candidates)
        assert priced == local.price_of_best(candidates)
        first = remote.best(candidates)
        again = remote.best(candidates)
        assert again == local.best(candidates)
        assert first.winner is not None
        assert first.gap == again.gap == pytest.approx(first.winner.high - first.winner.low)
        first.certificate.verify()
        guessed = remote.ask("delay > 12", guess=0.5, trained_on=300)
        assert guessed.certificate.verify() == guessed.certificate
        with pytest.raises(peekproof.InvalidInput, match="trained_on must be"):
            remote.ask("delay > 13", guess=0.5, tolerance=0.1, trained_on=300)


@pytest.mark.parametrize("name", [name for name in SERVED if name not in GUESSED])
def test_every_mechanism_is_certified_as_the_session_does(name: str, everything: Running) -> None:
    local = own(everything, name)
    with connected(everything, name) as remote:
        assert remote.plan.certificate == local.plan.certificate
        assert remote.plan.to_dict() == local.plan.to_dict()
        questions = ["delay > 3", "mean(delay, -40, 40)", "delay > 3", "not night"]
        for each in questions:
            ours, theirs = (session.price_of(each, together=2) for session in (remote, local))
            # Only the gateway knows which row is in which part.
            assert replace(ours, draw=theirs.draw) == theirs
            assert ours.draw.described == theirs.draw.described
        before = spent(local)
        batch = remote.ask_many(questions)
        assert sum(each.cost.amount for each in batch) == spent(local) - before
        assert [each.replayed for each in batch] == [False, False, True, False]
        told = [list(map(placeless, each.ask_many(questions))) for each in (remote, local)]
        assert told[0] == told[1]
        assert remote.conditional("delay > 4 given night").value >= 0
        assert placeless(remote.conditional("delay > 4 given night")) == placeless(
            local.conditional("delay > 4 given night")
        )
        assert remote.remaining == local.remaining
        assert remote.remaining_for_all == local.remaining_for_all
        assert remote.remaining_rounds == local.remaining_rounds
        assert remote.failures == local.failures == 0
        assert remote.promised == local.promised
        assert repr(remote).startswith(f"<Session of ann: {local.promised}, ")
        for answer in batch:
            answer.certificate.verify()


@pytest.mark.parametrize("name", GUESSED)
def test_checked_guesses_are_rebuilt_whether_they_pass_or_fail(
    name: str, everything: Running
) -> None:
    local = own(everything, name)
    asked = {"delay > 5": 0.5, "delay > 6": 0.01}
    if name != "thresholdout":  # which compares shares only
        asked["mean(delay, -50, 50, 0)"] = 4.0
    with connected(everything, name) as remote:
        for question, guess in asked.items():
            before, priced = spent(local), remote.price_of(question, guess=guess)
            assert priced == local.price_of(question, guess=guess)
            first = remote.ask(question, guess=guess)
            assert first.cost.amount == spent(local) - before
            again = remote.ask(question)
            assert isinstance(first, peekproof.Answer)
            assert isinstance(again, peekproof.Answer)
            assert again == local.ask(question)
            assert remote.price_of(question) == local.price_of(question)
            assert remote.price_of(question).certificate == first.certificate
            assert (first.drawn, again.drawn) == (True, False)
            assert first == replace(again, drawn=True, cost=first.cost)
            first.certificate.verify()
        assert remote.failures == local.failures > 0
        assert remote.promised == local.promised
        assert remote.respond(asked) == local.respond(asked)
        parts = {"delay > 5 and night": 0.1, "night": 0.2}
        for question, guess in parts.items():
            remote.ask(question, guess=guess)
        quotient = "delay > 5 given night"
        assert placeless(remote.conditional(quotient)) == placeless(local.conditional(quotient))
        with pytest.raises(peekproof.InvalidInput, match="guess must be given"):
            remote.ask("delay > 77")


def test_a_batch_of_any_forms_is_charged_together(
    remote: peekproof.Session, local: peekproof.Session
) -> None:
    cut = next(_new) + 100
    questions = [f"delay > {cut}", f"distance > {cut} by carrier", f"night given distance < {cut}"]
    entries = len(list(local.ledger.entries()))
    found = remote.respond([*questions, questions[0]])
    assert len(list(local.ledger.entries())) == entries + 1
    expected = local.respond([*questions, questions[0]])
    assert [placeless(each).to_dict()["question"] for each in found] == [*questions, questions[0]]
    again = remote.respond([*questions, questions[0]])
    assert list(map(placeless, again)) == list(map(placeless, expected))
    assert [each.replayed for each in found] == [False, False, False, True]
    assert remote.respond([]) == []


def test_a_radius_and_a_loss_of_their_own_are_kept(
    remote: peekproof.Session, local: peekproof.Session
) -> None:
    radius = 1.5 * local.plan.radius
    assert remote.price(radius) == local.price(radius)
    found = remote.ask("distance > 1234", radius=radius)
    assert found.radius <= radius
    assert remote.ask("distance > 1234") == local.ask("distance > 1234")
    known = remote.price_of("distance > 1234", radius=0.9 * local.plan.radius)
    assert known == local.price_of("distance > 1234", radius=0.9 * local.plan.radius)
    assert known.known
    assert known.certificate == found.certificate
    found_at = remote.quantile("quantile(distance, 0.25, 0, 3000)", loss=0.2)
    assert not found_at.replayed
    assert remote.quantile("quantile(distance, 0.25, 0, 3000)") == local.quantile(
        "quantile(distance, 0.25, 0, 3000)"
    )


def test_answers_of_two_connections_hold_together(
    everything: Running, remote: peekproof.Session
) -> None:
    with connected(everything, "gaussian") as other:
        apart = difference(remote.ask("delay > 20"), other.ask("delay > 30"))
    with connected(everything, "laplace") as stranger:
        further = difference(remote.ask("delay > 20"), stranger.ask("delay > 30"))
    assert apart.confidence == 0.95
    assert further.confidence == 0.9


def test_overrides_that_come_later_are_among_the_assumptions(
    remote: peekproof.Session, local: peekproof.Session
) -> None:
    before = remote.ask("distance > 777")
    local.ledger.override(reason="a backup was restored", against="nothing")
    after = remote.ask("distance > 777")
    assert "the budget was overridden: a backup was restored" in after.certificate.assumptions
    assert after == local.ask("distance > 777")
    assert remote.plan.certificate.assumptions == after.certificate.assumptions
    before.certificate.verify()  # of what was known then
    after.certificate.verify()


def test_the_radius_of_a_mean_is_in_its_units_also_where_values_may_be_missing(
    remote: peekproof.Session, local: peekproof.Session
) -> None:
    question = "mean(delay, -51, 51)"
    prices = [each.price_of(question, radius=20.0).questions for each in (remote, local)]
    assert prices[0] == prices[1]
    found = remote.conditional(question, radius=20.0)
    assert found.over.radius <= 20.0
    assert found.under.radius <= 20.0 / 102
    assert placeless(remote.ask(question)) == placeless(local.ask(question))


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("delay > 17 given distance > 901", "distance > 901"),
        ("mean(delay, -41, 41) given distance > 902", "distance > 902 and delay is not null"),
        ("delay > 18 by carrier", None),
    ],
)
def test_the_width_within_groups_is_told_as_the_gateway_does(
    question: str,
    condition: str | None,
    remote: peekproof.Session,
    local: peekproof.Session,
) -> None:
    def same() -> peekproof.Price:
        ours, theirs = remote.price_of(question), local.price_of(question)
        assert ours.width == theirs.width
        assert ours.questions == theirs.questions
        return ours

    assert not same().width.known
    if condition:
        remote.ask(condition)
        same()
    remote.respond([question])
    assert same().known


@pytest.mark.parametrize("name", ["checking", "limited-checking"])
def test_the_price_of_two_guesses_is_told_as_the_gateway_does(
    name: str, everything: Running
) -> None:
    local = own(everything, name)
    with connected(everything, name) as remote:
        for guessed in ("delay > 23 and distance > 903", "distance > 903"):
            remote.ask(guessed, guess=0.4)
        question = "delay > 23 given distance > 903"
        ours, theirs = remote.price_of(question), local.price_of(question)
        assert (ours.width, ours.questions) == (theirs.width, theirs.questions)
        assert ours.known


@pytest.mark.parametrize(
    "said",
    [{}, {"least": 2, "radius": 1, "width": "x"}, {"least": 0, "radius": 10**400, "width": "x"},
     {"least": 0, "radius": "inf", "width": "x"}, {"least": -1, "radius": 1, "width": "x"}],
)  # fmt: skip
def test_a_width_that_cannot_be_is_not_believed(
    said: dict[str, Any], remote: peekproof.Session
) -> None:
    promise, price = behind(remote).promise, remote.price(0.4)
    with pytest.raises(peekproof.GatewayUnavailable):
        within_told(promise, price, said)
    told = within_told(promise, price, {"least": 0, "radius": 1, "width": "at\x1b[2J"})
    assert str(told.width) == r"at\x1b[2J"
