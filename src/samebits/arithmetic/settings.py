"""torch's switches that would take a path of their own past the dispatched operations."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import torch

from samebits.arithmetic import (
    backward_runs,
    compiled_backward,
    compiling,
    float_state,
    optimizers,
    past_dispatch,
    workers,
)
from samebits.arithmetic.composites import Composites
from samebits.arithmetic.float_state import SubnormalsKept
from samebits.arithmetic.past_dispatch import FuserOff
from samebits.core.interposition.replacements import Replacements

_PARTS = (
    optimizers,
    compiling,
    compiled_backward,
    backward_runs,
    float_state,
    past_dispatch,
    workers,
)
"""What replaces functions of torch's while a block is open."""

_lock = threading.Lock()
_depth = 0
_before: dict[str, Any] = {}
_replacements = Replacements()
_composites = Composites()


class ExactSettings:
    """Holds torch's fused paths off while any block is open, and puts them back after the last.

    oneDNN's recurrent layers and the encoder's fast path are single operations in which torch
    hides many; without them it calls the operations that are covered. Adam's steps are taken in
    one pass; compiled code is refused; loader workers that are spawned open a block of
    their own. Subnormals are kept on every thread, for comparisons and copies that torch itself
    computes.
    """

    def __enter__(self) -> None:
        global _depth
        with _lock:
            _depth += 1
            if _depth == 1:
                _before["mkldnn"] = torch._C._get_mkldnn_enabled()
                _before["fastpath"] = torch.backends.mha.get_fastpath_enabled()
                torch._C._set_mkldnn_enabled(False)
                torch.backends.mha.set_fastpath_enabled(False)
                for part in _PARTS:
                    part.put_in_place(_replacements)
                _before["fuser"] = FuserOff()
                _composites.put_in_place()
        self._subnormals = SubnormalsKept()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global _depth
        self._subnormals.give_back()
        with _lock:
            _depth -= 1
            if _depth == 0:
                torch._C._set_mkldnn_enabled(_before["mkldnn"])
                torch.backends.mha.set_fastpath_enabled(_before["fastpath"])
                _before["fuser"].give_back()
                _replacements.undo()
                _composites.take_back()
