"""All analysts by name."""

from peekproof.audit.analysts.averaging import Averaging
from peekproof.audit.analysts.boosting import Boosting
from peekproof.audit.analysts.correlation import Correlation
from peekproof.audit.analysts.digits import Digits
from peekproof.audit.analysts.fingerprinting import Fingerprinting
from peekproof.audit.analysts.freedman import Freedman
from peekproof.audit.analysts.holdout import ReusedHoldout
from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.analysts.reconstruction import Reconstruction

ANALYSTS: dict[str, type[Analyst]] = {
    Correlation.kind: Correlation,
    Boosting.kind: Boosting,
    Reconstruction.kind: Reconstruction,
    Digits.kind: Digits,
    Freedman.kind: Freedman,
    ReusedHoldout.kind: ReusedHoldout,
    Fingerprinting.kind: Fingerprinting,
    Averaging.kind: Averaging,
}
