"""The transfer theorem by the monitor, for approximate differential privacy."""

from fractions import Fraction
from math import exp

from peekproof.core import check
from peekproof.core.bound import Simultaneous
from peekproof.core.errors import InvalidInput
from peekproof.core.loss import ApproxDP
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.noise import SampleAccuracy


@theorem("T-bassily", "bassily-et-al-2016", "The transfer theorem; proof in the docstring")
def bassily(sample: SampleAccuracy, loss: ApproxDP, *, rows: int, questions: int) -> Simultaneous:
    """The radius and failure probability of all answers of an (ε, δ)-DP conversation.

        Pr[ |q(S) − q(P)| ≥ 6ε ] ≤ max{4δ/ε, 2·e^{−ε²n/8}}        for each question,
        radius = sample radius + 6ε,  failure = sample failure + k·max{…}

    Proof. Draw T = ⌊1/p⌋ samples, with p the probability on the left, run M on each, and let the
    exponential mechanism with ε pick a copy t and q or 1 − q by the score q(S_t) − q(P), which one
    record moves by 1/n. The whole is (2ε, δ)-DP, so as each copy is swapped record by record the
    expected score of the pick is at most e^{2ε} − 1 + Tδ. It is at least 6ε·(1 − (1−p)^T) −
    2 ln(2T)/(εn), and (1−p)^T ≤ (T/(T+1))^T ≤ ½. As e^{2ε} − 1 ≤ 2ε + 4ε² and ε ≤ 1/8,
    ε/2 ≤ δ/p + 2 ln(2/p)/(εn): one of the terms is at least ε/4, which bounds p.

    Holds when: √(12/n) ≤ ε ≤ 1/8 and δ ≤ ε/16, as published, though the proof needs only ε ≤ 1/8;
    questions have values in [0,1], may adapt, and records are independent.
    Rounds: up.
    """
    check.positive_integer(rows=rows)
    check.positive_integer(questions=questions)
    epsilon, delta = loss.epsilon, loss.delta
    if not (epsilon**2 * rows >= 12 and epsilon <= Fraction(1, 8)):
        raise InvalidInput(
            argument="epsilon",
            accepted="from √(12/rows) to 1/8",
            given=f"{float_up(min(epsilon, Fraction(10**9))):g} for {rows} rows",
        )
    if delta > epsilon / 16:
        raise InvalidInput(
            argument="delta", accepted="at most epsilon/16", given=f"{float(delta):g}"
        )
    exponent = float_down(epsilon * epsilon * rows / 8)
    tail = Fraction(up(2 * exp(-min(exponent, 700.0))))
    each = max(4 * delta / epsilon, tail)
    return Simultaneous.of(
        up(sample.radius + 6 * float_up(epsilon)), beta=sample.beta + questions * each
    )
