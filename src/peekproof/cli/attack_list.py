"""`peekproof attack list`: what there is to attack with, and what to attack."""

from inspect import cleandoc

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.opponents.catalogue import OPPONENTS
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.opponents.sessions import Opened
from peekproof.cli import render
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.mechanisms.laplace import Laplace
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.rounds import Rounds
from peekproof.mechanisms.splitting import Splitting
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.mechanisms.truncation import Truncation

# What sessions do, in words; mechanisms describe themselves by formulas.
_PLAINLY = {
    Gaussian.KIND: "Gaussian noise on every answer.",
    Truncation.KIND: "Answers cut to a few bins.",
    Splitting.KIND: "Fresh rows for every question.",
    Laplace.KIND: "Laplace noise on every answer.",
    Rounds.KIND: "Fresh rows for every batch of questions, of which there are ten.",
    Checking.KIND: "A guess that the rows confirm, or about where the sample is.",
    LimitedChecking.KIND: "The same with one tolerance for all, until ten guesses have failed.",
    Thresholdout.KIND: "A guess that stands within noise, or a noisy correction, a few times.",
    OpenEnded.KIND: "Gaussian noise that grows, for as many questions as will come.",
}


def first_line(kind: type) -> str:
    """What a class says it is, in one line."""
    return cleandoc(kind.__doc__ or kind.__name__).partition("\n")[0]


def attack_list(*, json_wanted: bool) -> None:
    """Print all names, each with a line."""
    attacks = [
        {
            "name": name,
            "does": first_line(kind),
            "forces": kind.FORMULA,
            "after": kind.SOURCE,
        }
        for name, kind in ANALYSTS.items()
    ]
    mechanisms = [
        {"name": name, "certified": setup.certified, "does": _does(setup)}
        for name, setup in OPPONENTS.items()
    ]
    if json_wanted:
        render.as_json({"attacks": attacks, "mechanisms": mechanisms})
        return
    render.line("Attacks, and by how much the sample overstates what they ask at the end:")
    for attack in attacks:
        render.line()
        render.line(f"{attack['name']}: {attack['does']}")
        render.line(f"    {attack['forces']}; {attack['after']}")
    render.line()
    render.line("k questions before the last, n rows, or a population that is a list of N numbers.")
    for title, certified in (("Controls", False), ("Certified mechanisms", True)):
        render.line()
        render.line(f"{title}:")
        chosen = [each for each in mechanisms if each["certified"] is certified]
        width = max(len(str(each["name"])) for each in mechanisms)
        for each in chosen:
            render.line(f"  {str(each['name']).ljust(width)}  {each['does']}")


def _does(setup: Setup) -> str:
    return _PLAINLY[setup.name] if isinstance(setup, Opened) else first_line(type(setup))
