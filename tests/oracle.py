"""A plain interpreter of conditions: the written semantics, naively, sharing no code with what it checks.

It reads the structure of conditions (their public fields) and follows the text of the decision: a missing
attribute, NaN, a value of another family or a raising accessor makes a comparison unknown; Kleene logic above.
"""

import datetime as dt
import math
import types
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from rostra import accessors as acc
from rostra import conditions as con

UTC = dt.UTC


def plain(value):
    """(kind, comparable) of a value; kind None for missing, "other" for what has no family."""
    if value is None:
        return None, None
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, bool):
        return "bool", bool(value)
    if (isinstance(value, float) and math.isnan(value)) or (isinstance(value, Decimal) and value.is_nan()):
        return "nan", value
    if isinstance(value, float) and math.isinf(value):
        return "number", (1 if value > 0 else -1, Fraction(0))
    if isinstance(value, Decimal) and value.is_infinite():
        return "number", (1 if value > 0 else -1, Fraction(0))
    if isinstance(value, int | float | Decimal):
        return "number", (0, Fraction(value))
    if isinstance(value, str):
        return "text", [ord(c) for c in value]
    if isinstance(value, bytes | bytearray):
        return "bytes", list(value)
    if isinstance(value, dt.datetime):
        return "time", value.replace(tzinfo=UTC) if value.tzinfo is None else value
    if isinstance(value, dt.date):
        return "time", dt.datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, dt.timedelta):
        return "duration", value
    return "other", value


def get(accessor, message):
    match accessor:
        case acc.Message():
            return message
        case acc.Constant(value=value) | acc.Literal(value=value):
            return value
        case acc.Attribute(of=of, name=name):
            return attribute(get(of, message), name)
        case acc.Item(of=of, index=index):
            target = get(of, message)
            if isinstance(target, Mapping):
                return looked_up(target, index)
            try:
                return target[index] if isinstance(target, Sequence) else None
            except Exception:
                return None
        case acc.Invoke(of=of, method=method, arguments=arguments):
            target, values = get(of, message), [get(a, message) for a in arguments]
            needed = [v for a, v in zip(arguments, values, strict=True) if not isinstance(a, acc.Literal)]
            if target is None or None in needed:
                return None
            return invoked(target, method, values)
        case acc.Arithmetic(left=left, operator=operator, right=right):
            return calculated(get(left, message), operator, get(right, message))
    raise AssertionError(accessor)


def looked_up(mapping, name):
    try:
        return dict(mapping.items()).get(name)
    except Exception:
        return None


def attribute(target, name):
    if isinstance(target, Mapping):
        return looked_up(target, name)
    if name.startswith("_"):
        return None
    try:
        value = getattr(target, name)
    except Exception:
        return None
    routines = types.MethodType | types.FunctionType | types.BuiltinFunctionType | types.MethodWrapperType
    return None if isinstance(value, routines) else value


def invoked(target, method, values):
    try:
        if not isinstance(method, str):
            return method(target, *values)
        if isinstance(target, Mapping) and not values:
            return looked_up(target, method)
        if method in acc.SCALAR_METHODS:
            while isinstance(target, Enum):
                target = target.value
            if plain(target)[0] in ("other", "nan"):
                return None
        found = getattr(target, method)
        return found(*values) if callable(found) else None if values else found
    except Exception:
        return None


def calculated(left, operator, right):
    kinds = plain(left)[0], plain(right)[0]
    if None in kinds:
        return None
    if kinds != ("number", "number"):
        nan = any(isinstance(v, float | Decimal) and v != v for v in (left, right))
        return math.nan if nan else None
    left, right = (v.value if isinstance(v, Enum) else v for v in (left, right))
    if isinstance(left, float) or isinstance(right, float):
        left, right = (float(v) if isinstance(v, Decimal) else v for v in (left, right))
    try:
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                return left / right
    except ArithmeticError:
        return None


def compared(symbol, left, right):
    (left_kind, a), (right_kind, b) = plain(left), plain(right)
    if left_kind in (None, "nan") or left_kind != right_kind:
        return None
    if left_kind == "other":
        if symbol not in ("==", "!="):
            return None
        if type(a) in (list, tuple) and type(b) in (list, tuple):
            pairs = list(zip(a, b, strict=False))
            equal = len(a) == len(b) and all(x is y is None or compared("==", x, y) is True for x, y in pairs)
        elif type(a) is type(b):
            equal = a == b
        else:
            return None
        return equal is (symbol == "==")
    return {
        "==": a == b,
        "!=": a != b,
        "<": a < b,
        "<=": a <= b,
        ">": a > b,
        ">=": a >= b,
    }[symbol]


def like(pattern, text):
    """Dynamic programming over a pattern of segments, the textbook way."""
    flat = []
    for i, segment in enumerate(pattern):
        flat += (["%"] if i else []) + [("_",) if c is None else (c, "") for c in segment]
    row = [True] + [False] * len(text)
    for item in flat:
        if item == "%":
            for i in range(len(text)):
                row[i + 1] = row[i + 1] or row[i]
        else:
            row = [False, *(row[i] and (item == ("_",) or item[0] == text[i]) for i in range(len(text)))]
    return row[-1]


def decide(condition, message):
    match condition:
        case con.Always():
            return True
        case con.Never():
            return False
        case con.Not(condition=part):
            return {True: False, False: True, None: None}[decide(part, message)]
        case con.IsTrue(condition=part):
            return decide(part, message) is True
        case con.And():
            answers = [decide(part, message) for part in condition.parts()]
            return False if False in answers else None if None in answers else True
        case con.Or():
            answers = [decide(part, message) for part in condition.parts()]
            return True if True in answers else None if None in answers else False
        case con.OneOf(of=of, members=members):
            answers = [compared("==", get(of, message), value) for _, value in members]
            return True if True in answers else None if None in answers else False
        case con.Exists(of=of):
            return get(of, message) is not None
        case con.InstanceOf(of=of, name=name):
            names = [f"{c.__module__}.{c.__qualname__}" for c in type(get(of, message)).__mro__]
            return get(of, message) is not None and name in names
        case con.Opaque(code=code):
            try:
                return bool(code(message))
            except Exception:
                return None
    if hasattr(condition, "symbol"):
        return compared(condition.symbol, get(condition.left, message), get(condition.right, message))
    return decide_text(condition, get(condition.of, message))


def decide_text(test, value):
    kind, comparable = plain(value)
    match test:
        case con.Contains(item=item):
            if kind == "other" and isinstance(comparable, list | tuple | set | frozenset):
                return any(compared("==", member, item.value) is True for member in comparable)
            wanted, part = plain(item.value)
            if kind != wanted or kind not in ("text", "bytes"):
                return None
            spans = range(len(comparable) - len(part) + 1)
            return any(comparable[i : i + len(part)] == part for i in spans)
        case con.Like(pattern=pattern):
            return like(pattern, "".join(map(chr, comparable))) if kind == "text" else None
    wanted, part = plain(test.text.value)
    if kind != wanted:
        return None
    size = len(part)
    if isinstance(test, con.Prefix):
        return comparable[:size] == part
    return comparable[len(comparable) - size :] == part if len(comparable) >= size else False
