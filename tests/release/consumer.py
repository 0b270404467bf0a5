"""What somebody's typed program looks like: a strict type checker must know every type in it."""

import peekproof


def share_of_the_old(file: str) -> float:
    with peekproof.open(file, questions=100) as data:
        answer: peekproof.Answer | peekproof.ConditionalAnswer = data.ask("age > 50")
    return answer.value


def scored(features: object, labels: object, model: object) -> float:
    return peekproof.Holdout(features, labels).score(model).low


def radius(rows: int) -> float:
    target = peekproof.Target.of(confidence=0.95, questions=100)
    plan: peekproof.Plan = peekproof.plan(rows=rows, target=target)
    return plan.radius
