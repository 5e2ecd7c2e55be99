"""Memory: NumPy takes small arrays from the C library too, not from a store of its own."""

from __future__ import annotations

import ctypes
import os
import sys
import sysconfig
from typing import Any, ClassVar

from samebits.core.interposition import Hook

_DEFAULT_HANDLER = 306
"""PyDataMem_DefaultHandler in NumPy's table of C functions (numpy/__multiarray_api.h)."""


class _Allocator(ctypes.Structure):
    """PyMemAllocatorEx of Python, and the same fields of NumPy's PyDataMemAllocator."""

    _fields_: ClassVar = [
        (name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")
    ]


class _Handler(ctypes.Structure):
    """PyDataMem_Handler of NumPy, version 1."""

    _fields_: ClassVar = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("allocator", _Allocator),
    ]


class MemoryHook(Hook):
    """Has every array of NumPy allocated by the C library, which fills what it hands out.

    NumPy keeps up to seven freed blocks of each size below a kilobyte, and hands them out with what
    was in them: filling the C library's memory does not reach them.
    """

    name: ClassVar[str] = "memory"

    def put_in_place(self) -> None:
        """Change NumPy's allocator once it is imported."""
        if _plain_allocator():
            self.when_imported("numpy", self._numpy_imported)

    def _numpy_imported(self) -> None:
        core: Any = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get(
            "numpy.core._multiarray_umath"
        )
        if core is None:
            return
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        table = ctypes.cast(address(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
        variable = ctypes.cast(table[_DEFAULT_HANDLER], ctypes.POINTER(ctypes.py_object))
        handler = ctypes.cast(address(variable[0], b"mem_handler"), ctypes.POINTER(_Handler))[0]
        if handler.version != 1 or handler.name != b"default_allocator":
            return
        # Python's raw allocator is malloc and free with the arguments that NumPy passes; the size
        # that NumPy's free gets besides is left unread.
        ctypes.pythonapi.PyMem_GetAllocator(0, ctypes.byref(handler.allocator))
        self.acted += 1


def _plain_allocator() -> bool:
    """Whether Python's raw allocator is the C library's, with nothing around it."""
    changed = os.environ.get("PYTHONMALLOC") or sys.flags.dev_mode
    return not changed and not sysconfig.get_config_var("Py_GIL_DISABLED")
