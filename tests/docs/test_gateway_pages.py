"""The pages about the gateway: generated, readable by the reader of settings, and in step."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from documents import ROOT, blocks
from peekproof.server.app import ENDPOINTS
from peekproof.server.settings import from_file

PAGE = ROOT / "docs/reference/http-api.md"
TEAM = ROOT / "docs/how-to/serve-a-team.md"
HOLDOUT = ROOT / "docs/how-to/serve-a-holdout.md"
BOARD = ROOT / "docs/how-to/serve-a-leaderboard.md"
SETTINGS = ROOT / "docs/reference/gateway-settings.md"


def test_the_page_of_the_api_is_what_the_generator_gives() -> None:
    """If it fails: make http-api."""
    generator = runpy.run_path(str(ROOT / "docs/generate_http_api.py"))
    assert PAGE.read_text() == generator["page"]()


def test_every_route_is_on_the_page_with_who_may_use_it() -> None:
    text = PAGE.read_text()
    for each in ENDPOINTS:
        section = text.partition(f"### {each.method} {each.path}\n")[2].partition("\n### ")[0]
        who = "anyone" if each.open else "custodians" if each.custodian else "analysts"
        assert f"- **Who** {who}\n" in section


def test_links_within_the_page_lead_to_headings() -> None:
    text = PAGE.read_text()
    headings = {
        re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-")
        for each in re.findall(r"^#+ (.*)$", text, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


@pytest.mark.parametrize("page", [TEAM, HOLDOUT, BOARD, SETTINGS], ids=lambda page: page.stem)
def test_settings_on_the_pages_can_be_read(page: Path, tmp_path: Path) -> None:
    (text,) = blocks(page, "toml")
    (tmp_path / "gateway.toml").write_text(text)
    settings = from_file(tmp_path / "gateway.toml", {})
    assert settings.boards if page is BOARD else settings.datasets
