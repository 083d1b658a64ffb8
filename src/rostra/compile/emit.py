"""Generating Python for conditions: the part that single filters and groups share.

Three-valued logic costs nothing at run time: a condition is asked one of four questions (`rostra.model.normal`),
negation is pushed down to the tests, and every test becomes an expression that is plainly true or false. The
trick is in the operands. Each accessor is evaluated once, into a variable, and from it a variable for each
family it is compared in: `n` is the value if it is a number and NaN if not, which is neither less, equal nor
greater than any constant; for the other families it is the value or None.

Nothing of a condition is ever pasted into source text. The text is made of names from the counters in here;
attribute names and constants are put into the parsed tree by `assemble`, as objects.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from inspect import CO_COROUTINE
from types import FunctionType, NoneType
from typing import Any, Final

from rostra.defaults import COMPILED_DEPTH
from rostra.model import like, types
from rostra.model.accessor import Accessor, Arithmetic, Attribute, Constant, Invoke, Item, Literal, Message
from rostra.model.comparison import NEGATED, Comparison, Equals, NotEquals, OneOf
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Or, ValueTest
from rostra.model.normal import OF_IS_TRUE, OF_NEGATION, Ask
from rostra.model.presence import Exists, InstanceOf
from rostra.model.reach import (
    NOT_DATA,
    OPERATIONS,
    SCALAR_METHODS,
    call,
    element,
    hidden_data,
    is_mapping,
    read,
    read_value,
    settled,
)
from rostra.model.text import Contains, Like, Prefix, Suffix
from rostra.model.values import Family, number, plain_of

_INLINE: Final = (int, float, str, bytes, bool)
_EXACT_TYPES: Final = {
    Family.TEXT: "str",
    Family.BOOL: "bool",
    Family.BYTES: "bytes",
    Family.DURATION: "timedelta",
}


class Emitter:
    """Collects the names, constants and variables of one generated module.

    `event_type` is the exact class of the messages that the code will see, `conditions` is all that will be asked:
    what costs more than a comparison and is asked more than once is remembered, in a dictionary for each message.
    """

    message: Final = "o"
    topic: Final = "topic"
    memo: Final = "memo"

    def __init__(self, event_type: type, conditions: Iterable[Condition]) -> None:
        asked = Counter(test for condition in conditions for test in condition.tests() if _is_costly(test))
        self._repeated = {test for test, times in asked.items() if times > 1}
        self.globals: dict[str, Any] = {"timedelta": timedelta}
        self.attributes: dict[str, str] = {}
        self.constants: dict[str, Any] = {}
        self._event_type = event_type
        self._names: dict[Any, str] = {}
        self._variables: dict[Any, str] = {}
        self._statements: dict[str, list[str]] = {}
        self._needs: dict[str, list[str]] = {}

    @property
    def remembers(self) -> bool:
        """Whether the generated code needs a dictionary for each message."""
        return bool(self._repeated)

    def bind(self, prefix: str, value: Any) -> str:
        """Return the name by which generated code reaches an object."""
        key = (prefix, id(value))
        if key not in self._names:
            self._names[key] = name = f"{prefix}{len(self._names)}"
            self.globals[name] = value
        return self._names[key]

    def constant(self, value: Any) -> str:
        """Return the name of a constant; scalars end up in the code itself."""
        if type(value) not in _INLINE:
            return self.bind("c", value)
        key = ("k", type(value), repr(value))
        if key not in self._names:
            self._names[key] = name = f"k{len(self._names)}"
            self.constants[name] = value
        return self._names[key]

    def _attribute(self, name: str) -> str:
        key = ("a", name)
        if key not in self._names:
            self._names[key] = placeholder = f"a{len(self._names)}"
            self.attributes[placeholder] = name
        return self._names[key]

    def is_local(self, name: str) -> bool:
        """Say whether a name is a variable that `loads` fills, not the message or a constant."""
        return name in self._statements

    def loads(self, variables: list[str], done: set[str]) -> list[str]:
        """Return the statements that fill variables, and those they need, leaving out the ones in `done`."""
        lines: list[str] = []
        for variable in variables:
            if variable not in done and self.is_local(variable):
                lines += self.loads(self._needs[variable], done)
                lines += self._statements[variable]
                done.add(variable)
        return lines

    def _variable(self, key: Any, prefix: str, needs: list[str], statements: Callable[[str], list[str]]) -> str:
        if key not in self._variables:
            self._variables[key] = variable = f"{prefix}{len(self._variables)}"
            self._statements[variable] = statements(variable)
            self._needs[variable] = needs
        return self._variables[key]

    def value(self, accessor: Accessor) -> str:
        """Return the variable that holds what an accessor yields, None if missing."""
        raw = self._raw(accessor)
        if self._fast(accessor) is None or self._event_type is dict:
            return raw
        settle = read_value if isinstance(accessor, Attribute) else settled
        expression = f"{self.bind('f', settle)}({raw})"
        return self._variable((accessor, "settled"), "v", [raw], lambda v: [f"{v} = {expression}"])

    def _raw(self, accessor: Accessor) -> str:
        """Return a variable like `value`, but one that may hold a method or coroutine: of no family either way."""
        if isinstance(accessor, Message):
            return self.message
        if isinstance(accessor, Constant | Literal):
            return self.bind("c", accessor.value)
        fast = self._fast(accessor)
        if fast is not None:
            return self._variable(accessor, "v", [], lambda v: _guarded(v, *fast))
        expression, needs = self._general(accessor)
        return self._variable(accessor, "v", needs, lambda v: [f"{v} = {expression}"])

    def _fast(self, accessor: Accessor) -> tuple[str, str] | None:
        """Return plain Python for a step on the message itself, and what it is worth if that raises.

        None if there is no plain Python that means the same for messages of this class.
        """
        cls = self._event_type
        match accessor:
            case Attribute(of=Message(), name=name) if cls is dict:
                return f"{self.message}.get({self.constant(name)})", "None"
            case Attribute(of=Message(), name=name) if _has_attributes(cls) and not name.startswith("_"):
                return f"{self.message}.{self._attribute(name)}", "None"
            case Invoke(of=Message(), method=str(name), arguments=arguments) if _is_method(cls, name):
                if all(isinstance(argument, Literal) for argument in arguments):
                    values = ", ".join(map(self._raw, arguments))
                    hidden = f"{self.bind('f', hidden_data)}({self.message}, {self.constant(name)})"
                    return f"{self.message}.{self._attribute(name)}({values})", "None" if values else hidden
        return None

    def _general(self, accessor: Accessor) -> tuple[str, list[str]]:
        match accessor:
            case Attribute(of=of, name=name):
                base = self.value(of)
                return f"{self.bind('f', read)}({base}, {self.constant(name)})", [base]
            case Item(of=of, index=index):
                base = self.value(of)
                return f"{self.bind('f', element)}({base}, {self.constant(index)})", [base]
            case Invoke(of=of, method=method, arguments=arguments):
                values = [self.value(of), *map(self.value, arguments)]
                needed = [values[0], *(self.value(a) for a in arguments if not isinstance(a, Literal))]
                present = " or ".join(f"{value} is None" for value in needed)
                called = f"{self.bind('f', call)}({values[0]}, {self.constant(method)}, [{', '.join(values[1:])}])"
                return f"None if {present} else {called}", values
            case Arithmetic(left=left, operator=operator, right=right):
                values = [self.value(left), self.value(right)]
                return f"{self.bind('f', OPERATIONS[operator])}({', '.join(values)})", values
        bound = self.bind("f", accessor.get)
        return f"{bound}({self.message}, {self.topic})", []

    def operand(self, accessor: Accessor, family: Family) -> str:
        """Return the variable that holds the value within a family: NaN for no number, else None for none."""
        value = self._raw(accessor)
        if family is Family.NUMBER:
            convert = f"{self.bind('f', number)}({value})"
            exact = f"type({value}) is int or type({value}) is float"
        else:
            convert = f"{self.bind('f', plain_of)}({self.bind('c', family)}, {value})"
            exact = f"type({value}) is {_EXACT_TYPES[family]}" if family in _EXACT_TYPES else ""
        expression = f"{value} if {exact} else {convert}" if exact else convert
        return self._variable((accessor, family), "n", [value], lambda n: [f"{n} = {expression}"])

    def expression(self, condition: Condition, ask: Ask = Ask.TRUE, depth: int = 0) -> tuple[str, list[str]]:
        """Return an expression that is true exactly if the answer to the question is yes, and its variables."""
        if depth > COMPILED_DEPTH:
            return self._as_it_is(condition, ask)
        match condition:
            case Always() | Never():
                return str(isinstance(condition, Always) is (ask in (Ask.TRUE, Ask.NOT_FALSE))), []
            case Not(condition=part):
                return self.expression(part, OF_NEGATION[ask], depth)
            case IsTrue(condition=part):
                return self.expression(part, OF_IS_TRUE[ask], depth)
            case And() | Or():
                together = isinstance(condition, And) is (ask in (Ask.TRUE, Ask.NOT_FALSE))
                parts = [self.expression(part, ask, depth + 1) for part in condition.parts()]
                joined = (" and " if together else " or ").join(f"({text})" for text, _ in parts)
                return joined, [variable for _, variables in parts for variable in variables]
        if ask in (Ask.NOT_TRUE, Ask.NOT_FALSE):
            text, variables = self.expression(condition, _POSITIVE[ask], depth)
            return f"not ({text})", variables
        return self._test(condition, ask)

    def _as_it_is(self, condition: Condition, ask: Ask) -> tuple[str, list[str]]:
        return f"{self._answer(condition, condition.decide, self.message, self.topic)} {_IS[ask]}", []

    def _answer(self, test: Condition, decide: Callable[..., Any], *arguments: str) -> str:
        """Return an expression for the answer of a test, asked once for each message however often it is used."""
        asked = ", ".join(arguments)
        if test not in self._repeated:
            return f"{self.bind('f', decide)}({asked})"
        return f"{self._bind_once(test, decide, asked)}({self.memo}, {asked})"

    def _bind_once(self, test: Condition, decide: Callable[..., Any], asked: str) -> str:
        key = ("once", test, asked)
        if key not in self._names:
            self._names[key] = name = f"f{len(self._names)}"
            self.globals[name] = _once(name, decide)
        return self._names[key]

    def _test(self, test: Condition, ask: Ask) -> tuple[str, list[str]]:
        if test.is_code:
            return self._as_it_is(test, ask)
        match test:
            case Comparison(left=left, right=Constant(family=family, value=value)) if family is not Family.OTHER:
                variable = self.operand(left, family)
                cls = type(test) if ask is Ask.TRUE else NEGATED[type(test)]
                return _compared(cls, variable, value, self.constant(value)), [variable]
            case OneOf():
                return self._member(test, ask)
            case Prefix(of=of, text=text) | Suffix(of=of, text=text):
                variable = self.operand(of, text.family)
                negation = "" if ask is Ask.TRUE else "not "
                verb = "startswith" if isinstance(test, Prefix) else "endswith"
                return (
                    f"{variable} is not None and {negation}{variable}.{verb}({self.constant(text.value)})",
                    [variable],
                )
            case Like(of=of, pattern=pattern):
                variable = self.operand(of, Family.TEXT)
                negation = "" if ask is Ask.TRUE else "not "
                matches = self._answer(test, partial(like.matches, pattern), variable)
                return f"{variable} is not None and {negation}{matches}", [variable]
            case Exists(of=of):
                variable = self.value(of)
                return f"{variable} is {'not ' if ask is Ask.TRUE else ''}None", [variable]
            case InstanceOf(of=Message(), name=name) if types.registered(name) is not None:
                return self._type_test(test, ask), []
            case ValueTest(of=of):
                variable = self.value(of)
                return f"{self._answer(test, test.decide_value, variable)} {_IS[ask]}", [variable]
        return self._as_it_is(test, ask)

    def _type_test(self, test: InstanceOf, ask: Ask) -> str:
        """Return the answer for this class of messages, good until something becomes known about types."""
        known = self._event_type is not NoneType and test.conforms(self._event_type)
        now, then = self.bind("f", types.token), self.bind("c", types.token())
        later = f"{self.bind('f', test.decide_value)}({self.message}) {_IS[ask]}"
        return f"{known is (ask is Ask.TRUE)} if {now}() == {then} else {later}"

    def _member(self, test: OneOf, ask: Ask) -> tuple[str, list[str]]:
        families: dict[Family, set[Any]] = {}
        for family, value in test.members:
            families.setdefault(family, set()).add(value)
        if ask is Ask.FALSE and len(families) > 1:
            return "False", []
        parts, variables = [], []
        for family, values in families.items():
            variable = self.operand(test.of, family)
            members = self.bind("c", frozenset(values))
            known = f"{variable} == {variable}" if family is Family.NUMBER else f"{variable} is not None"
            parts.append(f"{variable} in {members}" if ask is Ask.TRUE else f"{known} and {variable} not in {members}")
            variables.append(variable)
        return " or ".join(parts), variables


_POSITIVE: Final = {Ask.NOT_TRUE: Ask.TRUE, Ask.NOT_FALSE: Ask.FALSE}
_IS: Final = {
    Ask.TRUE: "is True",
    Ask.FALSE: "is False",
    Ask.NOT_TRUE: "is not True",
    Ask.NOT_FALSE: "is not False",
}


def _compared(cls: type[Comparison], variable: str, value: Any, constant: str) -> str:
    if cls is Equals:
        return f"{variable} == {constant}"
    test = f"{variable} {cls.symbol} {constant}"
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        return f"{variable} is not None and {test}"
    if cls is NotEquals or isinstance(value, Decimal):  # ordering NaN with a Decimal raises
        return f"{variable} == {variable} and {test}"
    return test


def _guarded(variable: str, expression: str, otherwise: str) -> list[str]:
    return ["try:", f"    {variable} = {expression}", "except Exception:", f"    {variable} = {otherwise}"]


def _is_costly(test: Condition) -> bool:
    return test.is_code or isinstance(test, Like | Contains | InstanceOf)


def _once(key: str, decide: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that decides for the first who asks about a message and remembers for the others."""

    def decide_once(memo: dict[str, Any], *arguments: Any) -> Any:
        if key not in memo:
            memo[key] = decide(*arguments)
        return memo[key]

    return decide_once


