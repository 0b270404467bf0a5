"""Exact posteriors of small universes under adaptive questions, by quadrature over the noise.

n rows, drawn independently from a prior over few records, are asked a few questions through
Gaussian noise. A path is a data set with a value of the noise for every question; the posterior
over all data sets is computed at the end of each path without approximation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# step, law of a record given the past (paths × records), prior → question (paths × records)
Control = Callable[[int, Floats, Floats], Floats]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Drifts:
    """One value a path: its probability, and how far the records' laws moved."""

    weight: Floats
    mean_angle: Floats
    root_mean_square: Floats
    variation: Floats

    def growth(self, values: Floats, *, rate: float) -> float:
        """ln E cosh(λ·value)."""
        return float(np.log(self.weight @ np.cosh(rate * values)))


def conversation(
    prior: Floats, *, rows: int, times: list[float], control: Control, nodes: int
) -> Drifts:
    """All paths of a conversation whose question j has noise σ_j = 1/(n√time_j)."""
    records = len(prior)
    data_sets = np.array(list(product(range(records), repeat=rows)))
    shares = np.stack([(data_sets == record).mean(axis=1) for record in range(records)], axis=1)
    z = np.linspace(-7.5, 7.5, nodes)
    density = np.exp(-(z**2) / 2)
    density /= density.sum()

    truth = np.arange(len(data_sets))
    weight = prior[data_sets].prod(axis=1)
    log_posterior = np.tile(np.log(weight), (len(data_sets), 1))
    for step, time in enumerate(times):
        sigma = 1 / (rows * np.sqrt(time))
        question = control(step, _normalised(log_posterior) @ shares, prior)
        means = question @ shares.T
        own = means[np.arange(len(truth)), truth]
        seen = (own[:, None] + sigma * z).ravel()
        means, log_posterior = (np.repeat(each, nodes, axis=0) for each in (means, log_posterior))
        log_posterior = log_posterior - ((seen[:, None] - means) / sigma) ** 2 / 2
        truth, weight = np.repeat(truth, nodes), (weight[:, None] * density).ravel()
    return _drifts(prior, weight, _normalised(log_posterior))


def _normalised(log_weights: Floats) -> Floats:
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def angles(prior: Floats, law: Floats) -> Floats:
    """arccos Σ√(prior·law) over axis 1, by the chord: it does not cancel near 0."""
    shape = (1, -1) + (1,) * (law.ndim - 2)
    chord = np.sqrt(((np.sqrt(law) - np.sqrt(prior).reshape(shape)) ** 2).sum(axis=1))
    return np.asarray(2 * np.arcsin(np.minimum(1, chord / 2)))


def _drifts(prior: Floats, weight: Floats, posterior: Floats) -> Drifts:
    """Questions are means, so the rows are exchangeable and the first stands for all."""
    joint = posterior.reshape(len(weight), len(prior), -1)  # paths × first record × the others
    others = joint.sum(axis=1)
    law = joint / np.maximum(others, 1e-300)[:, None, :]
    angle = angles(prior, law)
    variation = np.abs(law - prior.reshape(1, -1, 1)).sum(axis=1) / 2
    return Drifts(
        weight=weight,
        mean_angle=(others * angle).sum(axis=1),
        root_mean_square=np.sqrt((others * angle**2).sum(axis=1)),
        variation=(others * variation).sum(axis=1),
    )


def constant(step: int, law: Floats, prior: Floats) -> Floats:
    """Is it the first record?"""
    question = np.zeros_like(law)
    question[:, 0] = 1
    return question


def alternating(step: int, law: Floats, prior: Floats) -> Floats:
    """Is it the first, is it the second, …"""
    question = np.zeros_like(law)
    question[:, step % len(prior)] = 1
    return question


def correlating(step: int, law: Floats, prior: Floats) -> Floats:
    """Screen the records one by one, then ask for those that seem over-represented."""
    return alternating(step, law, prior) if step < 2 else (law > prior).astype(float)


def fractional(step: int, law: Floats, prior: Floats) -> Floats:
    """Is it the first? Then questions with values between 0 and 1 that lean with the evidence."""
    if step == 0:
        return constant(step, law, prior)
    return np.asarray(1 / (1 + (prior / np.maximum(law, 1e-300)) ** 8))


def steepest(step: int, law: Floats, prior: Floats) -> Floats:
    """The subset of records that makes cosh(2A) grow fastest now."""
    rate = 2.0
    angle = np.maximum(angles(prior, law), 1e-6)
    tilted = np.sqrt(law * prior)
    tilted /= tilted.sum(axis=1, keepdims=True)
    best, chosen = np.full(len(law), -np.inf), np.zeros_like(law)
    for size in range(1, len(prior)):
        for members in combinations(range(len(prior)), size):
            question = np.zeros(len(prior))
            question[list(members)] = 1
            mean = tilted @ question
            shift = mean - law @ question
            cot = 1 / np.tan(angle)
            spread = mean * (1 - mean) + shift**2 * (1 - cot**2)
            speed = rate * np.sinh(rate * angle) * cot * spread / 8
            speed += rate**2 * np.cosh(rate * angle) * (shift * cot) ** 2 / 8
            better = speed > best + 1e-12
            best[better], chosen[better] = speed[better], question
    return chosen
