"""The certificate of discrete Laplace noise: its parts by mpmath, and the continuous one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import ceil, exp, log, mpf, mpmathify, tanh, workdps

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.discrete_laplace import discrete_laplace_certificate
from peekproof.theory.generalization.drift import laplace_certificate

CLOSE = mpf("1e-11")


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


@given(
    rows=st.integers(1, 10**6),
    scale=st.fractions(Fraction(1, 10**5), 1),
    questions=st.integers(1, 10**6),
    cells=st.integers(1, 100),
    sensitivity=st.integers(1, 10),
    inverse=st.integers(1, 10**6),
)
def test_the_certificate_is_the_sum_of_its_parts(
    rows: int, scale: Fraction, questions: int, cells: int, sensitivity: int, inverse: int
) -> None:
    certificate = discrete_laplace_certificate(
        rows=rows,
        scale=scale,
        step=Fraction(1, inverse),
        target=target(questions),
        cells=cells,
        sensitivity=sensitivity,
    )
    noise, drift, rounding = certificate.parts
    with workdps(50):
        p = exp(-1 / (rows * mpmathify(scale)))
        level = 20 * mpf(questions) * cells
        c, tail = 0, 2 * level * p / (1 + p)
        if tail > 1:  # the least c at which level·2p^{c+1}/(1+p) is at most 1
            c = int(ceil(log(tail) / -log(p)))
        exact_noise = (c + level * 2 * p ** (c + 1) / (1 - p * p)) / rows
        exact_drift = tanh(mpf(questions) * sensitivity / (4 * rows * mpmathify(scale)))
        assert exact_noise <= noise.radius <= exact_noise * (1 + CLOSE) + mpf(1e-300)
        assert exact_drift * (1 - mpf("1e-16")) <= drift.radius <= exact_drift * (1 + CLOSE)
    assert Fraction(rounding.radius) >= Fraction(1, 2 * inverse)
    assert certificate.theorems == (
        "T-joint-discrete-laplace",
        "T-noise-discrete-laplace",
        "T-drift-pure",
        "T-rounding",
    )


@pytest.mark.parametrize(("rows", "questions"), [(1000, 10), (10**4, 100), (10**6, 10**4)])
def test_it_is_the_continuous_certificate_where_counts_are_many(rows: int, questions: int) -> None:
    scale, step = Fraction(1, 50), Fraction(1, 2**60)
    discrete = discrete_laplace_certificate(
        rows=rows, scale=scale, step=step, target=target(questions)
    )
    continuous = laplace_certificate(rows=rows, scale=scale, step=step, target=target(questions))

    assert continuous.radius * (1 - 1e-3) <= discrete.radius <= continuous.radius * (1 + 1e-11)


def test_nonsense_is_refused() -> None:
    good = {"rows": 10, "scale": Fraction(1), "step": Fraction(1), "target": target(1)}
    for name, value in [
        ("rows", 0),
        ("scale", Fraction(0)),
        ("scale", Fraction(1, 10**101)),
        ("step", Fraction(0)),
        ("cells", 0),
        ("sensitivity", 0),
    ]:
        with pytest.raises(InvalidInput, match=rf"^{name} must be "):
            discrete_laplace_certificate(**{**good, name: value})  # type: ignore[arg-type]
