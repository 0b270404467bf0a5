"""What was answered before, and how a session shows itself."""

from __future__ import annotations

import pytest

import peekproof
from server.gateways import Running

history = pytest.importorskip("peekproof.session.history")


def test_all_answers_are_told_as_the_session_tells_them(
    remote: peekproof.Session, local: peekproof.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.respond(
        ["delay > 81", "histogram(carrier)", "night by carrier", "delay > 8 given night"]
    )
    remote.quantile("quantile(delay, 0.5, -20, 120)")
    remote.best(["delay > 81", "night"])
    monkeypatch.setattr("peekproof.client.dataset._PAGE", 3)
    found, expected = remote.answers(), local.answers()
    assert len(found) >= 7
    assert found == expected
    assert found.to_dicts() == expected.to_dicts()
    assert repr(found) == repr(expected)
    for each in found[-7:]:
        each.certificate.verify()


def test_only_custodians_are_told_who_asked(everything: Running) -> None:
    tokens = {"ann": everything.analyst, "custodian": everything.custodian}
    sessions = {
        name: peekproof.connect(everything.address, token, dataset="gaussian")
        for name, token in tokens.items()
    }
    sessions["ann"].ask("delay > 91")
    sessions["custodian"].ask("delay > 92")
    mine = sessions["ann"].answers(analyst="ann")
    assert "delay > 91" in [each.question for each in mine]
    assert "delay > 92" not in [each.question for each in mine]
    assert {each.analyst for each in sessions["ann"].answers()} == {"ann", ""}
    with pytest.raises(peekproof.NotAllowed):
        sessions["ann"].answers(analyst="custodian")
    theirs = sessions["custodian"].answers(analyst="ann")
    assert theirs == mine
    for each in sessions.values():
        each.close()


def test_notebooks_show_what_is_left(remote: peekproof.Session, local: peekproof.Session) -> None:
    remote.ask("delay > 93")
    shown = remote._repr_html_()
    assert f"{local.remaining:,} left" in shown
    assert "gaussian" in shown
