"""The three global generators: set from a key for every sample, saved and put back.

A key is expanded by Philox4x64-10 into the words of three Mersenne Twisters. No library's own way
of seeding is used: they take 4 to 10 microseconds each, and torch's takes 32 bits of seed, of which
a million samples would share some.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from samebits import _native
from samebits.control.generator_memory import (
    TWISTER_WORDS,
    numpy_block,
    numpy_normal,
    python_block,
)

_TWISTER = struct.Struct(f"<{TWISTER_WORDS}I")
_INT = 4  # bytes of the flag that a normal is waiting in NumPy
_NORMAL = 16  # bytes of that flag, a gap, and the normal
# The stubs of NumPy do not name it.
_bit_generator: Any = getattr(np.random, "get_bit_generator")  # noqa: B009
_TORCH_HEAD = 24  # bytes of torch's generator state before its words


@dataclass(frozen=True)
class Saved:
    """The states of the global generators in the process that trains."""

    python: Any
    numpy: Any
    torch_cpu: torch.Tensor
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
        found = python_block() if locate else None
        self._python_at, self._python_size = found or (0, 0)
        self._instance: Any = getattr(random, "_inst", None)
        self._numpy_source: Any = None
        self._numpy_at = self._numpy_size = self._normal_at = 0
        self._torch_state = torch_template()
        self._torch_at = 0 if self._torch_state is None else self._torch_state.data_ptr()
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

    def _seed_apart(self, key: bytes) -> None:
        """The same, one by one: where not all memory is located, or another is NumPy's now."""
        source = _bit_generator()
        if source is not self._numpy_source:
            self._find_numpy(source)
            if self._twisters is not None and self._twisters.set(key):
                return
        _native.set_twisters(key, self._python_at, self._numpy_at, self._torch_at)
        if self._python_at:
            self._instance.gauss_next = None
        else:
            random.setstate((3, (*_twister(key, 0), 0), None))
        if self._numpy_at:
            ctypes.memset(self._normal_at, 0, _INT)
        else:
            _seed_numpy_slowly(source, key)
        if self._torch_state is not None:
            torch.default_generator.set_state(self._torch_state)
        else:
            torch.default_generator.manual_seed(_native.key_seeds(key)[0] >> 1)

    def drawn(self) -> bool:
        """Whether anything was drawn from a CPU generator since the last `seed`.

        True also where it cannot be told.
        """
        if self._twisters is None or _bit_generator() is not self._numpy_source:
            return True
        now = torch.default_generator.get_state()
        return bool(self._twisters.drawn(now.data_ptr()))

    def save(self) -> Saved:
        """Take the state of every global generator."""
        return Saved(
            python=self._save_python(),
            numpy=self._save_numpy(),
            torch_cpu=torch.default_generator.get_state(),
            devices=tuple(
                (generator, generator.get_state())
                for module in self._devices
                if module.is_initialized()
                for generator in module.default_generators
            ),
        )

    def restore(self, saved: Saved) -> None:
        """Put every global generator back to where `save` found it."""
        if self._python_at:
            block, cached = saved.python
            ctypes.memmove(self._python_at, block, len(block))
            self._instance.gauss_next = cached
        else:
            random.setstate(saved.python)
        self._restore_numpy(saved.numpy)
        torch.default_generator.set_state(saved.torch_cpu)
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

    def _save_python(self) -> Any:
        if not self._python_at:
            return random.getstate()
        block = ctypes.string_at(self._python_at, self._python_size)
        return block, self._instance.gauss_next

    def _save_numpy(self) -> Any:
        source = _bit_generator()
        if source is not self._numpy_source:
            self._find_numpy(source)
        if not self._numpy_at:
            return np.random.get_state(legacy=False)  # noqa: NPY002
        block = ctypes.string_at(self._numpy_at, self._numpy_size)
        return source, block, ctypes.string_at(self._normal_at, _NORMAL)

    def _restore_numpy(self, saved: Any) -> None:
        if isinstance(saved, dict):
            np.random.set_state(saved)  # noqa: NPY002
        elif saved[0] is self._numpy_source:
            ctypes.memmove(self._numpy_at, saved[1], len(saved[1]))
            ctypes.memmove(self._normal_at, saved[2], len(saved[2]))

    def _find_numpy(self, source: Any) -> None:
        self._numpy_source = source
        self._numpy_at = self._numpy_size = 0
        self._twisters = None
        block = numpy_block(source) if self._locate else None
        # The bound method tells which object the module's functions draw from.
        normal = block and numpy_normal(np.random.rand.__self__)  # type: ignore[attr-defined]
        if not block or not normal:
            return
        self._numpy_at, self._numpy_size, self._normal_at = *block, normal
        if self._python_at and self._torch_at:
            self._twisters = _native.GlobalTwisters(
                instance=self._instance,
                python=self._python_at,
                bit_generator_of=_bit_generator,
                source=source,
                numpy=self._numpy_at,
                normal=normal,
                generator=torch.default_generator,
                state=self._torch_state,
                torch=self._torch_at,
            )


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
    _native.set_twisters(key, 0, 0, state.data_ptr())
    generator.set_state(state)


def _seed_numpy_slowly(source: Any, key: bytes) -> None:
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
