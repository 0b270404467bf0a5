"""The page of a leaderboard: read by all, handed in to by teams, closed by its custodian."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import peekproof
from browser.sites import Site, Sites
from browser.test_looks import LEAST, SMALL, WIDE, barriers
from browser.visitors import Visitors, expect_announced, open_view
from browser.walk import picture
from peekproof.learn.board.board import Board
from server.contests import Contest, contest

WIDTHS = (320, 390, 820, 1280)
PHONES = (320, 360, 390)
TEAMS = ("brook", "ann", "chen", "dara", "elif", "farid", "gwen", "hugo-and-friends")


def entered(found: Contest, *, entries: int) -> None:
    """Entries of eight teams: declared rightly and wrongly, and not declared."""
    rng = np.random.default_rng(5)
    with Board.open(found.folder) as board:
        for number in range(entries):
            team = TEAMS[number % len(TEAMS)]
            grown = 0.6 + 0.03 * (number % len(TEAMS)) + 0.1 * number / entries
            skill = 0.5 if team == "ann" else grown
            sent = found.right(skill)
            predictions = dict(zip(sent["ids"], sent["values"], strict=True))
            kind = rng.choice(["declared"] * 8 + ["wrong", "silent"]) if team != "ann" else "silent"
            declared = {"declared": skill, "wrong": skill - 0.2, "silent": None}[kind]
            made = 5000 if declared else None
            name = f"{['forest', 'boosting', 'net'][number % 3]} {number}"
            board.submit(team, predictions, name=name, declared=declared, trained_on=made)


def opened(sites: Sites, *, entries: int = 0, **given: Any) -> tuple[Site, Contest]:
    """A gateway with this board, with another one, and with a data set."""
    folder = sites.folder()
    found = contest(folder, rows=6000, submissions=300, title="Two coins, tossed again", **given)
    other = contest(folder, "dice", rows=100)
    if entries:
        entered(found, entries=entries)
    rows = sites.flights(folder)
    return sites.start(folder, rows, boards=(found.served, other.served)), found


def board_page(page: Page, title: str = "Two coins, tossed again") -> None:
    """From the list of boards to the page of one."""
    open_view(page, "Boards")
    page.get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)
    expect(page.get_by_role("heading", level=2, name="Standings")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_board_fits_every_screen_and_keeps_nobody_out(
    sites: Sites, visitors: Visitors, scheme: Literal["light", "dark"]
) -> None:
    site, found = opened(sites, entries=60)
    page = visitors.sign_in(site, site.token("chen"), color_scheme=scheme)
    wrong: list[str] = []

    def looked_at(name: str) -> None:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            where = f"{name} at {width}"
            wrong.extend(f"{where} is too wide: {each}" for each in page.evaluate(WIDE))
            small = page.evaluate(SMALL, LEAST)
            wrong.extend(f"{where} has a small target: {each}" for each in small)
            picture(page, f"{name}-{scheme}-{width}")
        wrong.extend(f"{name}: {each}" for each in barriers(page))

    looked_at("boards")
    board_page(page)
    expect(page.get_by_role("table", name="Standings")).to_contain_text("hugo-and-friends")
    looked_at("board-open")
    with Board.open(found.folder) as board:
        board.close()
    page.reload()
    expect(page.get_by_role("heading", name="Final ranking")).to_be_visible()
    looked_at("board-closed")
    assert not wrong, "\n".join(wrong)


def test_a_phone_shows_every_interval_and_a_chart_that_can_be_read(
    sites: Sites, visitors: Visitors
) -> None:
    site, _ = opened(sites, entries=16)
    page = visitors.sign_in(site, site.token("ann"), viewport={"width": 360, "height": 800})
    board_page(page)
    drawn = page.get_by_role("table", name="Standings").locator("tbody .interval")
    expect(drawn).to_have_count(len(TEAMS))
    for each in drawn.all():
        box = each.bounding_box()
        assert box is not None
        assert box["width"] > 250
    chart = page.get_by_role("img", name=re.compile("^After 16 entries"))
    around = chart.bounding_box()
    assert around is not None
    for tick in chart.locator(".tick").all():
        box = tick.bounding_box()
        assert box is not None
        assert box["height"] > 10  # as letters elsewhere, not shrunk with the picture
        assert (
            around["x"] - 1 < box["x"] < box["x"] + box["width"] < around["x"] + around["width"] + 1
        )


def test_boards_beside_a_data_set_make_no_view_wider_than_a_phone(
    sites: Sites, visitors: Visitors
) -> None:
    site, _ = opened(sites)
    page = visitors.sign_in(site, site.token("phone"))
    for name in ("Ask", "Histogram", "Batch", "History", "Boards"):
        open_view(page, name)
        for width in PHONES:
            page.set_viewport_size({"width": width, "height": 740})
            assert page.evaluate(WIDE) == [], f"{name} at {width}"


def test_a_team_hands_in_a_file_and_chooses_what_goes_to_the_final(
    sites: Sites, visitors: Visitors, tmp_path: Path
) -> None:
    site, found = opened(sites)
    page = visitors.sign_in(site, site.token("ann"))
    board_page(page)
    expect(page.get_by_text("Nobody has handed in anything yet.")).to_be_visible()

    def hand_in(share: float, name: str, declared: str, *, cut: int | None = None) -> None:
        sent = found.right(share)
        lines = [f'"{id}",{value}' for id, value in zip(*sent.values(), strict=True)][:cut]
        file = tmp_path / f"{name}.csv"
        file.write_text("\r\n".join(["id,prediction", *lines]))
        page.get_by_label("Predictions", exact=True).set_input_files(file)
        page.get_by_label("Name of the entry").fill(name)
        page.get_by_label("Declared score").fill(declared)
        page.get_by_role("button", name="Hand in").press("Enter")

    hand_in(0.8, "forest", "0.8")
    expect_announced(page, re.compile(r"^Entry 1\. Your declared score was confirmed"))
    hand_in(0.7, "short", "", cut=10)
    expect(page.get_by_role("main").get_by_text("That did not work")).to_be_visible()
    hand_in(0.7, "tree", "")
    expect_announced(page, re.compile(r"^Entry 2\. Not better than the best"))
    own = page.get_by_label("Your team")
    expect(own.get_by_role("listitem").filter(has_text="forest")).to_contain_text(
        "goes to the final"
    )
    own.get_by_role("button", name="Choose entry 2 for the final").press("Enter")
    expect_announced(page, "Entry 2 goes to the final.")
    expect(own.get_by_role("listitem").filter(has_text="tree")).to_contain_text("goes to the final")
    expect(own).to_be_focused()
    broken = tmp_path / "broken.csv"
    broken.write_text("number,guess\n1,2\n")
    page.get_by_label("Predictions", exact=True).set_input_files(broken)
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("main").get_by_text("The first line must name")).to_be_visible()


def test_a_custodian_closes_a_board_and_anyone_verifies_the_result(
    sites: Sites, visitors: Visitors
) -> None:
    site, found = opened(sites, entries=16)
    page = visitors.sign_in(site, site.custodian())
    watching = visitors.sign_in(site, site.token("ann"))
    board_page(page)
    board_page(watching)
    expect(watching.get_by_role("button", name="Close the board…")).to_have_count(0)
    page.get_by_role("button", name="Close the board…").click()
    close = page.get_by_role("button", name="Close for good")
    expect(close).to_be_disabled()
    page.get_by_label("Type coins to go on").fill(found.name)
    close.click()
    expect(page.get_by_role("heading", name="Final ranking")).to_be_visible()
    watching.reload()
    expect(watching.get_by_role("heading", name="Final ranking")).to_be_visible()
    expect(watching.get_by_role("button", name="Hand in")).to_be_hidden()
    with watching.expect_download() as fetched:
        watching.get_by_role("link", name="Signed export").click()
    text = Path(fetched.value.path()).read_bytes()
    key = json.loads((found.folder / "board.json").read_text())["public_key"]
    assert peekproof.verify_export(text, key)["final"]["finalists"]
    expect(watching.get_by_text(key, exact=True)).to_be_attached()
    watching.get_by_label("Board", exact=True).select_option("dice")
    expect(watching.get_by_role("heading", level=1)).to_contain_text("dice")
