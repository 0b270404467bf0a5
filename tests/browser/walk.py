"""A walk through all views of the page, with something to see in each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.sites import Site
from browser.visitors import QUESTION, Visitors, ask, open_view, question_of

FOLDER = os.environ.get("PEEKPROOF_SCREENSHOTS")


def walked(site: Site, visitors: Visitors, **options: object) -> Iterator[tuple[str, Page]]:
    """Each view by its name, when all of it is there."""
    page = visitors.open(site, **options)
    page.goto("/")
    expect(page.get_by_label("Token")).to_be_visible()
    yield "sign-in", page
    page.get_by_label("Token").fill(site.custodian())
    page.get_by_role("button", name="Sign in").click()
    open_view(page, "Ask")
    ask(page, "delay > 15")
    ask(page, "mean(delay, -100, 100) by carrier")
    question_of(page).fill("delay > 16")
    expect(page.get_by_text("Costs 1 question")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("were paid for"))).to_be_visible()
    yield "ask", page
    question_of(page).fill("delai > 16")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label(QUESTION)).to_have_attribute("aria-invalid", "true")
    question_of(page).press_sequentially(" and d")
    expect(page.get_by_role("listbox")).to_be_visible()
    yield "ask-error", page
    page.get_by_role("button", name=re.compile("^Certificate")).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("With confidence")
    yield "certificate", page
    page.keyboard.press("Escape")
    yield from _other_views(page)


def _other_views(page: Page) -> Iterator[tuple[str, Page]]:
    open_view(page, "Histogram")
    page.get_by_label("Column", exact=True).select_option("carrier")
    page.get_by_role("button", name="Draw it").click()
    expect(page.get_by_role("button", name="Download CSV")).to_be_visible()
    yield "histogram", page
    open_view(page, "Batch")
    page.get_by_label("Questions, one a line").fill("delay > 15\ndelay > 17\nmean(delay, -90, 90)")
    page.get_by_role("button", name="Ask all").click()
    expect(page.get_by_role("button", name="Download CSV")).to_be_visible()
    yield "batch", page
    open_view(page, "History")
    expect(page.get_by_text(re.compile("shown, out of"))).to_be_visible()
    yield "history", page
    open_view(page, "Custodian")
    expect(page.get_by_role("table", name="Tokens")).to_be_visible()
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("The ledger is whole", exact=True)).to_be_visible()
    yield "custodian", page
    for button, title in (("Edit shares…", "shares"), ("Invite…", "invitation")):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        yield title, page
        page.keyboard.press("Escape")


def picture(page: Page, name: str) -> None:
    """Keep a picture, if someone wants to look at them."""
    if FOLDER:
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        whole = page.get_by_role("dialog").count() == 0
        page.screenshot(path=Path(FOLDER) / f"{name}.png", full_page=whole)
