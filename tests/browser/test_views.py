"""Batches, histograms, groups, the budget over time, and certificates."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from playwright.sync_api import Download, Page, expect

from browser.sites import Site
from browser.visitors import (
    Visitors,
    answer_of,
    ask,
    expect_announced,
    open_view,
    question_of,
)


def rows_of(download: Download, folder: Path) -> list[dict[str, str]]:
    path = folder / download.suggested_filename
    download.save_as(path)
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_batch_is_priced_asked_with_progress_and_taken_away_as_csv(
    site: Site, visitors: Visitors, tmp_path: Path
) -> None:
    token = site.token("batch")
    before = site.asked(token=token)
    page = visitors.sign_in(site, token)
    open_view(page, "Batch")
    questions = [f"delay > {value} and night" for value in range(5)]
    page.get_by_label("Questions, one a line").fill("\n".join([*questions, questions[0]]))
    expect(page.get_by_text(re.compile("6 questions: costs 5,"))).to_be_visible()
    expect(page.get_by_text("1 of them free.")).to_be_visible()
    assert site.asked(token=token) == before
    page.evaluate(
        """() => {
          window.bars = 0;
          new MutationObserver(() => {
            if (document.querySelector("main progress[aria-label]")) window.bars += 1;
          }).observe(document.querySelector("main"), {childList: true, subtree: true});
        }"""
    )
    page.get_by_role("button", name="Ask all").click()
    answers = page.get_by_role("table", name="Answers in the order of the questions")
    expect(answers.get_by_role("row")).to_have_count(7)
    expect_announced(page, "6 answers came.")
    assert page.evaluate("window.bars") > 0
    assert site.asked(token=token) == before + 5

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    rows = rows_of(download.value, tmp_path)
    assert [each["question"] for each in rows] == [*questions, questions[0]]
    for each in rows:
        assert float(each["low"]) < float(each["value"]) < float(each["high"])


def test_an_error_in_a_batch_names_its_line_and_nothing_is_charged(
    site: Site, visitors: Visitors
) -> None:
    token = site.token("batch")
    before = site.asked(token=token)
    page = visitors.sign_in(site, token)
    open_view(page, "Batch")
    page.get_by_label("Questions, one a line").fill("delay > 10\n\ndelai > 10")
    expect(page.get_by_text("Line 3", exact=True).first).to_be_visible()
    expect(page.locator("mark").first).to_have_text("delai")
    page.get_by_role("button", name="Ask all").click()
    expect(page.get_by_role("alert").filter(has_text="delai")).to_be_attached()
    assert site.asked(token=token) == before


def test_a_histogram_is_built_from_choices(site: Site, visitors: Visitors, tmp_path: Path) -> None:
    page = visitors.sign_in(site, site.token("histogram"))
    open_view(page, "Histogram")
    page.get_by_label("Column", exact=True).select_option("carrier")
    expect(page.get_by_text("histogram(carrier, ('AA', 'DL', 'UA'))")).to_be_visible()
    page.get_by_label("Cells").fill("('DL', 'UA')")
    expect(page.get_by_text("histogram(carrier, ('DL', 'UA'))")).to_be_visible()
    expect(page.get_by_text(re.compile("^Costs "))).to_be_visible()
    page.get_by_role("button", name="Draw it").click()
    cells = page.get_by_role("main").get_by_role("listitem").filter(has_text="= 'DL'")
    expect(cells.last).to_contain_text(re.compile(r"'DL'\s*\d+\.\d\s%\s*\d+\.\d\s% to "))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    labels = [each["cell"] for each in rows_of(download.value, tmp_path)]
    assert labels == [f"carrier = '{each}'" for each in ("DL", "UA")]


def test_shares_by_groups_are_asked_in_both_views(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("groups"))
    open_view(page, "Histogram")
    page.get_by_label("Column", exact=True).select_option("night")
    page.get_by_label("Show").select_option("the share of a condition within each cell")
    page.get_by_label("Within each cell").fill("delay > 20")
    expect(page.get_by_text(re.compile("^Costs "))).to_be_visible()
    page.get_by_role("button", name="Draw it").click()
    expect(page.get_by_text(re.compile("of all rows")).first).to_be_visible()
    open_view(page, "Ask")
    card = ask(page, "mean(delay, -100, 100) by carrier")
    for carrier in ("AA", "DL", "UA"):
        expect(card).to_contain_text(re.compile(rf"{carrier}.* of all rows"))


def test_the_budget_over_time_is_drawn_and_told_in_words(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("burning"))
    ask(page, "delay > 41")
    chart = page.get_by_role(
        "img", name=re.compile(r"\d+ questions? of 500 were paid for; .* left")
    )
    expect(chart).to_be_visible()
    assert chart.locator("polyline").count() == 1


def focused(page: Page) -> str:
    words = "(document.activeElement.innerText || document.activeElement.ariaLabel || '')"
    return str(page.evaluate(words))


def test_a_certificate_keeps_the_focus_and_gives_it_back(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("certified"))
    card = ask(page, "delay > 51")
    opener = card.get_by_role("button", name="Certificate")
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Certificate")
    expect(dialog).to_contain_text("With confidence 0.95")
    expect(dialog.get_by_role("heading", name="Theorems")).to_be_visible()
    expect(dialog.get_by_role("heading", name="In the ledger")).to_be_visible()
    inside = "() => document.activeElement === document.body || " + (
        "document.querySelector('dialog').contains(document.activeElement)"
    )
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate(inside)
        reached.add(focused(page))
    assert {"Copy as text", "Close"} <= reached
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()


def test_a_certificate_can_be_read_on_a_phone(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("certified"), viewport={"width": 360, "height": 800})
    ask(page, "delay > 52").get_by_role("button", name="Certificate").click()
    dialog = page.get_by_role("dialog", name="Certificate")
    expect(dialog.get_by_role("heading", name="In the ledger")).to_be_attached()
    hidden = dialog.get_by_role("cell").filter(has_text="what the added noise can hide").first
    entry = dialog.get_by_role("definition").filter(has=page.locator(".digest")).first
    for each in (hidden, entry):
        box = each.bounding_box()
        assert box is not None
        assert box["width"] > 150
        assert box["x"] + box["width"] <= 360
    for table in dialog.locator(".table-wrap").all():
        assert table.evaluate("(each) => each.scrollWidth <= each.clientWidth")


def test_the_history_is_searched_and_leads_back_to_the_question(
    site: Site, visitors: Visitors
) -> None:
    token = site.token("historian")
    page = visitors.sign_in(site, token)
    for value in (91, 92):
        assert site.ask(f"delay > {value}", token=token).status == 200
    open_view(page, "History")
    page.get_by_label("Search").fill("> 92")
    expect(answer_of(page, "delay > 92")).to_be_visible()
    expect(answer_of(page, "delay > 91")).to_have_count(0)
    answer_of(page, "delay > 92").get_by_role("button", name=re.compile("^Ask again")).click()
    expect(question_of(page)).to_have_value("delay > 92")
    expect(page.get_by_text("Answered before: asking again costs nothing.")).to_be_visible()
