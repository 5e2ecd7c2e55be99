"""Where the recorder listens in torch besides its operations, and how that is undone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import dataloader

from samebits.check.record.agents_messages import leave_out_messages_of_agents
from samebits.check.record.function_hooks import hook_function, hook_inherited
from samebits.check.record.optimizer_order import OptimizerOrder
from samebits.check.record.waited_for import hear_what_is_waited_for
from samebits.core import _native
from samebits.core.on_import import when_imported

_MODULE, _BATCH, _LOSS, _SILENT, _STORAGE = (
    0,
    1,
    2,
    4,
    5,
)  # kinds of hooks, as in native/python/call_hook.hpp

_STAGE = "torch.distributed.pipelining.stage"
_ASKS_FOR_SHAPES = ("_forward_metadata_inference", "_backward_metadata_inference")
"""Methods of `PipelineStage` that run it on memory which nobody has written, for the shapes alone.

They are private. Where a new torch calls them otherwise, a pipeline's first operations differ in
two equal runs: `tests/sound/pipeline_by_schedule.py` would show it.
"""

StepHook = Callable[[Any, Any, Any], None]


class TorchHooks:
    """Hooks on module calls, loader batches, losses and optimizer steps.

    A hook lies inside the function that it listens to, or is a C object in its place where that is
    not written in Python; it adds no frame to tracebacks. The optimizer is heard through torch's
    own global hooks.
    """

    def __init__(
        self,
        native: _native.Recorder,
        order: OptimizerOrder,
        before_step: StepHook,
        after_step: StepHook,
    ) -> None:
        self._native = native
        self._order = order
        self._before_step = before_step
        self._after_step = after_step
        self._undo: list[Callable[[], None]] = []

    def install(self) -> None:
        """Put every hook in place."""
        self._hook(torch.nn.Module, "__call__", _MODULE)
        self._hook(dataloader._BaseDataLoaderIter, "__next__", _BATCH)
        self._hook(torch.Tensor, "backward", _LOSS)
        # A tensor that arrives from a loader's worker or a file is rebuilt around its memory, at a
        # moment that depends on which worker was quicker. It counts as data when it is first used.
        self._hook(torch._utils, "_rebuild_tensor", _SILENT)
        # A storage is handed out, and grows, without an operation.
        for name in ("__new__", "resize_"):
            self._undo.append(hook_inherited(self._native, torch.UntypedStorage, name, _STORAGE))
        # What a stage computes there is thrown away. What it leaves in buffers counts as data.
        when_imported(_STAGE, self._stages_imported)
        self._undo.append(leave_out_messages_of_agents(self._native))
        self._undo.append(hear_what_is_waited_for(self._native))
        self._undo.append(self._order.listen(self._native))
        # A seed is drawn for workers that may not be there, or may never draw.
        self._native.leave_out(dataloader._BaseDataLoaderIter.__init__.__code__)
        for register, hook in (
            (register_optimizer_step_pre_hook, self._before_step),
            (register_optimizer_step_post_hook, self._after_step),
        ):
            self._undo.append(register(hook).remove)

    def remove(self) -> None:
        """Take every hook out again, unless somebody has put another thing in its place since."""
        while self._undo:
            self._undo.pop()()

    def _stages_imported(self) -> None:
        stage = getattr(sys.modules.get(_STAGE), "PipelineStage", None)
        for name in _ASKS_FOR_SHAPES:
            if stage is not None and name in vars(stage):
                self._hook(stage, name, _SILENT)

    def _hook(self, owner: Any, name: str, kind: int) -> None:
        self._undo.append(hook_function(self._native, owner, name, kind))
