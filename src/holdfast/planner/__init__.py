"""What can be promised, before anything is spent."""

from holdfast.planner.inverse import questions_affordable, rows_needed
from holdfast.planner.plan import Plan, plan
from holdfast.planner.useful import useful_plan

__all__ = ["Plan", "plan", "questions_affordable", "rows_needed", "useful_plan"]
