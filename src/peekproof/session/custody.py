"""Whether a ledger is the only one of its data, and what certificates say where it is not sure."""

from collections.abc import Sequence
from dataclasses import replace

from peekproof.core.errors import InvalidInput
from peekproof.core.witness_errors import BudgetElsewhere, WitnessDamaged
from peekproof.ledger.entry import Body
from peekproof.ledger.file import MEMORY
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.ledger.opening import Opening
from peekproof.ledger.places import shown
from peekproof.ledger.witness import NONE, VARIABLE, Witness, default_witness
from peekproof.planner.plan import Plan

UNWATCHED = (
    f"this ledger is the only one of its data (it was opened with {VARIABLE}={NONE}, so nothing "
    "tells)"
)


# What a ledger of a holdout says it is about; what follows the word names the groups of rows.
LABELS = "labels"
_FRESH_LABELS = (
    "the promise is about fresh labels for the same rows; about the population if no model was "
    "chosen by looking at the features of these rows, and until two different ones predict the "
    "same for all of them"
)


def witness_of(place: str) -> Witness | None:
    """The witness for a ledger at this place; None for memory, or if it was switched off."""
    return None if place == MEMORY else default_witness(ledger=shown(place))


def check_reason(**override: object) -> None:
    """Refuse an override that does not say why; the keyword is what errors call it."""
    for argument, reason in override.items():
        if reason is not None and (not isinstance(reason, str) or not reason.strip()):
            raise InvalidInput(
                argument=argument, accepted="a reason in words", given=repr(reason)[:80]
            )


def check_new(
    witness: Witness | None, fingerprints: Sequence[str], *, place: str, override: str | None
) -> None:
    """Refuse to make a ledger for data that has one, unless there is a reason to override that.

    Of a part of a split, the first fingerprint is its own and the second that of the whole.
    """
    doubt = doubt_about(witness, fingerprints, place=place)
    if override is not None and doubt is None:
        raise nothing_to_override(override)
    # Another process may just have made the ledger here: it was there before it was seen.
    if doubt and override is None and not Ledger.exists(place):
        raise doubt


def doubt_about(
    witness: Witness | None, fingerprints: Sequence[str], *, place: str
) -> BudgetElsewhere | WitnessDamaged | None:
    """What stands against a new ledger for data under any of these fingerprints; None if nothing.

    Not raised: the caller may have a reason to override it.
    """
    told = shown(place)
    try:
        seen = [witness.known(each, ledger=told) for each in fingerprints] if witness else []
    except WitnessDamaged as error:
        return error
    known = next((each for each in seen if each), None)
    return known and BudgetElsewhere(ledger=told, place=known.place, entries=known.sequence)


def in_custody(plan: Plan, opening: Opening, overrides: Sequence[Body]) -> Plan:
    """The plan with all that its ledger says about being the only one among the assumptions."""
    said = [UNWATCHED] if opening.witness == NONE else []
    if opening.frame:
        whole = opening.frame.get("of", "other data")
        said.append(f"the rows are a random part of {whole}, which is asked nowhere else")
    if opening.about:
        labels = opening.about.split(" ")[0] == LABELS
        said.append(_FRESH_LABELS if labels else f"the promise is about {opening.about}")
    return overridden(_assuming(plan, said), overrides)


def overridden(plan: Plan, overrides: Sequence[Body]) -> Plan:
    """The plan with these overrides, too, among the assumptions."""
    return _assuming(plan, [f"the budget was overridden: {each['reason']}" for each in overrides])


def _assuming(plan: Plan, said: Sequence[str]) -> Plan:
    certificate = plan.certificate
    assumed = (*certificate.assumptions, *said)
    return replace(plan, certificate=replace(certificate, assumptions=assumed)) if said else plan
