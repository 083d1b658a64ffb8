"""Modules made on the spot, for classes that must be importable under a name of their own."""

import sys
import types
from typing import Any


def new_module(name: str, source: str) -> Any:
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(source, module.__dict__)
    return module
