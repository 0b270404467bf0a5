"""Intervals as pictures: on an axis that is theirs, and seen on every screen."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from browser.sites import Site, Sites
from browser.visitors import Visitors, answer_of, open_view

QUESTIONS = ("delay > 14", "mean(delay, -90, 90)", "mean(distance, 0, 3000)")


def batch_of(page: Page, *questions: str) -> Locator:
    """The rows of the table of answers."""
    open_view(page, "Batch")
    page.get_by_label("Questions, one a line").fill("\n".join(questions))
    page.get_by_role("button", name="Ask all").click()
    table = page.get_by_role("table", name="Answers in the order of the questions")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(len(questions))
    return rows


def test_what_is_no_share_is_drawn_on_an_axis_of_its_own(site: Site, visitors: Visitors) -> None:
    rows = batch_of(visitors.sign_in(site, site.token("axes")), *QUESTIONS)
    expect(rows.nth(0).locator(".tick")).to_have_count(0)  # it is on that of the heading
    assert rows.nth(1).locator(".tick").all_text_contents() == ["−90", "−45", "0", "45", "90"]
    assert rows.nth(2).locator(".tick").all_text_contents() == [
        "0",
        "750",
        "1,500",
        "2,250",
        "3,000",
    ]


def test_a_batch_shows_intervals_and_prices_on_a_phone(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("axes"))
    rows = batch_of(page, *QUESTIONS)
    page.set_viewport_size({"width": 360, "height": 800})
    for row in rows.all():
        for part in (row.locator(".interval"), row.get_by_text(re.compile("^(free|new)$"))):
            box = part.bounding_box()
            assert box is not None
            assert 0 < box["x"] < box["x"] + box["width"] <= 345


def test_in_a_batch_every_interval_is_below_its_value(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("axes"), viewport={"width": 800, "height": 900})
    for row in batch_of(page, *QUESTIONS).all():
        value = row.locator(".value").bounding_box()
        interval = row.locator(".muted").first.bounding_box()  # a second says what is missing
        assert value is not None
        assert interval is not None
        assert interval["y"] >= value["y"] + value["height"] - 1


def test_the_axis_of_a_quantile_is_that_of_levels(sites: Sites, visitors: Visitors) -> None:
    folder = sites.folder()
    site = sites.start(folder, sites.flights(folder, questions=500))
    token = site.token()
    assert site.ask("quantile(delay, 0.25, -60, 200)", token=token).status == 200
    card = answer_of(visitors.sign_in(site, token), "quantile(delay, 0.25, -60, 200)")
    expect(card).to_be_visible()
    assert card.locator(".tick").all_text_contents() == ["0%", "25%", "level 50%", "75%", "100%"]
