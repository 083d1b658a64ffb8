"""What the arrays of the index mean: shared by the code that fills them and the two that read them."""

from __future__ import annotations

from typing import Final

import numpy as np

BUCKETS: Final = 64
"""Parts into which the values of a slot are divided for bitsets; one more stands for a missing value."""

ROWS: Final = BUCKETS + 1
LINE: Final = 512
"""Entries that are put into bitsets together: their bits fill a line of cache."""

LINES: Final = 8
"""Lines in a block."""

WORDS: Final = LINE * LINES // 64
BLOCK: Final = LINE * LINES
BLOCK_SLOTS: Final = 32
"""Slots for which a block has bitsets; predicates on further ones are only verified."""

LEVELS: Final = 24
"""Levels of cells for narrow ranges; a cell of level n is a part in 2**n of a slot's values."""

LEVEL_BITS: Final = 5

ALWAYS: Final = 0
"""The slot that is 0 for every event."""

UP: Final = 1
"""The lower bound is one that the larger of the two floats next to a number has to reach, not the smaller."""

DOWN: Final = 2
"""The upper bound is one that the smaller of the two floats must not exceed."""

NEGATED: Final = 4
"""What lies inside does not pass."""

MISSING_PASSES: Final = 8
SET: Final = 16
"""The numbers are not bounds but the place and the length of a sorted list of members."""

MORE: Final = ~(UP | DOWN)
"""The bits of a kind that make a predicate more than bounds, if the numbers of the event are what floats can hold."""

MIX: Final = -7046029254386353131
MIX_KEY: Final = -4417276706812531889

PREDICATE: Final = np.dtype([("slot", "<i4"), ("kind", "<i4"), ("low", "<f8"), ("high", "<f8")])
ITEM: Final = np.dtype([("slot", "<i4"), ("entry", "<i4"), ("low", "<f8"), ("high", "<f8")])
"""An entry in a chain with one of its predicates, so that most candidates are settled where they are found."""

CHAIN: Final = np.dtype(
    [("bits", "<i8"), ("of", "<i4"), ("start", "<i4"), ("count", "<i4"), ("room", "<i4"), ("hits", "<i8")]
)
"""A row of the table of chains: the key (`of` is 0 where there is none), where the items are, how often looked up."""


def key_of(slot: int, level: int) -> int:
    """Return the second half of the key of a chain: of equalities with level 0, of cells one more than theirs."""
    return ((slot << LEVEL_BITS) | level) + 1


def hash_of(of: int, bits: int) -> int:
    """Return the hash of a key as 64-bit code has it."""
    h = _signed(bits * MIX + of * MIX_KEY)
    h = _signed((h ^ (h >> 29)) * MIX)
    return (h ^ (h >> 32)) & 0x7FFFFFFF


def _signed(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63
