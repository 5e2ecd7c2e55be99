"""The line of the script that a node of a graph comes from."""

from __future__ import annotations

import re
from pathlib import Path

import torch
from torch import fx

_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)
_FOREIGN = str(Path(torch.__file__).parent)


def user_place(node: fx.Node) -> str | None:
    """The innermost line behind a node that is not torch's, as "file:line"; None if unknown."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    own = [(file, line) for file, line in frames if not file.startswith(_FOREIGN)]
    return f"{own[-1][0]}:{own[-1][1]}" if own else None
