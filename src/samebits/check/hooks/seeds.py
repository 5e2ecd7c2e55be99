"""Seeds: every generator starts from a number that is written down."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar

from samebits.core.interposition import FixedStream, Hook, UserLines
from samebits.core.interposition.callers import caller_module
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

SOURCES = ("python", "numpy", "numpy-generator", "torch-cpu", "torch-cuda", "torch-generator")
"""What can be seeded apart, under the names of the ledger: Python's generators, NumPy's global one,
the generators that NumPy makes, torch's global ones, and torch's `seed()` methods."""


class SeedsHook(Hook):
    """Seeds the global generators at the start, and whatever is made or reseeded without a seed.

    The global generators of Python, NumPy and torch get the seed itself before the script's first
    line, and in processes that the script starts a number of their own. After a fork that is
    Python's alone: the others go on as the parent left them. `random.Random()`,
    `random.seed()`, `numpy.random.default_rng()`, `RandomState()`, `SeedSequence()`, every NumPy
    bit generator, `torch.seed()` and `torch.Generator.seed()` get a number that depends on the seed
    and on how many of the kind there were before, where they would ask the operating system for
    one. Whatever is given a seed keeps it. (`torch.Generator()` itself starts from a constant.)

    Settings:
        seed: From 0 on.
        sources: Some of `SOURCES`; empty for all.
        sites: Objects made elsewhere keep their chance; the global generators know no sites.
    """

    name: ClassVar[str] = "seeds"
    defaults: ClassVar[Mapping[str, Setting]] = {"seed": 0, "sources": []}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._stream = FixedStream(self.settings["seed"])
        self._seed = self.settings["seed"]

    def put_in_place(self) -> None:
        """Seed Python now, NumPy and torch when the script imports them."""
        seed = self._seed
        if self._seeds("python"):
            random.seed(seed)
            self.replace(random.Random, "seed", self._random_seed)
            self.replace(random, "seed", self._global_random_seed)
        self.when_imported("numpy", self._numpy_imported)
        self.when_imported("torch", self._torch_imported)

    def enter_child(self, number: int) -> None:
        """What a worker makes without a seed differs from what its parent and the others make."""
        self._stream.enter_child(number)
        self._seed = self._stream.take_number("global", 32)
        if self._seeds("python"):
            # In a fork, Python has just seeded its generator from the system, by itself.
            random.seed(self._seed)

    def _seeds(self, source: str) -> bool:
        return not self.settings["sources"] or source in self.settings["sources"]

    def _next(self, source: str, bits: int) -> int:
        # What a library makes while it is imported is nobody's randomness.
        if not self._lines.are_importing_a_library():
            self.acted += 1
        return self._stream.take_number(source, bits)

    def _random_seed(self, original: Function) -> Function:
        def seed(self: random.Random, a: Any = None, *args: Any, **kwargs: Any) -> None:
            # No seed of a script's reaches the names of temporary files.
            chosen = a is not None or caller_module("random") == "tempfile"
            original(self, a if chosen else take("python", 64), *args, **kwargs)

        take = self._next
        return seed

    def _global_random_seed(self, original: Function) -> Function:
        def seed(a: Any = None, *args: Any, **kwargs: Any) -> None:
            original(self._next("python", 64) if a is None else a, *args, **kwargs)

        return seed

    def _numpy_imported(self) -> None:
        import numpy as np
        from numpy.random import bit_generator

        if self._seeds("numpy"):
            np.random.seed(self._seed % 2**32)  # noqa: NPY002 (the legacy one)
        if self._seeds("numpy-generator"):
            # Every construction without a seed, of whatever class, asks this function for its
            # entropy: SeedSequence() is what they all come to.
            self.replace(
                bit_generator, "randbits", lambda _: lambda k: self._next("numpy-generator", k)
            )

    def _torch_imported(self) -> None:
        import torch

        seed = self._seed
        if self._seeds("torch-cpu") and self._seeds("torch-cuda"):
            torch.manual_seed(seed)
        elif self._seeds("torch-cpu"):
            torch.default_generator.manual_seed(seed)
        elif self._seeds("torch-cuda"):
            torch.cuda.manual_seed_all(seed)
        if self._seeds("torch-generator"):
            # torch.seed() and torch.cuda.seed() call it on the global generators.
            self.replace(torch.Generator, "seed", self._generator_seed)

    def _generator_seed(self, original: Function) -> Function:
        def seed(generator: Any) -> int:
            number = self._next("torch-generator", 63)
            generator.manual_seed(number)
            return number

        return seed
