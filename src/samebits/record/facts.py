"""The facts about a run that its manifest keeps."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from importlib import metadata
from types import ModuleType
from typing import Any

from samebits.record.config import SessionConfig
from samebits.record.opened_files import OpenedFiles, file_digest
from samebits.record.sources import SourceClassifier
from samebits.trace.manifest import Manifest

_LIBRARIES = ("torch", "numpy", "scipy", "pandas", "safetensors", "lightning", "transformers")
_VARIABLES = (
    "ATEN_CPU_CAPABILITY",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "MKL_CBWR",
    "MKL_NUM_THREADS",
    "NCCL_ALGO",
    "NCCL_PROTO",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "ONEDNN_MAX_CPU_ISA",
    "PYTHONHASHSEED",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
)


def first_manifest(config: SessionConfig) -> Manifest:
    """The manifest as it is known when recording begins."""
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None) or (sys.argv[0] if sys.argv else "")
    known = bool(script) and os.path.isfile(script)
    return Manifest(
        samebits=metadata.version("samebits"),
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=config.command,
        argv=[str(argument) for argument in sys.argv],
        cwd=os.getcwd(),
        script={"path": os.path.abspath(script), "sha256": file_digest(script, "sha256")}
        if known
        else {},
        environment=environment_facts(),
        seeds={} if config.seed is None else {"seed": config.seed},
        level=config.level,
    )


def environment_facts() -> dict[str, Any]:
    """What bits can depend on: versions, processor, threads, and variables that change results."""
    facts: dict[str, Any] = {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "libraries": {
            name: getattr(sys.modules[name], "__version__", "unknown")
            for name in _LIBRARIES
            if name in sys.modules
        },
        "variables": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        facts["threads"] = torch.get_num_threads()
        facts["capability"] = torch.backends.cpu.get_cpu_capability()
        if torch.version.cuda is not None:
            facts["cuda"] = torch.version.cuda
    return facts


def _processor() -> str:
    if sys.platform == "linux":
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor()


def closing_facts(
    files: OpenedFiles,
    saves: Iterable[Mapping[str, Any]],
    modules: Iterable[ModuleType],
    classify: SourceClassifier,
) -> dict[str, Any]:
    """Digests of the user's code, of what was read and of what was written.

    Args:
        files: What was opened.
        saves: Saved tensors in order, a file once each time; no digest of its bytes is taken.
        modules: What the script had imported.
        classify: Tells the user's modules from installed ones.
    """
    written = [{**entry, "path": files.final_name(entry["path"])} for entry in saves]
    tensors = {entry["path"] for entry in written}
    for path in files.written():
        if path not in tensors:
            written.append(
                {
                    "path": path,
                    "kind": "bytes",
                    "digest": file_digest(path, "sha256"),
                    "size": os.path.getsize(path),
                    "step": -1,
                }
            )
    files_of_modules = (getattr(module, "__file__", None) for module in modules)
    sources = {
        os.path.abspath(file)
        for file in files_of_modules
        if isinstance(file, str)
        and file.endswith(".py")
        and classify.is_user(file)
        # torch names files that do not exist for modules that it makes up.
        and os.path.isfile(file)
    }
    return {
        "code": [{"path": p, "sha256": file_digest(p, "sha256")} for p in sorted(sources)],
        "inputs": files.inputs(),
        "files": sorted(written, key=lambda entry: entry["path"]),
    }
