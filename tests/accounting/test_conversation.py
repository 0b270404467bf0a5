"""Conversations are multisets of one neighbouring relation."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.accounting.events import (
    Conversation,
    Event,
    Gaussian,
    Neighbours,
    Pure,
    SampledGaussian,
)
from peekproof.core.errors import InvalidInput

A, B = Pure(epsilon=Fraction(1)), Gaussian(sigma=Fraction(2))
SAMPLED = SampledGaussian(sigma=Fraction(1), rate=Fraction(1, 10))
asked = st.lists(st.sampled_from([A, B]))


@given(asked, asked)
def test_order_and_batches_cannot_matter(first: list[Event], second: list[Event]) -> None:
    together = Conversation.of(*first, *second)
    assert together == Conversation.of(*first).then(*second)
    assert together == Conversation.of(*reversed(second)).then(*first)
    assert together.counts == {e: [*first, *second].count(e) for e in [*first, *second]}
    assert len(together) == len(first) + len(second)


@given(asked.filter(len), st.integers(1, 5))
def test_repeating_is_asking_again(events: list[Event], times: int) -> None:
    assert Conversation.of(*events).repeated(times) == Conversation.of(*events * times)


def test_pairs_count() -> None:
    assert Conversation.of((A, 3), B, (A, 2)).counts == {A: 5, B: 1}


def test_nothing_can_be_changed_afterwards() -> None:
    counts: dict[Event, int] = {A: 1}
    talk = Conversation(counts)
    counts[A] = 100
    assert talk.counts == {A: 1}
    with pytest.raises(TypeError):
        talk.counts[A] = 7  # type: ignore[index]
    talk.then(B)
    assert talk.counts == {A: 1}


def test_the_empty_one() -> None:
    assert len(Conversation.of()) == 0
    assert Conversation.of().neighbours is Neighbours.REPLACE_ONE
    assert Conversation.of().repeated(3) == Conversation.of()


def test_relations_never_mix() -> None:
    assert Conversation.of(SAMPLED).neighbours is Neighbours.ADD_OR_REMOVE_ONE
    with pytest.raises(InvalidInput, match=r"^events must be of one neighbouring relation"):
        Conversation.of(A, SAMPLED)
    with pytest.raises(InvalidInput, match=r"^events must be of one neighbouring relation"):
        Conversation.of(SAMPLED).then(B)


@pytest.mark.parametrize("count", [0, -1, True, 1.5, None])
def test_absurd_counts_are_refused(count: int) -> None:
    with pytest.raises(InvalidInput, match=r"^count must be"):
        Conversation.of((A, count))
    with pytest.raises(InvalidInput, match=r"^count must be"):
        Conversation({A: count})
    with pytest.raises(InvalidInput, match=r"^times must be"):
        Conversation.of(A).repeated(count)


def test_a_conversation_can_be_sent_to_another_process() -> None:
    talk = Conversation.of((A, 3), B)
    assert pickle.loads(pickle.dumps(talk)) == talk
