"""The custodian's page: shares, invitations, the ledger, attacks; and who does not see it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.sites import Site, Sites
from browser.visitors import Visitors, ask, expect_announced, expect_left, open_view, question_of


@pytest.fixture(scope="module")
def small(lasting_sites: Sites) -> Site:
    """A data set with forty questions, of which one was asked."""
    folder = lasting_sites.folder()
    site = lasting_sites.start(folder, lasting_sites.flights(folder, questions=40))
    assert site.ask("delay > 1", token=site.token("ann")).status == 200
    return site


@pytest.fixture
def custodian(small: Site, visitors: Visitors) -> Page:
    page = visitors.sign_in(small, small.custodian())
    open_view(page, "Custodian")
    return page


def test_shares_are_edited_and_felt_by_analysts(
    small: Site, visitors: Visitors, custodian: Page
) -> None:
    custodian.get_by_role("button", name="Edit shares…").click()
    dialog = custodian.get_by_role("dialog", name="Shares of flights")
    dialog.get_by_label("Analyst", exact=True).first.fill("ann")
    dialog.get_by_label("Share", exact=True).first.fill("two")
    expect(dialog.get_by_text("Not a share from 0 to 1.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Set aside")).to_be_disabled()
    dialog.get_by_label("Share", exact=True).first.fill("1/2")
    dialog.get_by_role("button", name="Add an analyst").click()
    dialog.get_by_label("Analyst", exact=True).last.fill("bob")
    dialog.get_by_label("Share", exact=True).last.fill("60 %")
    expect(dialog.get_by_text("Together these are more than the whole budget.")).to_be_visible()
    dialog.get_by_label("Share", exact=True).last.fill("25 %")
    expect(dialog.get_by_text("Left for everyone else: 1/4 of the budget")).to_be_visible()
    dialog.get_by_role("button", name="Set aside").click()
    expect(dialog).to_have_count(0)
    expect_announced(custodian, "The shares are set aside.")
    analysts = custodian.get_by_role("table", name="Analysts of this data set")
    expect(analysts.get_by_role("row", name=re.compile("^ann "))).to_contain_text("1/2")
    expect(analysts.get_by_role("row", name=re.compile("^bob "))).to_contain_text("1/4")

    bob = visitors.sign_in(small, small.token("bob"))
    expect_left(bob, 10)
    expect(bob.get_by_text("Your share", exact=True)).to_be_visible()


def test_an_invitation_works_in_another_browser_until_it_is_revoked(
    small: Site, visitors: Visitors, custodian: Page
) -> None:
    custodian.get_by_role("button", name="Invite…").click()
    dialog = custodian.get_by_role("dialog", name="Invite someone")
    expect(dialog.get_by_label("Name")).to_be_focused()
    dialog.get_by_role("button", name="Make the link").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Give a name")
    dialog.get_by_label("Name").fill("carol")
    dialog.get_by_role("button", name="Make the link").click()
    once = custodian.get_by_role("dialog", name="A link for carol")
    link = once.get_by_label("Link").input_value()
    assert link.startswith(f"{small.address}/#token=pp_")
    once.get_by_role("button", name="Close").last.click()
    assert link.partition("=")[2] not in custodian.content()

    carol = visitors.open(small)
    carol.goto(link)
    expect(carol.get_by_text("carol", exact=True)).to_be_visible()
    expect(question_of(carol)).to_be_visible()

    custodian.get_by_role("button", name="Revoke the token of carol").click()
    custodian.get_by_role("button", name="Revoke for good").click()
    expect_announced(custodian, "The token of carol is revoked.")
    expect(carol.get_by_label("Token")).to_be_visible()


def test_the_ledger_is_verified_and_taken_away(custodian: Page, tmp_path: Path) -> None:
    custodian.get_by_role("button", name="Verify").click()
    expect(custodian.get_by_text("The ledger is whole", exact=True)).to_be_visible()
    expect_announced(custodian, re.compile("^The ledger is whole: .* certified anew.$"))
    with custodian.expect_download() as download:
        custodian.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "flights.jsonl"
    path = tmp_path / "ledger"
    download.value.save_as(path)
    lines = [json.loads(each) for each in path.read_text().splitlines()]
    assert len(lines) > 2


def test_an_attack_on_a_copy_is_told_side_by_side_and_charges_nothing(
    small: Site, custodian: Page
) -> None:
    token = small.token("watching")
    before = small.asked(token=token)
    card = custodian.get_by_role("region", name="Attacks on a copy")
    expect(card.get_by_label("Attack", exact=True)).to_be_visible()
    card.get_by_role("button", name="Run the attack").click()
    expect(card.get_by_role("heading", name="What this shows")).to_be_visible(timeout=60_000)
    expect(card.get_by_role("heading", name="What it does not show")).to_be_visible()
    expect(card.get_by_role("img", name=re.compile("The plain interval"))).to_be_visible()
    expect(card.get_by_role("table", name="The last question, and all of them")).to_be_visible()
    assert small.asked(token=token) == before


def test_an_analyst_sees_no_custodian_page_and_the_gateway_refuses(
    small: Site, visitors: Visitors
) -> None:
    token = small.token("dave")
    page = visitors.sign_in(small, token)
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name="Ask")).to_be_visible()
    expect(views.get_by_role("link", name="Custodian")).to_have_count(0)
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    page.goto("/#/custodian")
    page.reload()
    expect(question_of(page)).to_be_visible()
    expect(page.get_by_role("button", name="Invite…")).to_have_count(0)
    assert not [each for each in asked_for if "custodian" in each]
    refused = """async (path) => (await fetch(path)).status"""
    for path in ("/v1/tokens", "/v1/datasets/flights/analysts", "/v1/datasets/flights/ledger"):
        assert page.evaluate(refused, path) == 403
        assert small.send("GET", path, token=token).status == 403


def test_a_request_without_the_key_of_the_page_changes_nothing(
    small: Site, visitors: Visitors
) -> None:
    token = small.token("erin")
    before = small.asked(token=token)
    page = visitors.sign_in(small, token)
    forged = """async () => (await fetch("/v1/datasets/flights/ask", {method: "POST",
      headers: {"Content-Type": "application/json"}, body: '{"question": "delay > 99"}'})).status"""
    assert page.evaluate(forged) == 403
    assert small.asked(token=token) == before


def test_a_data_set_is_closed_only_by_its_name(sites: Sites, visitors: Visitors) -> None:
    folder = sites.folder()
    site = sites.start(folder, sites.flights(folder, questions=5))
    page = visitors.sign_in(site, site.custodian())
    open_view(page, "Ask")
    ask(page, "delay > 1")
    open_view(page, "Custodian")
    page.get_by_role("button", name="Close for good…").click()
    dialog = page.get_by_role("dialog", name="Close flights for good")
    close = dialog.get_by_role("button", name="Close for good", exact=True)
    expect(close).to_be_disabled()
    dialog.get_by_label("Type flights to go on").fill("flight")
    expect(close).to_be_disabled()
    dialog.get_by_label("Type flights to go on").fill("flights")
    close.click()
    expect(page.get_by_text("Closed", exact=True)).to_be_visible()
    assert site.ask("delay > 2", token=site.token()).status == 409
