"""The manifest: facts about a run that are no rows, in `manifest.json`."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.check.trace.schema import LEVELS, RUN_SCHEMA
from samebits.core.files import read_regular
from samebits.core.names import printable
from samebits.errors import TraceError

EXIT_REASONS = (
    "finished",
    "stopped-at-step",
    "stopped-at-row",
    "killed",
    "exception",
    "running",
)
MAX_BYTES = 256 * 2**20
"""A larger manifest.json is not read."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """Facts about one run.

    Attributes:
        samebits: Version of samebits that recorded it.
        created: When it started, ISO 8601, UTC.
        command: The command line as typed.
        argv: What the script saw as `sys.argv`.
        cwd: Working directory.
        script: `{path, sha256}` of the script.
        code: `{path, sha256}` of each of the user's source files that ran.
        inputs: `{path, size, sha256}` of each file that was read.
        files: `{path, kind, digest, size, step}` of each file that was written; `kind` is
            "tensors" (digest of the tensors in it) and "values" (of all that was saved) for what
            `torch.save` and safetensors wrote, and for others "arrays" (of NumPy's arrays), "text"
            (durations, dates and the like left out) or "bytes". `anonymous` beside them is the
            digest of a text without the names that the run has for itself, or of saved values
            without such names and times, where they hold some; `order` that of the order of dicts
            among such values; `rows` that of a table without the line that names its columns, and
            `added` whether the table was there before.
        environment: Versions, processor, threads, variables: free form.
        seeds: Seeds that were set: free form.
        switches: Audit of the switches: free form.
        level: "auto", "step", "module" or "op".
        rank: Rank of the process, 0 where nothing is distributed.
        exit: `{code, signal, reason}`; `reason` is one of `EXIT_REASONS`.
        seconds: Wall time of the run.
        counts: `{ops, steps}` that happened, recorded or not.
        stdout: `{bytes, blake2b, truncated}` of everything printed.
        processes: Each process that the script, or one of its processes, has started: `{name, via,
            role, file, line, row, program, kind, watched, rank, world, torch, recorded, rows,
            steps, failure, threads, printed, exit, starter, nth, collectives, ending}`, see
            `record.processes.summary.ProcessFacts`.
        ending: How the script's own process ended, where that was not well: `{error, message, file,
            line, operation, by}`, see `record.processes.endings.ProcessEnding`.
        collectives: How many it had begun in the group of all ranks, at least.
        operations_left_out: Of a thread: whether it may have computed on after its last row.
        threads: The same of each thread that computed, the script's own process's included.
        process_files: `{path, kind, digest, beside, size, process}` of each file that one of them
            wrote; `kind` is "tensors", "text" or "bytes", `beside` a digest of what a file of
            tensors holds besides, `process` the name of one that wrote it. `values` of a file of
            tensors is the digest that its writer took of all that it saved there, without times
            and what the run calls itself.
        other_output: `{lines, whole}` of what no process is known to have printed; empty where
            every process noted its own.
        thread_steps: `{file, line, steps, digest}` of each optimizer that stepped on another thread
            than the recorded one: where it first did, how often, and what became of its parameters.
        notes: Facts that a person should know, one line each.
        complete: False until the writer was closed; the trace then ends at its last flush.
        seals: File → `{bytes, rows, digest}` of its last frame, once complete.
        extra: Keys of manifest.json that this version does not know; kept as they are.
    """

    samebits: str = ""
    created: str = ""
    command: Sequence[str] = ()
    argv: Sequence[str] = ()
    cwd: str = ""
    script: Mapping[str, Any] = field(default_factory=dict)
    code: Sequence[Mapping[str, Any]] = ()
    inputs: Sequence[Mapping[str, Any]] = ()
    files: Sequence[Mapping[str, Any]] = ()
    environment: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[str, Any] = field(default_factory=dict)
    switches: Mapping[str, Any] = field(default_factory=dict)
    level: str = "op"
    rank: int = 0
    exit: Mapping[str, Any] = field(
        default_factory=lambda: {"code": None, "signal": None, "reason": "running"}
    )
    seconds: float = 0.0
    counts: Mapping[str, Any] = field(default_factory=lambda: {"ops": 0, "steps": 0})
    stdout: Mapping[str, Any] = field(
        default_factory=lambda: {"bytes": 0, "blake2b": "", "truncated": False}
    )
    processes: Sequence[Mapping[str, Any]] = ()
    threads: Sequence[Mapping[str, Any]] = ()
    ending: Mapping[str, Any] = field(default_factory=dict)
    collectives: int = 0
    operations_left_out: bool = False
    process_files: Sequence[Mapping[str, Any]] = ()
    other_output: Mapping[str, Any] = field(default_factory=dict)
    thread_steps: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    complete: bool = False
    seals: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def further(self) -> Sequence[Mapping[str, Any]]:
        """All processes and threads beside the script's own."""
        return (*self.processes, *self.threads)

    def replaced(self, updates: Mapping[str, Any]) -> Manifest:
        """A copy with other values; keys that are no attribute go to `extra`."""
        known = {f.name for f in dataclasses.fields(self)} - {"extra"}
        extra = {**self.extra, **updates.get("extra", {})}
        extra.update({k: v for k, v in updates.items() if k not in known and k != "extra"})
        changes = {k: v for k, v in updates.items() if k in known}
        return dataclasses.replace(self, **changes, extra=extra)

    def to_json(self) -> dict[str, Any]:
        """The content of manifest.json."""
        known = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        extra = known.pop("extra")
        for name, value in known.items():
            if isinstance(value, tuple):
                known[name] = list(value)
        return {"schema": RUN_SCHEMA, **known, **{k: v for k, v in extra.items() if k not in known}}

    @classmethod
    def from_json(cls, content: object, where: str) -> Manifest:
        """Check what manifest.json holds.

        Args:
            content: The parsed JSON.
            where: Path of the file, for messages.

        Raises:
            TraceError: It is no manifest, of another schema, or a key has the wrong type.
        """
        where = printable(where)
        if not isinstance(content, dict):
            raise TraceError(
                f"{where} holds no JSON object", hint="Point at a folder that samebits recorded."
            )
        schema = content.get("schema")
        if schema != RUN_SCHEMA:
            shown = printable(repr(schema), 80)
            raise TraceError(
                f"{where}: schema is {shown}; this version reads '{RUN_SCHEMA}'",
                hint="Record the run again, or read it with the version of samebits that wrote it.",
            )
        known: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for key, value in content.items():
            if key in ("processes", "threads"):
                value = _with_defaults(value)
            check = _CHECKS.get(key)
            if check is not None:
                wrong = check(value, key)
                if wrong is not None:
                    raise TraceError(
                        f"{where}: {printable(wrong)}",
                        hint="The manifest is damaged or was edited; record the run again.",
                    )
                known[key] = value
            elif key != "schema":
                extra[key] = value
        return cls(**known, extra=extra)

    def write(self, path: Path) -> None:
        """Write manifest.json so that a reader sees the old content or the new, never half.

        Raises:
            OSError: The folder is gone, full or not writable.
        """
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False, default=_plain)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                # A lone surrogate becomes \udc80, which JSON reads back as that very surrogate.
                file.write(text.encode("utf-8", "backslashreplace") + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read and check a manifest.json.

        Raises:
            TraceError: It is missing, too large, no JSON, or no manifest.
        """
        where = printable(str(path))
        content = read_regular(
            path,
            MAX_BYTES,
            "Point at a run folder: a folder with a manifest.json that samebits recorded.",
        )
        try:
            parsed = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise TraceError(
                f"{where} is no JSON: {printable(str(error), 120)}",
                hint="The manifest is damaged; record the run again.",
            ) from error
        return cls.from_json(parsed, str(path))


def _with_defaults(processes: object) -> object:
    """What an earlier version has said of processes, with what this one says besides."""
    if not isinstance(processes, list):
        return processes
    return [
        {**_SINCE_PROCESSES_ARE_RECORDED, **process} if isinstance(process, dict) else process
        for process in processes
    ]


def _plain(value: object) -> object:
    """What `json` cannot write: tuples of mappings arrive here as their own types."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes):
        return list(value)
    return str(value)


# A check gives None, or one sentence that says which key is wrong and how.
_Check = Callable[[Any, str], "str | None"]


def _is(what: str, test: Callable[[Any], bool]) -> _Check:
    def check(value: Any, key: str) -> str | None:
        return None if test(value) else f"'{key}' must be {what}, found {value!r:.80}"

    return check


def _list(item: _Check) -> _Check:
    def check(value: Any, key: str) -> str | None:
        if not isinstance(value, list):
            return f"'{key}' must be a list, found {value!r:.80}"
        found = (item(element, f"{key}[{i}]") for i, element in enumerate(value))
        return next((wrong for wrong in found if wrong is not None), None)

    return check


def _record(required: Mapping[str, _Check], *, may_be_empty: bool = False) -> _Check:
    def check(value: Any, key: str) -> str | None:
        if not isinstance(value, dict):
            return f"'{key}' must be an object, found {value!r:.80}"
        if may_be_empty and not value:
            return None
        for name, inner in required.items():
            if name not in value:
                return f"'{key}.{name}' is missing"
            wrong = inner(value[name], f"{key}.{name}")
            if wrong is not None:
                return wrong
        return None

    return check


def _mapping(item: _Check) -> _Check:
    def check(value: Any, key: str) -> str | None:
        if not isinstance(value, dict):
            return f"'{key}' must be an object, found {value!r:.80}"
        found = (item(element, f"{key}.{name}") for name, element in value.items())
        return next((wrong for wrong in found if wrong is not None), None)

    return check


def _integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


_TEXT = _is("text", lambda v: isinstance(v, str))
_BOOL = _is("true or false", lambda v: isinstance(v, bool))
_INT = _is("an integer", _integer)
_COUNT = _is("an integer from 0", lambda v: _integer(v) and v >= 0)
_INT_OR_NULL = _is("an integer or null", lambda v: v is None or _integer(v))
_NUMBER = _is("a number", lambda v: isinstance(v, float) or _integer(v))
_ANY = _is("anything", lambda v: True)


def _one_of(choices: Sequence[str]) -> _Check:
    return _is(f"one of {', '.join(choices)}", lambda v: v in choices)


_SOURCE = {"path": _TEXT, "sha256": _TEXT}
_ENDING = _record(
    {
        **dict.fromkeys(("error", "message", "file", "operation"), _TEXT),
        "line": _COUNT,
        "by": _one_of(("", "end", "process", "timeout")),
    },
    may_be_empty=True,
)
_PROCESS = {
    **dict.fromkeys(("name", "via", "role", "file", "program", "kind"), _TEXT),
    **dict.fromkeys(("rank", "world"), _TEXT),
    "line": _COUNT,
    "watched": _BOOL,
    "torch": _one_of(("no", "imported", "idle", "computed")),
    "recorded": _BOOL,
    "row": _COUNT,
    "rows": _COUNT,
    "steps": _COUNT,
    "pid": _COUNT,
    "failure": _TEXT,
    "threads": _BOOL,
    "printed": _record({"text": _TEXT, "whole": _BOOL}),
    "starter": _TEXT,
    "nth": _COUNT,
    "collectives": _COUNT,
    "exit": _record({"code": _INT_OR_NULL, "signal": _INT_OR_NULL}),
    "ending": _ENDING,
}
_SINCE_PROCESSES_ARE_RECORDED = {
    "recorded": False,
    "row": 0,
    "rows": 0,
    "steps": 0,
    "pid": 0,
    "failure": "",
    "starter": "",
    "nth": 0,
    "collectives": 0,
    "ending": {},
    "world": "",
}
_PROCESS_FILE = {
    **dict.fromkeys(("path", "digest", "beside", "process"), _TEXT),
    "kind": _one_of(("tensors", "text", "bytes")),
    "size": _COUNT,
}
_CHECKS: dict[str, _Check] = {
    "samebits": _TEXT,
    "created": _TEXT,
    "command": _list(_TEXT),
    "argv": _list(_TEXT),
    "cwd": _TEXT,
    "script": _record(_SOURCE, may_be_empty=True),
    "code": _list(_record(_SOURCE)),
    "inputs": _list(_record({**_SOURCE, "size": _COUNT})),
    "files": _list(
        _record(
            {
                "path": _TEXT,
                "kind": _one_of(("tensors", "values", "arrays", "text", "bytes")),
                "digest": _TEXT,
                "size": _COUNT,
                "step": _INT,
            }
        )
    ),
    "environment": _mapping(_ANY),
    "seeds": _mapping(_ANY),
    "switches": _mapping(_ANY),
    "level": _one_of(LEVELS),
    "rank": _COUNT,
    "exit": _record(
        {"code": _INT_OR_NULL, "signal": _INT_OR_NULL, "reason": _one_of(EXIT_REASONS)}
    ),
    "seconds": _NUMBER,
    "counts": _record({"ops": _COUNT, "steps": _COUNT}),
    "stdout": _record({"bytes": _COUNT, "blake2b": _TEXT, "truncated": _BOOL}),
    "processes": _list(_record(_PROCESS)),
    "threads": _list(_record(_PROCESS)),
    "ending": _ENDING,
    "collectives": _COUNT,
    "operations_left_out": _BOOL,
    "process_files": _list(_record(_PROCESS_FILE)),
    "other_output": _record({"lines": _list(_TEXT), "whole": _BOOL}, may_be_empty=True),
    "thread_steps": _list(
        _record({"file": _TEXT, "line": _COUNT, "steps": _COUNT, "digest": _TEXT})
    ),
    "notes": _list(_TEXT),
    "complete": _BOOL,
    "seals": _mapping(_record({"bytes": _COUNT, "rows": _COUNT, "digest": _TEXT})),
}
