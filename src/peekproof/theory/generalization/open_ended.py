"""A promise without a number of questions: stages that share β by a summable schedule."""

from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.core.theorem import theorem
from peekproof.theory.generalization.gaussian import session_certificate

# Just below 6/π², so that the levels of all stages add to less than β.
_SHARE = Fraction(6079, 10_000)


def stage_level(beta: Fraction, *, stage: int) -> Fraction:
    """What stage i may fail with: β·6/(π²(i+1)²), or a little less; the sum is below β."""
    check.probability(beta=beta)
    if isinstance(stage, bool) or stage < 0:
        raise InvalidInput(argument="stage", accepted="an integer of at least 0", given=repr(stage))
    return beta * _SHARE / (stage + 1) ** 2


@theorem("T-open-ended", "peekproof", "The proof in its docstring")
def stage_certificate(
    *, rows: int, sigma: Fraction, step: Fraction, clock: GDP, stage: int, target: Target
) -> Certificate:
    """The promise for the answers of stage i, which are among the first 2^{i+1} − 1.

        T-joint-variance at the level β·6/(π²(i+1)²), for 2^{i+1} − 1 answers and this clock

    Proof. Apply T-joint-variance to the conversation up to the end of stage i, or up to where it
    stopped before: the answers of stage i are at most 2^{i+1} − 1 draws with noise σ, and all
    draws up to there have used up at most `clock`. Stage i fails with probability at most its
    level, and the levels of all stages add to at most β. An interval once given is not changed by
    what is asked later, for it rests on the transcript up to its own stage.

    Holds when: every draw of a stage has its noise σ_i, decided before it is drawn, and `clock`
    bounds Σ 1/(nσ_j)² over all draws up to the end of the stage.
    Rounds: up, and the intervals outward.
    """
    level = stage_level(target.beta, stage=stage)
    own = Target(confidence=1 - level, questions=2 ** (stage + 1) - 1)
    found = session_certificate(rows=rows, sigma=sigma, step=step, target=own, clock=clock)
    return Certificate(
        target=target,
        rows=rows,
        joins="T-open-ended",
        parts=found.parts,
        shape=found.shape,
    )
