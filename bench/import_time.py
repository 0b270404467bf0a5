"""What `import holdfast` costs beside an interpreter that imports nothing, and beside NumPy.

Run: make bench, or python bench/import_time.py
"""

import subprocess
import sys

from measure import record, side_by_side


def main() -> None:
    def run(code: str) -> None:
        subprocess.run([sys.executable, "-c", code], check=True)

    seconds = side_by_side(
        {
            "nothing": lambda: run("pass"),
            "numpy": lambda: run("import numpy"),
            "holdfast": lambda: run("import holdfast"),
            "holdfast.open": lambda: run("import holdfast; holdfast.open"),
        },
        rounds=15,
    )
    bare = seconds["nothing"]
    record(
        "import_time",
        {
            f"import_{name}_ms": 1e3 * (taken - bare)
            for name, taken in seconds.items()
            if name != "nothing"
        }
        | {"holdfast_over_numpy": (seconds["holdfast"] - bare) / (seconds["numpy"] - bare)},
    )


if __name__ == "__main__":
    main()
