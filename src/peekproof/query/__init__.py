"""Questions: text to a typed, canonical tree with a digest. Sees the schema, never a row."""

from peekproof.query.question import Question, from_json, parse_question
from peekproof.query.schema import Kind, Schema

__all__ = ["Kind", "Question", "Schema", "from_json", "parse_question"]
