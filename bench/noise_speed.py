"""What a noise draw costs beside OpenDP's, one by one and in vectors.

Both are exact and read the operating system's generator. A scalar draw of ours buys its own pool
of bits and drops it, as a release does.

Run: make bench, or python bench/noise_speed.py (needs opendp)
"""

from collections.abc import Callable
from fractions import Fraction

import opendp.prelude as dp
from measure import record, side_by_side

from holdfast.noise.discrete_gaussian import discrete_gaussian
from holdfast.noise.discrete_gaussians import discrete_gaussians
from holdfast.noise.entropy import Pool, SystemEntropy
from holdfast.noise.gaussian import rounded_gaussian
from holdfast.noise.gaussians import rounded_gaussians
from holdfast.noise.laplace import discrete_laplace
from holdfast.noise.laplaces import discrete_laplaces

SCALES = (Fraction(5), Fraction(1000))
# Few scalar draws to a measurement: one that the scheduler interrupts must be the exception, or
# a busy machine would charge the slower contender more often.
CALLS = 5
SCALAR_ROUNDS = 1000
VECTOR = 100_000
VECTOR_ROUNDS = 3

SYSTEM = SystemEntropy()
CENTRE = Fraction(1, 3)


def repeated(draw: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(CALLS):
            draw()

    return run


def compared(seconds: dict[str, float], *, draws: int) -> dict[str, float]:
    """Microseconds a draw, and how many times longer OpenDP takes for its nearest law."""
    peers = {
        "discrete Laplace": "OpenDP Laplace",
        "discrete Gaussian": "OpenDP Gaussian",
        "rounded Gaussian": "OpenDP Gaussian",
    }
    table = {f"{name}, us a draw": 1e6 * taken / draws for name, taken in seconds.items()}
    for ours, theirs in peers.items():
        table[f"{theirs} over {ours}"] = seconds[theirs] / seconds[ours]
    return table


def one_by_one(scale: Fraction) -> dict[str, float]:
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    laplace = dp.m.make_laplace(*space, scale=float(scale))
    gaussian = dp.m.make_gaussian(*space, scale=float(scale))
    contenders: dict[str, Callable[[], object]] = {
        "OpenDP Laplace": lambda: laplace(0),
        "discrete Laplace": lambda: discrete_laplace(scale=scale, rng=Pool(SYSTEM)),
        "OpenDP Gaussian": lambda: gaussian(0),
        "discrete Gaussian": lambda: discrete_gaussian(sigma=scale, rng=Pool(SYSTEM)),
        "rounded Gaussian": lambda: rounded_gaussian(centre=CENTRE, scale=scale, rng=Pool(SYSTEM)),
    }
    runs = {name: repeated(draw) for name, draw in contenders.items()}
    return compared(side_by_side(runs, rounds=SCALAR_ROUNDS), draws=CALLS)


def in_vectors(scale: Fraction) -> dict[str, float]:
    domain = dp.vector_domain(dp.atom_domain(T=int))
    laplace = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=float(scale))
    gaussian = dp.m.make_gaussian(domain, dp.l2_distance(T=int), scale=float(scale))
    zeros, centres = [0] * VECTOR, [CENTRE] * VECTOR
    contenders: dict[str, Callable[[], object]] = {
        "OpenDP Laplace": lambda: laplace(zeros),
        "discrete Laplace": lambda: discrete_laplaces(scale=scale, count=VECTOR, rng=SYSTEM),
        "OpenDP Gaussian": lambda: gaussian(zeros),
        "discrete Gaussian": lambda: discrete_gaussians(sigma=scale, count=VECTOR, rng=SYSTEM),
        "rounded Gaussian": lambda: rounded_gaussians(centres=centres, scale=scale, rng=SYSTEM),
    }
    return compared(side_by_side(contenders, rounds=VECTOR_ROUNDS), draws=VECTOR)


def main() -> None:
    dp.enable_features("contrib")
    results = {
        f"scale {scale}": {
            "one by one": one_by_one(scale),
            f"{VECTOR:,} at once": in_vectors(scale),
        }
        for scale in SCALES
    }
    record("noise_speed", results)


if __name__ == "__main__":
    main()
