"""Times the script's own steps plain, deterministic and exact, one after the other."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from samebits.check.record.cost import DETERMINISTIC, EXACT, PLAIN, CostSamples
from samebits.training.control import deterministic

_WARM_UP = 2  # steps of each kind that are not counted
_PROFILED = 5  # steps of each kind, at most, whose operations are timed one by one
# Which numbers a product may be rounded to is another question than whether it repeats.
_KEPT = (
    *("matmul-float32-precision", "cudnn-float32-precision", "mkldnn-float32-precision"),
    *("fp16-accumulation", "fp16-reduction", "bf16-reduction", "attention-reduction"),
    *("nvidia-tf32", "inductor-deterministic"),
)


class CostMeter:
    """Times the script's steps in turn: as they are, under `samebits.deterministic`, `exact`.

    A step ends where the first optimizer that was seen steps again, so that a script with two
    optimizers has steps that are alike. The kinds alternate there and back (ABBA), which cancels a
    drift.

    Args:
        steps: Steps of each kind to count.
        on_done: Called with the samples when all are there; ends the script.
        on_begin: Called once the first step was made.
        exact: Whether every third step is computed by `samebits.exact`. An operation that this does
            not cover raises NotExactError in the script.
    """

    def __init__(
        self,
        steps: int,
        on_done: Callable[[CostSamples], None],
        *,
        on_begin: Callable[[], None] = lambda: None,
        exact: bool = False,
    ) -> None:
        kinds = (PLAIN, DETERMINISTIC, EXACT) if exact else (PLAIN, DETERMINISTIC)
        self.samples = CostSamples.empty(kinds)
        self._steps = steps
        self._on_done = on_done
        self._on_begin = on_begin
        self._plan = _plan(steps, kinds)
        self._position = -1
        self._optimizer: Any = None
        self._controls: Any = None
        self._block: Any = None
        self._timer: _OperationTimer | None = None
        self._started = 0.0

    def start(self) -> None:
        """Listen to optimizers, in this process: one that is forked has a meter of its own."""
        self._hook = register_optimizer_step_post_hook(self._after_step)
        os.register_at_fork(after_in_child=self.stop)

    def stop(self) -> None:
        """Leave torch as it was found."""
        self._hook.remove()
        self._leave()

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._optimizer is None:
            self._optimizer = optimizer
            self._on_begin()
        if optimizer is not self._optimizer:
            return
        _wait_for_devices()
        self._note(time.perf_counter() - self._started)
        self._leave()
        self._position += 1
        if self._position == len(self._plan):
            self.stop()
            self._on_done(self.samples)
            return
        self._enter(*self._plan[self._position])
        _wait_for_devices()
        self._started = time.perf_counter()

    def _note(self, seconds: float) -> None:
        if self._position < 0:
            return  # how the script set itself up is no step
        kind, purpose = self._plan[self._position]
        if purpose == "time":
            self.samples.seconds[kind].append(seconds)
        elif purpose == "profile" and self._timer is not None:
            for name, spent in self._timer.seconds.items():
                self.samples.operations[kind].setdefault(name, []).append(spent)

    def _enter(self, kind: str, purpose: str) -> None:
        if kind == DETERMINISTIC:
            self._controls = deterministic("warn", keep=_KEPT)
        if kind == EXACT:
            from samebits.arithmetic.block import exact

            self._block = exact()
            self._block.__enter__()
        if purpose == "profile":
            self._timer = _OperationTimer()
            self._timer.__enter__()  # type: ignore[no-untyped-call]

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.active = False
            if _get_current_dispatch_mode() is self._timer:
                self._timer.__exit__(None, None, None)  # type: ignore[no-untyped-call]
            self._timer = None
        if self._block is not None:
            self._block.__exit__(None, None, None)
            self._block = None
        if self._controls is not None:
            self._controls.restore()
            self._controls = None


def _plan(steps: int, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """Kind and purpose of each step, in order."""
    order = []
    for purpose, rounds in (
        ("warm up", _WARM_UP),
        ("time", steps),
        ("profile", min(steps, _PROFILED)),
    ):
        for turn in range(rounds):
            order += [(kind, purpose) for kind in (kinds if turn % 2 == 0 else kinds[::-1])]
    return order


class _OperationTimer(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sums the time of each operation, waiting for the device after it."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.active = True
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def __torch_dispatch__(  # type: ignore[no-untyped-def]
        self, func, types, args=(), kwargs=None
    ):
        if not self.active:
            return func(*args, **(kwargs or {}))
        started = time.perf_counter()
        result = func(*args, **(kwargs or {}))
        _wait_for_devices()
        self.seconds[str(func)] += time.perf_counter() - started
        return result


def _wait_for_devices() -> None:
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()
