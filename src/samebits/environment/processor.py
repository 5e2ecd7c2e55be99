"""The processor as arithmetic meets it: model, instruction set, cores."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from pathlib import Path
from typing import Any

_CPUINFO = Path("/proc/cpuinfo")
# Names of the lines in /proc/cpuinfo, on x86 and on Arm.
_MODEL = ("model name", "Processor", "cpu model")
_FEATURES = ("flags", "Features")


def processor_facts(torch: Any = None) -> dict[str, Any]:
    """Model, capability, features and cores.

    Args:
        torch: The torch module, where it is loaded: what its kernels chose is the capability.

    Returns:
        The `processor` section of an `Environment`.
    """
    lines = _cpuinfo_lines()
    features = next((lines[name] for name in _FEATURES if name in lines), "")
    facts: dict[str, Any] = {
        "model": next((lines[name] for name in _MODEL if name in lines), platform.processor()),
        "features": _digest(features) if features else None,
        "cores": _available_cores(),
        "logical": os.cpu_count(),
    }
    if torch is not None:
        facts["capability"] = torch.backends.cpu.get_cpu_capability()
    return facts


def _cpuinfo_lines() -> dict[str, str]:
    """The facts about the first processor, as the kernel names them."""
    facts: dict[str, str] = {}
    if sys.platform != "linux":
        return facts
    try:
        with _CPUINFO.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                name, colon, value = line.partition(":")
                if not colon and facts:
                    break
                facts.setdefault(name.strip(), value.strip())
    except OSError:
        return {}
    return facts


def _digest(features: str) -> str:
    """The kernel lists features in an order of its own; what counts is which there are."""
    return hashlib.sha256(" ".join(sorted(features.split())).encode()).hexdigest()[:16]


def _available_cores() -> int | None:
    """Processors that this process may run on: fewer than the machine has under a limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()
