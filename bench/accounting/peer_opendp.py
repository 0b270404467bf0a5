"""OpenDP: the privacy maps of composed measurements."""

from importlib import import_module
from typing import Any

from accounting.contender import Contender
from accounting.question import DELTA, EPSILONS, SCALE, SIGMAS

dp = import_module("opendp.prelude")
dp.enable_features("contrib")

SPACE = (dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))


def pure(each: list[Any]) -> float:
    return float(dp.c.make_composition(each).map(1.0))


def concentrated(each: list[Any]) -> float:
    return float(
        dp.c.make_zCDP_to_approxDP(dp.c.make_composition(each)).map(1.0).epsilon(delta=DELTA)
    )


def by_both(each: list[Any]) -> dict[str, Contender]:
    return {
        "OpenDP, pure": Contender("upper", lambda: pure(each)),
        "OpenDP, zCDP": Contender(
            "upper", lambda: concentrated([dp.c.make_pureDP_to_zCDP(one) for one in each])
        ),
    }


def laplace(count: int) -> dict[str, Contender]:
    each = dp.m.make_laplace(*SPACE, scale=float(SCALE))
    squared = dp.c.make_pureDP_to_zCDP(each)
    return {
        "OpenDP, pure": Contender("upper", lambda: pure([each] * count)),
        "OpenDP, zCDP": Contender("upper", lambda: concentrated([squared] * count)),
    }


def gaussian(count: int) -> dict[str, Contender]:
    each = dp.m.make_gaussian(*SPACE, scale=float(SCALE))
    return {"OpenDP, zCDP": Contender("upper", lambda: concentrated([each] * count))}


def laplace_mixed(count: int) -> dict[str, Contender]:
    return by_both(
        [dp.m.make_laplace(*SPACE, scale=float(1 / epsilon)) for epsilon in EPSILONS[:count]]
    )


def gaussian_mixed(count: int) -> dict[str, Contender]:
    each = [dp.m.make_gaussian(*SPACE, scale=float(sigma)) for sigma in SIGMAS[:count]]
    return {"OpenDP, zCDP": Contender("upper", lambda: concentrated(each))}
