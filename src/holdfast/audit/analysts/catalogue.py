"""All analysts by name."""

from holdfast.audit.analysts.averaging import Averaging
from holdfast.audit.analysts.boosting import Boosting
from holdfast.audit.analysts.correlation import Correlation
from holdfast.audit.analysts.digits import Digits
from holdfast.audit.analysts.fingerprinting import Fingerprinting
from holdfast.audit.analysts.freedman import Freedman
from holdfast.audit.analysts.holdout import ReusedHoldout
from holdfast.audit.analysts.protocol import Analyst
from holdfast.audit.analysts.reconstruction import Reconstruction

ANALYSTS: dict[str, type[Analyst]] = {
    Correlation.KIND: Correlation,
    Boosting.KIND: Boosting,
    Reconstruction.KIND: Reconstruction,
    Digits.KIND: Digits,
    Freedman.KIND: Freedman,
    ReusedHoldout.KIND: ReusedHoldout,
    Fingerprinting.KIND: Fingerprinting,
    Averaging.KIND: Averaging,
}
