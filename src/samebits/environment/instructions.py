"""A section for a README: what the environment was, and how to run in it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from samebits.core.names import printable
from samebits.environment.facts import Environment


def instructions(
    environment: Environment,
    *,
    command: Sequence[str] = (),
    left_out: Mapping[str, str] | None = None,
) -> str:
    """The section as Markdown.

    Args:
        environment: What was captured.
        command: What to run, without the interpreter.
        left_out: Packages that the lock does not hold, with their repositories where known.
    """
    run = shlex.join(["python", *command]) if command else "python SCRIPT"
    facts = [
        ("Python", environment.python.get("version")),
        ("torch", environment.torch.get("version")),
        ("processor", environment.processor.get("model")),
        ("instruction set", environment.processor.get("capability")),
        ("threads", environment.threads.get("torch")),
        *((f"GPU {number}", gpu.get("name")) for number, gpu in environment.gpus.items()),
        ("commit", environment.code.get("commit")),
    ]
    lines = ["## Reproducing this", ""]
    lines += [
        f"- {name}: {printable(str(value), 120)}" for name, value in facts if value is not None
    ]
    if environment.code.get("changes"):
        lines.append("- The code had changes that no commit holds.")
    version = environment.python.get("version", "3")
    lines += [
        "",
        "In a virtual environment of the same Python:",
        "",
        "```sh",
        f"uv venv --python {version} .venv   # or: python{_minor(version)} -m venv .venv",
        ". .venv/bin/activate",
        "python -m pip install --require-hashes --no-deps -r requirements.lock",
        *(
            f"export {name}={shlex.quote(printable(str(value), 500))}"
            for name, value in sorted(environment.variables.items())
        ),
        "samebits env check environment.json   # what differs on this machine, and what it can do",
        f"{run}",
        "```",
        "",
        "In a container:",
        "",
        "```sh",
        "docker build -t reproduced .",
        "docker run --rm reproduced",
        "```",
    ]
    if left_out:
        lines += [
            "",
            "Not in the lock, to be installed from their sources where they are needed:",
            "",
        ]
        lines += [_left_out(name, origin) for name, origin in left_out.items()]
    return "\n".join(lines) + "\n"


def _left_out(name: str, origin: str) -> str:
    line = f"- {printable(name, 80)}"
    if origin:
        line += f": {printable(origin, 300)}"
    elif name == "samebits":
        line += ": for `samebits env check` alone, unless the program imports it"
    return line


def _minor(version: object) -> str:
    return ".".join(str(version).split(".")[:2])
