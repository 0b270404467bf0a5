"""Visitors: pages in contexts of their own, watched for everything that must not happen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
)

from browser.sites import Site

# A browser notes every refusal of the gateway on its console; those are replies, no errors.
REFUSED = re.compile(r"^Failed to load resource: the server responded with a status of 4\d\d ")

VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} by ${event.blockedURI}`);
});
"""

QUESTION = "Your question"
PROMISE = "The promise of this data set"


@dataclass
class Visitors:
    """Opens pages; leaving it, it says what any of them did wrong."""

    browser: Browser
    wrong: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)  # patterns of what a test provokes
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __enter__(self) -> Visitors:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for each in self._contexts:
            each.close()
        patterns = [re.compile(each) for each in self.expected]
        wrong = [each for each in self.wrong if not any(one.search(each) for one in patterns)]
        if kind is None:
            assert not wrong, "\n".join(wrong)

    def open(self, site: Site, **options: Any) -> Page:
        """A page of this site in a fresh context; nothing is shown yet."""
        options = {"viewport": {"width": 1280, "height": 900}, **options}
        context = self.browser.new_context(base_url=site.address, locale="en-GB", **options)
        self._contexts.append(context)
        context.set_default_timeout(15_000)
        context.add_init_script(VIOLATIONS)
        origin = site.address

        def seen(request: Request) -> None:
            apart = urlsplit(request.url).scheme in ("data", "blob")
            if not apart and not request.url.startswith(f"{origin}/"):
                self.wrong.append(f"request to another origin: {request.url}")

        def said(message: ConsoleMessage) -> None:
            own = message.location["url"].startswith(f"{origin}/v1/")
            if message.type == "error" and not (own and REFUSED.match(message.text)):
                self.wrong.append(f"console: {message.text} ({message.location['url']})")

        def asked(dialog: Dialog) -> None:
            self.wrong.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page = context.new_page()
        context.on("request", seen)
        context.on("console", said)
        context.on("weberror", lambda error: self.wrong.append(f"page: {error.error}"))
        page.on("dialog", asked)
        return page

    def sign_in(self, site: Site, token: str | None = None, **options: Any) -> Page:
        """A page that came by an invitation; by default that of the analyst ann."""
        page = self.open(site, **options)
        page.goto(site.link(token or site.token()))
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_be_attached()
        return page


def question_of(page: Page) -> Locator:
    return page.get_by_label(QUESTION)


def ask(page: Page, question: str) -> Locator:
    """Ask and wait for the answer; its card."""
    question_of(page).fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    card = answer_of(page, question)
    expect(card).to_be_visible()
    return card


def answer_of(page: Page, question: str) -> Locator:
    """The card of the answer to this question."""
    heading = page.get_by_role("heading", name=question, exact=True)
    return page.get_by_role("listitem").filter(has=heading)


def open_view(page: Page, name: str) -> None:
    """Choose a view in the navigation and wait until it is there."""
    page.get_by_role("navigation", name="Views").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1, name=name, exact=True)).to_be_attached()


def expect_left(page: Page, questions: int) -> None:
    """What the page says is left of the budget."""
    words = f"{questions:,} question{'' if questions == 1 else 's'} left"
    expect(page.get_by_label(PROMISE)).to_contain_text(words)


def expect_announced(page: Page, text: str | re.Pattern[str]) -> None:
    """Those who listen to the page are told."""
    expect(page.locator("#status")).to_have_text(text)
