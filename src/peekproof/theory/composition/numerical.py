"""The loss of any mixture of mechanisms, numerically and from above."""

from collections.abc import Mapping
from fractions import Fraction

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.loss import GDP
from peekproof.core.theorem import theorem
from peekproof.theory.composition.loss_law import LossLaw
from peekproof.theory.composition.loss_laws import gaussian_law, laplace_law, response_law

_GROWTH = 1.2  # how much longer a law may become before it is trimmed again


@theorem("T-grid", "zhu-dong-wang-2022", "Adaptive composition of dominating pairs")
def composed_law(
    *,
    responses: Mapping[Fraction, int],
    laplaces: Mapping[Fraction, int],
    gaussian: GDP,
    step: Fraction,
    lost: float,
) -> LossLaw:
    """The privacy loss of mechanisms together, on a grid, as a law with at least its δ(ε).

        δ(ε) = E(1 − e^{ε−L})₊,   L = Σ L_i independent, L_i the loss of mechanism i

    `responses` and `laplaces` map an ε to how many mechanisms have it: any that are ε-private,
    and Laplace noise; all Gaussian noise is one, for its squares add. `lost` is what may be cut
    from the ends of the laws for speed; it is added to δ.

    Proof. Each pair of output laws is a function of the pair placed on the grid, so that pair
    dominates it, and products of dominating pairs dominate adaptive compositions. Sums of
    positive floats, each rounded up, keep every probability an upper bound.

    Holds when: all parameters are fixed in advance; the questions may adapt.
    Rounds: up. The step costs tightness, to second order, and never validity.
    """
    check.positive_fraction(step=step)
    if not 0 <= lost < 1:  # also false for NaN
        raise InvalidInput(argument="lost", accepted="from 0 to below 1", given=repr(lost))
    for epsilon in (*responses, *laplaces):
        check.amount(epsilon=epsilon)
    groups = [
        (response_law(epsilon, step=step), check.positive_integer(count=count))
        for epsilon, count in sorted(responses.items())
    ] + [
        (laplace_law(epsilon, step=step), check.positive_integer(count=count))
        for epsilon, count in sorted(laplaces.items())
    ]
    share = lost / (4 * (len(groups) + 1))
    total = gaussian_law(gaussian, step=step, lost=share)
    longest = len(total.weights)
    for law, count in sorted(groups, key=lambda group: -group[1]):
        repeated = law if count == 1 else law.times(count, lost=share)
        total = total.then(repeated)
        if len(total.weights) > _GROWTH * longest:
            total = total.trimmed(share)
            longest = len(total.weights)
    return total.curve()
