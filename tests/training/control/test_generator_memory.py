"""Generators' memory: found, read as the public functions say, and not disturbed."""

from __future__ import annotations

import ctypes
import random
import struct

import numpy as np

from samebits.training.control.generator_memory import numpy_block, numpy_normal, python_block


def test_pythons_words():
    block = python_block()
    assert block is not None
    raw = struct.unpack("<i624I", ctypes.string_at(*block))
    assert (*raw[1:], raw[0]) == random.getstate()[1]


def test_numpys_words():
    block = numpy_block(np.random.get_bit_generator())
    assert block is not None
    raw = struct.unpack("<624Ii", ctypes.string_at(*block))
    state = np.random.get_state(legacy=False)["state"]
    assert raw == (*state["key"].tolist(), state["pos"])
    assert numpy_block(np.random.PCG64(0)) is None


def test_numpys_waiting_normal():
    state = np.random.RandomState(0)
    state.randn()
    before = repr(state.get_state(legacy=False))
    address = numpy_normal(state)
    assert address is not None
    assert repr(state.get_state(legacy=False)) == before
    waiting, normal = struct.unpack("=i4xd", ctypes.string_at(address, 16))
    assert (waiting, normal) == (1, state.get_state(legacy=False)["gauss"])
    ctypes.memset(address, 0, 4)
    assert state.get_state(legacy=False)["has_gauss"] == 0


def test_a_state_without_normals():
    class Other:
        def get_state(self, legacy: bool):
            return {"bit_generator": "Other"}

    assert numpy_normal(Other()) is None
