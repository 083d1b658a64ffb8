"""Every limit and default of Rostra, in one place, with the reason for its size."""

from __future__ import annotations

from typing import Final

CONDITION_BYTES: Final = 4 * 1024
"""Longest condition accepted as JSON. A filter a person writes is under 500 bytes; sets of names need room."""

CONDITION_PREDICATES: Final = 64
"""Most tests one condition from elsewhere may hold: it runs for every event, at somebody else's expense."""

NESTING: Final = 32
"""Deepest nesting of a condition, an accessor or an event body. Deeper ones are mistakes or attacks."""

CONJUNCTIONS: Final = 64
"""Most conjunctions a normal form may have. Beyond it a condition stays a tree: slower, never blown up."""

CUTS: Final = 2_000
"""Most pieces `covers` may cut a condition into before it answers "cannot tell" (that is, no)."""

NORMAL_FORMS: Final = 10_000
"""Normal forms kept for comparing conditions with each other: routing compares the same ones again and again."""

PATTERN_STATES: Final = 512
"""Most states visited when two LIKE patterns are compared before the answer is "cannot tell"."""

ATTRIBUTES: Final = 10_000
"""Most attributes the notification view of one event may have."""

COMPILED_CLASSES: Final = 256
"""Event classes for which one compiled condition keeps generated code; later ones reuse the slots."""

GROUP_CHUNK: Final = 256
"""Conditions compiled into one generated function: larger ones gain nothing and compile more slowly."""

TOPIC_BYTES: Final = 1024
"""Longest topic or topic pattern, as UTF-8. It travels with every notification; file systems stop at 4096."""

TOPIC_LEVELS: Final = 64
"""Deepest topic. Comparing two patterns costs levels times levels, so this also bounds that."""

TYPE_TOPIC_BYTES: Final = 4 * 1024
"""Longest type written as a topic. A diamond of classes doubles the text at every level: this stops it."""

CONFORMANCE_ANSWERS: Final = 65_536
"""Answers of `conforms` kept: 256 event classes times 256 subscribed types, about 13 MiB when full."""

REGISTERED_CLASSES: Final = 65_536
"""Classes this process may register by name. A program that makes more makes them by mistake."""
