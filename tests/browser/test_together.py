"""Two analysts at once: each sees what the other was answered, and what it cost."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.sites import Sites
from browser.visitors import Visitors, answer_of, ask, expect_left, open_view, question_of


def test_two_analysts_see_each_other_without_reloading(sites: Sites, visitors: Visitors) -> None:
    folder = sites.folder()
    site = sites.start(folder, sites.flights(folder, questions=20))
    ann = visitors.sign_in(site, site.token("ann"))
    bob = visitors.sign_in(site, site.token("bob"))
    open_view(bob, "History")
    expect(bob.get_by_text("Nothing was asked yet.")).to_be_visible()
    expect_left(bob, 20)

    ask(ann, "delay > 10")
    expect_left(ann, 19)
    expect_left(bob, 19)
    card = answer_of(bob, "delay > 10")
    expect(card).to_contain_text("another analyst")

    open_view(ann, "History")
    expect(answer_of(ann, "delay > 10")).to_be_visible()
    open_view(bob, "Ask")
    ask(bob, "night")
    expect_left(ann, 18)
    expect(answer_of(ann, "night")).to_contain_text("another analyst")
    ann.get_by_label("Whose").select_option("Mine")
    expect(answer_of(ann, "night")).to_have_count(0)
    expect(answer_of(ann, "delay > 10")).to_be_visible()


def test_both_ask_for_the_same_at_once_and_are_told_the_same(
    sites: Sites, visitors: Visitors
) -> None:
    folder = sites.folder()
    site = sites.start(folder, sites.flights(folder, questions=20))
    pages = [visitors.sign_in(site, site.token(name)) for name in ("ann", "bob")]
    for page in pages:
        question_of(page).fill("delay > 10")
    for page in pages:
        page.get_by_role("button", name="Ask", exact=True).click(no_wait_after=True)
    told = [answer_of(page, "delay > 10").locator(".figures").inner_text() for page in pages]
    assert told[0] == told[1]
    paid = site.asked(token=site.token())  # the second may have come before the first was answered
    assert paid in (1, 2)
    for page in pages:
        expect_left(page, 20 - paid)
