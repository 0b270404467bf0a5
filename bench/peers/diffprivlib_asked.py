"""diffprivlib: a count with its budget accountant."""

from diffprivlib import BudgetAccountant
from diffprivlib.tools import count_nonzero
from peers.asking import Ask, Numbers, answer

EPSILON = 0.01


def asked(x: Numbers, y: Numbers) -> dict[str, Ask]:
    accountant = BudgetAccountant(1e9, 0.5, slack=1e-6)

    def ask() -> object:
        return count_nonzero((x > 0.5) & (y < 0.3), epsilon=EPSILON, accountant=accountant)

    return {"diffprivlib, with its accountant": ask}


if __name__ == "__main__":
    answer(asked, asked)
