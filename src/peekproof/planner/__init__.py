"""What can be promised, before anything is spent."""

from peekproof.planner.inverse import questions_affordable, rows_needed
from peekproof.planner.plan import Plan, plan
from peekproof.planner.useful import useful_plan

__all__ = ["Plan", "plan", "questions_affordable", "rows_needed", "useful_plan"]
