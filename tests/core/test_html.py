"""What notebooks show: every number of the certificate, and nothing unescaped."""

from fractions import Fraction
from math import inf

import pytest

from core.markup import read
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate, Span, Target
from peekproof.core.charge import GDP
from peekproof.core.errors import CertificateMismatch, InvalidInput
from peekproof.core.html import Axis, budget_bar, code, percent
from peekproof.mechanisms.plan import plan

CERTIFICATE = plan(rows=5000, target=Target.of(confidence=0.9, questions=300)).certificate


def answer(question: str) -> Answer:
    return Answer(
        question=question,
        released=Fraction(1, 4),
        certificate=CERTIFICATE,
        cost=GDP(Fraction(1, 9)),
        remaining=1234,
    )


HOSTILE = "name = '</code><script>alert(1)</script><b onclick=x>&amp;\"'"


def test_an_answer_shows_value_interval_and_what_is_left() -> None:
    shown = answer("age > 50 and name = '<script>'")._repr_html_()
    read(shown)

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


def histogram(*labels: str) -> HistogramAnswer:
    return HistogramAnswer(
        question=HOSTILE,
        labels=labels,
        cells=tuple(answer(label) for label in labels),
        cost=GDP(Fraction(1, 9)),
        remaining=7,
    )


def test_all_text_of_answers_is_escaped() -> None:
    quantile = QuantileAnswer(
        question=HOSTILE,
        value=12.5,
        after=12.0,
        level=Fraction(1, 2),
        certificate=CERTIFICATE,
        cost=GDP(Fraction(0)),
        remaining=7,
    )
    choice = Choice(
        chosen=HOSTILE,
        index=1,
        candidates=1234,
        certificate=CERTIFICATE,
        cost=GDP(Fraction(0)),
        remaining=7,
    )
    for each in (answer(HOSTILE), histogram(HOSTILE, "b"), quantile, choice):
        assert HOSTILE in read(each._repr_html_()).text
    assert "12.5 is a quantile of some level in [" in read(quantile._repr_html_()).text
    shown = read(choice._repr_html_()).text
    assert "no. 2 of 1,234 candidates" in shown
    assert "why it holds" in shown
    assert "free, 7 left" in shown


def test_all_text_of_a_certificate_is_escaped() -> None:
    forged = Certificate(
        target=CERTIFICATE.target,
        rows=CERTIFICATE.rows,
        joins=CERTIFICATE.joins,
        parts=CERTIFICATE.parts,
        assumptions=(HOSTILE,),
    )
    assert HOSTILE in read(forged._repr_html_()).text


def test_colours_are_those_of_the_page_or_show_on_light_and_dark() -> None:
    for style in read(histogram("a", "b")._repr_html_()).styles:
        assert "#" not in style
        assert "white" not in style.replace("white-space", "")
        assert "black" not in style


def test_a_long_histogram_is_cut_and_says_so() -> None:
    shown = read(histogram(*(f"cell {n}" for n in range(250)))._repr_html_())

    assert "cell 199\n" in shown.text
    assert "cell 200\n" not in shown.text
    assert "the first 200 of 250 rows" in shown.text
    assert "of 200 rows" not in read(histogram(*map(str, range(200)))._repr_html_()).text


def test_a_very_long_question_is_cut() -> None:
    assert len(code("x" * 10_000)) < 1_000
    assert "…" in code("x" * 301)
    assert "…" not in code("x" * 300)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (0.0, "0%"),
        (1e-9, "under 0.1%"),
        (0.125, "12.5%"),
        (0.5, "50%"),
        (0.9999, "over 99.9%"),
        (1.0, "100%"),
    ],
)
def test_almost_nothing_and_almost_all_do_not_look_like_it(part: float, said: str) -> None:
    assert percent(part) == said


def widths(shown: str) -> list[float]:
    return [float(each.split('"')[0]) for each in shown.split('width="')[1:]]


def test_a_budget_bar_is_as_long_as_what_was_used() -> None:
    assert widths(budget_bar(0.0)) == [220, 220, 0]
    assert widths(budget_bar(0.5)) == [220, 220, 110]
    assert widths(budget_bar(2.0)) == [220, 220, 220]
    assert 0 < widths(budget_bar(1e-9))[-1] < 5


def test_intervals_that_can_be_shares_are_drawn_from_0_to_1_and_others_on_one_axis() -> None:
    assert Axis.of([(0.0, 0.5), (0.2, 1.0)]) == Axis()
    assert Axis.of([(-1.0, 0.5), (0.2, 3.0)]) == Axis(Fraction(-1), Fraction(3))
    assert Axis.of([(-1.0, inf)]) is None
    assert Axis.of([(2.0, 2.0)]) is None


def test_a_bar_begins_and_ends_where_the_interval_does() -> None:
    span = Span.between(Fraction(-20), Fraction(120))
    bar = Axis(span.low, span.high).bar(-20.0, 50.0, 120.0)
    assert 'd="M5.0 9.0H215.0"' in bar
    assert 'd="M110.0 3.0v12"' in bar


def test_a_bar_holds_numbers_of_any_size() -> None:
    read(f"<div>{Axis(Fraction(-8e307), Fraction(8e307)).bar(-8e307, 0.0, 8e307)}</div>")


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
