"""Every error Rostra raises, sorted by whose fault it is.

Catch `RostraError` for all of them. Each has a stable `code` for logs and wires, and a message that ends in
what to do about it. Errors of use are also the built-in error a Python programmer expects (`ValueError`,
`TypeError`), so ordinary code handles them without knowing this module.
"""

from __future__ import annotations

from typing import ClassVar


class RostraError(Exception):
    """The root of all errors of this library."""

    code: ClassVar[str] = "rostra"


class UsageError(RostraError):
    """The program asked for something that makes no sense; the message says what to write instead."""

    code = "usage"


class InvalidValue(UsageError, ValueError):
    """A value of the right type that cannot be used."""

    code = "usage.value"


class InvalidType(UsageError, TypeError):
    """A value of a type that cannot be used here."""

    code = "usage.type"


class NotPortable(UsageError):
    """A condition that only this process can evaluate was asked to travel."""

    code = "usage.not-portable"


class LimitExceeded(RostraError, ValueError):
    """Something is larger, deeper or more than its bound in `rostra.defaults`."""

    code = "limit"


class Malformed(RostraError, ValueError):
    """Data from elsewhere does not follow its format; nothing was done with it."""

    code = "peer.malformed"


class Forbidden(RostraError):
    """Data from elsewhere asks for something that only local code may do."""

    code = "denied"


class Closed(RostraError):
    """The bus or the collection was closed, by this program; open a new one."""

    code = "closed"
