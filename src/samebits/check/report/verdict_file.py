"""Reads a verdict file back: strict JSON of the known schema, nothing of which is executed."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from pathlib import Path
from typing import Any

from samebits.check.diff.verdict import SCHEMA, Verdict
from samebits.core.files import read_regular
from samebits.core.names import printable
from samebits.errors import TraceError, UsageError

MAX_BYTES = 256 * 2**20
"""A larger file is no verdict."""


class _WrongShapeError(Exception):
    """What is wrong, as the rest of a sentence that begins with the file."""


def read_verdict(file: Path) -> Verdict:
    """Read what `--json FILE` has written.

    Args:
        file: The verdict file.

    Raises:
        UsageError: It is not there, is no verdict file, or is one of another schema.
    """
    shown = printable(str(file))
    hint = "Give a file that samebits check --json FILE or samebits diff --json FILE has written."
    try:
        content = json.loads(read_regular(file, MAX_BYTES))
    except TraceError as error:
        raise UsageError(error.message, hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{shown} is no verdict file: it is not JSON", hint=hint) from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        found = f"its schema is {printable(str(schema), 60)}" if schema else "it names no schema"
        raise UsageError(f"{shown} is no verdict file of this version: {found}", hint=hint)
    try:
        verdict = _built(Verdict, content, "")
    except _WrongShapeError as error:
        raise UsageError(f"{shown} is damaged: {error}", hint=hint) from error
    assert isinstance(verdict, Verdict)
    return verdict


def _built(wanted: Any, value: Any, where: str) -> Any:
    """A value of a type, made of parsed JSON; keys that no attribute has are passed over."""
    if wanted is Any:
        return value
    if dataclasses.is_dataclass(wanted):
        return _object(wanted, value, where)
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is typing.Literal:
        if value not in arguments or isinstance(value, bool):
            raise _wrong(where, f"one of {', '.join(map(str, arguments))}")
        return value
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        (wanted,) = (kind for kind in arguments if kind is not type(None))
        return _built(wanted, value, where)
    if origin is tuple:
        return _row(arguments, value, where)
    if origin is dict:
        if not isinstance(value, dict):
            raise _wrong(where, "an object")
        return value
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return value
    if wanted is float and value is None:  # JSON has no NaN
        return float("nan")
    if type(value) is not wanted:
        raise _wrong(where, {str: "text", bool: "true or false"}.get(wanted, "a number"))
    return value


def _object(wanted: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(where, "an object")
    hints = typing.get_type_hints(wanted)
    given = {}
    for one in dataclasses.fields(wanted):
        at = f"{where}.{one.name}" if where else one.name
        if one.name in value:
            given[one.name] = _built(hints[one.name], value[one.name], at)
        elif one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING:
            raise _WrongShapeError(f"'{at}' is missing")
    return wanted(**given)


def _row(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(where, "a list")
    if kinds[-1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise _wrong(where, f"a list of {len(kinds)}")
    return tuple(
        _built(kind, item, f"{where}[{place}]")
        for place, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _wrong(where: str, wanted: str) -> _WrongShapeError:
    return _WrongShapeError(f"'{where}' is not {wanted}")
