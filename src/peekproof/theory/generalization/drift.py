"""The drift: how far a conversation can pull the sample away from the population.

It is bounded for Gaussian noise, for Gaussian differential privacy whatever mechanism achieves it,
and for pure differential privacy, which bounds it surely, so that all of β goes to the noise.
`choice_cost` and `private_cost` are for releases that are private but not Gaussian and come
between the Gaussian answers of one session. The terms that certificates with noise have in common
stand first.
"""

from fractions import Fraction
from math import cosh, erfc, exp, expm1, inf, log, log1p, pi, sin, sqrt, tanh

from peekproof.core import check
from peekproof.core.certificate import Certificate, Part, Target
from peekproof.core.charge import GDP, PureDP
from peekproof.core.numerics import argmin, down, float_down, float_up, log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.divergence import GaussianPair
from peekproof.theory.generalization.noise import normal_shortfall


def noise_part(sigma: Fraction, shortfall: float) -> Part:
    """σ·ES: what Gaussian noise can hide."""
    return Part(
        theorem="T-noise",
        covers="what the added noise can hide",
        radius=up(float_up(sigma) * shortfall),
        numbers=(("sigma", float(sigma)), ("shortfall", shortfall)),
    )


def drift_part(theorem: str, radius: float, **numbers: float) -> Part:
    """How far the conversation can pull the sample away, by this theorem."""
    return Part(
        theorem=theorem,
        covers="how far the questions can lean towards the sample",
        radius=radius,
        numbers=tuple(numbers.items()),
    )


@theorem("T-rounding", "peekproof", "Rounding")
def rounding_radius(step: Fraction) -> float:
    """Half a grid step: what rounding an answer to the nearest grid point adds to its radius.

    Proof. a_j = q_j(S) + N_j + R_j with |R_j| ≤ step/2, so |E[R_j|π]| ≤ step/2. Clipping to
    [0, 1] afterwards moves an answer no further from any population value.

    Holds when: the grid is public and holds 0 and 1.
    Rounds: up.
    """
    return float_up(check.positive_fraction(step=step) / 2)


def rounding_part(step: Fraction) -> Part:
    """Half a step of the grid."""
    return Part(
        theorem="T-rounding",
        covers="rounding to the public grid",
        radius=rounding_radius(step),
        numbers=(("step", float(step)),),
    )


