"""Where things are on the page: level with each other, and as wide as there is room."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from browser.sites import Site, Sites
from browser.visitors import PROMISE, Visitors, ask, open_view

ABOUT = "made-up flights of three carriers, over a whole year and from all airports"
WIDE = {"width": 1400, "height": 900}

# From one line of a text to the next.
SPACING = "(each) => parseFloat(getComputedStyle(each).lineHeight)"


@pytest.fixture(scope="module")
def told(lasting_sites: Sites) -> Site:
    """A data set with a long text about it."""
    folder = lasting_sites.folder()
    return lasting_sites.start(folder, lasting_sites.flights(folder, about=ABOUT))


def box_of(place: Locator) -> FloatRect:
    expect(place).to_be_visible()
    found = place.bounding_box()
    assert found is not None
    return found


def test_the_text_about_a_data_set_has_the_lines_of_the_promise_below_it(
    told: Site, visitors: Visitors
) -> None:
    page = visitors.sign_in(told, viewport={"width": 360, "height": 800})
    title, promised = (page.locator(each) for each in (".dataset-title", ".promised"))
    assert title.evaluate(SPACING) == promised.evaluate(SPACING)
    above, below = box_of(title), box_of(promised)
    assert below["y"] >= above["y"] + above["height"] + 4


def test_what_is_left_is_level_with_the_name_of_the_data_set(
    told: Site, visitors: Visitors
) -> None:
    page = visitors.sign_in(told, viewport=WIDE)
    promise = page.get_by_label(PROMISE)
    expect(promise).to_contain_text("left")
    left_of = promise.locator(".left strong").first
    name, left = box_of(promise.locator(".dataset-title")), box_of(left_of)
    assert name["y"] <= left["y"] < left["y"] + left["height"] <= name["y"] + name["height"] + 4


def test_plots_of_cells_take_the_room_that_their_words_leave(
    told: Site, visitors: Visitors
) -> None:
    page = visitors.sign_in(told, viewport=WIDE)
    card = ask(page, "night by carrier")
    plots = card.locator(".cell .interval")
    for each in plots.all():
        assert box_of(each)["width"] > 0.6 * box_of(card)["width"]
    axis = box_of(card.locator(".axis"))
    assert axis["x"] == pytest.approx(box_of(plots.first)["x"], abs=1)
    assert axis["width"] == pytest.approx(box_of(plots.first)["width"], abs=1)


def custodian_of(site: Site, visitors: Visitors, width: int) -> Page:
    page = visitors.sign_in(site, site.custodian(), viewport={"width": width, "height": 900})
    open_view(page, "Custodian")
    return page


def test_explanations_for_custodians_are_as_wide_as_their_cards(
    told: Site, visitors: Visitors
) -> None:
    page = custodian_of(told, visitors, 1400)
    ledger = page.get_by_role("region", name="Ledger")
    words = ledger.get_by_text(re.compile("^Everything that was asked"))
    assert box_of(words)["width"] > 0.9 * box_of(ledger)["width"]
    assert "which rows answer which question" in words.inner_text()
    expect(page.get_by_text("for all together, by Gaussian noise.")).to_be_visible()


def test_the_mark_of_ones_own_token_has_no_stray_indent(told: Site, visitors: Visitors) -> None:
    page = custodian_of(told, visitors, 800)
    row = page.get_by_role("table", name="Tokens").get_by_role("row").filter(has_text="you")
    cell, badge = box_of(row.get_by_role("cell").first), box_of(row.get_by_text("you", exact=True))
    name = row.get_by_role("cell").first.evaluate(
        """(cell) => { const range = document.createRange();
          range.selectNode(cell.firstChild);
          const { y, height, right } = range.getBoundingClientRect();
          return { bottom: y + height, right }; }"""
    )
    below = badge["y"] >= name["bottom"] - 2
    assert badge["x"] == pytest.approx(cell["x"] if below else name["right"] + 4, abs=2)
