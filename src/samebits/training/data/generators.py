"""The three global generators: set from a key for every sample, saved and put back.

A key is expanded by Philox4x64-10 into the words of three Mersenne Twisters. No library's own way
of seeding is used: they take 4 to 10 microseconds each, and torch's takes 32 bits of seed, of which
a million samples would share some.
"""

from __future__ import annotations

import contextlib
import functools
import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from samebits.core import _native
from samebits.training.control.generator_memory import (
    TWISTER_WORDS,
    numpy_block,
    numpy_normal,
    python_block,
)

_TWISTER = struct.Struct(f"<{TWISTER_WORDS}I")
# The stubs of NumPy do not name it.
_bit_generator: Any = getattr(np.random, "get_bit_generator")  # noqa: B009
_TORCH_HEAD = 24  # bytes of torch's generator state before its words


@dataclass(frozen=True)
class _Apart:
    """What the public functions give for Python, NumPy and torch on the CPU."""

    python: Any
    source: Any
    numpy: dict[str, Any]
    torch_cpu: torch.Tensor

    @classmethod
    def save(cls) -> _Apart:
        numpy: Any = np.random.get_state(legacy=False)  # noqa: NPY002
        torch_cpu = torch.default_generator.get_state()
        return cls(random.getstate(), _bit_generator(), numpy, torch_cpu)

    def restore(self) -> None:
        random.setstate(self.python)
        if _bit_generator() is self.source:
            np.random.set_state(self.numpy)  # noqa: NPY002
        else:  # the program has given NumPy another one meanwhile
            self.source.state = self.numpy
        torch.default_generator.set_state(self.torch_cpu)


@dataclass(frozen=True)
class GlobalStates:
    """The states of the global generators in the process that trains.

    Attributes:
        together: The CPU's three, with what took them; `None` where they were taken one by one.
        apart: The same three as the public functions give them, otherwise.
        devices: Generators of running devices with their states.
    """

    together: tuple[_native.GlobalTwisters, _native.SavedTwisters] | None
    apart: _Apart | None
    devices: tuple[tuple[Any, torch.Tensor], ...]


class GlobalGenerators:
    """Python's `random`, NumPy's legacy generator, torch's on the CPU and on running devices.

    Where the memory of a generator cannot be located (another interpreter, another bit generator),
    the public functions set the same state, more slowly.

    Args:
        locate: Whether to look for the memory at all.
    """

    def __init__(self, *, locate: bool = True) -> None:
        self._locate = locate
        self._numpy_source: Any = None
        self._twisters: _native.GlobalTwisters | None = None
        self._devices = _device_modules()

    def seed(self, key: bytes) -> None:
        """Set every global generator to the state that a key of 16 bytes stands for."""
        if self._twisters is None or not self._twisters.set(key):
            self._seed_apart(key)
        for module in self._devices:
            if module.is_initialized():
                seed = _native.key_seeds(key)[1] >> 1
                for generator in module.default_generators:
                    generator.manual_seed(seed)

    def items(self, dataset: Any, indices: Sequence[Any], keys: Sequence[bytes]) -> list[Any]:
        """`dataset[index]` for every index, each after `seed` of its key.

        Between two samples their own work empties the caches; so as little as can be runs there.
        """
        if self._twisters is not None and not self._devices:
            return self._twisters.items(dataset, indices, keys, self.seed)
        found = []
        for index, key in zip(indices, keys, strict=True):
            self.seed(key)
            found.append(dataset[index])
        return found

    def _seed_apart(self, key: bytes) -> None:
        """The same, one by one: where not all memory is located, or another is NumPy's now."""
        twisters = self._located()
        if twisters is not None and twisters.set(key):
            return
        random.setstate((3, (*_twister(key, 0), 0), None))
        _seed_numpy(self._numpy_source, key)
        set_torch_generator(torch.default_generator, key)

    def drawn(self) -> bool:
        """Whether anything was drawn from a CPU generator since the last `seed`.

        True also where it cannot be told.
        """
        if self._twisters is None or _bit_generator() is not self._numpy_source:
            return True
        now = torch.default_generator.get_state()
        return bool(self._twisters.drawn(now.data_ptr()))

    def save(self) -> GlobalStates:
        """Take the state of every global generator."""
        twisters = self._located()
        together = twisters and twisters.save()
        return GlobalStates(
            together=(twisters, together) if twisters and together else None,
            apart=None if together else _Apart.save(),
            devices=tuple(
                (generator, generator.get_state())
                for module in self._devices
                if module.is_initialized()
                for generator in module.default_generators
            ),
        )

    def restore(self, saved: GlobalStates) -> None:
        """Put every global generator back to where `save` found it."""
        if saved.together is not None:
            twisters, states = saved.together
            twisters.restore(states)
        elif saved.apart is not None:
            saved.apart.restore()
        for generator, state in saved.devices:
            generator.set_state(state)

    @contextlib.contextmanager
    def isolated(self) -> Iterator[None]:
        """A scope after which every global generator stands where it stood before."""
        saved = self.save()
        try:
            yield
        finally:
            self.restore(saved)

    def _located(self) -> _native.GlobalTwisters | None:
        source = _bit_generator()
        if source is not self._numpy_source:
            self._numpy_source = source
            self._twisters = _located(source) if self._locate else None
        return self._twisters


