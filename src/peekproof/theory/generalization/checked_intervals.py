"""What a checked guess says about the population, worked out before the rows are read."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, floor, log, sqrt

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.interval import Interval
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.checking import integer_up_to
from peekproof.theory.generalization.description_length import chernoff_interval, hoeffding_radius

_HALF = Fraction(1, 2)


def _units(*, rows: int, levels: int) -> int:
    return check.positive_integer(rows=rows) * check.positive_integer(levels=levels)


def _level(log_inverse_level: object) -> float:
    """ln(1/level), for a level of at most ½."""
    if not isinstance(log_inverse_level, float) or not log(2) <= log_inverse_level < 1e299:
        raise InvalidInput(
            argument="log_inverse_level",
            accepted="ln(1/level) as a float, for a level of at most 1/2",
            given=repr(log_inverse_level),
        )
    return log_inverse_level


def checked_interval(
    total: int, *, rows: int, log_inverse_level: float, levels: int = 1
) -> Interval:
    """T-chernoff's interval for q(P) at the level, if q(S) = total/(rows·levels).

    Both ends increase with `total`, as T-chernoff shows; the computed ones to a few ulps.

    Rounds: outward.
    """
    units = _units(rows=rows, levels=levels)
    integer_up_to(units, total=total)
    # T-chernoff needs ln(2N/β); at β = ½ and ln N = ln(1/level) − ln 2 that is ln(2/level).
    log_count = max(0.0, _level(log_inverse_level) - log(2))
    return chernoff_interval(Fraction(total, units), rows=rows, beta=_HALF, log_count=log_count)


def sampling_radius(*, rows: int, log_inverse_level: float) -> float:
    """How far either end of `checked_interval` is from q(S) at most, by T-length. Rounds: up."""
    log_count = max(0.0, _level(log_inverse_level) - log(2))
    return hoeffding_radius(rows=rows, beta=_HALF, log_count=log_count)


def _first(fits: Callable[[int], bool], *, near: int, most: int) -> int:
    """The first integer in [0, most] that fits, or most + 1; once true, `fits` stays true.

    Looks around `near` first, in growing steps. What it returns was seen to fit.
    """
    low, high, step = near - 1, near, 1
    while high <= most and not fits(high):
        low, high, step = high, high + step, 2 * step
    while low >= 0 and fits(low):
        low, high, step = low - step, low, 2 * step
    low, high = max(-1, low), min(most + 1, high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _start(edge: Fraction, *, units: int, exponent: float) -> int:
    """About the first total whose share m has KL(m‖edge) ≥ exponent: where a search may begin."""
    start, rest = max(1e-300, float(edge)), max(1e-300, float(1 - edge))
    low, high = start, 1.0
    for _ in range(50):
        m = (low + high) / 2
        if not low < m < high:
            break
        divergence = m * log(m / start) + (1 - m) * log((1 - m) / rest)
        low, high = (low, m) if divergence > exponent else (m, high)
    return min(units, floor(Fraction(high) * units) + 1)


@theorem("T-check-accept", "peekproof", "The proof in its docstring")
def acceptance(
    *,
    rows: int,
    guess: Fraction,
    tolerance: Fraction,
    log_inverse_level: float,
    levels: int = 1,
) -> range | None:
    """The totals at which a guess passes: then q(P) is within `tolerance` of it, at the level.

        { c : checked_interval(c) ⊂ [max(0, g − τ), min(1, g + τ)] }    g = `guess`, τ = `tolerance`

    None if no total can pass; `least_tolerance` says what could. It depends on nothing secret, so
    the check of a sample is two comparisons of integers.

    Proof. If q(S) = c/N, N = rows·levels, then q(P) lies in checked_interval(c), except with the
    probability of the level. Both ends increase with c: {p : n·KL(m‖p) ≤ x} is [p₋, p₊] ∋ m, where
    for p < m the derivative of KL(m‖p) in m is ln(m(1−p)/(p(1−m))) > 0 and the one in p is
    (p − m)/(p(1−p)) < 0, so p₋ grows with m; p₊ by symmetry. So p₋ ≥ g − τ from some c on and
    p₊ ≤ g + τ up to some c, and between the two both hold. A computed end is outside the exact
    one; so it is enough that it was computed at the two outermost totals, whatever the search did.

    Holds when: as for T-chernoff, and the level is T-check-horizon's, or T-check-anytime's.
    Rounds: inward: an end that rounding leaves in doubt does not pass.
    """
    check.unit_fraction(guess=guess)
    check.positive_fraction(tolerance=tolerance)
    units = _units(rows=rows, levels=levels)
    low_edge, high_edge = guess - tolerance, guess + tolerance
    exponent = float(Fraction(_level(log_inverse_level) + log(2)) / rows)

    def reaches(total: int) -> Interval:
        return checked_interval(
            total, rows=rows, log_inverse_level=log_inverse_level, levels=levels
        )

    first, left_out = 0, 0
    if low_edge > 0:
        first = _first(
            lambda total: Fraction(reaches(total).low) >= low_edge,
            near=_start(low_edge, units=units, exponent=exponent),
            most=units,
        )
    if high_edge < 1:  # the same, counted from the other end
        left_out = _first(
            lambda left: Fraction(reaches(units - left).high) <= high_edge,
            near=_start(1 - high_edge, units=units, exponent=exponent),
            most=units,
        )
    return range(first, units - left_out + 1) if first + left_out <= units else None


def least_tolerance(
    *, rows: int, guess: Fraction, log_inverse_level: float, levels: int = 1
) -> Fraction:
    """The smallest tolerance at which some total passes for this guess.

        min_c max(guess − low(c), high(c) − guess)

    The first falls and the second grows with c, so the least lies where they cross.

    Rounds: up; a computed end is outside the exact one.
    """
    check.unit_fraction(guess=guess)
    units = _units(rows=rows, levels=levels)

    def ends(total: int) -> tuple[Fraction, Fraction]:
        interval = checked_interval(
            total, rows=rows, log_inverse_level=log_inverse_level, levels=levels
        )
        return Fraction(interval.low), Fraction(interval.high)

    crossing = _first(
        lambda total: sum(ends(total)) >= 2 * guess, near=floor(guess * units), most=units
    )
    around = {min(units, max(0, crossing + shift)) for shift in (-1, 0)}
    return min(max(guess - low, high - guess) for low, high in map(ends, around))


def check_bins(bins: int, *, units: int) -> None:
    """Refuse bins of which some can hold no total."""
    if check.positive_integer(bins=bins) > units + 1:
        raise InvalidInput(
            argument="bins",
            accepted="at most one more than rows·levels",
            given="more",
            hint="finer bins show nothing new",
        )


@theorem("T-check-failed", "peekproof", "The proof in its docstring")
def failure_interval(
    held: int,
    *,
    bins: int,
    rows: int,
    log_inverse_level: float,
    levels: int = 1,
) -> Interval:
    """The interval for q(P) after a failed guess: what the totals in the bin `held` allow.

        hull { checked_interval(c) : min(G − 1, ⌊c·G/N⌋) = held }        G = `bins`, N = rows·levels

    Proof. q(S) = c/N for one of these c, and checked_interval(c) holds at the level. Both ends
    increase with c, as T-check-accept shows, so the outermost totals give the hull's.

    Holds when: as for T-check-accept; the levels of later questions count these bins.
    Rounds: outward.
    """
    units = _units(rows=rows, levels=levels)
    check_bins(bins, units=units)
    integer_up_to(bins - 1, held=held)
    first = -(-held * units // bins)
    last = units if held == bins - 1 else -(-(held + 1) * units // bins) - 1
    low, high = (
        checked_interval(total, rows=rows, log_inverse_level=log_inverse_level, levels=levels)
        for total in (first, last)
    )
    return Interval(low=low.low, high=high.high)


def best_failure_bins(*, rows: int, log_inverse_level: float, levels: int = 1) -> int:
    """The number of bins, at least 2, that serves the failed guess and the next question best.

        1/(2G) + √( (ln(2/level) + ln G) / (2n) )  is least near  G = √( 2n·(ln(2/level) + ln G) )

    The second is the radius of a later question at this level after G more possible answers.
    Where e^{2u} = 2n(c + u), u = ln G, the derivative changes sign, once. It is a choice, not a
    bound: any number of bins is valid.
    """
    most = _units(rows=rows, levels=levels) + 1
    constant = _level(log_inverse_level) + log(2)
    u = 0.0
    for _ in range(60):  # the slope of each step is 1/(2(c + u)) < 0.37
        u = (log(2 * rows) + log(constant + u)) / 2

    def width(bins: int) -> float:
        return 1 / (2 * bins) + sqrt((constant + log(bins)) / 2) * exp(-log(rows) / 2)

    near = floor(Fraction(exp(min(u, 700.0))))
    candidates = {min(most, max(2, near + shift)) for shift in (0, 1)}
    return min(sorted(candidates), key=width)
