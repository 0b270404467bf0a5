"""SmartNoise SQL over a frame in memory; its odometer counts, and nothing is ever refused."""

import pandas as pd
import snsql
from peers.asking import Ask, Numbers, answer

QUESTION = "SELECT COUNT(*) FROM d.t WHERE x > 0.5 AND y < 0.3"
NUMBER = {"type": "float", "lower": 0, "upper": 1}


def asked(x: Numbers, y: Numbers) -> dict[str, Ask]:
    table = {"row_privacy": True, "rows": len(x), "x": NUMBER, "y": NUMBER}
    reader = snsql.from_df(
        pd.DataFrame({"x": x, "y": y}),
        privacy=snsql.Privacy(epsilon=0.01, delta=1e-9),
        metadata={"": {"d": {"t": table}}},
    )
    return {"SmartNoise SQL over pandas": lambda: reader.execute(QUESTION)}


if __name__ == "__main__":
    answer(asked, asked)
