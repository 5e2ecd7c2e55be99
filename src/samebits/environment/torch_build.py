"""The torch that computes: its version, how it was built, its threads, its GPUs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# What torch.__config__.show() says about a library → the key here.
_BUILD_LINES = {
    "blas": re.compile(r"(?:Intel.*Math Kernel Library|OpenBLAS|Accelerate|ARMPL|BLIS).*"),
    "onednn": re.compile(r"Intel.*MKL-DNN v?(\S+)|oneDNN v?(\S+)"),
    "openmp": re.compile(r"OpenMP (\d+)"),
    "compiler": re.compile(r"(?:GCC|clang|MSVC) \S+"),
}
_BLAS_INFO = re.compile(r"BLAS_INFO=(\w+)")


def torch_facts(torch: Any) -> dict[str, Any]:
    """Version and build of a loaded torch; asks no device.

    Returns:
        The `torch` section of an `Environment`.
    """
    version = torch.version
    facts: dict[str, Any] = {
        "version": str(torch.__version__),
        "git": getattr(version, "git_version", None),
        "cuda": version.cuda,
        "hip": getattr(version, "hip", None),
        "debug": bool(getattr(version, "debug", False)),
        **build_facts(torch.__config__.show()),
    }
    if version.cuda is not None or facts["hip"] is not None:
        facts["cudnn"] = torch.backends.cudnn.version()
        facts["nccl"] = _nccl_version(torch)
    return facts


def build_facts(config: str) -> dict[str, str]:
    """BLAS, oneDNN, OpenMP and compiler out of the text that `torch.__config__.show()` gives."""
    facts: dict[str, str] = {}
    for line in config.splitlines():
        text = line.strip().removeprefix("- ").strip()
        for key, pattern in _BUILD_LINES.items():
            match = pattern.match(text)
            if match is not None and key not in facts:
                facts[key] = next((group for group in match.groups() if group), match.group())
    blas = _BLAS_INFO.search(config)
    if blas is not None and "blas" not in facts:
        facts["blas"] = blas.group(1)
    return facts


def thread_facts(torch: Any) -> dict[str, int]:
    """Threads of operations and between operations."""
    return {"torch": torch.get_num_threads(), "interop": torch.get_num_interop_threads()}


def gpu_facts(torch: Any, *, initialize: bool) -> dict[str, Mapping[str, Any]]:
    """Every CUDA device that torch sees.

    Args:
        torch: The torch module.
        initialize: Whether CUDA may be started for it; a run that is being recorded must not be
            the one that starts it.

    Returns:
        Number → `{name, capability, memory, driver}`.
    """
    if not (torch.cuda.is_initialized() or (initialize and torch.cuda.is_available())):
        return {}
    driver = _driver_version()
    found: dict[str, Mapping[str, Any]] = {}
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        found[str(index)] = {
            "name": properties.name,
            "capability": f"{properties.major}.{properties.minor}",
            "memory": properties.total_memory,
            "driver": driver,
        }
    return found


def _nccl_version(torch: Any) -> str | None:
    try:
        found = torch.cuda.nccl.version()
    except (AttributeError, RuntimeError, ImportError):
        return None
    return ".".join(map(str, found)) if isinstance(found, tuple) else str(found)


def _driver_version() -> str | None:
    """The driver's version, where nvidia-ml-py is installed."""
    try:
        import pynvml  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        try:
            found = pynvml.nvmlSystemGetDriverVersion()
        finally:
            pynvml.nvmlShutdown()
    except pynvml.NVMLError:
        return None
    return found.decode() if isinstance(found, bytes) else str(found)
