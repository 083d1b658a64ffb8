"""What the arrays of the index mean: shared by the code that fills them and the two that read them."""

from __future__ import annotations

from typing import Final

BUCKETS: Final = 64
"""Parts into which the values of a slot are divided for bitsets; one more stands for a missing value."""

ROWS: Final = BUCKETS + 1
WORDS: Final = 64
"""Words of 64 bits in a block; each bit is an entry."""

BLOCK: Final = WORDS * 64
BLOCK_SLOTS: Final = 64
"""Slots for which a block has bitsets; predicates on further ones are only verified."""

CHUNK: Final = 7
"""Entries in a link of a hash chain; with their hashes they fill a line of cache."""

LEVELS: Final = 24
"""Levels of cells for narrow ranges; a cell of level n is a part in 2**n of a slot's values."""

STRICT_LOW: Final = 1
STRICT_HIGH: Final = 2
NEGATED: Final = 4
"""What lies inside does not pass."""

MISSING_PASSES: Final = 8
SET: Final = 16
"""The numbers are not bounds but the place and the length of a sorted list of members."""

MIX: Final = -7046029254386353131
MIX_SLOT: Final = -4417276706812531889


def hash_of(slot: int, level: int, bits: int) -> int:
    """Return the hash of a value of a slot (level 0), or of a cell (one more than its level), as 64-bit code has it."""
    h = _signed(bits * MIX + (slot * 64 + level) * MIX_SLOT)
    h = _signed((h ^ (h >> 29)) * MIX)
    return (h ^ (h >> 32)) & 0x7FFFFFFF


def _signed(number: int) -> int:
    return (number + 2**63) % 2**64 - 2**63
