"""Those who watch the pages see what must not happen; otherwise no other test could fail by it."""

from __future__ import annotations

import pytest

from browser.sites import Site
from browser.visitors import Visitors

SCRIPT = """() => { const made = document.createElement("script");
  made.textContent = "window.ran = true"; document.body.append(made); }"""

# What is done, as what the browser tells it, and how it is noted.
DEEDS = [
    ("() => console.error('wrong')", "console", "console: wrong"),
    ("() => { setTimeout(() => { throw new Error('wrong'); }); }", "weberror", "page: "),
    ("() => { setTimeout(() => alert('wrong')); }", "dialog", "dialog: wrong"),
    (SCRIPT, "console", "policy: script-src"),
    ("() => { new Image().src = 'http://127.0.0.2:9/x.png'; }", "console", "policy: img-src"),
]


@pytest.mark.parametrize(("deed", "event", "noted"), DEEDS)
def test_what_must_not_happen_is_seen(
    site: Site, visitors: Visitors, deed: str, event: str, noted: str
) -> None:
    page = visitors.open(site)
    page.goto("/")
    page.get_by_label("Token").wait_for()

    def told(_: object) -> bool:
        return any(noted in each for each in visitors.wrong)

    with page.expect_event(event) if event == "dialog" else page.context.expect_event(event, told):
        page.evaluate(deed)
    assert page.evaluate("window.ran") is None
    visitors.expected.append("wrong|policy|violates|Refused|another origin")


def test_a_request_to_another_origin_is_seen(site: Site, visitors: Visitors) -> None:
    page = visitors.open(site, bypass_csp=True)
    page.goto("/")
    with page.expect_request("http://127.0.0.2:9/x.png"):
        page.evaluate("() => { new Image().src = 'http://127.0.0.2:9/x.png'; }")
    assert visitors.wrong[0] == "request to another origin: http://127.0.0.2:9/x.png"
    visitors.expected.append("127.0.0.2")
