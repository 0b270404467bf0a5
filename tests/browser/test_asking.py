"""Asking in the page: by keyboard, with the price before and the interval after."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.sites import Site
from browser.visitors import (
    Visitors,
    answer_of,
    ask,
    expect_announced,
    open_view,
    question_of,
)

INTERVAL = re.compile(r"\d+\.\d\s%\s*\d+\.\d\s% to \d+\.\d\s%")


def test_a_first_question_is_asked_by_keyboard_alone(site: Site, visitors: Visitors) -> None:
    page = visitors.open(site)
    page.goto("/")
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type(site.token("keys"))
    page.keyboard.press("Enter")
    question = question_of(page)
    expect(question).to_be_visible()
    for _ in range(30):
        if question.evaluate("(element) => element === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(question).to_be_focused()

    page.keyboard.type("dist")
    offered = page.get_by_role("listbox", name="Words that fit here")
    expect(offered.get_by_role("option").first).to_contain_text("distance")
    expect(question).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    chosen = offered.get_by_role("option", selected=True)
    expect(chosen).to_contain_text("distance")
    active = question.get_attribute("aria-activedescendant")
    assert active == chosen.get_attribute("id")
    page.keyboard.press("Enter")
    expect(question).to_have_value("distance")
    expect(question).to_have_attribute("aria-expanded", "false")
    page.keyboard.type(" > 1234")
    page.keyboard.press("Control+Enter")

    card = answer_of(page, "distance > 1234")
    expect(card).to_contain_text(INTERVAL)
    expect_announced(page, re.compile(r"^Answer: \d+\.\d\s%, in the population from "))


def test_the_price_and_the_radius_are_shown_before_and_charge_nothing(
    site: Site, visitors: Visitors
) -> None:
    token = site.token()
    before = site.asked(token=token)
    page = visitors.sign_in(site, token)
    question_of(page).fill("delay > 21.5")
    costs = page.get_by_text(
        re.compile(r"Costs 1 question\. The width of its interval: at most ±0\.\d+\.")
    )
    expect(costs).to_be_visible()
    page.get_by_text("More", exact=True).click()
    page.get_by_label("A radius of your own").fill("0.2")
    cheaper = page.get_by_text(
        re.compile(r"Costs 0\.\d+ questions\. The width of its interval: at most ±0\.\d+")
    )
    expect(cheaper).to_be_visible()
    assert site.asked(token=token) == before


def test_an_error_is_shown_at_its_place_and_its_correction_is_offered(
    site: Site, visitors: Visitors
) -> None:
    token = site.token()
    before = site.asked(token=token)
    page = visitors.sign_in(site, token)
    question_of(page).fill("night and delai > 10")
    page.keyboard.press("Control+Enter")
    expect(page.locator("mark")).to_have_text("delai")
    expect(page.get_by_role("main").get_by_text("at character 11")).to_be_visible()
    expect(question_of(page)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert").filter(has_text="delai")).to_be_attached()
    assert site.asked(token=token) == before

    page.get_by_role("button", name="Use delay").click()
    expect(question_of(page)).to_have_value("night and delay > 10")
    expect(page.locator("mark")).to_have_count(0)
    expect(page.get_by_text("Costs 1 question")).to_be_visible()


def test_an_answer_of_before_costs_nothing(site: Site, visitors: Visitors) -> None:
    token = site.token("replay")
    page = visitors.sign_in(site, token)
    first = ask(page, "delay > 33").inner_text()
    after = site.asked(token=token)
    question_of(page).fill("33 < delay")
    expect(page.get_by_text("Answered before: asking again costs nothing.")).to_be_visible()
    page.get_by_role("button", name="Ask", exact=True).click()
    again = answer_of(page, "33 < delay")
    expect(again).to_contain_text("answered before: free")
    shown = INTERVAL.search(first)
    assert shown is not None
    for figure in shown.group().split("\n"):
        expect(again).to_contain_text(figure)
    assert site.asked(token=token) == after


def test_an_answer_is_there_again_after_reloading(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.token("reload"))
    ask(page, "delay > 7.5")
    page.reload()
    expect(answer_of(page, "delay > 7.5")).to_contain_text(INTERVAL)


def test_what_was_typed_outlives_another_view(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site)
    question_of(page).fill("delay > 1 and night")
    open_view(page, "History")
    open_view(page, "Ask")
    expect(question_of(page)).to_have_value("delay > 1 and night")


def test_a_column_is_put_into_the_question_by_its_button(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site)
    question_of(page).fill("not ")
    beside = page.get_by_role("complementary", name="Budget and columns")
    beside.get_by_role("button", name=re.compile("^night")).click()
    expect(question_of(page)).to_have_value("not night")
    expect(question_of(page)).to_be_focused()
