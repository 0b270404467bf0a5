"""Certificates for notebooks: the terms of the radius, what is assumed, and the sources."""

from typing import TYPE_CHECKING

from peekproof.core.html.look import Html, bold, box, faint, folded, joined, listed, table, text
from peekproof.core.numerics import decimal_up, level_down

if TYPE_CHECKING:
    from peekproof.core.certificate import Certificate


def certificate_html(certificate: "Certificate") -> str:
    return box(_terms(certificate))


def folded_certificate(certificate: "Certificate") -> Html:
    """The same, for whoever asks why the interval holds."""
    return folded("why it holds", _terms(certificate))


def _terms(certificate: "Certificate") -> Html:
    target = certificate.target
    promise = (
        f" for at most {target.questions:,} answers from {certificate.rows:,} rows, all together "
        f"with confidence {level_down(target.confidence)} ({certificate.joins})"
    )
    rows = [
        (
            text(decimal_up(part.radius)),
            text(part.covers),
            text(part.theorem),
            text(", ".join(f"{name} = {value:.6g}" for name, value in part.numbers)),
        )
        for part in certificate.parts
    ]
    return joined(
        (
            bold(f"±{decimal_up(certificate.radius)}"),
            text(promise),
            table(("radius", "covers", "theorem", "numbers"), rows),
            faint(text(f"Assumed: {'; '.join(certificate.assumptions)}.")),
            listed(certificate.citations()),
        )
    )
