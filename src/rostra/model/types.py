"""The type lattice: which classes a subscription to a type receives.

Classes are for publishing, types are for subscribing. An event travels on the channel of its class; a
subscription names a type; *conformance* maps one to the other. A class C declares a type T_C, and:

- C conforms to the types of all its base classes, however far up and along however many lines. A class that
  was registered with an abstract base class (`ABC.register`) conforms to that base and to what is above it.
- C conforms to a `typing.Protocol` when it, or a base class of it, has all the members of the Protocol: a
  method for a method, a field, annotation or property for a data member. A Protocol without members would
  fit everything, so to it (and to Protocols that extend it) only classes that inherit it conform.
- An *interface* is a Protocol or an abstract base class. A *pure* class has one interface as its only base
  and adds no public name to it: it declares no type of its own, T_C is the interface. Hence a subscription
  to a pure class receives all classes of the interface, its siblings too.
- C conforms *directly* to T when T_C is T, with no subtype in between.

Conformance is reflexive and transitive, save that a registration vouches for one class and one base, not for
Protocols that the base happens to fit.

Types travel by name, `module.Class`, with the names of the nominal types above them (`ancestry`), so that a
broker without the classes can still route. Names from elsewhere are looked up among classes that this
process registered; nothing here imports anything.

Answers of `conforms` are kept, since brokers ask for every event. Keys are identities, not references, so
classes can be collected; a class that dies empties the store, because its identity may be used again. The
token of `abc.get_cache_token` is part of the key: a later `ABC.register` makes all earlier answers stale.
"""

from __future__ import annotations

import sys
import weakref
from abc import ABC, ABCMeta, get_cache_token
from typing import Any, Final, Generic, Protocol, TypeAlias

from rostra import defaults
from rostra.errors import InvalidType, InvalidValue, LimitExceeded
from rostra.model.events import BASE_CLASSES, annotations_of, own_member_names
from rostra.model.node import Node


class Intersection(Node):
    """What conforms to several types at once, without a class that declares it.

        Intersection(DSC, DI)      # talks for both departments

    A value: the order of the types and nesting make no difference. Raises `InvalidType` for anything but
    classes and intersections, `InvalidValue` for no type at all.
    """

    __slots__ = ("__weakref__", "_types")
    _types: frozenset[type]

    def __new__(cls, *types: Target) -> Intersection:
        if not types:
            raise InvalidValue("an intersection needs at least one type: everything is `object`")
        return cls._of(frozenset(flat for one in types for flat in _flatten(one)))

    @property
    def types(self) -> tuple[type, ...]:
        """The types, sorted by name."""
        return tuple(sorted(self._types, key=_label))

    def __repr__(self) -> str:
        return f"Intersection({', '.join(cls.__qualname__ for cls in self.types)})"


Target: TypeAlias = type | Intersection
"""What can be subscribed to: a class, or several at once."""


def type_name(cls: type) -> str:
    """Return the name by which a class travels: `module.Outer.Inner`.

    Raises `InvalidType` for what others could not import by that name: local and anonymous classes, generic
    aliases, things that are no classes.
    """
    _require_class(cls)
    name = _names.get(cls)
    if name is None:
        _require_importable(cls)
        name = _names[cls] = _label(cls)
    return name


def is_interface(cls: type) -> bool:
    """Tell whether a class declares a type without being one: a Protocol or an abstract base class."""
    if cls in BASE_CLASSES:
        return False
    return _is_protocol(cls) or ABC in cls.__bases__ or bool(getattr(cls, "__abstractmethods__", None))


def is_pure(cls: type) -> bool:
    """Tell whether a class implements one interface and adds no public name of its own."""
    return declared_type(cls) is not cls


def declared_type(cls: type) -> type:
    """Return the type that a class declares: the interface of a pure class, else the class itself."""
    _require_class(cls)
    if cls not in _interfaces:
        _interfaces[cls] = _interface_of_pure(cls)
    interface = _interfaces[cls]
    return cls if interface is None else interface