def _smallest_over_rates(*, mu_squared: float, log_inverse_beta: float) -> float:
    """min_λ arccosh(e^{(λ²+1)μ²/32} / β) / λ, to about 1e-9 in λ; every λ gives a valid bound."""

    def bound(log_rate: float) -> float:
        rate = exp(log_rate)
        logarithm = (rate * rate + 1) * mu_squared / 32 + log_inverse_beta
        # arccosh(e^L) = L + ln(1 + √(1 − e^{−2L})): neither overflows nor cancels.
        return (logarithm + log1p(sqrt(-expm1(-2 * logarithm)))) / rate

    # The minimum is near √(32 ln(2/β))/μ for β < 1 and near 3.1/√μ for the mean: bracket both.
    centre = log(32 * (log_inverse_beta + 1) / mu_squared) / 2
    low, high = centre - 5, centre + 2
    golden = (sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = bound(left), bound(right)
    best = inf
    while high - low > 1e-9:
        best = min(best, at_left, at_right)
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = bound(right)
    return best


@theorem("T-drift-angle", "peekproof", "The drift")
def gaussian_angle(loss: GDP, *, beta: Fraction) -> float:
    """A bound a* on the root mean square of the angles between prior and posterior of a record.

        E[√Y | event] ≤ a* = min_λ arccosh(e^{(λ²+1)μ²/32} / β) / λ,   Y = (1/n) Σ_i E[A_i² | π]

    for every event of probability at least β; in particular √Y ≤ a* except with probability β.
    The mean angle (1/n) Σ_i E[A_i|π] is at most √Y. Angles above π/2 say nothing.

    Proof. A_i is the angle arccos Σ_x √(posterior·prior) of record i given S_−i, and the
    supermartingale of docs/explanation/certificate.md gives E cosh(λA_i) ≤ e^{(λ²+1)μ²/32}. The
    series of cosh(λ√y) in y has no negative coefficient, so it is convex for y ≥ 0 and
    E cosh(λ√Y) has the same bound by Jensen. Given an event of probability p ≥ β,
    cosh(λ E[√Y|event]) ≤ E cosh(λ√Y)/p.

    Holds when: as for T-drift-gauss.
    Rounds: up. Every λ gives a valid bound.
    """
    check.probability(beta=beta)
    mu_squared = float_up(check.positive_fraction(mu_squared=loss.mu_squared))
    log_inverse_beta = -log(float_down(beta))
    return up(_smallest_over_rates(mu_squared=mu_squared, log_inverse_beta=log_inverse_beta))


@theorem("T-drift-gauss", "peekproof", "The drift")
def gaussian_drift(loss: GDP, *, beta: Fraction) -> float:
    """A bound on the drift D(π) of every question at once, asked or not.

        D(π) = (1/n) Σ_i E[TV(law(x_i | π, S_−i), P) | π] ≥ |q(Q_π) − q(P)| for all q: X → [0,1]
        E[D | event] ≤ sin(a*),   a* = min_λ arccosh(e^{(λ²+1)μ²/32} / β) / λ

    for every event of probability at least β that π decides; in particular D ≤ sin(a*) except
    with probability β. About (μ/4)·√(2 ln(2/β)).

    Proof. With A_i the angle arccos Σ_x √(posterior·prior) of record i given S_−i, and
    A = (1/n) Σ_i E[A_i|π]: TV ≤ sin A_i, and sin is concave on [0, π/2], so D ≤ sin A. The
    supermartingale of docs/explanation/certificate.md gives E cosh(λA) ≤ e^{(λ²+1)μ²/32}.
    Given an event of probability p ≥ β, cosh(λ E[A|event]) ≤ E cosh(λA)/p, so
    E[A|event] ≤ a*, and E[D|event] ≤ E[sin A|event] ≤ sin(E[A|event]).

    Holds when: answers are q_j(S) plus Gaussian noise σ_j (or a function of that), and
    Σ_j 1/(nσ_j)² ≤ μ² always; questions, σ_j and the stopping time may all adapt.
    Rounds: up. Every λ gives a valid bound.
    """
    return min(1.0, up(sin(min(gaussian_angle(loss, beta=beta), pi / 2))))


@theorem("T-drift-mean", "peekproof", "The drift on average")
def mean_gaussian_drift(loss: GDP) -> float:
    """A bound on E D(π), the drift that analysts reach on average; about μ/4.

        E D ≤ sin( min_λ arccosh(e^{(λ²+1)μ²/32}) / λ )

    It is T-drift-gauss for the sure event. It certifies no single answer; audits compare it
    with the average that an attack reaches.

    Holds when: as for T-drift-gauss.
    Rounds: up.
    """
    mu_squared = float_up(check.positive_fraction(mu_squared=loss.mu_squared))
    angle = _smallest_over_rates(mu_squared=mu_squared, log_inverse_beta=0.0)
    return min(1.0, up(sin(min(up(angle), pi / 2))))


# Beyond it two normals a distance μ apart share less than 1 in 10⁶: no drift is excluded.
_LARGEST = Fraction(100)


def _quantile(mu: float, beta: float) -> float:
    """About the s with Pr[½|e^L − 1| > s] = β; any s serves."""

    def tail(s: float) -> float:
        above = erfc((log1p(2 * s) / mu + mu / 2) / sqrt(2)) / 2
        below = erfc((-log1p(-2 * s) / mu - mu / 2) / sqrt(2)) / 2 if s < 0.5 else 0.0
        return above + below

    low, high = 0.0, min(1.0, 60 * mu)  # no level in use is 30 standard deviations out
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > beta else (low, middle)
    return high


@theorem("T-drift-gdp", "peekproof", "The proof in its docstring")
def gdp_drift(loss: GDP, *, beta: Fraction) -> float:
    """A bound on the drift D(π) of every question at once for any μ-GDP conversation.

        E[D | event] ≤ ES_β(½|e^L − 1|),        L ~ N(−μ²/2, μ²)
                     ≤ s + ( ½δ(ln(1 + 2s)) + ½(1 − 2s)₊·δ(−ln(1 − 2s)) ) / β    for all s ≥ 0

    for every event of probability at least β; in particular D exceeds this with probability at
    most β. δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2).

    Proof. Fix i and S_−i, let f_x be the density of π given x_i = x and f its P-average. The law
    of x_i given π has density f_x(π)/f(π) against P, so with φ(t) = (½|t − 1| − s)₊, convex,
    the total variation T_i of it and P satisfies

        E(T_i − s)₊ ≤ E_{x~P} ∫ φ(f_x/f)·f ≤ E_{x,x′~P} ∫ φ(f_x/f_x′)·f_x′ ≤ E(½|e^L − 1| − s)₊ :

    first by Jensen's inequality for T_i = E_{x~P} ½|f_x/f − 1|; then because an f-divergence is
    convex in its second argument; last because μ-GDP makes (f_x, f_x′) a randomisation of the
    pair N(μ, 1), N(0, 1) (Blackwell), which no f-divergence increases, and ln of their ratio
    under the second is L. D is the mean of E[T_i|π] over i, so E(D − s)₊ has the same bound.
    For an event of probability p ≥ β, E[D|event] ≤ s + E(D − s)₊/p ≤ s + E(½|e^L − 1| − s)₊/β;
    the smallest over s is ES_β by Rockafellar and Uryasev. The event {D > t} with t this bound
    cannot have probability above β: the mean of D on it would be at most t.
    Closed form: E(e^L − 1 − 2s)₊ = δ(ln(1 + 2s)), and E(1 − 2s − e^L)₊ = E(e^L′ (1 − 2s) − 1)₊
    = (1 − 2s)·δ(−ln(1 − 2s)) by the change of measure e^L, under which −L is L′ ~ L.

    Holds when: the whole conversation is μ-GDP for replacing one record; rows are independent.
    Rounds: up. Every s ≥ 0 gives a valid bound; the ε in δ(ε) are rounded down, δ decreases.
    """
    check.probability(beta=beta)
    if check.positive_fraction(mu_squared=loss.mu_squared) > _LARGEST:
        return 1.0
    mu = up(sqrt(float_up(loss.mu_squared)))
    s = _quantile(mu, float(beta))
    pair = GaussianPair(shift=mu, sigma=1)
    excess = pair.hockey_stick(epsilon=down(log1p(2 * s))) / 2
    if s < 0.5:
        lower = max(0.0, down(-log1p(-2 * s)))
        excess += (1 - 2 * s) * pair.hockey_stick(epsilon=lower) / 2
    return min(1.0, up(s + float_up(Fraction(up(excess)) / beta)))


@theorem("T-joint-gdp", "peekproof", "The proof in its docstring")
def gdp_certificate(*, rows: int, sigma: Fraction, step: Fraction, target: Target) -> Certificate:
    """The radius that all answers of a Gaussian session keep together, by T-drift-gdp.

        radius = σ·ES_β(max_{j≤k} |Z_j|) + ES_β(½|e^L − 1|) + step/2,    μ² = k/(nσ)²

    Its drift rests on Gaussian differential privacy alone, not on the shape of the noise.

    Proof. As for T-joint: on an event of probability above β that π decides, the mean of the
    noise part is within the first term (T-noise) and the mean of the drift within the second
    (T-drift-gdp), so their sum cannot exceed the sum of the terms on all of it.

    Holds when: at most k = target.questions draws are made, each with noise σ on a statistic
    that one record moves by at most 1/n, and released on the grid of `step`.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(sigma=sigma)
    total = GDP(1 / (rows * sigma) ** 2) * target.questions
    shortfall = normal_shortfall(beta=target.beta, count=target.questions)
    noise = noise_part(sigma, shortfall)
    drift = drift_part(
        "T-drift-gdp",
        gdp_drift(total, beta=target.beta),
        mu=float(total.mu_squared) ** 0.5,
        beta=float(target.beta),
    )
    rounding = rounding_part(step)
    parts = (noise, drift, rounding)
    return Certificate(target=target, rows=rows, joins="T-joint-gdp", parts=parts)


def best_gdp_sigma(*, rows: int, target: Target) -> Fraction:
    """The noise σ with about the smallest radius of T-joint-gdp."""
    check.positive_integer(rows=rows)
    shortfall = normal_shortfall(beta=target.beta, count=target.questions)

    def radius(log_sigma: float) -> float:
        sigma = Fraction(exp(log_sigma))
        total = GDP(target.questions / (rows * sigma) ** 2)
        return exp(log_sigma) * shortfall + gdp_drift(total, beta=target.beta)

    # Balanced parts give σ² ≈ √k·c/n with c of the order of 1 for any sensible level.
    guess = log(target.questions) / 4 - log(rows) / 2
    return Fraction(exp(argmin(radius, low=guess - 5, high=guess + 2)))


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


# tanh of a quarter of this is 1 to the last bit.
_ALL = Fraction(200)


@theorem("T-drift-pure", "peekproof", "The proof in its docstring")
def pure_drift(loss: PureDP) -> float:
    """A bound on the drift D(π) of every question at once, asked or not, that never fails.

        |q(Q_π) − q(P)| ≤ D(π) = (1/n) Σ_i E[TV(law(x_i | π, S_−i), P) | π] ≤ tanh(ε/4)

    Proof. Fix i, S_−i and π. The density r of x_i's law given them, against P, is the
    probability of π given x_i, divided by its P-average. By ε-DP it has sup r ≤ e^ε·inf r, and
    its mean under P is 1. Let a = inf r ≤ 1 ≤ sup r = b. TV = E(r − 1)₊, a convex function of r,
    is largest when r takes the values a and b only, b with probability (1 − a)/(b − a):

        TV ≤ (b − 1)(1 − a)/(b − a).

    It grows with b, so put b = c·a with c = e^ε: (ca − 1)(1 − a)/((c − 1)a) is largest at
    a = 1/√c, where it is (√c − 1)²/(c − 1) = (√c − 1)/(√c + 1) = tanh(ε/4). Average over i and
    S_−i.

    Holds when: the whole conversation is ε-DP for replacing one record; rows are independent.
    Rounds: up.
    """
    epsilon = min(check.amount(epsilon=loss.epsilon), _ALL)
    return min(1.0, up(tanh(float_up(epsilon / 4)))) if epsilon else 0.0


@theorem("T-noise-laplace", "rockafellar-uryasev-2000", "Theorem 1; proof in the docstring")
def laplace_shortfall(*, beta: Fraction, count: int) -> float:
    """A bound on ES_β(max_{j≤k} |L_j|), the mean of the worst β-fraction of the largest noise.

        ES_β(max |L_j|) ≤ 1 + ln(k/β)        for Laplace noise of scale 1, k = `count`

    Any event that is decided by the transcript π and has probability at least β satisfies
    E[ max_j |E[bL_j | π]| | event ] ≤ b·ES_β(max |L_j|); so max_j |E[bL_j | π]| exceeds that
    with probability at most β.

    Proof. max_j |E[L_j|π]| ≤ E[max_j |L_j| | π], and its mean over an event of probability
    p ≥ β is at most ES_p ≤ ES_β. By Rockafellar and Uryasev ES_β(Y) ≤ c + E(Y − c)₊/β for all
    c; with (max_j |L_j| − c)₊ ≤ Σ_j (|L_j| − c)₊ and E(|L| − c)₊ = e^{−c} for c ≥ 0 this is at
    most c + k·e^{−c}/β, which is 1 + ln(k/β) at c = ln(k/β). If E = {max_j |E[L_j|π]| > t} with
    t = ES_β had probability above β, its mean on E would be at most t, and above t.

    Holds when: each L_j is Laplace of scale 1 given everything before it; fewer than k may be
    drawn.
    Rounds: up.
    """
    check.probability(beta=beta)
    check.positive_integer(count=count)
    return up(1 + log_of(count / beta))


@theorem("T-joint-laplace", "peekproof", "The proof in its docstring")
def laplace_certificate(
    *, rows: int, scale: Fraction, step: Fraction, target: Target
) -> Certificate:
    """The radius that all answers of a Laplace session keep together.

        radius = b·(1 + ln(k/β)) + tanh(k/(4nb)) + step/2        b = `scale`

    Proof. a_j − q_j(P) = E[N_j|π] + E[R_j|π] + (q_j(Q_π) − q_j(P)), with R_j from rounding. The
    first is within the first term for all j except with probability β (T-noise-laplace). k
    answers are together ε-DP with ε = k/(nb), as one record moves each by at most 1/n; the
    drift is within the second term surely (T-drift-pure).

    Holds when: at most k = target.questions draws are made, each with Laplace noise of scale b
    on a statistic that one record moves by at most 1/n, then rounded to the grid of `step`.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_fraction(scale=scale)
    loss = PureDP(1 / (rows * scale)) * target.questions
    shortfall = laplace_shortfall(beta=target.beta, count=target.questions)
    noise = Part(
        theorem="T-noise-laplace",
        covers="what the added noise can hide",
        radius=up(float_up(scale) * shortfall),
        numbers=(("scale", float(scale)), ("shortfall", shortfall)),
    )
    drift = drift_part("T-drift-pure", pure_drift(loss), epsilon=float(loss.epsilon))
    rounding = rounding_part(step)
    return Certificate(
        target=target, rows=rows, joins="T-joint-laplace", parts=(noise, drift, rounding)
    )


def best_laplace_scale(*, rows: int, target: Target) -> Fraction:
    """The Laplace scale with about the smallest radius.

    The slope vanishes where b² = (a/s)/cosh²(a/b), with a = k/(4n) and s = 1 + ln(k/β). From
    b² = a/s, which is right for small drifts, this is followed downward; where it does not
    settle every interval is vacuous.
    """
    check.positive_integer(rows=rows)
    pull = float_up(Fraction(target.questions, 4 * rows))
    start = sqrt(pull / laplace_shortfall(beta=target.beta, count=target.questions))
    scale = start
    for _ in range(60):
        scale = max(start / 8, start / cosh(min(pull / scale, 100.0)))
    return Fraction(scale)
