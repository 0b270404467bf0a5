"""Certificates of Gaussian sessions: from noisy answers about the sample to the population.

One radius holds for all answers. Intervals narrow near 0 and 1, because the drift moves the angle
of a share and not the share. A vector of noisy answers costs by the size of the ball that holds a
record's contribution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import atan2, isfinite, pi, sin, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Interval, Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.drift import (
    drift_part,
    gaussian_angle,
    gaussian_drift,
    noise_part,
    rounding_part,
    rounding_radius,
)
from peekproof.theory.generalization.noise import normal_shortfall


@theorem("T-joint", "peekproof", "Both parts at the full level")
def gaussian_certificate(
    *, rows: int, sigma: Fraction, step: Fraction, target: Target, clock: GDP | None = None
) -> Certificate:
    """The radius that all answers of a Gaussian session keep together, at the full level β.

        radius = σ·ES_β(max_{j≤k} |Z_j|) + D_β(μ) + step/2,    μ² = k/(nσ)²

    No part of β is set aside for either term. With a `clock`, μ² is that instead: what all
    answers together, also those with other noise, have used up at most.

    Proof. Let U = max_j |E[N_j|π]| and let D be the drift, so every answer errs by at most
    U + D + step/2. Suppose U + D exceeds t = σ·ES_β + D_β on an event of probability above β.
    That event is decided by π, so T-noise and T-drift-gauss bound the means of U and of D on
    it by σ·ES_β and D_β; the mean of U + D on it is then at most t, and above t. Contradiction.

    Holds when: at most k = target.questions draws are made, each with noise σ on a statistic
    that one record moves by at most 1/n, and released on the grid of `step`.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    total = GDP(1 / (rows * sigma) ** 2) * target.questions if clock is None else clock
    shortfall = normal_shortfall(beta=target.beta, count=target.questions)
    noise = noise_part(sigma, shortfall)
    drift = drift_part(
        "T-drift-gauss",
        gaussian_drift(total, beta=target.beta),
        mu=float(total.mu_squared) ** 0.5,
        beta=float(target.beta),
    )
    rounding = rounding_part(step)
    return Certificate(target=target, rows=rows, joins="T-joint", parts=(noise, drift, rounding))


# The part of β that the variance-aware interval may use; the symmetric one keeps the rest.
SHARE = Fraction(1, 8)


def levels(target: Target) -> tuple[Fraction, Fraction]:
    """The levels at which the drift of a session is bounded: for the radius, for the shape."""
    return (1 - SHARE) * target.beta, SHARE * target.beta / 2


# Floats hold no smaller share to full precision.
_SPECK = Fraction(1, 2**1000)


def _angle(share: Fraction) -> float:
    """arcsin √share for a share above the specks, to a few ulps, also near 1."""
    return atan2(sqrt(share), sqrt(1 - share))


