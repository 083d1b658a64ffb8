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

DUPLICATES: Final = 10_000
"""Publications that the sets of one topic (or class) remember, to refuse them when they come again."""

DUPLICATE_CHANNELS: Final = 1_000
"""Topics and classes for which duplicates are remembered; beyond that the oldest are forgotten."""

HISTORY: Final = 1_000
"""Messages that a collection remembers having seen, for `message in collection`."""

QUEUE_MESSAGES: Final = 1_000
"""Messages that wait for one subscriber, or to be pulled from one collection, before its policy applies."""

QUEUE_BYTES: Final = 8 * 1024 * 1024
"""Bytes that wait for one subscriber. In one process only text and bytes are weighed: other objects are shared."""

OUTBOX_MESSAGES: Final = 10_000
"""Accepted messages that wait for their turn: in order behind others, or until the present callback returns."""

OUTBOX_SECONDS: Final = 5.0
"""How long `add` on a strong collection waits for room before it returns False."""

PRIORITY: Final = 4
"""Priority of a message that says none; 0 is the lowest, 9 the highest, as in JMS."""

TTL: Final = 10**9
"""Longest time to live of a message, in seconds: some thirty years."""

HEADERS: Final = 256
"""Most headers, extensions or subject words of one notification."""

HEADER_BYTES: Final = 64 * 1024
"""Longest text in an envelope: an id, a name, a header value."""

COMPILE_AFTER: Final = 8
"""Messages for which new subscriptions on a route are interpreted before code is generated for all of them:
generating costs as much as interpreting that often, and subscriptions that change all the time never pay it."""

COMPILED_AT_ONCE: Final = 64
"""Most conditions of a route that are compiled while a message waits; more are put into an index."""

COMPILED_ASIDE: Final = 2048
"""Most conditions of a route that are compiled at all: beyond it the index is faster than the function."""

COMPILED_ASIDE_AFTER: Final = 512
"""Messages that the index serves before compiling begins beside the traffic."""

WORKERS: Final = 256
"""Most threads of one bus that run callbacks. They are started when needed: this many are in use only if so many
subscribers hang, and then the next one waits."""

POOL: Final = 16
"""Most callbacks of one subscriber that run at once."""

TURNS: Final = 1_024
"""Threads that a bus remembers before it forgets those that are not delivering."""

WORKER_IDLE_SECONDS: Final = 5.0
"""How long a thread waits for work before it ends."""

FAIR_SHARE: Final = 64
"""Messages for one subscriber, or from others, that a thread delivers before it lets others have a turn."""

SUBSCRIPTIONS: Final = 1_000_000
"""Most subscriptions on one bus. A program that makes more has forgotten to close them."""

CLOSE_SECONDS: Final = 5.0
"""How long closing a bus waits for messages that are under way."""

SUPPLIED: Final = 1_000
"""Messages taken from one supplier in a row before the others are asked."""

SUPPLY_SECONDS: Final = 1.0
"""How often suppliers are asked when nobody pulls."""
