"""Every limit and default of Rostra, in one place, with the reason for its size."""

from __future__ import annotations

from typing import Final

CONDITION_BYTES: Final = 4 * 1024
"""Longest condition accepted as JSON. A filter a person writes is under 500 bytes; sets of names need room."""

CONDITION_PREDICATES: Final = 64
"""Most tests one condition from elsewhere may hold: it runs for every event, at somebody else's expense."""

NESTING: Final = 32
"""Deepest nesting of a condition, an accessor or an event body. Deeper ones are mistakes or attacks."""

LOCAL_NESTING: Final = 100
"""Deepest nesting of a condition built in this process; well within what Python's own recursion allows."""

CONSTANT_BITS: Final = 4_096
"""Largest whole number in a condition: Python refuses to print numbers of more than some 14,000 bits."""

CONDITION_CALLS: Final = 32
"""Most method calls in one condition from elsewhere: each may hold a copy of a text while the event is looked at."""

CALCULATED_BITS: Final = 65_536
"""Largest whole number that conditions calculate with; beyond it the result is missing."""

ELEMENTS_COMPARED: Final = 100_000
"""Elements looked at when two lists are compared before the answer is unknown; nested ones can be endless."""

CONJUNCTIONS: Final = 64
"""Most conjunctions a normal form may have. Beyond it a condition stays a tree: slower, never blown up."""

COMPARISON_WORK: Final = 200_000
"""Work that comparing two conditions may take, in steps of some microseconds, before it is "cannot tell"."""

NORMAL_FORMS: Final = 10_000
"""Normal forms kept for comparing conditions with each other: routing compares the same ones again and again."""

PATTERN_WORK: Final = 10_000
"""Places visited when two LIKE patterns are compared before the answer is "cannot tell": a few milliseconds."""

PATTERN_COST: Final = 1_000
"""What comparing two LIKE patterns counts for in `COMPARISON_WORK`."""

PATTERN_ANSWERS: Final = 4_096
"""Comparisons of LIKE patterns that are remembered."""

ATTRIBUTES: Final = 10_000
"""Most attributes the notification view of one event may have."""

WEIGHED_CLASSES: Final = 4_096
"""Classes of values that are remembered with their family; a program that makes classes without end must not
fill memory with them."""

COMPILED_CLASSES: Final = 256
"""Event classes for which one compiled condition keeps generated code; later ones reuse the slots."""

COMPILED_DEPTH: Final = 40
"""Nesting beyond which a part of a condition is interpreted, not compiled: Python's own parser has a limit."""

GROUP_CONJUNCTIONS: Final = 16
"""Conjunctions one condition may take up in a compiled group; one with more is a single expression there."""

GROUP_MEMBERS: Final = 64
"""Largest set that a conjunction in a compiled group is filed under, once for each member."""

GROUP_NESTING: Final = 12
"""Deepest nesting of shared tests in a compiled group; Python's tokenizer stops at a hundred levels."""

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
