"""What somebody's typed program looks like: a strict type checker must know every type in it."""

import holdfast


def share_of_the_old(file: str) -> float:
    with holdfast.open(file, questions=100) as data:
        answer: holdfast.Answer = data.ask("age > 50")
    return answer.value


def scored(features: object, labels: object, model: object) -> float:
    return holdfast.Holdout(features, labels).score(model).low


def radius(rows: int) -> float:
    target = holdfast.Target.of(confidence=0.95, questions=100)
    plan: holdfast.Plan = holdfast.plan(rows=rows, target=target)
    return plan.radius
