"""What a noise draw costs beside OpenDP's, one by one and in vectors.

Both are exact and read the operating system's generator. A scalar draw of ours buys its own pool
of bits and drops it, as a release does.

Run: make bench ARGS="--only noise" (needs opendp)
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

import opendp.prelude as dp
from measure import asked, installed, side_by_side
from result import Chart, Result, Sheet

from peekproof.noise.discrete_gaussian import discrete_gaussian, discrete_gaussians
from peekproof.noise.entropy import Pool, SystemEntropy
from peekproof.noise.gaussian import rounded_gaussian, rounded_gaussians
from peekproof.noise.laplace import discrete_laplace, discrete_laplaces

SCALES = (Fraction(5), Fraction(1000))
# Few scalar draws to a measurement: one that the scheduler interrupts must be the exception, or
# a busy machine would charge the slower contender more often.
CALLS = 5

SYSTEM = SystemEntropy()
CENTRE = Fraction(1, 3)

REFERENCE = "Peekproof discrete Laplace"
# The nearest law that OpenDP has.
PEERS = {
    "Peekproof discrete Laplace": "OpenDP Laplace",
    "Peekproof discrete Gaussian": "OpenDP Gaussian",
    "Peekproof rounded Gaussian": "OpenDP Gaussian",
}


def repeated(draw: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(CALLS):
            draw()

    return run


def one_by_one(scale: Fraction, *, rounds: int) -> dict[str, float]:
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    laplace = dp.m.make_laplace(*space, scale=float(scale))
    gaussian = dp.m.make_gaussian(*space, scale=float(scale))
    contenders: dict[str, Callable[[], object]] = {
        "Peekproof discrete Laplace": lambda: discrete_laplace(scale=scale, rng=Pool(SYSTEM)),
        "OpenDP Laplace": lambda: laplace(0),
        "Peekproof discrete Gaussian": lambda: discrete_gaussian(sigma=scale, rng=Pool(SYSTEM)),
        "Peekproof rounded Gaussian": lambda: rounded_gaussian(
            centre=CENTRE, scale=scale, rng=Pool(SYSTEM)
        ),
        "OpenDP Gaussian": lambda: gaussian(0),
    }
    runs = {name: repeated(draw) for name, draw in contenders.items()}
    return side_by_side(runs, rounds=rounds)


def in_vectors(scale: Fraction, *, size: int, rounds: int) -> dict[str, float]:
    domain = dp.vector_domain(dp.atom_domain(T=int))
    laplace = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=float(scale))
    gaussian = dp.m.make_gaussian(domain, dp.l2_distance(T=int), scale=float(scale))
    zeros, centres = [0] * size, [CENTRE] * size
    contenders: dict[str, Callable[[], object]] = {
        "Peekproof discrete Laplace": lambda: discrete_laplaces(
            scale=scale, count=size, rng=SYSTEM
        ),
        "OpenDP Laplace": lambda: laplace(zeros),
        "Peekproof discrete Gaussian": lambda: discrete_gaussians(
            sigma=scale, count=size, rng=SYSTEM
        ),
        "Peekproof rounded Gaussian": lambda: rounded_gaussians(
            centres=centres, scale=scale, rng=SYSTEM
        ),
        "OpenDP Gaussian": lambda: gaussian(zeros),
    }
    return side_by_side(contenders, rounds=rounds)


def sheets(found: Mapping[str, Mapping[str, float]]) -> tuple[Sheet, Sheet]:
    """From the seconds of each contender in each way of drawing."""
    contenders = list(next(iter(found.values())))
    ahead = {
        ours: {way: each[theirs] / each[ours] for way, each in found.items()}
        for ours, theirs in PEERS.items()
    }
    beside = {
        name: {way: each[name] / each[REFERENCE] for way, each in found.items()}
        for name in contenders
    }
    return (
        Sheet.of(
            "OpenDP's time for its nearest law, over Peekproof's. More is better for Peekproof",
            ahead,
        ),
        Sheet.of("Time over that of Peekproof's discrete Laplace. Less is better", beside),
    )


def main() -> None:
    run = asked(__doc__)
    scalar_rounds, size, vector_rounds = (200, 4_000, 1) if run.quick else (1000, 100_000, 3)
    dp.enable_features("contrib")
    found: dict[str, dict[str, float]] = {}
    for scale in SCALES:
        found[f"scale {scale}, one by one"] = one_by_one(scale, rounds=scalar_rounds)
        found[f"scale {scale}, {size:,} at once"] = in_vectors(
            scale, size=size, rounds=vector_rounds
        )
    column = next(iter(found))
    run.keep(
        Result(
            name="noise",
            title="Exact noise",
            about=(
                "Draws of integer noise beside OpenDP's, one at a time and in vectors. Both sides "
                "sample exactly, from the randomness of the operating system. OpenDP has no "
                "rounded Gaussian; it is compared with its discrete one."
            ),
            sheets=sheets(found),
            charts=(
                Chart(
                    kind="bars",
                    title="What one draw takes",
                    axis=f"time over Peekproof's discrete Laplace ({column})",
                    sheet=1,
                    column=column,
                ),
            ),
            versions=installed("opendp"),
        )
    )


if __name__ == "__main__":
    main()
