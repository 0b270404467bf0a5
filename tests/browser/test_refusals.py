"""What the page says when the gateway says no: nothing typed is lost, and old answers stay free."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.sites import Site, Sites
from browser.visitors import Visitors, answer_of, ask, expect_left, open_view, question_of
from peekproof.server.settings import Limits

BUTTON = "Ask"


def small(sites: Sites, **given: object) -> Site:
    """A data set with three questions."""
    folder = sites.folder()
    return sites.start(folder, sites.flights(folder, questions=3, **given))


def test_an_exhausted_budget_is_explained_and_old_answers_stay_free(
    sites: Sites, visitors: Visitors
) -> None:
    site = small(sites)
    page = visitors.sign_in(site)
    expect_left(page, 3)
    for number in (1, 2, 3):
        ask(page, f"delay > {number}")
        expect_left(page, 3 - number)
    question_of(page).fill("delay > 4")
    expect(page.get_by_text("More than is left for you.")).to_be_visible()
    page.get_by_role("button", name=BUTTON, exact=True).click()
    expect(page.locator("main").get_by_text("The budget is used up")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="0 of 3 left")).to_be_attached()
    expect(question_of(page)).to_have_value("delay > 4")
    expect(answer_of(page, "delay > 4")).to_have_count(0)

    again = answer_of(page, "delay > 2").get_by_role("button", name=re.compile("^Ask again"))
    again.click()
    expect(question_of(page)).to_have_value("delay > 2")
    page.get_by_role("button", name=BUTTON, exact=True).click()
    expect(answer_of(page, "delay > 2")).to_contain_text("answered before: free")
    expect(page.locator("main").get_by_text("The budget is used up")).to_have_count(0)
    assert site.asked(token=site.token()) == 3


def test_an_exhausted_share_is_explained_while_others_go_on(
    sites: Sites, visitors: Visitors
) -> None:
    site = small(sites, shares={"ann": "1/3"})
    ann = visitors.sign_in(site, site.token("ann"))
    expect_left(ann, 1)
    ask(ann, "delay > 1")
    expect_left(ann, 0)
    question_of(ann).fill("delay > 2")
    ann.get_by_role("button", name=BUTTON, exact=True).click()
    expect(ann.get_by_text("Your share is used up", exact=True)).to_be_visible()
    expect(question_of(ann)).to_have_value("delay > 2")

    bob = visitors.sign_in(site, site.token("bob"))
    ask(bob, "delay > 2")
    expect_left(bob, 1)
    # What anyone was answered is free for everyone.
    ann.get_by_role("button", name=BUTTON, exact=True).click()
    expect(answer_of(ann, "delay > 2")).to_contain_text("answered before: free")


def test_too_many_requests_are_waited_out_and_told_kindly(sites: Sites, visitors: Visitors) -> None:
    folder = sites.folder()
    site = sites.start(folder, sites.flights(folder), limits=Limits(rate=1, burst=40))
    token = site.token()
    page = visitors.sign_in(site, token)
    expect_left(page, 200)
    question_of(page).fill("delay > 5")
    expect(page.get_by_text("Costs 1 question")).to_be_visible()
    while site.send("GET", "/v1/datasets", token=token).status != 429:
        pass
    page.get_by_role("button", name=BUTTON, exact=True).click()
    expect(page.get_by_text(re.compile("^Too many requests at once: waiting for"))).to_be_visible()
    expect(question_of(page)).to_have_value("delay > 5")
    expect(answer_of(page, "delay > 5")).to_be_visible()
    assert site.asked(token=site.token("bob")) == 1


def test_a_closed_data_set_says_so_and_replays(sites: Sites, visitors: Visitors) -> None:
    site = small(sites)
    page = visitors.sign_in(site)
    ask(page, "delay > 1")
    close = {"confirm": "flights"}
    path = "/v1/datasets/flights/close"
    assert site.send("POST", path, close, token=site.custodian()).status == 200
    question_of(page).fill("delay > 2")
    page.get_by_role("button", name=BUTTON, exact=True).click()
    expect(page.get_by_text("This data set is closed", exact=True)).to_be_visible()
    expect(question_of(page)).to_have_value("delay > 2")
    open_view(page, "History")
    expect(answer_of(page, "delay > 1")).to_be_visible()
