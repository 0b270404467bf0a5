"""Random finite pairs, channels between finite sets, and every divergence by name."""

from collections.abc import Callable
from fractions import Fraction

from hypothesis import settings
from hypothesis import strategies as st
from mpmath import mpf, mpmathify

from peekproof.theory.divergence import Pair

Divergence = Callable[[Pair], float]

few = settings(max_examples=40)  # the laws below are many, and small pairs show their faults soon

# Every divergence that data processing cannot increase.
DIVERGENCES: dict[str, Divergence] = {
    "kl": Pair.kl,
    "max": Pair.max_divergence,
    "approximate max, 1/10": lambda pair: pair.approximate_max_divergence(delta=Fraction(1, 10)),
    "total variation": Pair.total_variation,
    "Rényi 1.5": lambda pair: pair.renyi(order=1.5),
    "Rényi 7": lambda pair: pair.renyi(order=7),
    "hockey stick 0.3": lambda pair: pair.hockey_stick(epsilon=0.3),
    "hockey stick -0.3": lambda pair: pair.hockey_stick(epsilon=-0.3),
    "chi square": Pair.chi_square,
    "Hellinger": Pair.hellinger_squared,
}


def laws(size: int, *, least: int = 0) -> st.SearchStrategy[tuple[Fraction, ...]]:
    """Laws on `size` outcomes with exact probabilities, zeros included unless `least` is 1."""
    weights = st.lists(st.integers(least, 30), min_size=size, max_size=size).filter(any)
    return weights.map(lambda given: tuple(Fraction(w, sum(given)) for w in given))


def pairs_of(size: int, *, least: int = 0) -> st.SearchStrategy[Pair]:
    return st.builds(Pair, p=laws(size, least=least), q=laws(size, least=least))


any_pairs = st.integers(1, 6).flatmap(pairs_of)
full_pairs = st.integers(1, 6).flatmap(lambda size: pairs_of(size, least=1))


def through(channel: list[tuple[Fraction, ...]], law: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The law of the output when outcome i of `law` becomes j with probability channel[i][j]."""
    width = len(channel[0])
    return tuple(
        sum((mass * row[j] for mass, row in zip(law, channel, strict=True)), Fraction(0))
        for j in range(width)
    )


def mixed(share: Fraction, one: Pair, other: Pair) -> Pair:
    """share·one + (1 − share)·other, law by law."""

    def mix(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(share * x + (1 - share) * y for x, y in zip(a, b, strict=True))

    return Pair(p=mix(one.p, other.p), q=mix(one.q, other.q))


def near(claimed: float, exact: mpf, relative: float) -> bool:
    """Whether `claimed` is within `relative` of a 50-digit value, or both are 0 to 45 digits."""
    return bool(abs(mpmathify(claimed) - exact) <= max(mpf(relative) * abs(exact), mpf("1e-45")))
