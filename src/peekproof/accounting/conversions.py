"""One loss in every notion that it implies."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.charge import GDP, RDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.theory.conversion import (
    approx_to_tv,
    gdp_to_approx,
    gdp_to_rdp,
    gdp_to_tv,
    gdp_to_zcdp,
    pure_to_approx,
    pure_to_rdp,
    pure_to_tv,
    pure_to_zcdp_sharp,
    rdp_to_approx,
    tv_to_approx,
    zcdp_to_approx,
    zcdp_to_rdp,
)
from peekproof.theory.optimal_composition import optimal

Loss = TV | PureDP | ApproxDP | RDP | ZCDP | GDP


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """What a loss implies, and by which theorem."""

    loss: Loss
    theorem: str


def conversions(loss: Loss, *, delta: Fraction, order: Fraction) -> tuple[Conversion, ...]:
    """Everything that `loss` implies: (ε, δ) at this δ, the Rényi loss of this order, and more."""
    found: list[tuple[Loss, str]]
    match loss:
        case PureDP():
            each = pure_to_approx(loss)
            found = [
                (each, "T-pure-approx"),
                (optimal(each, count=1, delta=delta), "T-optimal"),
                (pure_to_zcdp_sharp(loss), "T-pure-zcdp-sharp"),
                (pure_to_rdp(loss, order=order), "T-pure-rdp"),
                (pure_to_tv(loss), "T-pure-tv"),
            ]
        case ApproxDP():
            found = [(approx_to_tv(loss), "T-approx-tv")]
            if delta > loss.delta:
                found.insert(0, (optimal(loss, count=1, delta=delta), "T-optimal"))
        case GDP():
            found = [
                (gdp_to_approx(loss, delta=delta), "T-gdp-dp"),
                (gdp_to_zcdp(loss), "T-gdp-zcdp"),
                (gdp_to_rdp(loss, order=order), "T-gdp-rdp"),
                (gdp_to_tv(loss), "T-gdp-tv"),
            ]
        case ZCDP():
            found = [
                (zcdp_to_approx(loss, delta=delta), "T-zcdp-dp"),
                (zcdp_to_rdp(loss, order=order), "T-zcdp-rdp"),
            ]
        case RDP():
            found = [(rdp_to_approx([loss], delta=delta), "T-rdp-dp")]
        case TV():
            found = [(tv_to_approx(loss), "T-tv-approx")]
    return tuple(Conversion(loss=result, theorem=theorem) for result, theorem in found)
