"""The gateway's page as an analyst sees it, on made-up flights.

Run: python -m lab.figures.page FILE
"""

import sys
import tempfile
from pathlib import Path

from lab.figures.browsing import browsed, posted, served

QUESTIONS = (
    "delay > 30",
    "night",
    "mean(delay, -40, 120)",
    "delay > 30 given night",
    "carrier = 'Crane'",
    "delay > 15 by carrier",
)
TYPED = "delay > 60 and carrier = 'Crane'"


def draw_page(path: Path) -> Path:
    """Ask a few questions in a browser, begin another, and take a picture."""
    with tempfile.TemporaryDirectory() as folder, served(["--demo"], Path(folder)) as said:
        address = said["address"]
        ann = posted(address, said["token"], "/v1/tokens", {"analyst": "ann"})["token"]
        with browsed(f"{address}/#token={ann}") as page:
            box = page.get_by_label("Your question")
            for asked, question in enumerate(QUESTIONS, start=1):
                box.fill(question)
                page.keyboard.press("Control+Enter")
                page.locator("li.answer").nth(asked - 1).wait_for()
            box.fill(TYPED)
            page.keyboard.press("Escape")
            page.get_by_text("Costs").first.wait_for()
            page.screenshot(path=path)
    return path


if __name__ == "__main__":
    draw_page(Path(sys.argv[1]))
