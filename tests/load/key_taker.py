"""A worker that takes a key and never answers. Run: python -m load.key_taker STORE"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from peekproof.server import keys
from peekproof.server.store import Scope, Store, Token

TOKEN = Token(id="t", slot=1, digest=b"", analyst="ann", scope=Scope.ANALYST)


def main() -> None:
    store = Store(Path(sys.argv[1]))
    keys.begin(store, TOKEN, "k", request=b"a question")
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    time.sleep(600)


if __name__ == "__main__":
    main()