@functools.cache
def global_generators() -> GlobalGenerators:
    """The one instance of this process; a forked child's copy serves that child as well."""
    return GlobalGenerators()


def seed_of(key: bytes) -> np.random.SeedSequence:
    """A key as the seed of a NumPy bit generator."""
    return np.random.SeedSequence(int.from_bytes(key, "little"))


def set_torch_generator(generator: torch.Generator, key: bytes) -> None:
    """Set a torch generator of any device to the state that a key stands for."""
    state = torch_template() if generator.device.type == "cpu" else None
    if state is None:
        generator.manual_seed(int.from_bytes(key[:8], "little") >> 1)
        return
    _native.fill_torch_state(key, state.data_ptr())
    generator.set_state(state)


def _located(source: Any) -> _native.GlobalTwisters | None:
    """All three by their memory; `None` where that of one is not where it is known to be."""
    python, numpy = python_block(), numpy_block(source)
    # The bound method tells which object the module's functions draw from.
    normal = numpy and numpy_normal(np.random.rand.__self__)  # type: ignore[attr-defined]
    state = torch_template()
    if not python or not numpy or not normal or state is None:
        return None
    return _native.GlobalTwisters(
        instance=getattr(random, "_inst"),  # noqa: B009 (the stubs do not name it)
        python=python[0],
        bit_generator_of=_bit_generator,
        source=source,
        numpy=numpy[0],
        normal=normal,
        generator=torch.default_generator,
        state=state,
        torch=state.data_ptr(),
    )


def _seed_numpy(source: Any, key: bytes) -> None:
    if type(source).__name__ == "MT19937":
        words = np.array(_twister(key, 1), dtype=np.uint32)
        state = {"bit_generator": "MT19937", "state": {"key": words, "pos": 0}}
        np.random.set_state({**state, "has_gauss": 0, "gauss": 0.0})  # noqa: NPY002
    else:
        source.state = type(source)(seed_of(key)).state


def _twister(key: bytes, which: int) -> tuple[int, ...]:
    return _TWISTER.unpack_from(_native.expand_key(key), which * _TWISTER.size)


def _device_modules() -> tuple[Any, ...]:
    """The modules of devices that this torch was built for, whether they run or not."""
    found: list[Any] = []
    if torch.backends.cuda.is_built():  # type: ignore[no-untyped-call]
        found.append(torch.cuda)
    # No public question for it exists; the name is the one that torch.xpu itself asks.
    if getattr(getattr(torch, "xpu", None), "_is_compiled", bool)():
        found.append(torch.xpu)
    return tuple(found)


def torch_template() -> torch.Tensor | None:
    """The state of a fresh CPU generator, or `None` where its layout is not the known one."""
    seed = 5489
    state = torch.Generator().manual_seed(seed).get_state()
    if state.numel() < _TORCH_HEAD + 8 * TWISTER_WORDS:
        return None
    words = state.numpy()[_TORCH_HEAD : _TORCH_HEAD + 16].view(np.uint64).tolist()
    # The first step of the Mersenne Twister's own initialisation.
    second = (1812433253 * (seed ^ (seed >> 30)) + 1) % 2**32
    return state if words == [seed, second] else None
