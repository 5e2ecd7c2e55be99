"""Memory that was read before anything was written to it."""

from __future__ import annotations

import ast
import os
import platform
from collections.abc import Iterator, Mapping
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.variation import Baseline, LineSource, Variation
from samebits.check.trace.codes import Flag
from samebits.core.catalog.memory import CREATES_UNWRITTEN, RESIZES
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.core.source.statement import Statement, called

NOISE = 0x4B
"""A byte that shows: four of them are the float32 13,323,083, eight the float64 2.7e55, and as
integers they are far beyond any index."""

_TUNABLES = "GLIBC_TUNABLES"
_OTHER_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "hoard", "asan", "scudo")
_ZEROS = {"empty": "zeros", "empty_like": "zeros_like", "new_empty": "new_zeros"}


class MemoryPin(Pin):
    """Memory holds zeros when it is handed out, whatever was there before."""

    name: ClassVar[str] = "memory"
    what: ClassVar[str] = "memory zeroed when it is allocated"
    hook: ClassVar[str | None] = "memory"
    comes_and_goes: ClassVar[bool] = True
    inside_operations: ClassVar[bool] = True

    def not_applicable(self) -> str | None:
        """Some allocators cannot be told to fill."""
        return no_filling()

    def pinned(self) -> Surroundings:
        """Zeros in every byte."""
        return Surroundings(environment=filled_with(0))


class MemoryVariation(Variation):
    """Memory holds large numbers when it is handed out, and when it is taken back."""

    name: ClassVar[str] = "memory"
    what: ClassVar[str] = "noise in freed and uninitialised memory"
    meaning: ClassVar[str] = "memory was read before anything was written to it"
    fix: ClassVar[str] = (
        "Write torch.zeros in place of torch.empty, or write every element before reading."
    )
    # NumPy's memory is not recorded where it is made; a variable that holds it is.
    lines: ClassVar[tuple[LineSource, ...]] = ("allocation", "variable")

    def not_applicable(self, circumstances: Baseline) -> str | None:
        """Some allocators cannot be told to fill."""
        return no_filling(circumstances.environment)

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """The same byte everywhere, which shows in every type."""
        noise = filled_with(NOISE, circumstances.environment)
        return Surroundings(environment=noise, hooks=(HookSpec(name="memory"),))


class UninitializedMemory(KnownCause):
    """What happened to lie in memory reached a result."""

    code: ClassVar[str] = "uninitialized-memory"
    meaning: ClassVar[str] = "Memory was read before anything was written to it."
    look: ClassVar[str] = (
        "torch.zeros in place of torch.empty, or write every element before reading."
    )
    pins: ClassVar[tuple[Pin, ...]] = (MemoryPin(),)
    variations: ClassVar[tuple[Variation, ...]] = (MemoryVariation(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Shown where an operation read what none had written.

        Memory that NumPy handed out is known by its name alone.
        """
        standing = Standing.FAINT
        if evidence.flags & Flag.READS_UNWRITTEN:
            standing = Standing.SHOWN
        elif evidence.found.data and evidence.allocates:
            standing = Standing.POSSIBLE
        yield Hypothesis(pin="memory", code=self.code, standing=standing)

    def seen(self, culprit: Culprit) -> str:
        """Which operation handed it out, where it is one that does."""
        name = culprit.operation.removeprefix("aten.").partition(".")[0]
        if name not in CREATES_UNWRITTEN | RESIZES:
            return ""
        return f"{culprit.operation} returns memory that nothing had written to, and it was read"

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """torch.zeros in place of torch.empty; weights get numbers to learn from."""
        weights = {
            id(call.args[0])
            for call in statement.expressions()
            if isinstance(call, ast.Call) and called(call) == "Parameter" and call.args
        }

        def filled(node: ast.expr) -> str | None:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                return None
            zeros = _ZEROS.get(node.func.attr)
            if zeros is None:
                return None
            whole, name = statement.text_of(node), statement.text_of(node.func)
            if id(node) in weights and not _has_one_dimension(node):
                return f"torch.nn.init.normal_({whole}, std=0.02)"  # zeros may learn nothing
            has_format = any(keyword.arg == "memory_format" for keyword in node.keywords)
            if has_format and zeros != "zeros_like":
                return f"{whole}.zero_()"  # torch.zeros takes no such argument
            return f"{name.removesuffix(node.func.attr)}{zeros}{whole.removeprefix(name)}"

        return statement.rewritten(filled)


def _has_one_dimension(node: ast.Call) -> bool:
    sizes = node.args
    if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
        sizes = sizes[0].elts
    return len(sizes) == 1 and not isinstance(sizes[0], ast.Starred)


def no_filling(environment: Mapping[str, str] | None = None) -> str | None:
    """Why the memory of programs cannot be filled here; None when it can.

    Args:
        environment: That of the program; this process's unless given.
    """
    library = platform.libc_ver()[0]
    if library != "glibc":
        return f"only glibc's allocator can be told to fill, and this is {library or 'not glibc'}"
    preloaded = (os.environ if environment is None else environment).get("LD_PRELOAD", "")
    for name in _OTHER_ALLOCATORS:
        if name in preloaded:
            return f"LD_PRELOAD replaces glibc's allocator by {name}"
    return None


def filled_with(byte: int, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables under which memory is handed out filled with a byte.

    The cache of freed blocks that each thread keeps is switched off: what comes out of it is not
    filled, and holds addresses.

    Args:
        byte: From 0 to 254.
        environment: That of the program, whose other tunables are kept.
    """
    assert 0 <= byte < 0xFF, byte
    # mallopt(3), M_PERTURB: handed out memory gets the complement of the value's last byte, freed
    # memory the byte itself; 0 fills nothing.
    value = byte ^ 0xFF
    given = (os.environ if environment is None else environment).get(_TUNABLES, "")
    ours = ("glibc.malloc.perturb", "glibc.malloc.tcache_count")
    kept = [one for one in given.split(":") if one and one.partition("=")[0] not in ours]
    tunables = [*kept, f"{ours[0]}={value}", f"{ours[1]}=0"]
    return {_TUNABLES: ":".join(tunables), "MALLOC_PERTURB_": str(value)}
