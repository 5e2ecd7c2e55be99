"""What a hook can be told."""

from __future__ import annotations

from typing import TypeAlias

Setting: TypeAlias = "str | int | float | bool | list[Setting] | None"
"""A value that JSON holds: settings of hooks travel into the recorded process as JSON."""
