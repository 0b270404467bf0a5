"""Names that are markup: shown as text everywhere, run nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Page, expect

from browser.sites import Site, Sites
from browser.visitors import Visitors, answer_of, ask, open_view, question_of
from server.gateways import held

HOSTILE = "<img src=x onerror=alert(1)>"
WORSE = '"><script>alert(2)</script>'


def hostile_table(folder: Path) -> Path:
    rng = np.random.default_rng(5)
    path = folder / "hostile.parquet"
    numbers, kinds = rng.normal(0, 1, 5_000), rng.choice([HOSTILE, WORSE, "plain"], 5_000)
    pl.DataFrame({HOSTILE: numbers, "kind": kinds}).write_parquet(path)
    return path


@pytest.fixture(scope="module")
def hostile(lasting_sites: Sites) -> Site:
    folder = lasting_sites.folder()
    return lasting_sites.start(
        folder,
        held(
            folder,
            name="hostile",
            source=str(hostile_table(folder)),
            questions=50,
            categories={"kind": [HOSTILE, WORSE, "plain"]},
            about=HOSTILE,
        ),
    )


def expect_harmless(page: Page) -> None:
    """No element was made of the text; that nothing ran is seen by those who watch all pages."""
    assert page.locator("img[src='x'], img[onerror], main script").count() == 0


def test_markup_in_columns_categories_and_names_stays_text(
    hostile: Site, visitors: Visitors
) -> None:
    page = visitors.sign_in(hostile, hostile.token(HOSTILE))
    expect(page.locator(".who")).to_have_text(HOSTILE)
    beside = page.get_by_role("complementary", name="Budget and columns")
    beside.get_by_role("button").first.click()
    expect(question_of(page)).to_have_value(f"`{HOSTILE}`")
    ask(page, f"`{HOSTILE}` > 0 and kind = '{HOSTILE}'")
    expect_harmless(page)
    question_of(page).fill("kind = '")
    page.keyboard.press("End")
    page.keyboard.type("<im")
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text(HOSTILE)
    expect_harmless(page)
    question_of(page).fill(f"{HOSTILE} > 0")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert").filter(has_text="Unexpected")).to_be_attached()
    expect_harmless(page)
    grouped = ask(page, f"`{HOSTILE}` > 0 by kind")
    expect(grouped).to_contain_text(WORSE)
    expect_harmless(page)

    open_view(page, "Histogram")
    page.get_by_label("Column", exact=True).select_option("kind")
    page.get_by_role("button", name="Draw it").click()
    expect(page.get_by_role("main").get_by_text(WORSE).last).to_be_visible()
    expect_harmless(page)
    open_view(page, "History")
    card = answer_of(page, f"`{HOSTILE}` > 0 and kind = '{HOSTILE}'")
    expect(card).to_contain_text(HOSTILE)
    card.get_by_role("button", name=re.compile("^Certificate")).first.click()
    expect(page.get_by_role("dialog")).to_contain_text("With confidence")
    expect_harmless(page)


def test_a_hostile_analyst_is_harmless_to_the_custodian(hostile: Site, visitors: Visitors) -> None:
    said = hostile.ask("kind = 'plain'", token=hostile.token(HOSTILE), dataset="hostile")
    assert said.status == 200
    page = visitors.sign_in(hostile, hostile.custodian())
    open_view(page, "Custodian")
    analysts = page.get_by_role("table", name="Analysts of this data set")
    expect(analysts).to_contain_text(HOSTILE)
    expect(page.get_by_role("table", name="Tokens")).to_contain_text(HOSTILE)
    page.get_by_role("button", name=f"Revoke the token of {HOSTILE}").first.click()
    expect(page.get_by_role("dialog")).to_contain_text(HOSTILE)
    expect_harmless(page)


def test_an_address_with_markup_is_only_an_address(hostile: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(hostile)
    page.goto(f"/#/ask/{HOSTILE}")
    expect(question_of(page)).to_be_visible()
    page.goto("/#/%E0%A4%A/%")
    expect(question_of(page)).to_be_visible()
    expect_harmless(page)
