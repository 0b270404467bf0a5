"""The page for analysts is run, against a gateway that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from peekproof.server.settings import Dataset
from server.gateways import CARRIERS, flights, running

PAGE = Path(__file__).parents[2] / "docs/how-to/ask-a-gateway.md"
ADDRESS = "https://data.example.org:8417"


def test_the_page_can_be_followed(
    tmp_path: Path, witness_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(flights(tmp_path))
    dataset = Dataset(
        name="flights", source=source, questions=500, mechanism="gaussian",
        categories={"carrier": CARRIERS},
    )  # fmt: skip
    blocks = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 5
    with running(tmp_path, dataset) as gateway:
        namespace: dict[str, object] = {"token": gateway.analyst}
        for block in blocks:
            code = block.replace(ADDRESS, gateway.address)
            exec(compile(code, str(PAGE), "exec", dont_inherit=True), namespace)
    shown = capsys.readouterr().out
    assert shown.startswith("<Session of ann: 20,000 rows, ")
    assert shown.strip().endswith("of 500 left; nothing was charged")
