"""Finds what a person asks about in the catalog, however they spell it."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Mapping, Sequence

from samebits.check.causes import CAUSES
from samebits.check.causes.cause import KnownCause
from samebits.core.catalog.operations import Operation, operation_name, operations
from samebits.core.catalog.switches import SwitchFacts, switches

Entry = Operation | SwitchFacts | KnownCause

MAX_LENGTH = 200
"""A longer name is no name."""

_PREFIX = re.compile(
    r"^(torch\.ops\.aten\.|aten(\.|::)|torch\.nn\.functional\.|nn\.functional\.|functional\.|f\.|"
    r"torch\.nn\.|nn\.|torch\.tensor\.|tensor\.|torch\.)"
)
# How torch's error messages call a kernel: "upsample_bicubic2d_backward_out_cuda".
_KERNEL_SUFFIX = re.compile(r"(_forward)?(_out)?_(cuda|gpu)(_kernel|_template|_max|_)?$")
_MAX_SUGGESTIONS = 5


def look_up(name: str) -> tuple[Entry, ...]:
    """The entries about a name, in the order of the catalog; none when nothing is known of it.

    Args:
        name: An operation as traces, code or torch's errors call it, a flag, an environment
            variable, a switch of samebits, or the code of a cause. Upper and lower case are one.
    """
    if len(name) > MAX_LENGTH:
        return ()
    key = _key(name)
    index = _index()
    found = index.get(key) or index.get(_key(_KERNEL_SUFFIX.sub("", key)))
    return tuple(found or ())


def suggestions(name: str) -> list[str]:
    """Names in the catalog that resemble one that is not there, the closest first."""
    key = _key(name[:MAX_LENGTH])
    shown = _shown()
    close = difflib.get_close_matches(key, shown, n=_MAX_SUGGESTIONS, cutoff=0.6)
    within = [other for other in shown if len(key) > 2 and key in other]
    return list(dict.fromkeys(shown[k] for k in [*close, *within]))[:_MAX_SUGGESTIONS]


def _key(name: str) -> str:
    """A name without what people write differently or leave out."""
    name = name.strip().lower().partition("=")[0].strip()
    return _PREFIX.sub("", name).removesuffix("()").strip("_").replace("-", "_")


@functools.cache
def _index() -> Mapping[str, Sequence[Entry]]:
    found: dict[str, list[Entry]] = {}
    for name, entry in _names():
        entries = found.setdefault(_key(name), [])
        if entry not in entries:
            entries.append(entry)
    return found


@functools.cache
def _shown() -> Mapping[str, str]:
    """Key → the name as it is to be shown."""
    found: dict[str, str] = {}
    for name, _ in _names():
        found.setdefault(_key(name), name)
    return found


def _names() -> list[tuple[str, Entry]]:
    """Every name that an entry is found under."""
    found: list[tuple[str, Entry]] = []
    for operation in operations():
        for name in (*operation.ops, *operation.api):
            found.append((name, operation))
        found += [(operation_name(name).operator, operation) for name in operation.ops]
    for switch in switches():
        # Of "NCCL_ALGO=Ring in the environment" and "torch.set_num_threads(n)", what is set.
        setting = re.split(r"[=( ]", switch.write, maxsplit=1)[0]
        found += [(name, switch) for name in (switch.name, *switch.also, setting)]
    found += [(cause.code, cause) for cause in CAUSES]
    return found
