"""Every mechanism obeys the laws, every one that there is, and mechanisms that cheat do not."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest

import peekproof.mechanisms
from laws import cheats
from laws.case_parts import FAR, AnyCase
from laws.cheats import Bent, case_of
from laws.mechanism_cases import (
    CASES,
    EVENTS,
    fresh_rows,
    gaussian_vector,
    laplace,
    truncation,
)
from peekproof.core.charge import Draws
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import Draw
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.noise.entropy import Entropy
from peekproof.testing.mechanisms import (
    LAWS,
    Law,
    every_release_is_public,
    it_has_what_every_mechanism_has,
    it_shows_no_statistic,
    loss_floor_stays_below_the_cost,
    one_shot,
    release_errs_within_radius,
)
from peekproof.testing.statistics import Violation, statistical

FALSE_ALARM = 1e-8
TRIALS = 2_500
BETA = Fraction(1, 20)

# What sessions open with, which itself releases nothing: a schedule of Gaussian mechanisms, and
# conversations of checked guesses. What they are made of are the cases.
EXEMPT = {OpenEnded, Checking, LimitedChecking}

every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


@every_law
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_law_holds(law: Law, case: AnyCase) -> None:
    law(case)


def test_every_mechanism_is_a_case() -> None:
    found: set[type] = set()
    for module in pkgutil.iter_modules(peekproof.mechanisms.__path__, "peekproof.mechanisms."):
        members = vars(importlib.import_module(module.name)).values()
        found |= {
            member
            for member in members
            if isinstance(member, type)
            and member.__module__ == module.name
            and isinstance(getattr(member, "kind", None), str)
            and not issubclass(member, Draw)
        }
    covered = {type(case.mechanism) for case in CASES}

    assert len(found) > 10
    assert found - EXEMPT == covered
    assert not covered & EXEMPT
    assert len({case.mechanism.kind for case in CASES}) == len(CASES)


def test_every_mechanism_that_claims_a_loss_is_audited() -> None:
    claim = {type(c.mechanism) for c in CASES if not isinstance(c.mechanism.cost(), Draws)}
    assert claim == set(EVENTS)


@statistical(false_alarm=FALSE_ALARM)
def test_no_loss_exceeds_its_cost() -> None:
    for case in CASES:
        if type(case.mechanism) in EVENTS:
            loss_floor_stays_below_the_cost(
                case,
                EVENTS[type(case.mechanism)],
                trials=TRIALS,
                false_alarm=FALSE_ALARM / len(EVENTS),
            )


@statistical(false_alarm=FALSE_ALARM)
def test_no_release_errs_by_more_than_its_radius_too_often() -> None:
    for case in CASES:
        release_errs_within_radius(
            case, beta=BETA, trials=400, false_alarm=FALSE_ALARM / len(CASES)
        )


# What no table asks for: its totals are in range, and it counts every cell. -----------------


@pytest.mark.parametrize(
    ("make", "total"),
    [(truncation, -1), (fresh_rows, -1), (fresh_rows, FAR)],
)
def test_totals_out_of_range_give_public_outputs(make: Callable[[], AnyCase], total: int) -> None:
    every_release_is_public(replace(make(), extreme=((total,),)))


def test_a_vector_of_another_length_is_refused() -> None:
    it_shows_no_statistic(replace(gaussian_vector(), misshapen=(((1234567, 7654321),),)))


# Cheats ---------------------------------------------------------------------------------------


def broken(case: AnyCase) -> set[str]:
    names = set()
    for law in LAWS:
        try:
            law(case)
        except Violation:
            names.add(law.__name__)
    return names


def test_the_unbent_one_passes() -> None:
    assert broken(case_of(Bent())) == set()


@pytest.mark.parametrize(
    ("bent", "laws"),
    [
        (Bent(drawn=cheats.off_the_grid), {"every_release_is_public"}),
        (Bent(drawn=cheats.until_in_range), {"the_bits_asked_for_do_not_tell"}),
        (Bent(drawn=cheats.in_floats), {"every_release_is_public", "no_release_is_rounded"}),
        (Bent(drawn=cheats.own_bits), {"the_same_bits_give_the_same_release"}),
        (Bent(drawn=cheats.rounded_only), {"noise_is_drawn"}),
        (Bent(priced=cheats.free_of_charge), {"its_cost_is_exact"}),
        (Bent(priced=cheats.cost_in_floats), {"its_cost_is_exact"}),
        (Bent(reach=cheats.backwards), {"its_radius_falls_with_the_level"}),
        (Bent(reach=cheats.any_level), {"absurd_levels_are_refused"}),
        (Bent(told=cheats.lacks_the_step), {"its_description_rebuilds_it"}),
        (Bent(told=cheats.with_numbers), {"its_description_rebuilds_it"}),
        (Bent(told=cheats.rounded_scale), {"its_description_rebuilds_it"}),
    ],
)
def test_a_cheat_is_caught_by_the_law_that_it_breaks(bent: Bent, laws: set[str]) -> None:
    assert broken(case_of(bent)) == laws


def test_a_case_that_rebuilds_from_memory_is_caught() -> None:
    bent = Bent(told=cheats.lacks_the_step)
    remembers = replace(case_of(bent), rebuild=lambda described: bent)

    assert broken(remembers) == {"its_description_rebuilds_it"}


def test_a_price_that_looks_is_caught() -> None:
    seen = {"last": 0}

    def looks(mechanism: Laplace, count: int, rng: Entropy) -> Any:
        seen["last"] = count
        return cheats.straight_draw(mechanism, count, rng)

    def dearer(mechanism: Laplace) -> Any:
        return mechanism.cost() * (2 if seen["last"] > 1 else 1)

    assert "its_cost_is_exact" in broken(case_of(Bent(drawn=looks, priced=dearer)))
    shows = Bent(drawn=looks, shown=lambda: f"Bent, last {seen['last']}")
    assert broken(case_of(shows)) == {"it_shows_no_statistic"}


def test_a_refusal_that_tells_is_caught() -> None:
    def refuses(mechanism: Laplace, count: int, rng: Entropy) -> Any:
        if count == 987654:
            raise InvalidInput(argument="count", accepted="smaller", given=str(count))
        return cheats.straight_draw(mechanism, count, rng)

    telling = replace(case_of(Bent(drawn=refuses)), misshapen=((987654,),))
    assert broken(telling) == {"it_shows_no_statistic"}
    answering = replace(case_of(Bent()), misshapen=((987654,),))
    assert broken(answering) == {"it_shows_no_statistic"}


def test_a_mechanism_that_can_be_changed_is_caught() -> None:
    @dataclass
    class Loose:
        kind: ClassVar[str] = "laplace"
        within: Laplace

        def release(self, exact: Exact[int], *, rng: Entropy) -> Fraction:
            return self.within.release(exact, rng=rng)

        def cost(self) -> Any:
            return self.within.cost()

        def radius(self, *, beta: Fraction) -> float:
            return self.within.radius(beta=beta)

        def describe(self) -> dict[str, str]:
            return self.within.record()

    straight = laplace()
    loose = Loose(cheats.STRAIGHT)
    case = replace(
        straight,
        mechanism=loose,
        rebuild=lambda described: Loose(straight.rebuild(described)),  # type: ignore[arg-type]
    )
    assert broken(case) == {"it_cannot_be_changed"}


def test_a_mechanism_that_only_describes_itself_has_to_be_rebuilt_by_its_case() -> None:
    with pytest.raises(InvalidInput, match="rebuild"):
        one_shot(
            Bent(),
            outputs=lambda released: True,
            error=lambda exact, released: 0.0,
            typical=(1,),
        )


def test_exact_shares_do_not_conform() -> None:
    control: Any = UnsafeEmpirical(rows=4)
    case: AnyCase = one_shot(
        control,
        rebuild=lambda described: control,
        outputs=lambda released: True,
        error=lambda exact, released: 0.0,
        typical=(1,),
    )
    with pytest.raises(Violation, match="UnsafeEmpirical has no kind"):
        it_has_what_every_mechanism_has(case)
    assert not hasattr(control, "cost")


def overpriced(case: AnyCase) -> None:
    loss_floor_stays_below_the_cost(
        case, EVENTS[Laplace], trials=TRIALS, false_alarm=FALSE_ALARM / 2
    )


@statistical(false_alarm=FALSE_ALARM)
def test_the_audits_catch_noise_cost_and_radius_that_lie() -> None:
    def within(case: AnyCase) -> None:
        release_errs_within_radius(case, beta=BETA, trials=400, false_alarm=FALSE_ALARM / 2)

    overpriced(case_of(Bent()))
    within(case_of(Bent()))
    for bent in (
        Bent(drawn=cheats.half_the_noise),
        Bent(priced=cheats.half_the_cost),
        Bent(drawn=cheats.rounded_only),
    ):
        with pytest.raises(Violation, match="which PureDP"):
            overpriced(case_of(bent))
    with pytest.raises(Violation, match="errs by more than"):
        within(case_of(Bent(reach=cheats.half_the_radius)))


def test_an_eighth_of_the_cost_is_not_enough_for_any_mechanism() -> None:
    """The audit has power over every kind of cost and of release, not over Laplace noise alone."""

    @dataclass(frozen=True)
    class Cheaper:
        case: AnyCase
        kind: ClassVar[str] = "cheaper"

        def cost(self) -> Any:
            cost = self.case.mechanism.cost()
            (amount,) = (getattr(cost, each.name) for each in fields(cost))
            return type(cost)(amount / 8)

    for case in CASES:
        if type(case.mechanism) in EVENTS:
            bent: Any = Cheaper(case)
            with pytest.raises(Violation, match="excludes"):
                loss_floor_stays_below_the_cost(
                    replace(case, mechanism=bent),
                    EVENTS[type(case.mechanism)],
                    trials=TRIALS,
                    false_alarm=FALSE_ALARM,
                )


def test_what_claims_no_loss_is_not_audited() -> None:
    with pytest.raises(InvalidInput, match="whose cost bounds a loss"):
        loss_floor_stays_below_the_cost(
            truncation(), lambda seen: True, trials=1, false_alarm=FALSE_ALARM
        )
