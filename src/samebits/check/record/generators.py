"""Fingerprints of the global generators' states, cheap enough for every step.

Python's and NumPy's Mersenne Twister keep their state in one block of memory; reading that block
costs a hundredth of asking for the state as Python numbers.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from samebits.core import _native
from samebits.training.control.generator_memory import numpy_block, python_block

_ENTROPIC_SEED = 1 << 32  # torch seeds itself with 53 random bits; people choose smaller numbers


class GeneratorStates:
    """Digests the global generators as they stand.

    All of them begin with the system's entropy until someone seeds them, and until then their
    states agree in no two runs; what is drawn from them shows where it is drawn, and may be of no
    consequence. So torch's count once they hold a seed that somebody chose, or everything was
    seeded; Python's and NumPy's, which libraries draw from for names of temporary files and the
    like, only where everything was.

    Args:
        all_seeded: Whether Python's and NumPy's generators were seeded by samebits.
    """

    def __init__(self, *, all_seeded: bool) -> None:
        self._all_seeded = all_seeded
        self._python_block = python_block()
        self._first_seeds = [generator.initial_seed() for generator in _torch_generators()]
        self._numpy_source: Any = None
        self._numpy_block: tuple[int, int] | None = None

    def digest(self) -> int:
        """One fingerprint over all that count; generators that are not imported do not."""
        state = 0
        for place, generator in enumerate(_torch_generators()):
            seed = generator.initial_seed()
            # A CUDA device's generator may come into being later.
            self._first_seeds += [seed] * (place == len(self._first_seeds))
            chosen = seed < _ENTROPIC_SEED or seed != self._first_seeds[place]
            counts = self._all_seeded or chosen
            state = _native.combine(state, _torch_state(generator) if counts else 0)
        if self._all_seeded:
            state = _native.combine(_native.combine(state, self._python()), self._numpy())
        return state

    def _python(self) -> int:
        if self._python_block is not None:
            return _native.digest_memory(*self._python_block)
        return _digest_bytes(repr(random.getstate()).encode())

    def _numpy(self) -> int:
        module = sys.modules.get("numpy.random.mtrand")
        if module is None:
            return 0
        source = module._rand._bit_generator
        if source is not self._numpy_source:
            self._numpy_source = source
            self._numpy_block = numpy_block(source)
        if self._numpy_block is not None:
            return _native.digest_memory(*self._numpy_block)
        return _digest_bytes(repr(source.state).encode())


def _torch_generators() -> list[Any]:
    """The default generators: the CPU's, then each CUDA device's."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    cuda = sys.modules.get("torch.cuda")
    devices = cuda.default_generators if cuda is not None and cuda.is_initialized() else ()
    return [torch.default_generator, *devices]


def _torch_state(generator: Any) -> int:
    state = generator.get_state()
    return _native.digest_memory(state.data_ptr(), state.nbytes)


def _digest_bytes(content: bytes) -> int:
    import hashlib

    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
