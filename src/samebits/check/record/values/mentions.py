"""Which variables each line of a code object mentions, read from its bytecode.

Only these are looked at when a line has run: what a line neither names nor reaches through a name
is changed by another line, which does.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

LOCAL = 0
NAME = 1
GLOBAL = 2
"""Where a name lives, as in native/python/values/frame_view.hpp."""

MOST_MENTIONS = 64
"""On one line; the rest is not looked at."""
_MOST_ATTRIBUTES = 7

_ATTRIBUTES = frozenset({"LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR"})
_GLOBALS = frozenset({"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL"})
_NAMES = frozenset({"LOAD_NAME", "STORE_NAME", "DELETE_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_CELLS = frozenset({"LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF"})
# Instructions that may stand between a name and its attribute.
_BETWEEN = frozenset({"CACHE", "COPY", "DUP_TOP", "EXTENDED_ARG", "NOP", "PRECALL", "PUSH_NULL"})
_VARARGS = 0x04
_VARKEYWORDS = 0x08


class Mention(NamedTuple):
    """A variable, or a value that is reached from one through attributes.

    Attributes:
        scope: LOCAL, NAME or GLOBAL.
        slot: Its place among the frame's variables; -1 outside LOCAL.
        name: Its name.
        attributes: Names of the attributes that lead on from it, methods left out.
    """

    scope: int
    slot: int
    name: str
    attributes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it stands in the source: `self.labels`."""
        return ".".join((self.name, *self.attributes))


class Mentions(NamedTuple):
    """What a code object mentions.

    Attributes:
        start: Offset in bytes of the instruction that every call begins at.
        arguments: Its parameters.
        lines: (line, what it mentions), by line; lines without instructions are left out.
    """

    start: int
    arguments: tuple[Mention, ...]
    lines: tuple[tuple[int, tuple[Mention, ...]], ...]


def mentions_of(code: CodeType) -> Mentions:
    """What the lines of a function, a module, a class body or a comprehension mention."""
    by_line: dict[int, dict[Mention, None]] = {}
    start = -1 if sys.version_info < (3, 11) else 0
    lines = _line_of_each_instruction(code)
    chain: Mention | None = None
    for instruction in dis.get_instructions(code):
        operation = instruction.opname
        if operation == "RESUME" and start == 0 and not instruction.arg:
            start = instruction.offset
        line = lines.get(instruction.offset)
        if line is None or operation in _BETWEEN:
            continue
        seen = by_line.setdefault(line, {})
        if chain is not None and operation in _ATTRIBUTES and not _is_method(instruction):
            longer = chain._replace(attributes=(*chain.attributes, instruction.argval))
            if len(longer.attributes) <= _MOST_ATTRIBUTES:
                seen.pop(chain, None)
                seen[longer] = None
                chain = longer
            continue
        chain = None
        for mention in _named(code, instruction):
            seen[mention] = None
            chain = mention
    found = tuple(
        (line, tuple(seen)[:MOST_MENTIONS]) for line, seen in sorted(by_line.items()) if line > 0
    )
    return Mentions(start, _arguments(code)[:MOST_MENTIONS], found)


def _line_of_each_instruction(code: CodeType) -> dict[int, int]:
    return {
        offset: line
        for begin, end, line in code.co_lines()
        if line is not None
        for offset in range(begin, end, 2)
    }


def _is_method(instruction: dis.Instruction) -> bool:
    """Whether an attribute is loaded to be called: from 3.12 on the lowest bit says so."""
    return (
        sys.version_info >= (3, 12)
        and instruction.opname == "LOAD_ATTR"
        and bool((instruction.arg or 0) & 1)
    )


def _named(code: CodeType, instruction: dis.Instruction) -> Iterator[Mention]:
    operation = instruction.opname
    if operation in _GLOBALS or operation in _NAMES:
        name = instruction.argval
        if operation.startswith("LOAD") and hasattr(builtins, name):
            return  # `len`; a variable of that name is met where it is stored
        yield Mention(GLOBAL if operation in _GLOBALS else NAME, -1, name)
    elif operation in _CELLS or "_FAST" in operation:
        names = instruction.argval if isinstance(instruction.argval, tuple) else None
        for name in names or (instruction.argval,):
            if isinstance(name, str):
                yield Mention(LOCAL, _index(code, name, cell=operation in _CELLS), name)


def _index(code: CodeType, name: str, *, cell: bool) -> int:
    """Where the frame keeps a variable; not used from Python 3.13 on, which finds it by name."""
    variables = list(code.co_varnames)
    if sys.version_info >= (3, 11):
        variables += [one for one in code.co_cellvars if one not in code.co_varnames]
        variables += code.co_freevars
        return variables.index(name)
    cells = [*code.co_cellvars, *code.co_freevars]
    return len(variables) + cells.index(name) if cell else variables.index(name)


def _arguments(code: CodeType) -> tuple[Mention, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS)
    count += bool(code.co_flags & _VARKEYWORDS)
    return tuple(
        Mention(LOCAL, _index(code, name, cell=name in code.co_cellvars), name)
        for name in code.co_varnames[:count]
        if not name.startswith(".")  # the iterator of a comprehension
    )
