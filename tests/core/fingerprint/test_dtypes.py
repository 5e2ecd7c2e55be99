"""Dtype numbers are a promise: complete, distinct, and never changed."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from samebits.core.fingerprint import dtypes

# Written out again on purpose: a changed number must break this test.
FROZEN = {
    "bool": 1, "uint8": 2, "int8": 3, "int16": 4, "int32": 5, "int64": 6, "uint16": 7,
    "uint32": 8, "uint64": 9, "float16": 10, "bfloat16": 11, "float32": 12, "float64": 13,
    "complex32": 14, "complex64": 15, "complex128": 16, "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18, "float8_e5m2": 19, "float8_e5m2fnuz": 20, "float8_e8m0fnu": 21,
    "float4_e2m1fn_x2": 22, "quint8": 23, "qint8": 24, "qint32": 25, "quint4x2": 26,
    "quint2x4": 27, "bits8": 28, "bits16": 29, "bits1x8": 30, "bits2x4": 31, "bits4x2": 32,
    "uint1": 33, "uint2": 34, "uint3": 35, "uint4": 36, "uint5": 37, "uint6": 38, "uint7": 39,
    "int1": 40, "int2": 41, "int3": 42, "int4": 43, "int5": 44, "int6": 45, "int7": 46,
}  # fmt: skip


def test_numbers_are_frozen() -> None:
    assert dict(dtypes.CODES) == FROZEN


def test_every_torch_dtype_has_a_number() -> None:
    known = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    assert known <= set(dtypes.torch_codes(torch))


def test_dlpack_agrees_with_torch() -> None:
    by_dtype, by_dlpack, names = dtypes.native_tables(torch)
    assert {names[code] for code in by_dtype.values()} <= set(dtypes.CODES)
    for name in ("bool", "int8", "uint64", "float32", "complex64", "bfloat16"):
        code = by_dtype[getattr(torch, name)]
        assert [key for key, value in by_dlpack.items() if value == code], name


@pytest.mark.parametrize("name", sorted(dtypes.NUMPY.values()))
def test_numpy_dtypes_mean_the_torch_dtype(name: str) -> None:
    kind = np.dtype(name)
    assert dtypes.NUMPY[kind.kind, kind.itemsize] == name
    assert torch.from_numpy(np.zeros(1, kind)).dtype is getattr(torch, name)
