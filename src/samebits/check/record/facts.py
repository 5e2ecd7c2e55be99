"""The facts about a run that its manifest keeps."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from samebits.check.record.databases import DatabaseBefore, database_digest
from samebits.check.record.opened_files import OpenedFiles, file_digest
from samebits.check.record.plan import RecordedProcess
from samebits.check.record.processes.file_digests import FileDigest, digest_of
from samebits.check.record.sources import SourceClassifier
from samebits.check.record.working_folder import absolute, working_folder
from samebits.check.trace.manifest import Manifest
from samebits.core.catalog.own_names import OwnNames
from samebits.core.interposition.copied_files import copy_of, original_of
from samebits.environment.capture import running_facts
from samebits.environment.torch_build import gpu_facts, thread_facts, torch_facts

_MOST_TEXT = 2**20
"""Bytes: a longer text is not gone through for durations and the like, line by line."""


def first_manifest(process: RecordedProcess) -> Manifest:
    """The manifest as it is known when recording begins."""
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None) or (sys.argv[0] if sys.argv else "")
    known = bool(script) and os.path.isfile(script)
    return Manifest(
        samebits=metadata.version("samebits"),
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        command=process.command,
        argv=[str(argument) for argument in sys.argv],
        cwd=working_folder(),
        script={"path": absolute(script), "sha256": file_digest(script, "sha256")} if known else {},
        environment=environment_facts(packages=not process.plan.is_further),
        seeds=process.plan.seeds,
        level=process.plan.level,
        extra={"against": process.plan.against} if process.plan.against is not None else {},
    )


def environment_facts(*, packages: bool = True) -> dict[str, Any]:
    """What bits can depend on, as `samebits env capture` writes it, without git and data files.

    Asked again at the end of a run it tells the threads and devices that the script came to use.

    Args:
        packages: Whether to list the installed packages, where it was not done before.
    """
    torch = sys.modules.get("torch")
    facts = dict(_lasting_facts(packages))
    if torch is not None:
        facts["torch"] = torch_facts(torch)
        facts["threads"] = thread_facts(torch)
        facts["gpus"] = gpu_facts(torch, initialize=False)
    return facts


@functools.cache
def _lasting_facts(packages: bool) -> dict[str, Any]:
    """Reading every installed package's list of files takes a tenth of a second: once is enough."""
    return running_facts(sys.modules.get("torch"), packages=packages).to_json()


def _written_file(path: str, begin: int, own: OwnNames, keep_text: bool) -> dict[str, Any]:
    try:
        found = digest_of(
            Path(path), begin=begin, most_text=_MOST_TEXT, own=own, keep_text=keep_text
        )
    except OSError:
        found = FileDigest("bytes", "unreadable")
    return {
        "path": original_of(path),
        **found.to_json(added=begin > 0),
        **({"kind": "arrays"} if found.kind == "tensors" else {}),
        "size": os.path.getsize(path),
        "step": -1,
    }


def _database(path: str, before: DatabaseBefore, own: OwnNames, keep_text: bool) -> dict[str, Any]:
    try:
        found, added = database_digest(path, before, own)
    except (OSError, ValueError):
        return _written_file(path, 0, own, keep_text=False)
    if not keep_text:
        found = replace(found, lines=())
    return {
        "path": original_of(path),
        **found.to_json(added=added),
        "size": os.path.getsize(path),
        "step": -1,
    }


def _unknown_file(path: str) -> dict[str, Any]:
    """A file with objects of the user's: its tensors and strings, read without unpickling."""
    place = Path(copy_of(path))
    try:
        found = digest_of(place)
        digest, size = f"{found.digest}{found.beside}", place.stat().st_size
    except OSError:
        digest, size = "unreadable", 0
    return {"path": path, "kind": "bytes", "digest": digest, "size": size, "step": -1}


def _file_under_way(path: str) -> dict[str, Any]:
    return {"path": path, "kind": "bytes", "digest": "unread", "size": 0, "step": -1}


def closing_facts(
    files: OpenedFiles,
    saves: Iterable[Mapping[str, Any]],
    unknown: Iterable[str],
    modules: Iterable[ModuleType],
    classify: SourceClassifier,
    own: OwnNames,
    *,
    keep_text: bool = False,
    leave_unread: bool = False,
) -> dict[str, Any]:
    """Digests of the user's code, of what was read and of what was written.

    Args:
        files: What was opened.
        saves: Saved tensors in order, a file once each time; no digest of its bytes is taken.
        unknown: Files that were saved with what has no fingerprint.
        modules: What the script had imported.
        classify: Tells the user's modules from installed ones.
        own: What the run calls itself.
        keep_text: Whether to keep what small text files hold, line by line, in its normal form.
        leave_unread: Whether files that were written are named and not read: a database may take
            seconds.
    """
    written = [{**entry, "path": original_of(files.final_name(entry["path"]))} for entry in saves]
    unread = {original_of(files.final_name(path)) for path in unknown}
    tensors = {*(entry["path"] for entry in written), *unread}
    databases = files.databases()
    tensors.update(map(original_of, databases))
    others = [path for path in files.written() if original_of(path) not in tensors]
    if leave_unread:
        paths = dict.fromkeys((*sorted(unread), *map(original_of, (*databases, *others))))
        written += map(_file_under_way, paths)
    else:
        written += map(_unknown_file, sorted(unread))
        written += [_database(path, before, own, keep_text) for path, before in databases.items()]
        written += [_written_file(path, files.begin(path), own, keep_text) for path in others]
    order = files.order()
    return {
        "code": code_facts(modules, classify),
        "inputs": files.inputs(),
        "changed": files.changed(),
        **({"renamed": renamed} if (renamed := files.renames) else {}),
        "files": sorted(
            written, key=lambda entry: (order.get(entry["path"], len(order)), entry["path"])
        ),
    }


def code_facts(modules: Iterable[ModuleType], classify: SourceClassifier) -> list[dict[str, str]]:
    """Digests of the user's source files.

    Args:
        modules: What was imported.
        classify: Tells the user's modules from installed ones.
    """
    files_of_modules = (getattr(module, "__file__", None) for module in modules)
    sources = {
        absolute(file)
        for file in files_of_modules
        if isinstance(file, str)
        and file.endswith(".py")
        and classify.is_user(file)
        # torch names files that do not exist for modules that it makes up.
        and os.path.isfile(file)
    }
    return [{"path": path, "sha256": file_digest(path, "sha256")} for path in sorted(sources)]
