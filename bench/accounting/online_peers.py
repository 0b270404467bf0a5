"""The peers' filters and odometers after many charges."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from accounting.online import Jumping, Walking

RHO, SIGMA, EPSILON, DELTA = 1 / 20_000, 100.0, 0.01, 1e-6


def _opendp() -> tuple[Any, tuple[Any, Any]]:
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    return dp, (dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float))


def opendp_noise() -> Jumping:
    dp, space = _opendp()
    gaussian = dp.m.make_gaussian(*space, scale=SIGMA)
    return Jumping(lambda _: lambda: gaussian(0.0))


def opendp_filter() -> Walking:
    def start() -> Callable[[], object]:
        dp, space = _opendp()
        odometer = dp.c.make_fully_adaptive_composition(*space, dp.zero_concentrated_divergence())
        queryable = dp.c.make_privacy_filter(odometer, d_in=1.0, d_out=1e9)(0.0)
        gaussian = dp.m.make_gaussian(*space, scale=SIGMA)
        return lambda: queryable(gaussian)

    return Walking(start)


def _opendp_odometer(after: Callable[[Any], object]) -> Walking:
    def start() -> Callable[[], object]:
        dp, space = _opendp()
        make = dp.c.make_fully_adaptive_composition(*space, dp.zero_concentrated_divergence())
        queryable = make(0.0)
        gaussian = dp.m.make_gaussian(*space, scale=SIGMA)
        return lambda: (queryable(gaussian), after(queryable))

    return Walking(start)


def opendp_odometer() -> Walking:
    return _opendp_odometer(lambda _: None)


def opendp_odometer_read() -> Walking:
    return _opendp_odometer(lambda queryable: queryable.privacy_loss(1.0))


def diffprivlib() -> Walking:
    def start() -> Callable[[], object]:
        library = import_module("diffprivlib")
        accountant = library.BudgetAccountant(1e9, 0.5, slack=DELTA)
        return lambda: accountant.spend(EPSILON, 0)

    return Walking(start)


def _dp_accounting(accountant: str, event: str) -> Walking:
    def start() -> Callable[[], object]:
        library = import_module("dp_accounting")
        import_module("dp_accounting.pld")
        import_module("dp_accounting.rdp")
        package, name = accountant.split(".")
        made = getattr(getattr(library, package), name)()
        each = getattr(library, event)(SIGMA)
        return lambda: (made.compose(each), made.get_epsilon(DELTA))

    return Walking(start)


def renyi() -> Walking:
    return _dp_accounting("rdp.RdpAccountant", "GaussianDpEvent")


def loss_distribution() -> Walking:
    return _dp_accounting("pld.PLDAccountant", "LaplaceDpEvent")


CONTENDERS: dict[str, Callable[[], Jumping | Walking]] = {
    "OpenDP noise alone (part of each charge below)": opendp_noise,
    "OpenDP filter": opendp_filter,
    "OpenDP odometer, charge": opendp_odometer,
    "OpenDP odometer, charge and reading": opendp_odometer_read,
    "diffprivlib BudgetAccountant": diffprivlib,
    "dp-accounting RDP, charge and reading": renyi,
    "dp-accounting PLD, charge and reading": loss_distribution,
}
