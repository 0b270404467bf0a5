"""Max-information, and p-values of tests that were chosen by looking at the data."""

from fractions import Fraction
from math import exp, isfinite, log2, sqrt

from peekproof.core import check
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, log_of, up
from peekproof.core.theorem import theorem

_MOST = Fraction(10**100)


def _spread(loss: PureDP, rows: int) -> float:
    """ε²n, not below."""
    return float_up(min(loss.epsilon**2 * check.positive_integer(rows=rows), _MOST))


@theorem("T-maxinfo", "dwork-et-al-2015", "Pure privacy, independent records; see T-maxinfo-sharp")
def max_information(loss: PureDP, *, rows: int, beta: Fraction) -> float:
    """A bound on the β-approximate max-information of an ε-DP output and the sample, in bits.

        I_∞^β(S; π) ≤ log₂e·(ε²n/2 + ε·√(n ln(2/β)/2))

    Holds when: records are independent; the whole output is ε-DP.
    Rounds: up.
    """
    square = _spread(loss, rows)
    level = log_of(2 / check.probability(beta=beta))
    return up((square / 2 + sqrt(square * level / 2)) * log2(exp(1)))


@theorem("T-maxinfo-sharp", "peekproof", "The proof in its docstring")
def max_information_sharp(loss: PureDP, *, rows: int, beta: Fraction) -> float:
    """A smaller bound on the β-approximate max-information, in bits.

        I_∞^β(S; π) ≤ log₂e·(v + √(v² + 2v·ln(1/β))),   v = ε²n/4

    Proof. For an output a let Z = ln(Pr[π = a | S]/Pr[π = a]), a function of the independent
    records that each moves by at most ε. Under the prior, E Z ≤ ln E e^Z = 0, and by McDiarmid's
    argument E e^{rZ} ≤ e^{r·E Z + r²v/2} for r ≥ 0. Given a, Pr[Z > z] = E[e^Z·1(Z > z)] ≤ E
    e^{(1+r)Z − rz}, which is e^{z − z²/(2v)} at 1 + r = z/v ≥ 1. That is β for z = v + √(v² + 2v
    ln(1/β)). Where Z ≤ z, the joint law is at most e^z times the product law. As √(v² + x) ≤ v +
    √x it is never above T-maxinfo.

    Holds when: records are independent; the whole output is ε-DP.
    Rounds: up.
    """
    v = _spread(loss, rows) / 4
    level = -log_of(check.probability(beta=beta))
    return up((v + sqrt(v * v + 2 * v * level)) * log2(exp(1)))


@theorem("T-maxinfo-p", "dwork-et-al-2015", "The definition of max-information, for rejections")
def corrected_p_value(p_value: Fraction, *, bits: float, beta: Fraction) -> float:
    """A valid p-value for a test that was chosen through an output of this max-information.

        p′ = min(1, 2^I·p + β)                       with I = bits = I_∞^β

    Proof. For a threshold t ≥ β, p′ ≤ t only if p ≤ (t − β)/2^I. If the test were chosen without
    this sample, that would have probability at most (t − β)/2^I when the hypothesis is true;
    chosen through the output, at most 2^I times that plus β, which is t.

    Holds when: p is a valid p-value for every test that could have been chosen, computed on the
    same sample; β was fixed in advance.
    Rounds: up.
    """
    check.unit_fraction(p_value=p_value)
    check.probability(beta=beta)
    if not (isfinite(bits) and bits >= 0):
        raise InvalidInput(argument="bits", accepted="a finite number of bits", given=repr(bits))
    return min(1.0, up(float_up(p_value) * 2.0 ** min(bits, 1000.0) + float_up(beta)))
