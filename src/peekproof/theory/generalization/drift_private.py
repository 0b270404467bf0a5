"""Releases that are private but not Gaussian, between the Gaussian answers of one session."""

from peekproof.core import check
from peekproof.core.loss import GDP, PureDP
from peekproof.core.theorem import theorem


@theorem("T-drift-choice", "peekproof", "The proof in its docstring")
def choice_cost(loss: PureDP) -> GDP:
    """What an exponential mechanism of parameter ε uses up of the clock of a Gaussian session.

        μ² = ε²

    Everything that T-drift-angle and T-drift-gauss say about a session whose clock stays within
    μ² remains true when such choices lie between its Gaussian answers and are charged so.

    Proof. Fix a record and condition on the others and on the past. The record has prior P and
    posterior w; A is the angle with cos A = Σ √(wP). The choice y has probability ℓ_y(x) given
    x, and p_y = E_w ℓ_y. Afterwards the posterior is w_y = wℓ_y/p_y, at an angle A_y from P.
    Put α = arccos(1/cosh(ε/4)) = arctan sinh(ε/4) ≤ ε/4.

    A function s with values in [a, b], b = a·e^{ε/2}, has E s/√(E s²) ≥ 1/cosh(ε/4) under any
    law: (s − a)(b − s) ≥ 0 gives E s² ≤ (a + b)·E s − ab, and m/√((a + b)m − ab) is smallest at
    m = 2ab/(a + b), where it is 2√(ab)/(a + b). It is used twice.
    (1) s = √ℓ_y(x) under w: given y, ℓ_y varies over x by a factor of at most e^ε. So the angle
    between w and w_y is at most α, and |A_y − A| ≤ α by the triangle inequality of the sphere.
    (2) s = √(p_y/ℓ_y(x)) under ℓ(x): between two values of the record, ln ℓ_y changes by an amount
    that stays, over all y, in an interval of length ε, because scores move by at most Δ and the
    normaliser is common; so ℓ_y(x′)/ℓ_y(x) stays in some [c, c·e^ε], and so does its w-mean
    p_y/ℓ_y(x). Hence Σ_y √(p_y ℓ_y(x)) ≥ 1/cosh(ε/4) = cos α, and
    E cos A_y = Σ_x √(wP) Σ_y √(p_y ℓ_y(x)) ≥ cos A cos α.

    Now E cosh(λA_y) ≤ e^{(λ²+1)α²/2}·cosh(λA) for every λ: G(s) = cosh(λ arccos s) falls, and is
    convex (for s ≥ 0 because tanh(λA) ≤ λ tan A, for s < 0 because tan A < 0 there), so the mean of
    G is at most that of the chord over the range of cos A_y, taken at cos A cos α.
    If A ≥ α, that range lies between cos(A + α) and cos(A − α), of which cos A cos α is the
    midpoint: the chord gives (cosh λ(A + α) + cosh λ(A − α))/2 = cosh λA·cosh λα.
    If A < α, it lies between cos(A + α) and 1. With D = α + A, E = α − A and
    1 − cos A cos α = sin²(D/2) + sin²(E/2) the chord gives
    V = 1 + sinh²(λD/2)·(1 + sin²(E/2)/sin²(D/2)). As D/2 ≤ α,
    sin²(E/2)/sin²(D/2) ≤ κE²/D² with κ = α²/sin²α ≤ 1 + α², so V ≤ e^{(κ−1)/2}·V₀ ≤ e^{α²/2}·V₀,
    where V₀ = 1 + sinh²(λD/2)·(1 + E²/D²) = 1 + ½(a² + z²)·ψ(a + z), with a = λA ≤ z = λα and the
    increasing ψ(u) = 2(cosh u − 1)/u². By (a + z)² ≤ 2(a² + z²) = 4y²,
    V₀ ≤ (1 + cosh 2y)/2 = cosh²y ≤ cosh y·e^{y²/2}. And cosh a·e^{z²/2}, for a given a² + z² = 2y²,
    is least at a = z = y, since tanh a ≤ a: so V₀ ≤ cosh(λA)·e^{λ²α²/2}.

    So cosh(λA)·e^{−(λ²+1)τ/32} stays a supermartingale if the clock τ moves by 16α² ≤ ε².

    Holds when: y is picked with probability proportional to e^{ε·score(y)/(2Δ)}, one record moves
    each score by at most Δ, and scores, Δ and ε are chosen from the past.
    Rounds: not at all; the charge is exact.
    """
    return GDP(check.amount(epsilon=loss.epsilon) ** 2)


@theorem("T-drift-private", "peekproof", "The proof in its docstring")
def private_cost(loss: PureDP) -> GDP:
    """What any ε-private release uses up of the clock of a Gaussian session.

        μ² = 4ε²

    Proof. As for T-drift-choice with α = arccos(1/cosh(ε/2)) ≤ ε/2. In (1) the factor is at most
    e^ε, which is less than needed; in (2) ln(p_y/ℓ_y(x)) lies in [−ε, ε], an interval of length 2ε.

    Holds when: the release is ε-DP for replacing one record, given everything before it, and ε
    is chosen from the past; it may be a whole conversation, such as a sparse vector's, if nothing
    else is released between its beginning and its end.
    Rounds: not at all; the charge is exact.
    """
    return GDP(4 * check.amount(epsilon=loss.epsilon) ** 2)
