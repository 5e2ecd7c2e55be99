"""Plain values that stand for objects of libraries, so that they can be digested."""

from __future__ import annotations

import sys
from typing import Any

OPAQUE = 0
OWN = 1
KNOWN = 2
"""How objects of a module's classes are looked at, as in native/python/values/plain_digest.hpp."""

KNOWN_MODULES = frozenset(
    {
        *("argparse", "collections", "datetime", "decimal", "fractions", "pandas", "pathlib"),
        *("pyarrow", "types", "uuid"),
    }
)
_OPTIMIZERS = "torch.optim."
_PATHS = frozenset({"Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath"})
_HOLDERS = frozenset({"argparse.Namespace", "types.SimpleNamespace"})
_WRAPPERS = frozenset({"UserDict", "UserList", "UserString"})


def is_known(module: str) -> bool:
    """Whether `plain_value` knows classes that a module of this name defines."""
    return module.partition(".")[0] in KNOWN_MODULES or module.startswith(_OPTIMIZERS)


def plain_value(value: Any) -> Any:
    """A string, a number or a container that holds what `value` holds; None where none is known.

    Only exact types of the libraries are asked, none that a program derived from them.
    """
    kind = type(value)
    module, name = _origin(kind)
    if getattr(sys.modules.get(module), name, None) is not kind:
        return None
    if module.startswith("pathlib") and name in _PATHS:
        return str(value)
    if module == "datetime":
        zone = getattr(value, "tzinfo", None)
        return None if zone is not None and _origin(type(zone))[0] != "datetime" else repr(value)
    if module == "decimal" and name == "Decimal":
        return str(value)
    if module == "fractions" and name == "Fraction":
        return value.numerator, value.denominator
    if module == "uuid" and name == "UUID":
        return value.int
    if f"{module}.{name}" in _HOLDERS:
        return vars(value)
    if module == "collections" and name == "deque":
        return list(value)
    if module == "collections" and name in _WRAPPERS:
        return value.data
    if module.startswith("pandas"):
        from samebits.check.record.values.pandas_values import plain_pandas

        return plain_pandas(value, name)
    if module == "pyarrow.lib":
        from samebits.check.record.values.arrow_values import plain_arrow

        return plain_arrow(value, name)
    if module.startswith(_OPTIMIZERS):
        return vars(value).get("param_groups")  # in the order in which it was given parameters
    return None


def _origin(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__name__