def conforms(cls: type, target: Target) -> bool:
    """Tell whether a subscription to the target receives instances of the class, subtypes included.

    Raises `InvalidType` when the arguments are not classes.
    """
    answer = _answers.get((id(cls), id(target), get_cache_token()))
    return _decide(cls, target) if answer is None else answer


def is_subtype(cls: type, target: type) -> bool:
    """Tell whether whatever conforms to the class is sure to conform to the target.

    Only inheritance counts: that a class fits a Protocol says nothing of others that are registered with it, and a
    metaclass with a `__subclasscheck__` of its own may let in whom it likes.
    """
    narrow = declared_type(cls)
    checks = type(narrow).__subclasscheck__
    if not _is_protocol(narrow) and checks not in (type.__subclasscheck__, ABCMeta.__subclasscheck__):
        return cls is target
    return declared_type(target) in narrow.__mro__


def directly_conforms(cls: type, target: Target) -> bool:
    """Tell whether a subscription to the target without subtypes receives instances of the class.

    Raises `InvalidType` for an intersection: it is no declared type, what conforms to it are subtypes.
    """
    if isinstance(target, Intersection):
        raise InvalidType(
            f"{target!r} always includes subtypes: subscribe with subtypes, or to a class that inherits all"
        )
    return declared_type(cls) is declared_type(target)


def ancestry(cls: type) -> tuple[str, ...]:
    """Return the names of the nominal types a class conforms to, its own first, the most general last.

    Base classes without a name to travel by are left out: nobody elsewhere could subscribe to them.
    """
    own = type_name(cls)
    above = (_label(base) for base in cls.__mro__[1:] if base not in BASE_CLASSES and _is_importable(base))
    return own, *above


def register(cls: type) -> str:
    """Make a class known by its name, so that events of it can be decoded here; return the name.

    A class of the same name, as after a reload, replaces the former one. Classes are held weakly. Raises
    `InvalidType` as `type_name` does, `LimitExceeded` when too many are registered.
    """
    name = type_name(cls)
    if name not in _registry and len(_registry) >= defaults.REGISTERED_CLASSES:
        raise LimitExceeded(f"cannot register {name}: {defaults.REGISTERED_CLASSES} classes are registered already")
    if _registry.get(name) is not cls:
        _registry[name] = cls
        _watched.add(weakref.ref(cls, _class_died))
        _version[0] += 1
    return name


def token() -> object:
    """Return a value that changes whenever an answer about types by name may change: keep answers no longer."""
    return get_cache_token(), _version[0]


def registered(name: str) -> type | None:
    """Return the class this process registered under a name, if any; never imports."""
    return _registry.get(name)


_names: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()
_interfaces: weakref.WeakKeyDictionary[type, type | None] = weakref.WeakKeyDictionary()
_registry: weakref.WeakValueDictionary[str, type] = weakref.WeakValueDictionary()
_version = [0]
_answers: dict[tuple[int, int, object], bool] = {}
_watched: set[weakref.ref[type]] = set()

# What the class statement and the typing machinery put into every Protocol, in all Python versions so far.
_CLASS_MACHINERY: Final = frozenset(
    (
        "__abstractmethods__",
        "__annotate__",
        "__annotate_func__",
        "__annotations__",
        "__annotations_cache__",
        "__class_getitem__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__init__",
        "__match_args__",
        "__module__",
        "__new__",
        "__non_callable_proto_members__",
        "__orig_bases__",
        "__parameters__",
        "__protocol_attrs__",
        "__slots__",
        "__static_attributes__",
        "__subclasshook__",
        "__type_params__",
        "__weakref__",
        "_is_protocol",
        "_is_runtime_protocol",
    )
)