def _has_attributes(cls: type) -> bool:
    """Say whether reading an attribute of an instance is what `read` does, but for methods."""
    return not is_mapping(cls) and not issubclass(cls, NOT_DATA)


def _is_method(cls: type, name: str) -> bool:
    """Say whether a name is an ordinary method of a class, so that calling it does what `call` would."""
    if name.startswith("_") or name in SCALAR_METHODS or is_mapping(cls):
        return False
    if type(cls.__getattribute__) is FunctionType:
        return False
    member = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    return isinstance(member, FunctionType) and not member.__code__.co_flags & CO_COROUTINE


def assemble(source: str, emitter: Emitter, name: str) -> Any:
    """Compile generated source with its attribute names and constants in place; return the function `name`."""
    tree = _Fill(emitter).visit(ast.parse(source))
    code = compile(ast.fix_missing_locations(tree), "<rostra condition>", "exec")
    namespace = dict(emitter.globals)
    exec(code, namespace)  # noqa: S102  the text holds nothing but names made here; see the module docstring
    return namespace[name]


class _Fill(ast.NodeTransformer):
    """Puts attribute names and scalar constants into a parsed tree."""

    def __init__(self, emitter: Emitter) -> None:
        self._attributes = emitter.attributes
        self._constants = emitter.constants

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._attributes.get(node.attr, node.attr)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._constants:
            return ast.copy_location(ast.Constant(self._constants[node.id]), node)
        return node
