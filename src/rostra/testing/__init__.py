"""Testing as a product: what Rostra's own tests are made of, for those who build on it."""

from rostra.testing.collections import COLLECTION_CHECKS, Event, World, check_collection

__all__ = ["COLLECTION_CHECKS", "Event", "World", "check_collection"]
