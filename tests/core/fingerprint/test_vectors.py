"""The vectors in the documentation hold, for the reference, every native build and whole trees."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samebits.core import _native
from samebits.core.fingerprint import isa, reference
from samebits.core.fingerprint.dtypes import CODES
from samebits.core.fingerprint.tree import fingerprint

PAGE = Path(__file__).parents[3] / "docs" / "how-it-works" / "fingerprint.md"
ROW = re.compile(r"^\| `(\w+)` \| `(\[.*?\])` \| (\d+) \| `([0-9a-f]{16})` \|$", re.MULTILINE)
VECTORS = ROW.findall(PAGE.read_text(encoding="utf-8"))

TREES: list[tuple[Any, str]] = [
    (None, "8afb655e195ab553"),
    (True, "50b994a5d6002c2d"),
    (1, "69f6aa546b7d9649"),
    (-300, "00c397e67104c666"),
    (1.0, "3ef9ed079e619a27"),
    ("samebits", "522085d8778d9155"),
    ([1, 2], "182b63b6b5f06b08"),
    ({"a": 1, "b": [2.5]}, "48c164ebac8f8ce5"),
]


def content(nbytes: int) -> bytes:
    return bytes((37 * i + 11) % 256 for i in range(nbytes))


def test_the_page_has_vectors() -> None:
    assert len(VECTORS) == 11


@pytest.mark.parametrize(("dtype", "shape", "nbytes", "expected"), VECTORS)
def test_tensor_vectors(dtype: str, shape: str, nbytes: str, expected: str) -> None:
    sizes = ast.literal_eval(shape)
    raw = content(int(nbytes))
    assert f"{reference.fingerprint(raw, CODES[dtype], sizes):016x}" == expected
    memory = np.frombuffer(raw, np.uint8)
    itemsize = 16 if dtype == "complex128" else int(re.sub(r"\D", "", dtype)) // 8
    for name in isa.available():
        with isa.using(name):
            value = _native.fingerprint_view(
                memory.ctypes.data, itemsize, sizes, None, CODES[dtype]
            )
        assert f"{value:016x}" == expected


@pytest.mark.parametrize(("obj", "expected"), TREES)
def test_tree_vectors(obj: Any, expected: str) -> None:
    assert fingerprint(obj) == expected
