"""Many files: in parallel, then judged together, since one file may answer for another."""

from __future__ import annotations

import contextlib
import gc
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.errors import SamebitsError
from samebits.lint.discovery import FileToLint
from samebits.lint.engine import FileResult, lint_file
from samebits.lint.facts import FileFacts
from samebits.lint.finding import Finding
from samebits.lint.project import Project
from samebits.lint.requirements import CODE as UNPINNED

NEVER_SEEDED = ("SB101", "SB102", "SB103")

OnProgress = Callable[[int, int], None]
"""Called with the number of files done and the number of all."""

# Starting a worker costs about as much as linting this many files.
_FILES_WORTH_A_WORKER = 25
_CHUNK = 8
# Files that are read only for what they say about others; a program has not more of its own.
_MAX_EXTRA_FILES = 200


@dataclass(frozen=True, kw_only=True)
class LintResult:
    """What linting came to.

    Attributes:
        findings: In the order of files and lines.
        files: How many files were looked at.
    """

    findings: tuple[Finding, ...]
    files: int


def lint_files(
    files: Sequence[FileToLint], *, jobs: int | None = None, on_progress: OnProgress | None = None
) -> LintResult:
    """Lint files, together with what they import from beside them.

    Args:
        files: What to lint.
        jobs: Worker processes at most; as many as there are processors by default. The findings
            do not depend on it.
        on_progress: Told how far it is.

    Raises:
        SamebitsError: A worker died, or a rule failed on a file.
    """
    results = []
    with _rare_collections():
        for result in _each(files, _workers(len(files), jobs)):
            results.append(result)
            if on_progress is not None:
                on_progress(len(results), len(files))
        facts = {r.path: r.facts for r in results if r.facts is not None}
        _add_imported(facts, [r.path for r in results if _depends(r)])
    return LintResult(findings=tuple(_judged(results, facts)), files=len(files))


def hold_in_program(result: FileResult) -> list[Finding]:
    """The findings of one file that hold, given what it imports from beside it."""
    facts = {} if result.facts is None else {result.path: result.facts}
    if _depends(result):
        _add_imported(facts, [result.path])
    return list(_judged([result], facts))


def _each(files: Sequence[FileToLint], workers: int) -> Iterator[FileResult]:
    if workers <= 1:
        yield from map(_lint, files)
        return
    with ProcessPoolExecutor(workers, initializer=_prepare_worker) as pool:
        try:
            yield from pool.map(_lint, files, chunksize=_CHUNK)
        except BrokenProcessPool as error:
            raise SamebitsError(
                "a worker process died while it linted", hint="try again with --jobs 1"
            ) from error


def _lint(file: FileToLint) -> FileResult:
    try:
        return lint_file(file.path, file.shown_as, file.codes)
    except Exception as error:
        # Chained exceptions do not survive the way back from a worker; the sentence does.
        raise SamebitsError(
            f"samebits itself failed on {file.shown_as}: {type(error).__name__}: {error}"
        ) from error


def _workers(files: int, jobs: int | None) -> int:
    if jobs is None:
        with contextlib.suppress(AttributeError):
            jobs = len(os.sched_getaffinity(0))
    jobs = jobs or os.cpu_count() or 1
    return max(1, min(jobs, files // _FILES_WORTH_A_WORKER))


def _prepare_worker() -> None:
    gc.disable()


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Syntax trees are many small objects without cycles: collecting amid them finds nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _depends(result: FileResult) -> bool:
    """Whether a file has findings that its program may withdraw or call up."""
    return any(finding.when or finding.unless for finding in result.findings)


def _add_imported(facts: dict[str, FileFacts], starts: Sequence[str]) -> None:
    """Read what some files import from beside them, for its facts alone."""
    waiting = deque(starts)
    seen = set(starts)
    extra = 0
    while waiting:
        path = waiting.popleft()
        file = facts.get(path)
        if file is None and extra < _MAX_EXTRA_FILES:
            extra += 1
            file = lint_file(Path(path), path, frozenset()).facts
            if file is not None:
                facts[path] = file
        for target in file.imports if file is not None else ():
            if target not in seen:
                seen.add(target)
                waiting.append(target)


def _judged(results: Sequence[FileResult], facts: dict[str, FileFacts]) -> Iterator[Finding]:
    project = Project(facts.values())
    return _once_a_program(_holding(results, facts, project), project, facts)


def _holding(
    results: Sequence[FileResult], facts: dict[str, FileFacts], project: Project
) -> Iterator[tuple[str, Finding]]:
    """The findings that hold in their program, each with the file's key."""
    entries = {str(Path(f.path).parent) for f in facts.values() if f.is_entry}
    for result in results:
        beside_script = str(Path(result.path).parent) in entries
        for finding in result.findings:
            if finding.code == UNPINNED and not beside_script:
                continue
            if project.holds(finding, result.path):
                yield result.path, replace(finding, when=frozenset(), unless=frozenset())


def _once_a_program(
    found: Iterator[tuple[str, Finding]], project: Project, facts: dict[str, FileFacts]
) -> Iterator[Finding]:
    """One word on a missing seed for each program: one call mends it in all of its files.

    A file that is started speaks for those that it imports; where only a library draws, the first
    one does.
    """
    held = list(found)
    told: dict[str, set[str]] = {code: set() for code in NEVER_SEEDED}
    kept: set[int] = set()
    # The files that are started first: there the seed belongs.
    order = sorted(range(len(held)), key=lambda i: not _is_entry(facts, held[i][0]))
    for i in order:
        path, finding = held[i]
        if finding.code in told:
            program = project.program(path)
            if not _is_entry(facts, path) and not told[finding.code].isdisjoint(program):
                continue
            told[finding.code].add(path)
        kept.add(i)
    return (finding for i, (_, finding) in enumerate(held) if i in kept)


def _is_entry(facts: dict[str, FileFacts], path: str) -> bool:
    return path in facts and facts[path].is_entry
