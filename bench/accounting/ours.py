"""Peekproof's answers, by its public functions."""

from fractions import Fraction

from accounting.contender import Contender
from accounting.question import EPSILONS, EXACT_DELTA, RATE, SAMPLED_SIGMA, SCALE, SIGMAS, TARGET

from peekproof.accounting.accountants import Numerical
from peekproof.accounting.calibration import gaussian_sigma
from peekproof.accounting.events import Conversation, Laplace, SampledGaussian
from peekproof.accounting.library import Moments, Pld
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.numerics import float_up
from peekproof.theory.composition import advanced_sharp, gdp
from peekproof.theory.conversion import gdp_to_approx, gdp_to_zcdp, pure_to_zcdp, zcdp_to_approx
from peekproof.theory.optimal_composition import optimal, optimal_mixed

# A grid that keeps the mixed answer within 0.3 % of the tightest known.
STEP = Fraction(1, 2_000)


def laplace(count: int) -> dict[str, Contender]:
    each = ApproxDP(epsilon=Fraction(1, SCALE), delta=Fraction(0))
    rho = pure_to_zcdp(PureDP(each.epsilon)) * count
    answers = Conversation.of((Laplace(scale=Fraction(SCALE)), count))
    return {
        "Peekproof": Contender(
            "upper", lambda: float(optimal(each, count=count, delta=EXACT_DELTA).epsilon)
        ),
        "Peekproof, numerical": Contender(
            "upper", lambda: float(Numerical().epsilon(answers, delta=EXACT_DELTA))
        ),
        "Peekproof, zCDP": Contender(
            "upper", lambda: float(zcdp_to_approx(rho, delta=EXACT_DELTA).epsilon)
        ),
        "Peekproof, advanced": Contender(
            "upper", lambda: float(advanced_sharp(each, count=count, slack=EXACT_DELTA).epsilon)
        ),
    }


def gaussian(count: int) -> dict[str, Contender]:
    loss = GDP(Fraction(1, SCALE**2)) * count
    return {
        "Peekproof": Contender(
            "upper", lambda: float(gdp_to_approx(loss, delta=EXACT_DELTA).epsilon)
        ),
        "Peekproof, zCDP": Contender(
            "upper", lambda: float(zcdp_to_approx(gdp_to_zcdp(loss), delta=EXACT_DELTA).epsilon)
        ),
    }


def laplace_mixed(count: int) -> dict[str, Contender]:
    losses = [ApproxDP(epsilon=epsilon, delta=Fraction(0)) for epsilon in EPSILONS[:count]]

    def answer(step: Fraction) -> float:
        return float(optimal_mixed(losses, delta=EXACT_DELTA, step=step).epsilon)

    answers = Conversation.of(*(Laplace(scale=1 / epsilon) for epsilon in EPSILONS[:count]))
    return {
        "Peekproof": Contender("upper", lambda: answer(STEP)),
        "Peekproof, numerical": Contender(
            "upper", lambda: float(Numerical().epsilon(answers, delta=EXACT_DELTA))
        ),
    }


def gaussian_mixed(count: int) -> dict[str, Contender]:
    exact = [GDP(1 / sigma**2) for sigma in SIGMAS[:count]]
    rounded = [GDP(Fraction(float_up(loss.mu_squared))) for loss in exact]
    return {
        "Peekproof": Contender(
            "upper", lambda: float(gdp_to_approx(gdp(rounded), delta=EXACT_DELTA).epsilon)
        ),
        "Peekproof, no μ² rounded to a float": Contender(
            "upper", lambda: float(gdp_to_approx(gdp(exact), delta=EXACT_DELTA).epsilon)
        ),
    }


def calibration(count: int) -> dict[str, Contender]:
    target = ApproxDP(epsilon=Fraction(TARGET), delta=EXACT_DELTA)
    return {
        "Peekproof": Contender(
            "upper", lambda: float(gaussian_sigma(target, sensitivity=Fraction(1), count=count))
        )
    }


def subsampled(count: int) -> dict[str, Contender]:
    """By the bridge to dp-accounting: what its convenience costs, not a bound of our own."""
    event = SampledGaussian(sigma=Fraction(SAMPLED_SIGMA), rate=Fraction(str(RATE)))
    answers = Conversation.of((event, count))
    return {
        "Peekproof, bridge to PLD": Contender(
            "upper", lambda: float(Pld().epsilon(answers, delta=EXACT_DELTA))
        ),
        "Peekproof, bridge to moments": Contender(
            "upper", lambda: float(Moments().epsilon(answers, delta=EXACT_DELTA))
        ),
    }
