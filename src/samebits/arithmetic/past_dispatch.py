"""Refusing compiled code that computes without dispatching: no mode sees what it does.

Models that AOTInductor has packaged, graphs that Inductor has compiled ahead of time, and
TorchScript's static runtime call their kernels directly. Inside an exact block they are refused,
and TorchScript's fuser, which compiles kernels as it runs, is off.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch

from samebits.arithmetic.mode import active
from samebits.arithmetic.refusal import not_exact
from samebits.core.interposition.replacements import Replacements

_RUNNERS = {
    "a model that AOTInductor has compiled": (
        ("torch._C._aoti", "AOTIModelPackageLoader", ("run", "boxed_run")),
        ("torch._C._aoti", "AOTIModelContainerRunnerCpu", ("run", "boxed_run")),
    ),
    "a graph that Inductor has compiled": (
        ("torch._inductor.output_code", "CompiledFxGraph", ("__call__",)),
        ("torch._inductor.output_code", "CompiledAOTI", ("__call__",)),
    ),
    "TorchScript's static runtime": (
        ("torch._C", "StaticModule", ("__call__", "run_async", "runAsync")),
    ),
}
"""What runs compiled code, where it is loaded: module, class and methods."""


def put_in_place(replacements: Replacements) -> None:
    """Refuse to run compiled code inside exact blocks."""
    for what, places in _RUNNERS.items():
        for place in places:
            put = functools.partial(_refuse, replacements, what, *place)
            if _is_loaded(place[0]):
                put()
            else:  # by the script, inside the block
                replacements.when_imported(place[0], put)


def _is_loaded(module: str) -> bool:
    # torch's C++ is no file that could be imported later.
    return module in sys.modules or module.startswith("torch._C")


def _refuse(replacements: Replacements, what: str, module: str, name: str, methods: Any) -> None:
    kind = getattr(sys.modules.get(module), name, None)
    for method in methods:
        if kind is not None and method in vars(kind):
            replacements.put(kind, method, _refusing(what, vars(kind)[method]))


def _refusing(what: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        if active():
            raise not_exact(
                what,
                "it calls kernels that the block does not see",
                way_out="Run the model as it is written in Python, or call this one outside.",
            )
        return original(*args, **kwargs)

    return run


class FuserOff:
    """Keeps TorchScript's fuser from compiling kernels for this processor."""

    def __init__(self) -> None:
        self._fuses = bool(torch._C._jit_can_fuse_on_cpu())
        if self._fuses:
            torch._C._jit_override_can_fuse_on_cpu(False)

    def give_back(self) -> None:
        """Let it compile again, where it did."""
        if self._fuses:
            torch._C._jit_override_can_fuse_on_cpu(True)
