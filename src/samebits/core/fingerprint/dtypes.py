"""The number of every dtype in a fingerprint. Numbers are for ever: traces outlive versions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

# Name in torch: number. Names that a torch lacks are passed over.
CODES: Mapping[str, int] = MappingProxyType(
    {
        "bool": 1,
        "uint8": 2,
        "int8": 3,
        "int16": 4,
        "int32": 5,
        "int64": 6,
        "uint16": 7,
        "uint32": 8,
        "uint64": 9,
        "float16": 10,
        "bfloat16": 11,
        "float32": 12,
        "float64": 13,
        "complex32": 14,
        "complex64": 15,
        "complex128": 16,
        "float8_e4m3fn": 17,
        "float8_e4m3fnuz": 18,
        "float8_e5m2": 19,
        "float8_e5m2fnuz": 20,
        "float8_e8m0fnu": 21,
        "float4_e2m1fn_x2": 22,
        "quint8": 23,
        "qint8": 24,
        "qint32": 25,
        "quint4x2": 26,
        "quint2x4": 27,
        "bits8": 28,
        "bits16": 29,
        "bits1x8": 30,
        "bits2x4": 31,
        "bits4x2": 32,
        **{f"uint{n}": 32 + n for n in range(1, 8)},
        **{f"int{n}": 39 + n for n in range(1, 8)},
    }
)

# (DLPack type code, bits) of dtypes that DLPack can say; numbers from its header, dlpack.h.
_DLPACK: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "bool": (6, 8),
        "uint8": (1, 8),
        "int8": (0, 8),
        "int16": (0, 16),
        "int32": (0, 32),
        "int64": (0, 64),
        "uint16": (1, 16),
        "uint32": (1, 32),
        "uint64": (1, 64),
        "float16": (2, 16),
        "bfloat16": (4, 16),
        "float32": (2, 32),
        "float64": (2, 64),
        "complex32": (5, 32),
        "complex64": (5, 64),
        "complex128": (5, 128),
        "float8_e4m3fn": (10, 8),
        "float8_e4m3fnuz": (11, 8),
        "float8_e5m2": (12, 8),
        "float8_e5m2fnuz": (13, 8),
        "float8_e8m0fnu": (14, 8),
    }
)

# NumPy dtypes (kind, itemsize) and the torch dtype of the same values.
NUMPY: Mapping[tuple[str, int], str] = MappingProxyType(
    {
        ("b", 1): "bool",
        **{("u", n): f"uint{8 * n}" for n in (1, 2, 4, 8)},
        **{("i", n): f"int{8 * n}" for n in (1, 2, 4, 8)},
        **{("f", n): f"float{8 * n}" for n in (2, 4, 8)},
        **{("c", n): f"complex{8 * n}" for n in (8, 16)},
    }
)


def torch_codes(torch: ModuleType) -> dict[Any, int]:
    """{torch.dtype: number}, for the dtypes that this torch has."""
    return {
        getattr(torch, name): code for name, code in CODES.items() if getattr(torch, name, None)
    }


def native_tables(
    torch: ModuleType,
) -> tuple[dict[Any, int], dict[tuple[int, int], int], dict[int, str]]:
    """What native code needs to name a tensor's dtype.

    Returns:
        {torch.dtype: number}, {(DLPack type code, bits): number} and {number: name}.
    """
    dlpack = {key: CODES[name] for name, key in _DLPACK.items()}
    return torch_codes(torch), dlpack, {code: name for name, code in CODES.items()}
