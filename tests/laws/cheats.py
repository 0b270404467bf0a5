"""A Laplace mechanism of which one part is bent, for laws to catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log
from random import Random
from typing import Any, ClassVar, final

from laws.case_parts import AnyCase
from laws.mechanism_cases import QUARTER, ROWS, laplace
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.laplace import Laplace
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.laplace import discrete_laplace
from peekproof.testing.mechanisms import one_shot

WORDS = 2**52
STRAIGHT = Laplace(rows=ROWS, scale=QUARTER, step=Fraction(1, 8))


def straight_draw(mechanism: Laplace, count: int, rng: Entropy) -> Fraction:
    return mechanism.release(Exact(count), rng=rng)


def straight_radius(mechanism: Laplace, beta: Fraction) -> float:
    return mechanism.radius(beta=beta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bent:
    """What is not given is as Laplace has it."""

    kind: ClassVar[str] = Laplace.kind

    within: Laplace = STRAIGHT
    drawn: Callable[[Laplace, int, Entropy], Any] = straight_draw
    priced: Callable[[Laplace], Any] = Laplace.cost
    reach: Callable[[Laplace, Fraction], Any] = straight_radius
    told: Callable[[Laplace], Any] = Laplace.record
    shown: Callable[[], str] = lambda: "Bent"

    def cost(self) -> Any:
        return self.priced(self.within)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Any:
        return self.drawn(self.within, exact.reveal(), rng)

    def radius(self, *, beta: Fraction) -> Any:
        return self.reach(self.within, beta)

    def describe(self) -> Any:
        return self.told(self.within)

    def __repr__(self) -> str:
        return self.shown()


def case_of(bent: Bent) -> AnyCase:
    """The case of Laplace, with the bent one in its place."""
    straight = laplace()

    def rebuild(described: Any) -> Bent:
        within = straight.rebuild(described)
        assert isinstance(within, Laplace)
        return replace(bent, within=within)

    return one_shot(
        bent,
        rebuild=rebuild,
        outputs=straight.outputs,
        error=straight.error,
        typical=tuple(asked for (asked,) in straight.typical),
        extreme=tuple(asked for (asked,) in straight.extreme),
        neighbours=tuple((one, other) for (one,), (other,) in straight.neighbours),
    )


def off_the_grid(mechanism: Laplace, count: int, rng: Entropy) -> Fraction:
    """A speck of the count is left below the grid."""
    return straight_draw(mechanism, count, rng) + Fraction(count, 10**40)


def half_the_noise(mechanism: Laplace, count: int, rng: Entropy) -> Fraction:
    return straight_draw(replace(mechanism, scale=mechanism.scale / 2), count, rng)


def until_in_range(mechanism: Laplace, count: int, rng: Entropy) -> Fraction:
    """Noise is drawn again until nothing needs to be clipped (a few times, for the test's sake)."""
    for _ in range(50):
        noise = discrete_laplace(scale=mechanism.scale * ROWS, rng=Pool(rng))
        if 0 <= count + noise <= ROWS:
            return Fraction(count + noise, ROWS)
    return Fraction(0)


def in_floats(mechanism: Laplace, count: int, rng: Entropy) -> float:
    """Textbook Laplace noise on a float."""
    uniform = (rng.bits(52) + 1) / WORDS
    sign = 1 - 2 * rng.bits(1)
    return count / ROWS + sign * float(mechanism.scale) * log(uniform)


def reachable(released: float, value: float) -> bool:
    """Whether noise in floats on this value can give exactly this double, by trying the inverse."""
    scale = float(QUARTER)
    near = round(exp(-abs(released - value) / scale) * WORDS)
    noises = [scale * log(word / WORDS) for word in range(near - 8, near + 9) if 0 < word <= WORDS]
    return any(released in (value + noise, value - noise) for noise in noises)


_own = Random(1)


def own_bits(mechanism: Laplace, count: int, rng: Entropy) -> Fraction:
    points = mechanism.step.denominator
    return Fraction(_own.randint(0, points), points)


def rounded_only(mechanism: Laplace, count: int, rng: Entropy) -> Fraction:
    """No noise at all."""
    rng.bits(64)
    return Fraction(min(ROWS, max(0, count)), ROWS)


def half_the_cost(mechanism: Laplace) -> PureDP:
    return PureDP(mechanism.cost().epsilon / 2)


def free_of_charge(mechanism: Laplace) -> PureDP:
    return PureDP(Fraction(0))


def cost_in_floats(mechanism: Laplace) -> float:
    return float(mechanism.cost().epsilon)


def half_the_radius(mechanism: Laplace, beta: Fraction) -> float:
    return mechanism.radius(beta=beta) / 2


def backwards(mechanism: Laplace, beta: Any) -> float:
    return mechanism.radius(beta=1 - beta if isinstance(beta, Fraction) else beta)


def any_level(mechanism: Laplace, beta: Fraction) -> float:
    try:
        return mechanism.radius(beta=beta)
    except InvalidInput:
        return 1.0


def lacks_the_step(mechanism: Laplace) -> dict[str, str]:
    return {name: text for name, text in mechanism.record().items() if name != "step"}


def with_numbers(mechanism: Laplace) -> dict[str, object]:
    return {**mechanism.record(), "scale": mechanism.scale}


def rounded_scale(mechanism: Laplace) -> dict[str, str]:
    return {**mechanism.record(), "scale": "0.3"}
