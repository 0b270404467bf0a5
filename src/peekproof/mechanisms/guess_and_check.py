"""A guess compared with a share: accepted as it stands, or corrected to a bin."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import digits_up, float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.public_grid import with_levels
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.checking import (
    acceptance,
    check_bins,
    integer_up_to,
    least_tolerance,
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The guess is the answer."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The guess is not accepted: the sample's share lies in this bin, counted from 0."""

    bin: int


Checked = Passed | Failed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GuessAndCheck:
    """Whether total/(rows·levels) confirms the guess; if not, which of `bins` equal bins holds it.

    Guarantees: if made by `at` with the level of T-check-horizon, all passes mean |q(P) − guess| ≤
    tolerance and all failures T-check-failed's interval, together. If made by LimitedChecking, all
    passes mean |q(S) − guess| ≤ tolerance, for T-check-halt. It is deterministic and not
    differentially private: it protects the analysis, not the records.
    Proof: T-check-horizon, T-check-accept, T-check-failed. It passes from `low` to `high`, which
    were found before the rows are read.
    Public: all fields.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "guess-and-check"

    rows: int
    guess: Fraction
    tolerance: Fraction
    bins: int
    low: int
    high: int
    levels: int = 1

    def __post_init__(self) -> None:
        units = check.positive_integer(rows=self.rows) * check.positive_integer(levels=self.levels)
        check.unit_fraction(guess=self.guess)
        check.positive_fraction(tolerance=self.tolerance)
        check_bins(self.bins, units=units)
        for name, total in (("low", self.low), ("high", self.high)):
            integer_up_to(units, **{name: total})
            if abs(Fraction(total, units) - self.guess) > self.tolerance:
                raise InvalidInput(
                    argument=name, accepted="a total within the tolerance", given=repr(total)
                )
        if self.low > self.high:
            raise InvalidInput(argument="high", accepted="at least low", given=repr(self.high))

    @classmethod
    def at(
        cls,
        *,
        rows: int,
        guess: Fraction,
        tolerance: Fraction,
        log_inverse_level: float,
        bins: int,
        levels: int = 1,
    ) -> "GuessAndCheck":
        """The check whose passes are right at this level; refused if no total could pass."""
        passes = acceptance(
            rows=rows,
            guess=guess,
            tolerance=tolerance,
            log_inverse_level=log_inverse_level,
            levels=levels,
        )
        if passes is None:
            least = least_tolerance(
                rows=rows, guess=guess, log_inverse_level=log_inverse_level, levels=levels
            )
            raise InvalidInput(
                argument="tolerance",
                accepted=f"at least {digits_up(float_up(least))} for this guess at this level",
                given=f"{float(tolerance):.6g}",
                hint="below it no sample of this size could confirm the guess",
            )
        return cls(
            rows=rows,
            guess=guess,
            tolerance=tolerance,
            bins=bins,
            low=passes[0],
            high=passes[-1],
            levels=levels,
        )

    def cost(self) -> Draws:
        return Draws(Fraction(1))

    def release(self, total: Exact[int], *, rng: Entropy) -> Checked:  # noqa: ARG002 no noise
        """Passed or Failed; the same steps are taken for both."""
        found = total.reveal()
        held = found * self.bins // (self.rows * self.levels)
        held = max(0, min(self.bins - 1, held))
        outcomes: tuple[Checked, Checked] = (Failed(bin=held), Passed())
        return outcomes[self.low <= found <= self.high]

    def radius(self, *, beta: Fraction) -> float:
        """How far a passed guess, or the midpoint of a failure's bin, errs from the sample, surely.

        Rounds: up.
        """
        check.probability(beta=beta)
        units = self.rows * self.levels
        accepted = max(abs(Fraction(end, units) - self.guess) for end in (self.low, self.high))
        return float_up(max(accepted, Fraction(1, 2 * self.bins)))

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {
            "kind": self.KIND,
            "guess": str(self.guess),
            "tolerance": str(self.tolerance),
            "bins": str(self.bins),
            "passes": f"{self.low}:{self.high}",
        }
        return with_levels(described, self.levels)
