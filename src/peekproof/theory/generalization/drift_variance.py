"""Intervals that narrow near 0 and 1: the drift moves the angle of a share, not the share."""

from dataclasses import dataclass
from fractions import Fraction
from math import atan2, isfinite, pi, sin, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.certificate import Certificate
from peekproof.core.errors import InvalidInput
from peekproof.core.interval import Interval
from peekproof.core.loss import GDP
from peekproof.core.numerics import down, float_up, up
from peekproof.core.target import Target
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.drift import gaussian_angle
from peekproof.theory.generalization.parts import (
    drift_part,
    noise_part,
    rounding_part,
    rounding_radius,
)
from peekproof.theory.generalization.population import gaussian_certificate
from peekproof.theory.generalization.shortfall import normal_shortfall

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
