"""Matching: an index of many conditions."""

from rostra.matching.index import Index

__all__ = ["Index"]
