"""Statistics that are no mean of the records, but which no record moves far."""

from dataclasses import replace
from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Certificate, Span
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import theorem

# What floats can show.
_LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)


@theorem("T-statistic", "peekproof", "The proof in its docstring")
def statistic_certificate(certificate: Certificate) -> Certificate:
    """What a Gaussian session promises of q(S)/(nΔ) for a statistic q that one record moves by Δ.

        |answer − E q(S′)/(nΔ)| ≤ radius,       S′ a fresh sample of n rows

    with the radius that the session promises of a share, but without intervals that narrow.

    Proof. Given the other records, a record moves q(S)/(nΔ) by at most 1/n, so the answer costs
    what a share costs and T-noise holds. For the drift let S follow its law given π, and replace
    its records by fresh ones, from the last to the first. The mean of q changes at x_i by at most
    Δ·E[TV(law(x_i | π, x_1 … x_{i−1}), P) | π], since q varies by at most Δ in x_i; total variation
    is convex, so this is at most Δ·E[TV(law(x_i | π, S_−i), P) | π]. The sum is at most nΔ·D(π),
    which is what T-drift-gauss bounds, and what the angle bounds in T-own-radius.

    Holds when: the radius of `certificate` comes from T-joint-variance or T-own-radius; q and Δ
    are chosen from the past, and one record moves q by at most Δ whatever the others are.
    Rounds: not at all.
    """
    if certificate.joins not in ("T-joint-variance", "T-own-radius"):
        raise InvalidInput(
            argument="certificate",
            accepted="of a session with Gaussian noise",
            given=certificate.joins,
        )
    return replace(certificate, shape=None)


def statistic_span(*, rows: int, sensitivity: Fraction, low: Fraction, high: Fraction) -> Span:
    """The units of q(S)/(nΔ), for a statistic with values in [low, high]."""
    reach = check.positive_integer(rows=rows) * check.positive_fraction(sensitivity=sensitivity)
    if not _LEAST <= reach <= _MOST or max(abs(low), abs(high)) > _MOST or high - low < _LEAST:
        raise InvalidInput(
            argument="sensitivity",
            accepted="such that it, the bounds and rows × sensitivity are within 1e-300 and 1e300",
            given="beyond that",
        )
    if not 0 < high - low <= reach:
        raise InvalidInput(
            argument="high",
            accepted=f"above low, and at most rows × sensitivity = {float(reach):g} above it",
            given=f"low = {float(low):g}, high = {float(high):g}",
            hint="a statistic that moves so little cannot take values so far apart",
        )
    return Span(low=low, high=low + reach, most=high)
