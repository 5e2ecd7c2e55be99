"""torch's operator database: every operation of torch with the samples of its own tests."""

from __future__ import annotations

import functools
import random
import sys
import types
import unittest
import warnings
from typing import Any

import numpy as np
import torch

DTYPES = {
    "float32": torch.float32,
    "float64": torch.float64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "bool": torch.bool,
    "complex64": torch.complex64,
}
FLOATING = ("float32", "float64", "float16", "bfloat16")
OTHERS = ("int64", "bool", "complex64")
"""One of these stands for an entry that takes no floating dtype."""

LIMITS = {"float32": 16}
LIMIT = 6
"""Samples of an entry in a dtype (in others); of more, these many from the first to the last."""


@functools.cache
def database() -> dict[str, Any]:
    """The entries by their names, such as "linalg.norm" or "div.floor_rounding"."""
    # torch's test helpers import it for one decorator that is not used here.
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    own = sys.modules.setdefault("expecttest", stand_in)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_utils
        from torch.testing._internal.common_methods_invocations import op_db
    # It looks for a test of unittest's in the stack at each sample, through all loaded modules.
    common_utils.extract_test_fn = lambda: None
    if own is stand_in:
        del sys.modules["expecttest"]
    found: dict[str, Any] = {}
    for entry in op_db:
        name = f"{entry.name}.{entry.variant_test_name}".removesuffix(".")
        assert name not in found, f"two entries are called {name}"
        found[name] = entry
    return found


def dtypes_of(entry: Any) -> list[str]:
    """The names of the dtypes in which an entry is tried."""
    taken = [name for name in FLOATING if entry.supports_dtype(DTYPES[name], "cpu")]
    others = [name for name in OTHERS if entry.supports_dtype(DTYPES[name], "cpu")]
    return taken or others[:1]


def samples(entry: Any, dtype: str) -> list[Any]:
    """torch's samples of an entry, evenly thinned to the limit; the same whenever it is asked.

    Only their structure is: torch draws its numbers with instructions that round differently from
    one capability to the other.
    """
    torch.default_generator.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    differentiable = DTYPES[dtype].is_floating_point and entry.supports_autograd
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = list(entry.sample_inputs("cpu", DTYPES[dtype], requires_grad=differentiable))
    count = min(len(every), LIMITS.get(dtype, LIMIT))
    return [every[place * (len(every) - 1) // max(count - 1, 1)] for place in range(count)]
