"""Fingerprints that a device computed, read back in one batch when rows are flushed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from samebits.check.trace.schema import RECEIVED_DTYPES
from samebits.core import _native

_START = 0x736D6274  # where the native recorder begins every combination


def _read_back(results: Sequence[torch.Tensor]) -> list[int]:
    """The values of 0-dim int64 device tensors, with one transfer a device."""
    values: list[int] = [0] * len(results)
    by_device: dict[torch.device, list[int]] = {}
    for place, result in enumerate(results):
        by_device.setdefault(result.device, []).append(place)
    for places in by_device.values():
        read = torch.stack([results[place] for place in places]).cpu().numpy().view(np.uint64)
        for place, value in zip(places, read.tolist(), strict=True):
            values[place] = value
    return values


def resolve_rows(
    columns: Mapping[str, npt.NDArray[Any]], deferred: Sequence[tuple[int, bool, torch.Tensor]]
) -> dict[str, npt.NDArray[Any]]:
    """Fill the digests of rows whose tensors live on a device.

    Args:
        columns: The buffered rows, arrays of shape (n,).
        deferred: (row, whether it entered from outside, 0-dim int64 tensor) in order of use.

    Returns:
        The columns, with `outputs` and `data` of those rows completed.
    """
    result = dict(columns)
    for name in ("outputs", "data"):
        result[name] = columns[name].copy()
    values = _read_back([tensor for _, _, tensor in deferred])
    for (row, is_data, _), value in zip(deferred, values, strict=True):
        target = result["data" if is_data else "outputs"]
        target[row] = _native.combine(int(target[row]) or _START, value)
    return result


def received_columns(
    content: Mapping[str, bytes], deferred: Sequence[tuple[int, torch.Tensor]]
) -> dict[str, npt.NDArray[Any]]:
    """The columns of received.arrow, with the digests that a device has computed.

    Args:
        content: The buffered columns, as the native recorder gives them.
        deferred: (row, 0-dim int64 tensor).
    """
    columns: dict[str, npt.NDArray[Any]] = {
        name: np.frombuffer(values, RECEIVED_DTYPES[name]) for name, values in content.items()
    }
    if deferred:
        digests = columns["digest"].copy()
        values = _read_back([tensor for _, tensor in deferred])
        digests[[row for row, _ in deferred]] = np.array(values, np.uint64)
        columns["digest"] = digests
    return columns


def resolve_digests(row: dict[str, Any], pending: Sequence[tuple[str, torch.Tensor]]) -> None:
    """Fold device tensors' fingerprints into a step's digests, in place and in their order.

    Args:
        row: A row of steps.arrow.
        pending: (digest's name, 0-dim int64 tensor).
    """
    values = _read_back([tensor for _, tensor in pending])
    for (name, _), value in zip(pending, values, strict=True):
        row[name] = _native.combine(row.get(name, 0) or _START, value)
