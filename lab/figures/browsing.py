"""What pictures of the pages share: a gateway of their own, and a browser that sees it."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from peekproof.core.errors import DataError

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SIZE = {"width": 1240, "height": 1180}


@contextmanager
def browsed(link: str) -> Iterator["Page"]:
    """A page of a browser that has followed the link."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 (an extra)
    except ImportError:
        raise DataError(
            source="the page",
            problem="is seen by a browser, and playwright is not installed",
            hint="pip install 'peekproof[board,browser,server]', and have Chromium",
        ) from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=_SIZE, color_scheme="light")
        page.goto(link)
        yield page
        browser.close()


@contextmanager
def served(words: Sequence[str], folder: Path) -> Iterator[dict[str, str]]:
    """What a gateway says once it is ready; it ends with the picture."""
    serving = subprocess.Popen(  # noqa: S603 (this program)
        [sys.executable, "-m", "peekproof", "serve", *words, "--address", "127.0.0.1:0", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield json.loads("".join(_until_ready(serving)))
    finally:
        serving.terminate()
        serving.communicate()


def posted(address: str, token: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """What the gateway replies."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.request("POST", path, json.dumps(body), {"Authorization": f"Bearer {token}"})
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return found


def _until_ready(serving: "subprocess.Popen[str]") -> Iterator[str]:
    """An object of several lines."""
    for line in serving.stdout or ():
        yield line
        if line == "}\n":
            return
