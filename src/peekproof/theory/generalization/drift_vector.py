"""What a vector of noisy answers costs: the size of the ball that holds a record's contribution."""

from collections.abc import Sequence
from fractions import Fraction

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.loss import GDP
from peekproof.core.theorem import theorem


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
