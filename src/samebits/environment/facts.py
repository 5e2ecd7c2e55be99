"""The environment file: its sections, its schema, and how it is read and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.core.files import read_regular
from samebits.core.names import printable
from samebits.errors import TraceError, UsageError

SCHEMA = "samebits.environment/1"
"""The file's `schema`; a reader accepts no other."""

SECTIONS = (
    "python",
    "system",
    "processor",
    "threads",
    "torch",
    "gpus",
    "packages",
    "variables",
    "code",
    "files",
)
"""Groups of facts, in the order in which they are written and shown."""

MAX_BYTES = 64 * 2**20
_MAX_DEPTH = 4

Fact = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Everything that bits can depend on besides the code's own numbers.

    Attributes:
        python: `{version, implementation, compiler}`.
        system: `{name, kernel, machine, libc}`.
        processor: `{model, capability, features, cores, logical}`; `capability` is the instruction
            set that torch's kernels use, `features` a digest of what the processor offers.
        threads: `{torch, interop}`, as far as torch is loaded.
        torch: `{version, git, cuda, cudnn, nccl, hip, blas, onednn, openmp, debug}`.
        gpus: `"0" → {name, capability, memory, driver}`.
        packages: Name → `{version, files}`; `files` is a digest over the installed files.
        variables: Environment variables that can change results, out of a fixed list.
        code: `{commit, branch, changes, script}`; `changes` is a digest of what is not committed.
        files: Path as given → `{size, sha256}` of data files that were named.
        captured: When, ISO 8601, UTC.
    """

    python: Mapping[str, Any] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    processor: Mapping[str, Any] = field(default_factory=dict)
    threads: Mapping[str, Any] = field(default_factory=dict)
    torch: Mapping[str, Any] = field(default_factory=dict)
    gpus: Mapping[str, Any] = field(default_factory=dict)
    packages: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    code: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)
    captured: str = ""

    def section(self, name: str) -> Mapping[str, Any]:
        """The facts of one of `SECTIONS`."""
        facts: Mapping[str, Any] = getattr(self, name)
        return facts

    def flat(self) -> Iterator[tuple[tuple[str, ...], Fact]]:
        """Every fact with its path, such as (("packages", "numpy", "version"), "2.4.0")."""
        for name in SECTIONS:
            yield from _flat((name,), self.section(name))

    def to_json(self) -> dict[str, Any]:
        """The content of the file."""
        facts = {name: dict(self.section(name)) for name in SECTIONS}
        return {"schema": SCHEMA, "captured": self.captured, **facts}

    def write(self, path: Path) -> None:
        """Write the file.

        Raises:
            UsageError: It cannot be written there.
        """
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"
        try:
            path.write_bytes(text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise UsageError(f"cannot write {printable(str(path))}: {error.strerror}") from error

    @classmethod
    def read(cls, path: Path) -> Environment:
        """Read an environment file, or the environment in a run folder's manifest.

        Args:
            path: The file, a run folder, or its manifest.json.

        Raises:
            UsageError: There is no such file.
            TraceError: It holds something else, is damaged, or is of another schema.
        """
        return _read(path)


def environment_of(content: object, complain: Callable[[str], Exception]) -> Environment:
    """Check parsed JSON, and return the environment that it holds.

    Args:
        content: The parsed JSON.
        complain: Makes the error to raise of a sentence that says what is wrong.

    Raises:
        Exception: What `complain` returns.
    """
    if not isinstance(content, Mapping):
        raise complain("holds no JSON object")
    schema = content.get("schema")
    if schema != SCHEMA:
        raise complain(f"schema is {printable(repr(schema), 80)}; this version reads '{SCHEMA}'")
    facts: dict[str, Any] = {}
    for name in SECTIONS:
        section = content.get(name, {})
        if not isinstance(section, Mapping):
            raise complain(f"'{name}' must be an object, found {printable(repr(section), 80)}")
        wrong = _wrong_fact(name, section, _MAX_DEPTH)
        if wrong is not None:
            raise complain(wrong)
        facts[name] = section
    captured = content.get("captured", "")
    return Environment(**facts, captured=captured if isinstance(captured, str) else "")


def _read(path: Path) -> Environment:
    shown = printable(str(path), 4096)
    if path.is_dir():
        path = path / "manifest.json"
    content = read_regular(
        path, MAX_BYTES, "Give a file that `samebits env capture` wrote, or a recorded run folder."
    )
    try:
        parsed = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TraceError(
            f"{shown} is no JSON: {printable(str(error), 120)}",
            hint="The file is damaged; capture it again with `samebits env capture -o FILE`.",
        ) from error
    if isinstance(parsed, Mapping) and str(parsed.get("schema", "")).startswith("samebits.run/"):
        parsed = parsed.get("environment")
    return environment_of(
        parsed,
        lambda wrong: TraceError(
            f"{shown}: {wrong}",
            hint="Capture it again with `samebits env capture -o FILE`, with this version.",
        ),
    )


def _flat(path: tuple[str, ...], value: object) -> Iterator[tuple[tuple[str, ...], Fact]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat((*path, str(key)), inner)
    elif isinstance(value, str | int | float | bool) or value is None:
        yield path, value


def _wrong_fact(name: str, value: object, depth: int) -> str | None:
    """One sentence about the first thing in a section that is no fact, or None."""
    if isinstance(value, Mapping):
        if depth == 0:
            return f"'{printable(name, 120)}' is nested too deeply"
        found = (_wrong_fact(f"{name}.{key}", inner, depth - 1) for key, inner in value.items())
        return next((wrong for wrong in found if wrong is not None), None)
    if isinstance(value, str | int | float | bool) or value is None:
        return None
    return f"'{printable(name, 120)}' must be text or a number, found {printable(repr(value), 80)}"
