"""How torch.compile traces for this backend: what uncompiled code does, operation by operation.

torch's defaults serve Inductor. They take some operations apart into fused ones, make tensors of
Python numbers that change, and leave out random draws that nobody uses. Here each of these would
give other bits, or another state of the generator, than uncompiled code has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch._dynamo import convert_frame
from torch._dynamo.variables.torch import TorchInGraphFunctionVariable
from torch._functorch._aot_autograd import graph_compile

from samebits.arithmetic.compiling import is_ours

_SETTINGS = {"enable_dynamo_decompositions": False, "record_runtime_overhead": False}
"""The second would have each call open a profiler's range around what torch does before a graph."""

_TAKEN_APART = (torch.addcdiv, torch._foreach_lerp_)
_COMPILER = 5
"""Where `_compile` is given the backend."""


def trace_as_uncompiled() -> None:
    """Trace frames that end in our backend with settings of their own from now on."""
    original = convert_frame._compile

    def compile_frame(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= _COMPILER or not is_ours(args[_COMPILER]):
            return original(*args, **kwargs)
        with _settings(torch._dynamo.config, _SETTINGS), _without_handlers():
            return original(*args, **kwargs)

    convert_frame._compile = compile_frame


@contextmanager
def _without_handlers() -> Iterator[None]:
    """Trace functions as they are that torch.compile would take apart whatever is set."""
    handlers = TorchInGraphFunctionVariable._get_handlers()
    taken = {one: handlers.pop(one) for one in _TAKEN_APART if one in handlers}
    try:
        yield
    finally:
        handlers.update(taken)


@contextmanager
def captured_as_written() -> Iterator[None]:
    """Have AOTAutograd keep unused random operations, and leave numbers of Python's to Python."""
    import torch._inductor.config  # torch itself asks it

    passes: Any = graph_compile
    before = passes.tensorify_python_scalars
    passes.tensorify_python_scalars = lambda *_: None
    try:
        with _settings(torch._inductor.config, {"fallback_random": True}):
            yield
    finally:
        passes.tensorify_python_scalars = before


def _settings(config: Any, wanted: dict[str, bool]) -> AbstractContextManager[Any]:
    """Some settings for a while, of those that this torch has."""
    known = {name: value for name, value in wanted.items() if hasattr(config, name)}
    patch: Callable[..., Any] = config.patch
    return patch(known)  # type: ignore[no-any-return]
