"""Packages in which each file holds one class, found by its name: adding one is adding a file."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType
from typing import TypeVar

from samebits.errors import UsageError

C = TypeVar("C")


def names_in(package: ModuleType) -> tuple[str, ...]:
    """Names of all that a package holds, sorted: its modules', with dashes."""
    modules = pkgutil.iter_modules(package.__path__)
    return tuple(sorted(module.name.replace("_", "-") for module in modules))


def class_named(package: ModuleType, name: str, base: type[C], what: str) -> type[C]:
    """The class of one name: the subclass of `base` whose attribute `name` says so.

    Args:
        package: Where to look.
        name: With dashes, such as "hash-seed".
        base: What the class is derived from.
        what: What such a thing is called, for the message.

    Raises:
        UsageError: There is none of this name; it lists those that are there.
    """
    choices = names_in(package)
    if name not in choices:
        raise UsageError(f"there is no {what} {name!r}", hint=hint_for(name, choices))
    module = importlib.import_module(f"{package.__name__}.{name.replace('-', '_')}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, base) and vars(value).get("name") == name:
            return value
    raise AssertionError(f"{module.__name__} holds no {base.__name__} called {name!r}")


def hint_for(name: str, choices: Iterable[str]) -> str:
    """What somebody may have meant: the nearest name, and all of them."""
    choices = tuple(choices)
    nearest = difflib.get_close_matches(name, choices, n=1)
    question = f"did you mean {nearest[0]}? " if nearest else ""
    return f"{question}choose from {', '.join(choices)}"
