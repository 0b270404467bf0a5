"""What notebooks show: every number of the certificate, and nothing unescaped."""

from fractions import Fraction

import pytest

from holdfast.core.answer import Answer
from holdfast.core.certificate import Certificate
from holdfast.core.errors import CertificateMismatch, InvalidInput
from holdfast.core.loss import GDP
from holdfast.core.target import Target
from holdfast.planner.plan import plan

CERTIFICATE = plan(rows=5000, target=Target.of(confidence=0.9, questions=300)).certificate


def answer(question: str) -> Answer:
    return Answer(
        question=question,
        released=Fraction(1, 4),
        certificate=CERTIFICATE,
        cost=GDP(Fraction(1, 9)),
        remaining=1234,
    )


def test_an_answer_shows_value_interval_and_what_is_left() -> None:
    shown = answer("age > 50 and name = '<script>'")._repr_html_()

    assert "0.2500" in shown
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert "1,234 left" in shown
    assert "<svg" in shown
    assert shown.count("<div>") == shown.count("</div>") == 1


def test_a_certificate_shows_all_parts_assumptions_and_citations() -> None:
    shown = CERTIFICATE._repr_html_()

    for part in CERTIFICATE.parts:
        assert part.theorem in shown
        assert part.covers in shown
    for line in CERTIFICATE.assumptions:
        assert line in shown
    assert shown.count("<li>") == len(CERTIFICATE.theorems)


def test_a_certificate_without_a_ledger_cannot_be_verified() -> None:
    with pytest.raises(InvalidInput, match=r"^certificate must be one of an answer"):
        CERTIFICATE.verify()


def test_a_certificate_that_its_record_does_not_give_is_a_mismatch() -> None:
    class Elsewhere:
        def again(self) -> Certificate:
            return plan(rows=5001, target=CERTIFICATE.target).certificate

    forged = Certificate(
        target=CERTIFICATE.target,
        rows=CERTIFICATE.rows,
        joins=CERTIFICATE.joins,
        parts=CERTIFICATE.parts,
        shape=CERTIFICATE.shape,
        derivation=Elsewhere(),
    )
    with pytest.raises(CertificateMismatch, match=r"claims a radius of 0\.\d+"):
        forged.verify()
