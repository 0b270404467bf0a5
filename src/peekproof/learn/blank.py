"""Labels that tell nothing, for those who must not know the real ones."""

import numpy as np

from peekproof.learn.column import Labels


def blank_labels(
    *,
    rows: int,
    text: bool,
    order: str = "",
    classes: tuple[float | str, ...] | None = None,
) -> Labels:
    """Zeros or empty texts: what is public of labels, their number, kind, order and classes.

    What is refused by these is refused whatever the real labels are.
    """
    return Labels(np.full(rows, "", dtype=np.str_) if text else np.zeros(rows), order, classes)
