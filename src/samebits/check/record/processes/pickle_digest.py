"""A digest of pickles that are read instruction by instruction, and never loaded.

A file may hold several, one after another, and other bytes behind them: all of it counts. Strings
count as printed lines do: a checkpoint that holds the path of its run's folder, or when it was
made, is the same one in the next run. Numbers, names of classes and the order of all of it but the
elements of sets count as they are.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import pickletools
from collections.abc import Iterator

from samebits.check.record.processes.pickle_sets import (
    SET_CALLED,
    Instruction,
    without_order_of_sets,
)
from samebits.core.catalog.measurements import normal_lines

LONGEST = 2**28
"""Bytes up to which a pickle is read: all of it is in memory meanwhile."""
_MOST_INSTRUCTIONS = 1_000_000
"""So many are read: Python looks at each. A large tensor is one."""
_SHORT = 64
_REMEMBER = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_RECALL = frozenset({"GET", "BINGET", "LONG_BINGET"})
_OF_SETS = frozenset({"ADDITEMS", "FROZENSET"})
_OF_TORCH = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""The number that torch's old format begins with, as a pickle."""
_PICKLES_OF_TORCH = 5
"""That number, the protocol's, facts of the machine, the tensor, and the names of storages."""
_ADDRESS = 6
"""Digits that an address has at least."""
_OF_BYTES = "latin1"
"""What early protocols write behind a string that holds bytes: `_codecs.encode(text, "latin1")`."""


def pickle_digest(content: bytes) -> str:
    """The digest; of the bytes as they are where there is too much of it, or no pickle.

    Args:
        content: What may be a pickle, or several.
    """
    if len(content) > LONGEST:
        return hashlib.blake2b(content, digest_size=16).hexdigest()
    if content.startswith(_OF_TORCH):
        return _of_a_tensor(content)
    digest, rest, begin, read = hashlib.blake2b(digest_size=16), io.BytesIO(content), 0, 0
    try:
        while begin < len(content):
            found = list(itertools.islice(_instructions(rest), _MOST_INSTRUCTIONS - read + 1))
            read += len(found)
            if read > _MOST_INSTRUCTIONS:
                return hashlib.blake2b(content, digest_size=16).hexdigest()
            for text in _in_order(found):
                digest.update(f"{text}\n".encode("utf-8", "surrogatepass"))
            begin = rest.tell()
    except (ValueError, OverflowError, MemoryError, UnicodeError):
        digest.update(content[begin:])
    return digest.hexdigest()


def lines_of(content: bytes) -> Iterator[str]:
    """What is compared of each instruction of the pickles that a file holds.

    Args:
        content: Pickles, one after another.

    Raises:
        ValueError: There is something else in it.
    """
    rest = io.BytesIO(content)
    while rest.tell() < len(content):
        yield from _in_order(list(_instructions(rest)))


def _in_order(instructions: list[Instruction]) -> list[str]:
    """What is compared of each instruction of a pickle."""
    if not any(one.name in _OF_SETS or one.text in SET_CALLED for one in instructions):
        return [one.text for one in instructions]
    try:
        return without_order_of_sets(instructions)
    except IndexError:  # no pickle that could be loaded
        return [one.text for one in instructions]


def _instructions(content: io.BytesIO) -> Iterator[Instruction]:
    """Each instruction of a pickle with its argument, strings without times and the like."""
    waiting: str | None = None  # a string, until it is seen whether it holds bytes
    noted: list[Instruction] = []  # that it is remembered
    remembered: dict[object, str] = {}
    for instruction, value, _ in pickletools.genops(content):
        name = instruction.name
        is_text = "UNICODE" in name and isinstance(value, str)
        text = str(value) if is_text else remembered.get(value) if name in _RECALL else None
        if name in _REMEMBER:
            place = len(remembered) if name == "MEMOIZE" else value
            remembered[place] = waiting or ""
            noted.append(Instruction(name, f"{name} {value!r}", remembers=place))
            if waiting is None:
                yield noted.pop()
            continue
        if waiting is not None:
            kept = waiting if text == _OF_BYTES else normal_lines(waiting)
            yield Instruction("text", f"text {kept!r}", gives=1)
            yield from noted
            waiting, noted = None, []
        if is_text:
            waiting = text
        elif isinstance(value, bytes) and value.startswith(_OF_TORCH):
            yield Instruction("tensor", f"tensor {_of_a_tensor(value)}", gives=1)
        elif name != "FRAME":  # that one says how many bytes follow
            yield _with_effect(instruction, value)


def _with_effect(instruction: pickletools.OpcodeInfo, value: object) -> Instruction:
    """An instruction with what it does to the stack."""
    name, before = instruction.name, instruction.stack_before
    to_mark = pickletools.markobject in before
    return Instruction(
        name,
        f"{name} {_in_short(value)}",
        takes=before.index(pickletools.markobject) if to_mark else len(before),
        gives=len(instruction.stack_after),
        to_mark=to_mark,
        recalls=value if name in _RECALL else None,
    )


def _in_short(value: object) -> str:
    """What stands for an argument: memory, written out, would be four times as large."""
    if isinstance(value, bytes) and len(value) > _SHORT:
        return f"{len(value)} {hashlib.blake2b(value, digest_size=16).hexdigest()}"
    return repr(value)


def _of_a_tensor(content: bytes) -> str:
    """What `torch.save` writes for a tensor in the middle of a pickle.

    Several pickles stand in a row, with the memory behind them. What they call each storage is its
    address in the process that wrote it.
    """
    digest, rest, begin = hashlib.blake2b(digest_size=16), io.BytesIO(content), 0
    try:
        for _ in range(_PICKLES_OF_TORCH):
            for instruction, value, _ in pickletools.genops(rest):
                address = isinstance(value, str) and value.isdigit() and len(value) >= _ADDRESS
                digest.update(f"{instruction.name} {'#' if address else repr(value)}\n".encode())
            begin = rest.tell()
    except (ValueError, OverflowError, MemoryError, UnicodeError):
        pass  # what is behind counts as it is
    digest.update(content[begin:])
    return digest.hexdigest()
