"""The gateway's page as an analyst sees it, on made-up flights.

Run: python -m holdfast.audit.figures.page FILE
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from shutil import which
from urllib.parse import urlsplit

from holdfast.core.errors import DataError

QUESTIONS = (
    "delay > 30",
    "night",
    "mean(delay, -40, 120)",
    "delay > 30 given night",
    "carrier = 'Crane'",
    "delay > 15 by carrier",
)
TYPED = "delay > 60 and carrier = 'Crane'"
_SIZE = {"width": 1240, "height": 1180}


def draw_page(path: Path) -> Path:
    """Ask a few questions in a browser, begin another, and take a picture."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 (an extra)
    except ImportError:
        raise DataError(
            source="the page",
            problem="is seen by a browser, and playwright is not installed",
            hint="pip install 'holdfast[browser,server]', and have Chromium",
        ) from None
    with _gateway() as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=_SIZE, color_scheme="light")
        page.goto(link)
        box = page.get_by_label("Your question")
        for asked, question in enumerate(QUESTIONS, start=1):
            box.fill(question)
            page.keyboard.press("Control+Enter")
            page.locator("li.answer").nth(asked - 1).wait_for()
        box.fill(TYPED)
        page.keyboard.press("Escape")
        page.get_by_text("Costs").first.wait_for()
        page.screenshot(path=path)
        browser.close()
    return path


@contextmanager
def _gateway() -> Iterator[str]:
    """The link of an analyst to a gateway of its own, which ends with the picture."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["serve", "--demo", "--address", "127.0.0.1:0", "--json"]
        serving = subprocess.Popen(  # noqa: S603 (this program)
            [sys.executable, "-m", "holdfast", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            said = _said(serving)
            yield f"{said['address']}/#token={_analyst(said['address'], said['token'])}"
        finally:
            serving.terminate()
            serving.communicate()


def _said(serving: "subprocess.Popen[str]") -> dict[str, str]:
    """What it says once it is ready: an object of several lines."""
    lines = []
    for line in serving.stdout or ():
        lines.append(line)
        if line == "}\n":
            break
    found: dict[str, str] = json.loads("".join(lines))
    return found


def _analyst(address: str, custodian: str) -> str:
    """A token of someone who only asks."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {custodian}"}
    connection.request("POST", "/v1/tokens", json.dumps({"analyst": "ann"}), headers)
    made = json.loads(connection.getresponse().read())
    connection.close()
    return str(made["token"])


if __name__ == "__main__":
    draw_page(Path(sys.argv[1]))
