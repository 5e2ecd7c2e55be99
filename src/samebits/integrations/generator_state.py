"""The states of all global generators as one tensor, which every way of saving can hold."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

from samebits.errors import UsageError

_WORDS = 624


def generators_to_state() -> dict[str, Any]:
    """The states of Python's, NumPy's and torch's generators, on all running devices.

    Returns:
        A dict of tensors on the CPU, numbers and lists of them: `torch.load(weights_only=True)`
        and JSON (but for the tensors) take them.
    """
    version, words, normal = random.getstate()
    legacy: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    if legacy["bit_generator"] != "MT19937":
        raise UsageError(
            f"numpy.random draws from {legacy['bit_generator']}, whose state cannot be saved here.",
            hint="Keep the bit generator that NumPy starts with, or use samebits.Checkpoint.",
        )
    return {
        "python": {
            "version": version,
            "words": torch.tensor(words[:-1], dtype=torch.int64),
            "position": words[-1],
            "normal": normal,
        },
        "numpy": {
            "words": torch.from_numpy(legacy["state"]["key"].astype(np.int64)),
            "position": int(legacy["state"]["pos"]),
            "waiting": int(legacy["has_gauss"]),
            "normal": float(legacy["gauss"]),
        },
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],  # type: ignore[no-untyped-call]
    }


def generators_from_state(state: dict[str, Any]) -> None:
    """Put every generator to where `generators_to_state` found it.

    Raises:
        UsageError: It is no such state, or holds another number of CUDA devices; nothing changed.
    """
    try:
        python, legacy = state["python"], state["numpy"]
        words = (*python["words"].tolist(), python["position"])
        key = legacy["words"].numpy().astype(np.uint32)
        devices = list(state["cuda"])
        if len(words) != _WORDS + 1 or len(key) != _WORDS:
            raise ValueError("a state has 624 words")
        new_python = (python["version"], words, python["normal"])
        new_numpy = {
            "bit_generator": "MT19937",
            "state": {"key": key, "pos": legacy["position"]},
            "has_gauss": legacy["waiting"],
            "gauss": legacy["normal"],
        }
        on_cpu = state["torch"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"The checkpoint's states of generators cannot be read: {error}.",
            hint="Resume from a checkpoint that was saved with this callback.",
        ) from error
    available = torch.cuda.device_count() if devices else 0
    if len(devices) != available:
        raise UsageError(
            f"The checkpoint holds the generators of {len(devices)} CUDA devices; "
            f"there are {available}.",
            hint="Resume with as many devices: set CUDA_VISIBLE_DEVICES.",
        )
    random.setstate(new_python)
    np.random.set_state(new_numpy)  # noqa: NPY002
    torch.set_rng_state(on_cpu)
    if devices:
        torch.cuda.set_rng_state_all(devices)
