"""`peekproof account`: compose, convert, calibrate and compare privacy losses."""

import click

from peekproof.cli.account_calibrate import calibrate
from peekproof.cli.account_compose import compose
from peekproof.cli.account_convert import convert
from peekproof.cli.account_growth import growth
from peekproof.cli.account_loss import loss
from peekproof.cli.account_tables import tables


@click.group()
def account() -> None:
    """Compose, convert and calibrate privacy losses; compare the theorems that do it.

    Events are written laplace(scale=100), 1000 * gaussian(sigma=50, sensitivity=2),
    discrete-laplace(scale=5), discrete-gaussian(sigma=5), exponential(epsilon=0.1),
    pure(epsilon=0.1), approximate(epsilon=0.1, delta=1e-9), zcdp(rho=0.01),
    sampled-gaussian(sigma=1, rate=0.01).
    """


for command in (compose, growth, convert, calibrate, tables, loss):
    account.add_command(command)
