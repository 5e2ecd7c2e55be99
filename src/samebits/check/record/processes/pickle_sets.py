"""Sets in a pickle: their elements in an order of what they are, not in that of their hashes.

Strings have another hash in each process, and a set of them another order. Until protocol 4, a set
is pickled as a call of `set` with a list. What is written once and recalled later by a number of
its place is known by its content where that place goes by the order of a set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

_FILLS = frozenset(
    ("BUILD", "SETITEM", "SETITEMS", "ADDITEMS", "APPEND", "APPENDS", "DICT", "LIST", "DUP", "POP")
)
"""What changes an object that may have been recalled before: where it is used, order counts."""
SET_CALLED = frozenset(
    f"GLOBAL '{module} {name}'"
    for module in ("__builtin__", "builtins")
    for name in ("set", "frozenset")
)
"""What a set is made by until protocol 4."""


@dataclass(frozen=True)
class Instruction:
    """An instruction of a pickle.

    Attributes:
        name: As `pickletools` calls it, or "text".
        text: What is compared of it.
        takes: How many objects it takes from the stack; those above a mark aside.
        gives: How many it puts there.
        to_mark: Whether it takes all down to the last mark as well.
        remembers: The place that it remembers the last object under.
        recalls: The place that it takes an object from.
    """

    name: str
    text: str
    takes: int = 0
    gives: int = 0
    to_mark: bool = False
    remembers: object = None
    recalls: object = None


@dataclass
class _Set:
    """Elements of a set, in any order."""

    elements: list[str]


@dataclass
class _Reading:
    """A pickle as far as it was read; where on the stack's objects begin among what was kept."""

    kept: list[Instruction | _Set] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)  # heights of the stack
    contents: dict[object, str] = field(default_factory=dict)  # of places in sets
    globals_: dict[object, str] = field(default_factory=dict)

    def take(self, one: Instruction) -> None:
        if one.name == "MARK":
            self.marks.append(len(self.stack))
            self.stack.append(len(self.kept))
        elif one.remembers is not None:
            self._remember(one)
        else:
            self._apply(one)
            return
        self.kept.append(one)

    def _remember(self, one: Instruction) -> None:
        last = self.kept[-1]
        if isinstance(last, Instruction) and last.text in SET_CALLED:
            self.globals_[one.remembers] = last.text

    def _apply(self, one: Instruction) -> None:
        end = len(self.kept)
        if one.recalls in self.contents:
            one = Instruction(one.name, self.contents[one.recalls], gives=1)
        begin = end
        if one.to_mark:
            height = self.marks.pop()
            begin = self.stack[height]
            if one.name in ("ADDITEMS", "FROZENSET"):
                self._sort(begin + 1, end)
                self._join(begin)
            del self.stack[height:]
        elif one.name == "REDUCE" and self._calls_set(self.stack[-2], self.stack[-1]):
            self._sort(self.stack[-1] + 1, end)
        for _ in range(one.takes):
            begin = self.stack.pop()
        self.stack += [begin] * one.gives
        self.kept.append(one)

    def _calls_set(self, function: int, arguments: int) -> bool:
        called, given = self.kept[function], self.kept[arguments]
        if not isinstance(called, Instruction) or not isinstance(given, Instruction):
            return False
        text = self.globals_.get(called.recalls, called.text)
        return text in SET_CALLED and given.name == "EMPTY_LIST"

    def _sort(self, begin: int, end: int) -> None:
        """Put a set in the place of what its elements are made of, where that can be told."""
        of_set = self.kept[begin:end]
        elements = _elements(of_set, self.contents)
        if elements is not None:
            self.kept[begin:end] = [_Set(elements)]

    def _join(self, begin: int) -> None:
        """Of a large set, a thousand elements are added at a time."""
        before = self.kept[begin - 2 : begin] if begin >= 2 else []
        if len(before) < 2 or len(self.kept) != begin + 2:
            return
        first, added = before
        more = self.kept[begin + 1]
        is_added = isinstance(added, Instruction) and added.name == "ADDITEMS"
        if is_added and isinstance(first, _Set) and isinstance(more, _Set):
            first.elements += more.elements
            first.elements, more.elements = [], first.elements


def without_order_of_sets(instructions: Sequence[Instruction]) -> list[str]:
    """What is compared of each instruction, with the elements of sets sorted.

    Args:
        instructions: Those of one pickle.

    Raises:
        IndexError: They take what is not there.
    """
    reading = _Reading()
    for one in instructions:
        reading.take(one)
    texts = []
    for kept in reading.kept:
        texts += ["set", *sorted(kept.elements)] if isinstance(kept, _Set) else [kept.text]
    return texts


def _elements(
    of_set: Sequence[Instruction | _Set], contents: dict[object, str]
) -> list[str] | None:
    """A text of each element; None where some may be filled later.

    Args:
        of_set: What they are made of; until protocol 4, with what makes a list of them.
        contents: What is remembered by places in sets; those of this set are added.
    """
    stack: list[str] = []
    marks: list[int] = []
    elements: list[str] = []
    found = dict(contents)
    in_list = False
    for one in of_set:
        if isinstance(one, _Set):
            stack.append(_digest(["set", *sorted(one.elements)]))
        elif one.name == "MARK":
            marks.append(len(stack))
        elif one.remembers is not None:
            if stack:
                found[one.remembers] = stack[-1]
        elif one.name in ("APPEND", "APPENDS") and len(marks) == one.to_mark and not in_list:
            if one.to_mark and marks.pop() != 0:
                return None
            elements += stack
            stack = []
        elif one.name == "TUPLE1" and elements and not stack and not marks:
            in_list = True  # the arguments of the call
        elif one.name in _FILLS or in_list:
            return None
        else:
            height = marks.pop() if one.to_mark else len(stack)
            height -= one.takes
            if height < 0:
                return None
            taken = stack[height:]
            del stack[height:]
            known = found.get(one.recalls)
            stack += [known or _digest([one.text, *taken])] * one.gives
    if marks or (in_list and stack):
        return None
    contents.update(found)
    return elements + stack


def _digest(texts: Sequence[str]) -> str:
    joined = "\n".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()