@theorem("T-drift-variance", "peekproof", "The proof in its docstring")
def variance_interval(released: Fraction, *, noise: float, angle: float) -> Interval:
    """All shares p of the population that an answer allows, given its noise and the angle.

        |arcsin √p − arcsin √m| ≤ a*   for some m ∈ [0, 1] within `noise` of `released`

    with a* = `angle` from T-drift-angle and m = q(Q_π), for all q: X → [0, 1] at once. In other
    words p ± (2√(p(1 − p))·a* + |1 − 2p|·a*²) holds m: narrow where p is near 0 or 1.

    Proof. Let w be the law of x_i given π and S_−i, A its angle to P, p′ = E_w q, and put
    θ = arcsin √p, θ′ = arcsin √p′. A coin that shows heads with probability q(x) has bias p under
    P and p′ under w; data processing only increases the affinity, so
    cos(θ − θ′) = √(pp′) + √((1 − p)(1 − p′)) ≥ cos A and |θ − θ′| ≤ A. Hence p′ ≤ f(A²) with
    f(y) = sin²(min(θ + √y, π/2)). f is concave: with z = 2√y its slope is sin(2θ + z)/z while
    2θ + z < π, which falls because z·cos(2θ + z) ≤ sin(2θ + z) (the left side is negative
    from π/2 on, and before it tan(2θ + z) ≥ 2θ + z ≥ z); it reaches 0 where f becomes constant.
    m is the mean of E[p′|π] over the places i, so m ≤ f(Y) with Y the mean of E[A²|π], and
    arcsin √m ≤ θ + √Y. The same for 1 − q gives arcsin √m ≥ θ − √Y. Now √Y ≤ a*.
    The second form: sin²(θ + a) = p + √(p(1 − p)) sin 2a + (1 − 2p) sin²a, and up to
    a = π/2 − θ it is at most 1.

    Holds when: |released − q(Q_π)| ≤ noise, and √Y ≤ angle; both are events of T-noise and
    T-drift-angle. Clipping the answer to [0, 1] is allowed.
    Rounds: outward. Both ends grow with m, so the extreme m give them.
    """
    check.unit_fraction(released=released)
    for name, value in (("noise", noise), ("angle", angle)):
        if isinstance(value, bool) or not isfinite(value) or value < 0:
            accepted = "a finite number of at least 0"
            raise InvalidInput(argument=name, accepted=accepted, given=repr(value))
    least = max(Fraction(0), released - Fraction(noise))
    most = min(Fraction(1), released + Fraction(noise))
    left = down(down(_angle(least)) - angle) if least > _SPECK else 0.0
    right = up(up(_angle(max(most, _SPECK))) + angle)
    return Interval(
        low=max(0.0, down(sin(left) ** 2)) if left > 0 else 0.0,
        high=min(1.0, up(sin(right) ** 2)) if right < pi / 2 else 1.0,
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShape:
    """T-drift-variance around each answer."""

    noise: float
    angle: float

    def interval(self, released: Fraction) -> Interval:
        return variance_interval(released, noise=self.noise, angle=self.angle)


def _shape(
    sigma: Fraction, step: Fraction, budget: GDP, target: Target, shortfall: float
) -> VarianceShape:
    """The noise and the angle that fail together with probability at most κβ."""
    _, level = levels(target)
    return VarianceShape(
        noise=up(up(float_up(sigma) * shortfall) + rounding_radius(step)),
        angle=min(gaussian_angle(budget, beta=level), pi),
    )


@theorem("T-joint-variance", "peekproof", "The proof in its docstring")
def session_certificate(
    *, rows: int, sigma: Fraction, step: Fraction, target: Target, clock: GDP | None = None
) -> Certificate:
    """The promise of a Gaussian session: one radius, and intervals that narrow near 0 and 1.

        T-joint at the level (1 − κ)β and T-drift-variance at κβ        κ = 1/8
        with noise σ·ES_{κβ/2}(max |Z_j|) + step/2 and the angle of T-drift-angle at κβ/2

    Proof. T-joint fails with probability at most (1 − κ)β. Where T-noise and T-drift-angle hold,
    which fails with probability at most κβ/2 + κβ/2, |a_j − q_j(Q_π)| = |E[N_j + R_j | π]| is
    within the noise for all j and T-drift-variance applies. Add the three. Clipping an answer
    to [0, 1] brings it no further from q_j(Q_π).

    Holds when: as for T-joint; answers with other noise (T-own-radius) may lie between, as long
    as all are at most k and Σ 1/(nσ_j)² ≤ k/(nσ)².
    Rounds: up, and the intervals outward.
    """
    wide, level = levels(target)
    kept = Target(confidence=1 - wide, questions=target.questions)
    joint = gaussian_certificate(rows=rows, sigma=sigma, step=step, target=kept, clock=clock)
    budget = clock or GDP(1 / (rows * sigma) ** 2) * target.questions
    shortfall = normal_shortfall(beta=level, count=target.questions)
    return Certificate(
        target=target,
        rows=rows,
        joins="T-joint-variance",
        parts=joint.parts,
        shape=_shape(sigma, step, budget, target, shortfall),
    )


@theorem("T-own-radius", "peekproof", "The proof in its docstring")
def own_certificate(
    *,
    rows: int,
    sigma: Fraction,
    step: Fraction,
    budget: GDP,
    target: Target,
    cells: int = 1,
    draws: int = 1,
) -> Certificate:
    """The interval of one answer with noise of its own, valid together with all the others.

        radius = σ_j·ES_{κβm/2k}(max_{i≤d} |Z_i|) + sin(a*) + step/2,    a* of T-drift-angle at κβ/2

    with `budget` the clock of the whole session; κ = 1/8. The answer has d = `cells` coordinates
    and counts as m = `draws` of the session's k questions.

    Proof. Given what came before it, the noise of answer j is normal, and by T-noise, applied given
    that past, some coordinate's E[N|π] exceeds the first term with probability at most κβm_j/2k,
    whatever the past. So some answer's does with probability at most E Σ_j κβm_j/2k ≤ κβ/2, because
    Σ m_j ≤ k; with one coordinate and one draw it is the noise of T-joint-variance at that level.
    The drift is the same event as there. The longer side of the interval of T-drift-variance is at
    most sin²(θ + a) − sin²θ = sin(2θ + a)·sin a ≤ sin a.

    Holds when: as for T-joint-variance, with T-drift-vector's charge for several coordinates;
    `cells` and `draws` are known before the answer is drawn.
    Rounds: up, and the interval outward.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    if check.positive_integer(draws=draws) > target.questions:
        accepted = f"at most {target.questions:,}, the questions of the session"
        raise InvalidInput(argument="draws", accepted=accepted, given=str(draws))
    _, level = levels(target)
    shortfall = normal_shortfall(beta=level * draws / target.questions, count=cells)
    shape = _shape(sigma, step, budget, target, shortfall)
    noise = noise_part(sigma, shortfall)
    drift = drift_part("T-drift-variance", _sine(shape.angle), angle=shape.angle, beta=float(level))
    rounding = rounding_part(step)
    parts = (noise, drift, rounding)
    return Certificate(target=target, rows=rows, joins="T-own-radius", parts=parts, shape=shape)


def own_drift(budget: GDP, target: Target) -> float:
    """sin a* of T-own-radius: what no noise, however small, takes from the radius."""
    _, level = levels(target)
    return _sine(gaussian_angle(budget, beta=level))


def _sine(angle: float) -> float:
    """sin a, or 1 beyond a right angle. Rounds: up."""
    return min(1.0, up(sin(min(angle, pi / 2))))


@theorem("T-drift-vector", "peekproof", "The proof in its docstring")
def vector_cost(*, rows: int, sigma: Fraction, squared_radius: Fraction) -> GDP:
    """The observation time that one vector answer uses up: what T-drift-gauss and T-clock charge.

        μ² = 4r²/(nσ)²        r² = `squared_radius`

    An answer is the mean over S of θ(x) ∈ ℝ^d plus independent noise N(0, σ²) in each of the d
    coordinates, and some ball of radius r holds θ(x) for every record x. For a number in
    [0, 1], r = ½ and the charge is that of one question. It is a cost in Gaussian differential
    privacy too, as two contributions are at most 2r apart.

    Proof. docs/explanation/certificate.md, with vectors. Given the other records, the answer is
    a Brownian motion in ℝ^d with drift θ(x_i), watched for a time τ = 1/(nσ)². Its innovation W
    moves the posterior by dw = w⟨θ − E_wθ, dW⟩, so with v ∝ √(wP), b = E_vθ − E_wθ ∈ ℝ^d and
    V = E_v|θ − E_vθ|²

        d√w = ½√w⟨θ − E_wθ, dW⟩ − ⅛√w|θ − E_wθ|² dτ,   dB = B(½⟨b, dW⟩ − ⅛(V + |b|²) dτ),

    since E_v|θ − E_wθ|² = V + |b|². The angle A = arccos B has drift
    (cot A/8)(V + |b|²(1 − cot²A)) and squared diffusion (|b|²/4) cot²A: the scalar case with |b|
    for b. Let c be the centre of the ball, m_w = E_wθ − c, m_v = E_vθ − c. For the unit vector e
    along b, Cauchy–Schwarz gives

        |b| = E_v⟨e, θ⟩ − E_w⟨e, θ⟩ ≤ tan A·√Var_w⟨e, θ⟩ ≤ tan A·√(r² − |m_w|²),

    as Var_w⟨e, θ⟩ ≤ E_w|θ − E_wθ|² = E_w|θ − c|² − |m_w|²; in the same way V ≤ r² − |m_v|². Put
    ρ = (|b|/r) cot A ∈ [0, 1] and s = √(1 − ρ²). Then |m_w| ≤ s·r,
    |m_v| ≥ |b| − |m_w| ≥ r(ρ tan A − s), hence V + |b|² ≤ r²W with the W of the scalar case,
    where r² = ¼. So the generator of cosh(λA) is at most 4r²(λ² + 1) cosh(λA)/32: the scalar
    bound in a time that runs 4r² times as fast.

    Holds when: θ and σ are chosen from the past, the noise of the coordinates is independent
    with the same σ, and the ball is known before the answer is drawn. In T-noise each
    coordinate counts as a question.
    Rounds: not at all; the cost is exact.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    check.positive_fraction(squared_radius=squared_radius)
    return GDP(4 * squared_radius / (rows * sigma) ** 2)


def cells_ball(*, cells: int, most: int) -> Fraction:
    """The squared radius of the smallest ball with all 0/1 vectors that have at most `most` ones.

        r² = m(d − m)/d  if 2m ≤ d,  else d/4        d = `cells`, m = `most`

    A histogram over disjoint cells has m = 1: r² = 1 − 1/d, for two cells or more, whether or not
    every record falls in a cell.

    Proof. With the centre t·(1, …, 1) a vector of j ones is at squared distance
    j(1 − 2t) + dt². At t = min(m/d, ½) this is largest at j = m, where it is the r² above (for
    t = ½ it is d/4 for all j). No ball is smaller: averaging a centre over the permutations of
    the coordinates keeps it as good, by convexity, so it is of this form with some t, and
    m(1 − 2t) + dt² ≥ m − m²/d for all t. If 2m > d, the vectors of m and of d − m ones give
    distances whose mean is d(½ − t) + dt² ≥ d/4.
    """
    check.positive_integer(cells=cells)
    if check.positive_integer(most=most) > cells:
        raise InvalidInput(argument="most", accepted=f"at most {cells:,} cells", given=str(most))
    return Fraction(most * (cells - most), cells) if 2 * most <= cells else Fraction(cells, 4)


def weighted_cells_ball(*, cells: int, low: Fraction, high: Fraction) -> Fraction:
    """The squared radius of a ball with w·e_j for every cell j and w ∈ [low, high], over its width.

        r²/(b − a)², where  r² = b²(1 − 1/d)                  if (a + b)·d ≥ 2b,
                            r² = d(a + b)²/4 − ab             else        a = low ≤ 0 ≤ high = b

    for b ≥ −a, and with the roles of the ends changed for the other sign: what a record adds to a
    histogram of weights, one of d = `cells` of which it falls in, or in none (w = 0).

    Proof. With the centre t·(1, …, 1), w·e_j is at squared distance w² − 2wt + dt², convex in w, so
    largest at an end. At t = b/d the end b is at b²(1 − 1/d), and the end a is nearer if
    b² − a² ≥ 2t(b − a), which is the first case. Else both ends are equally far at t = (a + b)/2,
    and that distance is the second formula. Dividing by the width scales the squared radius by its
    square.
    """
    check.positive_integer(cells=cells)
    if not low <= 0 <= high or low == high:
        raise InvalidInput(
            argument="low", accepted="at most 0, and high at least 0", given=f"{low}, {high}"
        )
    if high < -low:
        low, high = -high, -low
    squared = high**2 * Fraction(cells - 1, cells)
    if (low + high) * cells < 2 * high:
        squared = cells * (low + high) ** 2 / 4 - low * high
    return squared / (high - low) ** 2


def partition_ball(*, cells: int) -> Fraction:
    """The squared radius of the smallest ball with the unit vectors: r² = 1 − 1/d, d = `cells`.

    For records that fall in exactly one of at least two cells.

    Proof. The centre (1/d, …, 1/d) is at squared distance (1 − 1/d)² + (d − 1)/d² = 1 − 1/d from
    each. The squared distances from any other centre z average 1 − 2Σz_j/d + |z|², which is at
    least 1 − 1/d because |z|² ≥ (Σz_j)²/d.
    """
    if check.positive_integer(cells=cells) < 2:
        raise InvalidInput(argument="cells", accepted="an integer of at least 2", given=str(cells))
    return 1 - Fraction(1, cells)


def box_ball(widths: Sequence[Fraction]) -> Fraction:
    """The squared radius of the smallest ball that holds a box: r² = Σ width_j²/4.

    Proof. It is half the diagonal; opposite corners are that far from any common centre.
    """
    if not widths:
        raise InvalidInput(argument="widths", accepted="at least one width", given="none")
    return sum((check.positive_fraction(width=width) ** 2 for width in widths), Fraction(0)) / 4
