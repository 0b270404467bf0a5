"""Gaussian noise that grows in stages, so that nobody need say how many questions will come."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.theory.generalization.open_ended import stage_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEnded:
    """Draws 2^i, …, 2^{i+1} − 1 with the noise of stage i, which is not below that of stage i − 1.

    A batch is drawn with the noise of its last draw. That is at least what each draw would have
    had alone, so the clock of no stage is exceeded.

    Guarantees: `certify_stage(stage, target)` for the answers of each stage, all stages together,
    and `budget()` for the records.
    Proof: T-open-ended; each draw is that of a Gaussian, and their costs add.
    Public: all fields.  Secret: the totals given to the stages.
    """

    KIND: ClassVar[str] = "open-ended"

    rows: int
    stages: tuple[Gaussian, ...]

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        noises = [stage.sigma for stage in self.stages]
        same = all(stage.rows == self.rows for stage in self.stages)
        if not noises or noises != sorted(noises) or not same:
            raise InvalidInput(
                argument="stages",
                accepted="at least one, on the same rows, with noise that never falls",
                given=f"{len(noises)} stages",
            )

    @property
    def questions(self) -> int:
        """How many draws there are before intervals say nothing."""
        return int(2 ** len(self.stages)) - 1

    def stage_of(self, draw: int) -> int:
        """The stage of a draw, counted from 1."""
        return check.positive_integer(draw=draw).bit_length() - 1

    def clock(self, stage: int) -> GDP:
        """What all draws up to the end of a stage use up at most."""
        used = [each.cost() * 2**i for i, each in enumerate(self.stages[: stage + 1])]
        return GDP(sum((cost.mu_squared for cost in used), Fraction(0)))

    def cost(self) -> GDP:
        """What the last draws cost, the least of all."""
        return self.stages[-1].cost()

    def budget(self) -> GDP:
        return self.clock(len(self.stages) - 1)

    def certify_stage(self, stage: int, target: Target) -> Certificate:
        """The certificate of the answers of one stage."""
        noise = self.stages[stage]
        return stage_certificate(
            rows=self.rows,
            sigma=noise.sigma,
            step=noise.step,
            clock=self.clock(stage),
            stage=stage,
            target=target,
        )

    def certify(self, target: Target) -> Certificate:
        """The certificate of the last stage, the widest."""
        return self.certify_stage(len(self.stages) - 1, target)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        stages = " ".join(f"{stage.sigma}:{stage.step}" for stage in self.stages)
        return {"kind": self.KIND, "stages": stages}