def _label(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _require_class(cls: object) -> None:
    if not isinstance(cls, type):
        hint = "use the class without its type arguments" if hasattr(cls, "__origin__") else "use a class"
        raise InvalidType(f"{cls!r} is not a class: {hint}")


def _require_importable(cls: type) -> None:
    if "<locals>" in cls.__qualname__:
        raise InvalidType(f"{_label(cls)} is a local class, which nobody elsewhere can name: move it to module level")
    if not _is_importable(cls):
        raise InvalidType(
            f"{_label(cls)} cannot be imported by that name: define it with a class statement "
            "at module level, or nested in such a class, and keep the name bound to it"
        )


def _is_importable(cls: type) -> bool:
    """Tell whether following the name of a class, from its module on, leads to that class."""
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def _flatten(target: object) -> frozenset[type]:
    if isinstance(target, Intersection):
        return target._types
    _require_class(target)
    return frozenset({target})  # type: ignore[arg-type]


def _interface_of_pure(cls: type) -> type | None:
    bases = [base for base in cls.__bases__ if base not in BASE_CLASSES]
    if len(bases) != 1 or is_interface(cls) or not is_interface(bases[0]):
        return None
    interface = bases[0]
    implements = all(_is_method(cls, name) is _is_method(interface, name) for name in own_member_names(cls))
    return interface if implements else None


def _decide(cls: type, target: Target) -> bool:
    if isinstance(target, Intersection):
        return all(conforms(cls, part) for part in target._types)
    _require_class(cls)
    token = get_cache_token()  # read first: a registration during the decision must outdate the answer
    answer = _conforms(cls, declared_type(target))
    if len(_answers) >= defaults.CONFORMANCE_ANSWERS:
        _answers.clear()
    _watched.update((weakref.ref(cls, _class_died), weakref.ref(target, _class_died)))
    _answers[id(cls), id(target), token] = answer
    return answer


def _class_died(ref: weakref.ref[type]) -> None:
    _watched.discard(ref)
    _answers.clear()
    _version[0] += 1


def _conforms(cls: type, target: type) -> bool:
    if target in cls.__mro__:
        return True
    if _is_protocol(target):
        # Of a pure class only what its interface has: private extras are no part of the type it declares.
        fits = any(_has_members(declared_type(base), target) for base in cls.__mro__)
    else:
        fits = _is_subclass(cls, target)
    return fits or any(_is_vouched_for(cls, below) for below in _subclasses(target))


def _subclasses(cls: type) -> list[type]:
    return type.__subclasses__(cls)


def _is_subclass(cls: type, target: type) -> bool:
    try:
        return issubclass(cls, target)  # asks ABCs for their registrations
    except TypeError:
        return False  # a TypedDict refuses to be asked; its instances are plain dicts, of no class of its own


def _is_vouched_for(cls: type, below: type) -> bool:
    """Tell whether a class is registered with an abstract class at or below another, hence conforms to all above it."""
    if isinstance(below, ABCMeta) and not _is_protocol(below) and _is_subclass(cls, below):
        return True
    return any(_is_vouched_for(cls, further) for further in _subclasses(below))


def _is_protocol(cls: type) -> bool:
    """Tell whether a class was declared as a Protocol; a class that implements one was not."""
    return cls is not Protocol and vars(cls).get("_is_protocol", False) is True


def _has_members(cls: type, protocol: type) -> bool:
    markers = (base for base in protocol.__mro__ if _is_protocol(base) and not _members(base))
    return all(marker in cls.__mro__ for marker in markers) and all(
        _is_method(cls, name) is method for name, method in _members(protocol)
    )


def _members(protocol: type) -> frozenset[tuple[str, bool]]:
    """Return the names a Protocol and its bases ask for, special ones too, and whether each is a method."""
    bases = [base for base in protocol.__mro__ if base not in (Protocol, Generic, object)]
    named = ((base, name) for base in bases for name in {*vars(base), *annotations_of(base)} - _CLASS_MACHINERY)
    kinds = ((name, _is_own_method(base, name)) for base, name in named if not name.startswith("_abc_"))
    return frozenset((name, method) for name, method in kinds if method is not None)


def _is_method(cls: type, name: str) -> bool | None:
    """Tell a method from a data member; None when the class has neither, or has set the name to None."""
    for base in cls.__mro__:
        if name in vars(base) or name in annotations_of(base):
            return _is_own_method(base, name)
    return None


def _is_own_method(cls: type, name: str) -> bool | None:
    if name in annotations_of(cls):
        return False
    value = vars(cls)[name]
    return None if value is None else callable(value) or isinstance(value, classmethod)
