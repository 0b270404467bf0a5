"""NumPy by hand, in whatever environment: what the others are compared with."""

from peers.asking import Ask, Numbers, answer, by_hand


def asked(x: Numbers, y: Numbers) -> dict[str, Ask]:
    return {"NumPy by hand": by_hand(x, y)}


if __name__ == "__main__":
    answer(asked, asked)
