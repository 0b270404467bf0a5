"""The moments accountant for noise on Poisson samples, by dp-accounting (extra `pld`)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, final

from peekproof.accounting.accountant import require_covered
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event, Gaussian, SampledGaussian
from peekproof.accounting.library import answering, positive
from peekproof.core import check
from peekproof.core.theorem import theorem
from peekproof.theory.conversion import failure

if TYPE_CHECKING:
    from dp_accounting.rdp import RdpAccountant

_MARGIN = Fraction(1, 10**9)  # of the library's floats


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """Rényi losses of Gaussian noise on Poisson samples, as for noisy gradient descent.

    Only Gaussian events reach the library: its accountant forgets how often an exponential
    mechanism was repeated.
    """

    NAME: ClassVar[str] = "moments"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-moments",)

    def covers(self, event: Event) -> bool:
        return isinstance(event, SampledGaussian | Gaussian)

    @theorem("T-moments", "abadi-et-al-2016", "The moments accountant")
    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        """The ε at this δ of Gaussian noise on Poisson samples, by its Rényi losses.

        Holds when: all parameters are fixed in advance; neighbours add or remove one record
        where records are sampled.
        Rounds: as the library does, with a margin of 1e-9.
        """
        failure(delta=delta)
        if not conversation.counts:
            return Fraction(0)
        with answering():
            reached = positive(_composed(self, conversation).get_epsilon(float(delta)))
        return reached * (1 + _MARGIN)

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        """The δ at this ε, by T-moments."""
        check.amount(epsilon=epsilon)
        if not conversation.counts:
            return Fraction(0)
        with answering():
            reached = positive(_composed(self, conversation).get_delta(float(epsilon)))
        return min(Fraction(1), reached * (1 + _MARGIN))


def _composed(accountant: Moments, conversation: Conversation) -> "RdpAccountant":
    from dp_accounting import dp_event  # noqa: PLC0415
    from dp_accounting.rdp import RdpAccountant  # noqa: PLC0415

    require_covered(conversation, accountant)
    total = RdpAccountant()
    for event, count in conversation.counts.items():
        if isinstance(event, Gaussian | SampledGaussian):
            noise = dp_event.GaussianDpEvent(float(event.sigma / event.sensitivity))
            if isinstance(event, SampledGaussian):
                noise = dp_event.PoissonSampledDpEvent(float(event.rate), noise)
            total.compose(noise, count)
    return total
