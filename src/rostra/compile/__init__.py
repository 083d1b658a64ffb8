"""Conditions as generated Python: one as a filter, many as a group that shares what they have in common."""

from rostra.compile.group import compile_group
from rostra.compile.static import compile_condition

__all__ = ["compile_condition", "compile_group"]
