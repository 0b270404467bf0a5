"""Where a picture goes, checked before any work is done."""

import os
from importlib.util import find_spec
from pathlib import Path

from peekproof.core.errors import InvalidInput


def drawable(plot: str) -> Path:
    """The path of a picture that can be drawn."""
    path = Path(plot)
    if path.suffix.lower() not in {".png", ".svg", ".pdf"} or not path.parent.is_dir():
        raise InvalidInput(
            argument="--plot",
            accepted="a .png, .svg or .pdf file in a folder that exists",
            given=plot,
        )
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInput(argument="--plot", accepted="a file that can be written", given=plot)
    if not find_spec("matplotlib"):
        raise InvalidInput(
            argument="--plot",
            accepted="used with matplotlib installed",
            given="no matplotlib",
            hint="pip install 'peekproof[plot]'",
        )
    return path
