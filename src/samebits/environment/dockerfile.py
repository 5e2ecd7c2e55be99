"""The Dockerfile that brings an environment back in a container."""

from __future__ import annotations

import json
from collections.abc import Sequence

from samebits.core.names import printable
from samebits.environment.facts import Environment
from samebits.environment.variables import MASKED

# The C library of each Debian release that Python's images are built on.
_DEBIAN = {"2.31": "bullseye", "2.36": "bookworm", "2.41": "trixie"}


def dockerfile(
    environment: Environment,
    *,
    command: Sequence[str] = (),
    base: str | None = None,
    left_out: Sequence[str] = (),
) -> str:
    """The text of a Dockerfile: base image, locked packages, variables, entry command.

    Args:
        environment: What to bring back.
        command: What to run, without the interpreter.
        base: The image to start from.
        left_out: Packages that the lock does not hold.
    """
    image = base or base_image(environment)
    lines = ["# Written by samebits env lock."]
    if "@sha256:" not in image:
        name = image.partition("@")[0]
        lines += [
            "# A tag can be moved to another image. Pin this one by its digest:",
            f"#   docker buildx imagetools inspect {name}",
        ]
    lines += [f"FROM {image}", ""]
    variables = {
        name: str(value)
        for name, value in environment.variables.items()
        if value != MASKED and name != "LD_PRELOAD"
    }
    variables.setdefault("PYTHONHASHSEED", "0")
    threads = environment.threads.get("torch")
    if isinstance(threads, int):
        variables.setdefault("OMP_NUM_THREADS", str(threads))
    lines += [f"ENV {name}={_quoted(value)}" for name, value in sorted(variables.items())]
    lines += [
        "",
        "WORKDIR /work",
        "COPY requirements.lock .",
        "RUN python -m pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock",
        *([_missing(left_out)] if left_out else []),
        "COPY . .",
        "",
        f"ENTRYPOINT {json.dumps(['python', *command])}",
    ]
    return "\n".join(lines) + "\n"


def _missing(left_out: Sequence[str]) -> str:
    names = ", ".join(printable(name, 80) for name in left_out)
    return f"# Not in the lock: {names}. REPRODUCING.md says more."


def base_image(environment: Environment) -> str:
    """Python's own image of this version, on the Debian with this C library where there is one."""
    version = environment.python.get("version", "3")
    _, _, libc = str(environment.system.get("libc") or "").partition("-")
    debian = _DEBIAN.get(libc)
    return f"python:{version}-slim-{debian}" if debian else f"python:{version}-slim"


def _quoted(value: str) -> str:
    """A value of ENV: quoted, with what Docker would replace or end a line with escaped."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return '"' + "".join(c if c.isprintable() else " " for c in escaped) + '"'
