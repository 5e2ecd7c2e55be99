"""Reads the catalog's tables: TOML files that lie beside this module."""

from __future__ import annotations

import sys
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_table(name: str) -> list[dict[str, Any]]:
    """The entries of one table of the catalog.

    Args:
        name: Which: "operation" is read from operations.toml, "switch" from switches.toml.

    Returns:
        The entries, in the order of the file.
    """
    plural = f"{name}es" if name.endswith("ch") else f"{name}s"
    text = resources.files(__package__).joinpath(f"{plural}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    assert content.keys() == {name}, f"{plural}.toml holds tables that are no {name}"
    entries: list[dict[str, Any]] = content[name]
    return entries
