"""Serves pickled settings until it is killed, and prints the address: `serve_settings.py FILE`."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path


def main(file: str) -> None:
    from peekproof.server.runner import serve  # noqa: PLC0415  (workers import this file, too)

    settings = pickle.loads(Path(file).read_bytes())
    serve(settings, ready=lambda address: print(address, flush=True))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
