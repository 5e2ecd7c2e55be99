"""The state of every global generator: taking it, putting it back, and a scope that does both.

Besides the generators of Python, NumPy and torch, all named streams
(`samebits.training.control.streams`) and everything that was registered
(`samebits.training.control.rng_sources`) count as global.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

from samebits.core.scope import BlockOrDecorator
from samebits.training.control.rng_sources import capture_registered, restore_registered
from samebits.training.control.streams import live_streams

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class RngState:
    """The states of the global generators at one moment.

    Attributes:
        python: What `random.getstate()` gave.
        numpy: What `numpy.random.get_state(legacy=False)` gave; `None` when NumPy was not imported.
        torch_cpu: uint8 tensor, the CPU generator's state; `None` when torch was not imported.
        torch_seed: The seed that torch's CPU generator was last given.
        devices: For each device type ("cuda", "xpu", "mps") that was running: one uint8 tensor, on
            the CPU, for each device of that type, in order of device index.
        streams: For each `Streams` that was alive, by its number: the states of its generators.
        generators: The states of the registered generators, by name.
        sources: The states of other parts' generators, by the part's name.
    """

    python: tuple[Any, ...]
    numpy: dict[str, Any] | None = None
    torch_cpu: torch.Tensor | None = None
    torch_seed: int | None = None
    devices: dict[str, tuple[torch.Tensor, ...]] = field(default_factory=dict)
    streams: dict[int, dict[str, Any]] = field(default_factory=dict)
    generators: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)


def capture() -> RngState:
    """Take the state of Python's generator, NumPy's legacy one, torch's on all devices, and more.

    That is: of all named streams that are alive, and of everything that was registered. Imports
    nothing and starts no device: a library that was not imported has no state to keep, and a
    device that is not running has drawn nothing yet.
    """
    numpy: Any = sys.modules.get("numpy")
    torch: Any = sys.modules.get("torch")
    python_state = random.getstate()
    numpy_state = None if numpy is None else numpy.random.get_state(legacy=False)
    streams = {number: streams.capture() for number, streams in live_streams().items()}
    generators, sources = capture_registered()
    if torch is None:
        return RngState(
            python=python_state,
            numpy=numpy_state,
            streams=streams,
            generators=generators,
            sources=sources,
        )
    return RngState(
        python=python_state,
        numpy=numpy_state,
        streams=streams,
        generators=generators,
        sources=sources,
        torch_cpu=torch.get_rng_state(),
        torch_seed=torch.initial_seed(),
        devices={kind: _device_states(torch, kind) for kind in _running_devices(torch)},
    )


def restore(state: RngState) -> None:
    """Put every generator back to `state`; where one refuses, all are as they were.

    A device that was not running at the capture and is now (or was seeded for its later start) is
    given the seed that torch's CPU generator had: what it would have started from, for a program
    that seeds by `torch.manual_seed`.

    Raises:
        Exception: Whatever the library of a generator raises for what is no state of it.
    """
    before = capture()
    try:
        _put_back(state)
    except BaseException:
        _put_back(before)
        raise


def _put_back(state: RngState) -> None:
    restore_registered(state.generators, state.sources)
    for number, streams in live_streams().items():
        # What was made since has drawn nothing as far as that moment goes.
        streams.restore(state.streams.get(number, {}))
    _, _, waiting = state.python
    if not isinstance(waiting, float | None):
        # Python takes anything here, and fails at the next number that random.gauss draws.
        raise TypeError(f"Python's generator keeps a number or None, not {waiting!r:.40}")
    random.setstate(state.python)
    if state.numpy is not None:
        sys.modules["numpy"].random.set_state(state.numpy)
    if state.torch_cpu is None:
        return
    torch: Any = sys.modules["torch"]
    for kind in ("cuda", "xpu"):
        if kind not in state.devices and _is_built(torch, kind):
            # Started already: seeds now. Not started: replaces the seed that waits for the start.
            getattr(torch, kind).manual_seed_all(state.torch_seed)
    for kind, states in state.devices.items():
        for index, device_state in enumerate(states):
            if kind == "mps":
                torch.mps.set_rng_state(device_state)
            else:
                getattr(torch, kind).set_rng_state(device_state, device=index)
    torch.set_rng_state(state.torch_cpu)


class isolated_rng(BlockOrDecorator):  # noqa: N801 (used like a function)
    """Put every global generator back, on leaving, to where it was on entering.

    What draws numbers inside leaves no mark outside, also when it raises. Use it as
    `with isolated_rng():` or as the decorator `@isolated_rng()`; scopes nest.

    Raises:
        UsageError: As a decorator, on a generator function or a coroutine function.
    """

    label = "isolated_rng()"

    def __init__(self) -> None:
        self._states: list[RngState] = []

    def _recreate_cm(self) -> isolated_rng:
        # A decorated function may call itself, or run in several threads at once.
        return isolated_rng()

    def __enter__(self) -> None:
        self._states.append(capture())

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _put_back(self._states.pop())


def _running_devices(torch: Any) -> list[str]:
    running = [
        kind
        for kind in ("cuda", "xpu")
        if hasattr(torch, kind) and getattr(torch, kind).is_initialized()
    ]
    if torch.backends.mps.is_available():
        running.append("mps")
    return running


def _device_states(torch: Any, kind: str) -> tuple[torch.Tensor, ...]:
    if kind == "mps":
        return (torch.mps.get_rng_state(),)
    return tuple(getattr(torch, kind).get_rng_state_all())


def _is_built(torch: Any, kind: str) -> bool:
    if kind == "cuda":
        return bool(torch.backends.cuda.is_built())
    # No public question for it exists; the name is the one that torch.xpu itself asks.
    return bool(getattr(getattr(torch, kind, None), "_is_compiled", bool)())
