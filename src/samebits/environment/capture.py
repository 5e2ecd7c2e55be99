"""Captures the environment: of this machine, or of a process that is being recorded."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from samebits.environment.code_version import code_facts, file_facts
from samebits.environment.facts import Environment
from samebits.environment.packages import installed_packages
from samebits.environment.processor import processor_facts
from samebits.environment.torch_build import gpu_facts, thread_facts, torch_facts
from samebits.environment.variables import relevant_variables


def capture(
    *, script: Path | None = None, files: Sequence[Path] = (), folder: Path | None = None
) -> Environment:
    """Everything that bits can depend on, here and now; imports torch.

    Args:
        script: The script that will run; its digest is taken, and its repository is the code's.
        files: Data files whose digests are taken.
        folder: Where the code lies, without a script; the current directory unless given.

    Raises:
        UsageError: The script or a file cannot be read.
    """
    import torch

    where = folder or (script.parent if script is not None else Path())
    return running_facts(
        torch,
        initialize_devices=True,
        code=code_facts(where, script),
        files={str(path): file_facts(path) for path in files},
    )


def running_facts(
    torch: Any = None,
    *,
    initialize_devices: bool = False,
    code: dict[str, Any] | None = None,
    files: dict[str, Any] | None = None,
    packages: bool = True,
) -> Environment:
    """The facts about this process, without importing or starting anything.

    Args:
        torch: The torch module, if the process has it loaded.
        initialize_devices: Whether CUDA may be started to ask for its devices.
        code: The `code` section.
        files: The `files` section.
        packages: Whether to list the installed packages, which takes a tenth of a second.
    """
    return Environment(
        python={
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "compiler": platform.python_compiler(),
        },
        system={
            "name": platform.system(),
            "kernel": platform.release(),
            "machine": platform.machine(),
            "libc": "-".join(filter(None, platform.libc_ver())) or None,
        },
        processor=processor_facts(torch),
        threads={} if torch is None else thread_facts(torch),
        torch={} if torch is None else torch_facts(torch),
        gpus={} if torch is None else gpu_facts(torch, initialize=initialize_devices),
        packages=installed_packages() if packages else {},
        variables=relevant_variables(os.environ),
        code=code or {},
        files=files or {},
        captured=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
