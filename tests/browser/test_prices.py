"""What is dear is asked for only by those who have seen its price."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from browser.sites import Site, Sites
from browser.test_looks import barriers
from browser.visitors import Visitors, answer_of, expect_announced, open_view, question_of

DEAR = "quantile(delay, 0.25, -60, 200)"  # 80 questions' worth
GO = "Ask for 80 questions"


@pytest.fixture
def own(sites: Sites) -> Site:
    """A data set of which one test can spend much."""
    folder = sites.folder()
    return sites.start(folder, sites.flights(folder, questions=500))


def expect_confirmation(page: Page) -> None:
    """The dialog with the price, in which nothing happens by pressing Enter once more."""
    dialog = page.get_by_role("dialog", name="This costs 80 questions")
    expect(dialog).to_contain_text("500 questions left")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()


def test_a_dear_question_is_charged_only_when_its_price_was_agreed_to(
    own: Site, visitors: Visitors
) -> None:
    token = own.token("hasty")
    page = visitors.sign_in(own, token)
    question_of(page).fill(DEAR)
    page.keyboard.press("Control+Enter")
    expect_confirmation(page)
    assert barriers(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect_announced(page, "Not asked: nothing is charged.")
    expect(question_of(page)).to_be_focused()
    expect(question_of(page)).to_have_value(DEAR)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect_confirmation(page)
    page.keyboard.press("Escape")
    expect(question_of(page)).to_be_focused()
    assert own.asked(token=token) == 0

    page.keyboard.press("Control+Enter")
    expect_confirmation(page)
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name=GO)).to_be_focused()
    page.keyboard.press("Enter")
    expect(answer_of(page, DEAR)).to_be_visible()
    assert own.asked(token=token) == 80
    question_of(page).fill(f" {DEAR}")
    page.keyboard.press("Control+Enter")  # free by now
    expect(answer_of(page, DEAR)).to_contain_text("answered before: free")


def test_no_question_is_sent_before_the_price_of_this_very_text_is_there(
    own: Site, visitors: Visitors
) -> None:
    page = visitors.sign_in(own)
    question_of(page).fill("delay > 1")
    expect(page.get_by_text("Costs 1 question")).to_be_visible()

    def hold(_: Route) -> None:
        """No reply, until nobody holds it."""

    page.route("**/price", hold)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]))
    question_of(page).fill("delay > 2")
    with page.expect_request("**/price"):
        page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Reading the price…")).to_be_visible()
    page.wait_for_timeout(400)  # the price that follows the typing may come meanwhile
    assert "ask" not in sent
    page.unroute("**/price", hold)  # what is held goes on
    expect(answer_of(page, "delay > 2")).to_be_visible()
    assert sent.index("price") < sent.index("ask")


def test_a_batch_with_a_dear_question_waits_to_be_agreed_to(own: Site, visitors: Visitors) -> None:
    token = own.token("hasty")
    page = visitors.sign_in(own, token)
    open_view(page, "Batch")
    area = page.get_by_label("Questions, one a line")
    area.fill(DEAR)
    page.keyboard.press("Control+Enter")
    expect_confirmation(page)
    page.keyboard.press("Escape")
    expect(area).to_be_focused()
    assert own.asked(token=token) == 0
    area.fill("\n".join(f"delay > {value}" for value in range(8)))
    page.keyboard.press("Control+Enter")  # one question each is no surprise
    expect_announced(page, "8 answers came.")
    assert own.asked(token=token) == 8
