"""How it looks: in both themes, on narrow and wide screens, to a scan, and without a network."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from browser.sites import Site
from browser.visitors import Visitors, open_view, question_of
from browser.walk import picture, walked

Scheme = Literal["light", "dark"]

WIDTHS = (360, 768, 1280)
LEAST = 24  # pixels, of what a finger is to hit

# All that can be pressed and is seen; what only listeners hear is one pixel wide.
SMALL = """(least) => [...document.querySelectorAll(
    "button, a[href], select, input, textarea, summary, [role=option]")]
  .filter((each) => each.checkVisibility({visibilityProperty: true, opacityProperty: true}))
  .filter((each) => !each.classList.contains("skip") && !each.closest(".unseen"))
  .map((each) => [(each.matches("[type=checkbox]") && each.closest("label")) || each, each])
  .map(([target, each]) => [target.getBoundingClientRect(), each])
  .filter(([box]) => box.width < least || box.height < least)
  .map(([box, each]) => `${each.outerHTML.slice(0, 90)} ${box.width}x${box.height}`)"""

# What reaches beyond the right edge, if the whole page can be moved sideways.
WIDE = """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? []
  : [...document.querySelectorAll("body *")]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5).map((each) => each.outerHTML.slice(0, 90))"""

# The names of views that are not seen whole.
CUT = """() => [...document.querySelectorAll("nav a")].filter((each) => {
    const [box, around] = [each, each.closest("nav")].map((one) => one.getBoundingClientRect());
    return box.left < Math.max(0, around.left) - 1
      || box.right > Math.min(innerWidth, around.right) + 1;
  }).map((each) => each.outerHTML.slice(0, 90))"""

BACKGROUND = "() => getComputedStyle(document.documentElement).backgroundColor"


def barriers(page: Page) -> list[str]:
    """What a scan finds that keeps people out: serious and critical findings, with their places."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {[node['html'][:150] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def luminance(page: Page) -> int:
    colour = str(page.evaluate(BACKGROUND))
    return sum(int(each) for each in colour.partition("(")[2].rstrip(")").split(",")[:3])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_every_screen_and_keeps_nobody_out(
    site: Site, visitors: Visitors, scheme: Scheme
) -> None:
    wrong = []
    for name, page in walked(site, visitors, color_scheme=scheme):
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            expect(page.get_by_role("main")).to_be_visible()
            where = f"{name} at {width}"
            wrong += [f"{where} is too wide: {each}" for each in page.evaluate(WIDE)]
            wrong += [f"{where} has a small target: {each}" for each in page.evaluate(SMALL, LEAST)]
            picture(page, f"{name}-{scheme}-{width}")
        wrong += [f"{name}: {each}" for each in barriers(page)]
    assert not wrong, "\n".join(wrong)


def test_the_names_of_all_views_are_seen_on_a_narrow_screen(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.custodian(), viewport={"width": 360, "height": 800})
    for name in ("Ask", "Custodian", "History"):
        open_view(page, name)
        assert page.evaluate(CUT) == []
    page.reload()
    open_view(page, "History")
    assert page.evaluate(CUT) == []


def test_the_names_of_all_views_are_seen_after_narrowing(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, site.custodian())
    open_view(page, "Custodian")
    for width in (640, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(CUT) == []


def test_what_does_not_fit_or_keeps_people_out_is_found(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site)
    assert page.evaluate(WIDE) == page.evaluate(SMALL, LEAST) == barriers(page) == []
    page.evaluate(
        """() => { const made = document.createElement("input");
          document.querySelector("main").append(made);
          made.style.cssText = "position: absolute; left: 2000px; min-height: 0; height: 20px"; }"""
    )
    (small,) = page.evaluate(SMALL, LEAST)
    assert small.startswith("<input")
    assert page.evaluate(WIDE) != []
    assert [each for each in barriers(page) if each.startswith("label (critical)")]


def test_colours_follow_the_system_until_they_are_chosen(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, color_scheme="dark")
    assert luminance(page) < 200
    page.emulate_media(color_scheme="light")
    assert luminance(page) > 600
    page.get_by_label("Colours").select_option("Dark")
    assert luminance(page) < 200
    page.reload()
    expect(page.get_by_label("Colours")).to_have_value("dark")
    assert luminance(page) < 200
    page.get_by_label("Colours").select_option("System")
    assert luminance(page) > 600
    page.reload()
    expect(page.get_by_label("Colours")).to_have_value("system")
    assert luminance(page) > 600


def test_everything_works_without_any_other_network(site: Site, visitors: Visitors) -> None:
    blocked: list[str] = []

    def only_ours(route: Route) -> None:
        if route.request.url.startswith(f"{site.address}/"):
            route.continue_()
        else:
            blocked.append(route.request.url)
            route.abort()

    for name, page in walked(site, visitors):
        if name == "sign-in":
            page.context.route("**/*", only_ours)
            page.reload()
    assert blocked == []


def test_nothing_moves_for_those_who_want_that(site: Site, visitors: Visitors) -> None:
    page = visitors.sign_in(site, reduced_motion="reduce")
    question_of(page).fill("delay > 10")
    moving = """() => document.getAnimations().filter((each) => each.playState === "running"
      && each.effect.getComputedTiming().duration > 1).length"""
    assert page.evaluate(moving) == 0
