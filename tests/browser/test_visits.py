"""Coming and going: links, tokens, signing out, and what a browser keeps of it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from browser.sites import Site
from browser.visitors import Visitors, question_of

STORED = "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"


def expect_signed_out(page: Page) -> None:
    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)


def test_a_link_signs_in_and_its_token_is_kept_nowhere(site: Site, visitors: Visitors) -> None:
    token = site.token("linda")
    page = visitors.sign_in(site, token)
    expect(page.get_by_text("linda", exact=True)).to_be_visible()
    secret = token.rpartition("_")[2]
    assert secret not in page.url
    assert secret not in page.evaluate(STORED)
    assert secret not in page.content()
    cookies = page.context.cookies()
    assert [each["name"].rpartition("_")[0] for each in cookies] == ["peekproof_visit"]
    assert cookies[0]["httpOnly"]
    assert cookies[0]["sameSite"] == "Strict"
    assert cookies[0]["value"] not in token
    page.reload()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.go_back()
    assert secret not in page.url


def test_a_link_opened_in_a_page_that_is_there_signs_in_as_well(
    site: Site, visitors: Visitors
) -> None:
    page = visitors.sign_in(site, site.token("first"))
    token = site.token("second")
    page.evaluate("(token) => { location.hash = `#token=${token}`; }", token)
    expect(page.get_by_text("second", exact=True)).to_be_visible()
    assert token not in page.url


def test_a_wrong_token_is_refused_and_can_be_typed_again(site: Site, visitors: Visitors) -> None:
    page = visitors.open(site)
    page.goto("/")
    page.get_by_label("Token").fill("pp_nobody_nothing")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("This token is not valid", exact=True)).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="not valid")).to_be_attached()
    expect(page.get_by_label("Token")).to_be_focused()
    page.get_by_label("Token").fill(site.token())
    page.get_by_role("button", name="Sign in").click()
    expect(question_of(page)).to_be_visible()


def test_signing_out_ends_the_visit(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site)
    question_of(page).fill("delay > 10")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.").first).to_be_visible()
    expect_signed_out(page)
    assert page.context.cookies() == []
    page.reload()
    expect_signed_out(page)


def test_a_revoked_token_is_signed_out_and_what_was_typed_is_kept(
    site: Site, visitors: Visitors
) -> None:
    token = site.token("revoked")
    page = visitors.sign_in(site, token)
    question_of(page).fill("delay > 77")
    custodian = site.custodian()
    known = site.send("GET", "/v1/tokens", token=custodian).json
    (found,) = [each["id"] for each in known if each["analyst"] == "revoked"]
    assert site.send("DELETE", f"/v1/tokens/{found}", token=custodian).status in (200, 204)
    expect_signed_out(page)  # without asking: the budget is read now and then
    expect(page.get_by_text(re.compile("what you typed is kept")).first).to_be_visible()
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert").filter(has_text="not valid")).to_be_attached()
    page.get_by_label("Token").fill(site.token("revoked"))
    page.get_by_role("button", name="Sign in").click()
    expect(question_of(page)).to_have_value("delay > 77")


def test_what_was_typed_is_not_shown_to_the_next_visitor(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("before"))
    question_of(page).fill("delay > 88")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").fill(site.token("after"))
    page.get_by_role("button", name="Sign in").click()
    expect(question_of(page)).to_have_value("")
