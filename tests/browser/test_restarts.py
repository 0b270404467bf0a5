"""A gateway that goes away and comes back: nothing is lost, nothing is paid for twice."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from browser.sites import Site, Sites
from browser.visitors import Visitors, answer_of, ask, expect_left, question_of

GONE = r"Failed to load resource: net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|FAILED)"


def test_a_killed_gateway_is_told_of_and_the_visit_goes_on_afterwards(
    sites: Sites, visitors: Visitors
) -> None:
    visitors.expected.append(GONE)
    folder = sites.folder()
    process = sites.process(folder, sites.flights(folder, questions=20))
    site = process.start()
    page = visitors.sign_in(site)
    ask(page, "delay > 1")
    process.kill()

    question_of(page).fill("delay > 2")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text(re.compile("^The gateway cannot be reached. Trying"))).to_be_visible()
    expect(page.get_by_text("What you typed is still here.")).to_be_visible()
    expect(question_of(page)).to_have_value("delay > 2")
    expect(answer_of(page, "delay > 1")).to_be_visible()

    assert process.start() == site
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(answer_of(page, "delay > 2")).to_be_visible()
    expect(page.locator("#banner")).to_be_empty()
    expect(page.get_by_role("main")).not_to_contain_text("cannot be reached")
    expect_left(page, 18)
    page.reload()
    expect(answer_of(page, "delay > 1")).to_be_visible()
    expect(answer_of(page, "delay > 2")).to_be_visible()


def test_an_answer_that_got_lost_on_its_way_is_paid_for_once(
    site: Site, visitors: Visitors
) -> None:
    visitors.expected.append(GONE)
    token = site.token("unlucky")
    before = site.asked(token=token)
    page = visitors.sign_in(site, token)
    keys: list[str | None] = []

    def lost(route: Route) -> None:
        keys.append(route.request.header_value("idempotency-key"))
        if len(keys) == 1:
            assert route.fetch().ok
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/ask", lost)
    ask(page, "delay > 61")
    assert len(keys) == 2
    assert keys[0] == keys[1] is not None
    assert site.asked(token=token) == before + 1
