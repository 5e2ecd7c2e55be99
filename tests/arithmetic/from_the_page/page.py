"""Compiles the C files beside it, once for binary32 and once for binary64, and calls them."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import torch

HERE = Path(__file__).parent
HALVES = (torch.float16, torch.bfloat16)
DTYPES = (torch.float32, torch.float64, *HALVES)

Libraries = dict[int, ctypes.CDLL]


def compiled(folder: Path) -> Libraries | str:
    """The two libraries, or why this machine cannot have them."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return "no C compiler"
    libraries = {}
    sources = sorted(str(source) for source in HERE.glob("*.c"))
    flags = ["-std=c11", "-O2", "-ffp-contract=off", "-fno-fast-math", "-shared", "-fPIC"]
    for bits in (32, 64):
        target = folder / f"page{bits}.so"
        command = [compiler, *flags, f"-DBITS={bits}", *sources, "-o", str(target)]
        for mathematics in (["-lquadmath", "-lm"], ["-lm"]):
            run = subprocess.run([*command, *mathematics], capture_output=True, text=True)
            if run.returncode == 0:
                break
        else:
            if "no format of 113 bits" in run.stderr or "quadmath" in run.stderr:
                return "this compiler has no floating-point format of 113 bits"
            raise AssertionError(run.stderr)
        libraries[bits] = ctypes.CDLL(str(target))
    return libraries


def _argument(value: Any) -> Any:
    if value is None:
        return ctypes.c_void_p(None)
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return value.ctypes.data_as(ctypes.c_void_p)
    if isinstance(value, str):
        return ctypes.c_char_p(value.encode())
    if isinstance(value, float):
        return ctypes.c_double(value)
    return ctypes.c_long(int(value))


class Page:
    """The page's arithmetic for one dtype: a half is widened, computed and rounded once."""

    def __init__(self, libraries: Libraries, dtype: torch.dtype) -> None:
        self.libraries = libraries
        self.dtype = dtype
        self.half = dtype in HALVES
        self.real: Any = np.float64 if dtype == torch.float64 else np.float32

    def call(self, name: str, *arguments: Any) -> None:
        library = self.libraries[64 if self.real is np.float64 else 32]
        library.keep_halves(HALVES.index(self.dtype) + 1 if self.half else 0)
        function = getattr(library, name)
        function.restype = None
        function(*map(_argument, arguments))

    def operand(self, x: torch.Tensor) -> Any:
        """The values of ``x`` in the format of the computation."""
        x = x.detach().contiguous()
        if x.dtype not in HALVES:
            return np.array(x.numpy(), dtype=self.real, order="C")
        out = np.empty(x.shape, np.float32)
        halves = x.view(torch.int16).numpy().view(np.uint16)
        self.call("widen_halves", x.dtype == torch.bfloat16, x.numel(), halves, out)
        return out

    def tensor(self, x: Any) -> torch.Tensor:
        """Values of a computation, rounded to the dtype once."""
        if not self.half:
            out = np.asarray(x, self.real)
            out[np.isnan(out)] = np.nan
            return torch.from_numpy(out)
        wide = np.ascontiguousarray(x, np.float64)
        out = np.empty(wide.shape, np.uint16)
        self.call("round_halves", self.dtype == torch.bfloat16, wide.size, wide, out)
        return torch.from_numpy(out.view(np.int16)).view(self.dtype)

    def empty(self, *shape: int) -> Any:
        return np.zeros(shape, self.real)

    def once(self, x: Any) -> Any:
        """Values that are rounded to the dtype and used again."""
        return self.operand(self.tensor(x))


def different(ours: torch.Tensor, theirs: torch.Tensor) -> int:
    """How many values have other bits."""
    theirs = theirs.detach().contiguous()
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    assert ours.dtype == theirs.dtype, (ours.dtype, theirs.dtype)
    whole = {2: torch.int16, 4: torch.int32, 8: torch.int64}[ours.element_size()]
    return int((ours.contiguous().view(whole) != theirs.view(whole)).sum())
