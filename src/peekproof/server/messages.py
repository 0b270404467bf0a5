"""What requests may say. Unknown fields are refused: a typo must not be charged for."""

from typing import Annotated, Any

from msgspec import Meta, Struct

# Text, or the JSON form of a question as nested lists.
Question = Annotated[str, Meta(max_length=100_000)] | list[Any]
Radius = Annotated[float, Meta(gt=0)]
Questions = Annotated[list[Question], Meta(min_length=1)]
# Not with an exponent: 1e999999999 is short to write and long to compute.
Share = Annotated[str, Meta(max_length=40, pattern=r"^[0-9]+([/.][0-9]+)?$")]


class Message(Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """The body of a request."""


class Ask(Message, frozen=True):
    """One question of any form. Guess and tolerance are for data whose guesses are checked.

    In place of a tolerance, `trained_on` says of how many other rows the guess is the mean.
    """

    question: Question
    radius: Radius | None = None
    loss: Radius | None = None
    guess: float | None = None
    tolerance: Radius | None = None
    trained_on: Annotated[int, Meta(ge=1)] | None = None


class Batch(Message, frozen=True):
    """Questions of any form, charged together or not at all.

    They have one `radius`, or each its own by `radii`, where null is the planned one. A question
    within a group is then sent as the two that are drawn for it.
    """

    questions: Questions
    radius: Radius | None = None
    radii: list[Radius | None] | None = None


class Histogram(Message, frozen=True):
    """A histogram, or shares or means by cells."""

    question: Question
    radius: Radius | None = None


class Best(Message, frozen=True):
    """Candidates, of which the one with the largest share or mean is sought."""

    candidates: Annotated[list[Question], Meta(min_length=2)]
    loss: Radius | None = None


# A label, or a number, or several of them: what is predicted for a row.
Predicted = float | bool | Annotated[str, Meta(max_length=1000)] | list[float]
Id = float | Annotated[str, Meta(max_length=1000)]


class Arranged(Message, frozen=True):
    """Predictions as `values`, or as `doubles`: base64 of little-endian numbers of 8 bytes.

    `columns` of the numbers belong to each row. With `ids` they are in the order of these, where
    the holdout has ids; else in the order of rows.
    """

    values: list[Predicted] | None = None
    doubles: bytes | None = None
    columns: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    ids: list[Id] | None = None


Predictions = list[Predicted] | Arranged


class Score(Message, frozen=True):
    """Predictions for all rows of a holdout, and what they are expected to score.

    The guess is in the units of the metric; a metric of labels alone takes no predictions, and
    `against` is for metrics of two. In place of a tolerance, `trained_on` says of how many other
    rows the guess is the mean. With `where`, rows for which it does not hold count 0. Metrics
    named `concordant` and `anticoncordant`, the parts of an AUC, are shares of all pairs of rows.
    """

    guess: float
    predictions: Predictions | None = None
    metric: Annotated[str, Meta(max_length=200)] | None = None
    tolerance: Radius | None = None
    trained_on: Annotated[int, Meta(ge=1, le=10**15)] | None = None
    where: Annotated[str, Meta(max_length=100_000)] = ""
    against: Predictions | None = None


class BestScore(Message, frozen=True):
    """Predictions of several models for all rows of a holdout: who scores best is told.

    A metric that is better when it is lower is asked for as what it leaves: `rest_of_brier`.
    """

    candidates: Annotated[list[Predictions], Meta(min_length=2)]
    metric: Annotated[str, Meta(max_length=200)] | None = None


class PriceOf(Message, frozen=True):
    """Questions to be priced together, or candidates to choose from; nothing is charged."""

    questions: list[Question] = []
    candidates: list[Question] = []
    radius: Radius | None = None
    loss: Radius | None = None
    guess: float | None = None
    tolerance: Radius | None = None


class Visit(Message, frozen=True):
    """A token, shown once for a cookie."""

    token: Annotated[str, Meta(max_length=200)]


class Shares(Message, frozen=True):
    """Parts of the budget by analyst, as "1/4"; they replace those of before."""

    shares: dict[Annotated[str, Meta(max_length=100)], Share]


class NewToken(Message, frozen=True):
    """A token to be made: for whom, what for, which data sets, and for how many days."""

    analyst: Annotated[str, Meta(min_length=1, max_length=100)]
    scope: Annotated[str, Meta(pattern="^(analyst|custodian)$")] = "analyst"
    datasets: list[Annotated[str, Meta(max_length=100)]] = []
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None


class Attack(Message, frozen=True):
    """An attack to be run against a copy of the configuration, on made-up rows."""

    attack: Annotated[str, Meta(max_length=100)]
    seed: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 1


class Confirmation(Message, frozen=True):
    """The name of the data set once more, for what cannot be undone."""

    confirm: Annotated[str, Meta(max_length=200)]
