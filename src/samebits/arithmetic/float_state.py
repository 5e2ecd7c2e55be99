"""Subnormal numbers are kept on every thread that computes, whatever the process has set.

A processor that flushes them (FTZ, DAZ) does so by a state of each thread. torch computes on the
calling thread and on those of its OpenMP runtime, which were born with the state of their maker.
"""

from __future__ import annotations

import threading
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.mode import active
from samebits.core.interposition.replacements import Replacements

_this_thread = threading.local()


class SubnormalsKept:
    """Keeps them on this thread and on those on which torch computes for it."""

    def __init__(self) -> None:
        self._states = _exact.make_team_plain()

    def give_back(self) -> None:
        """Give the threads the states that they had, or that was asked for inside."""
        _exact.restore_team(self._states)
        asked = getattr(_this_thread, "asked", None)
        if asked is not None and not active():
            _this_thread.asked = None
            torch.set_flush_denormal(asked)


def put_in_place(replacements: Replacements) -> None:
    """Let `torch.set_flush_denormal` wait for the end of the block where it is called in one."""
    original = torch.set_flush_denormal

    def set_flush_denormal(mode: bool) -> Any:
        if not active():
            return original(mode)
        _this_thread.asked = mode
        return original(False)

    replacements.put(torch, "set_flush_denormal", set_flush_denormal)
