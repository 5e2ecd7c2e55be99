"""Which source files of two runs are the same, though they may be called otherwise.

A file is known by what it holds: one that was copied, renamed or moved is the same file. The
scripts of two runs correspond whatever they are called. What is left goes by its name; where the
content differs then, the file was edited in between.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from samebits.check.trace.reader import Trace

_MOST_COPIES = 64
"""Copies of one text in a run that are told apart; more of them go by their names."""


def base_name(path: str) -> str:
    """The file's own name, whichever system wrote the path."""
    return re.split(r"[/\\]", path)[-1]


@dataclass(frozen=True)
class Edited:
    """A file that both runs loaded, in different versions; or their scripts, where these differ.

    Attributes:
        paths: Where it lay in run A, and in run B.
    """

    paths: tuple[str, str]

    @property
    def is_renamed(self) -> bool:
        """Whether it has another name in each run: both were the script, and no more is shared."""
        a, b = map(base_name, self.paths)
        return a != b

    @property
    def name(self) -> str:
        """What to call it: one name, or both where it has two."""
        a, b = map(base_name, self.paths)
        return a if a == b else f"{a} in A, {b} in B"


@dataclass(frozen=True)
class RunFiles:
    """The names that one run's files have in a comparison.

    Attributes:
        cwd: The run's working folder.
        names: Path → what both runs call the file, for files that were renamed.
    """

    cwd: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, path: str) -> str:
        """What the file is called in both runs."""
        if not self.names:
            return base_name(path)
        found = self.names.get(_plain(path)) or self.names.get(_plain(f"{self.cwd}/{path}"))
        return found or base_name(path)

    def operation(self, op: str) -> str:
        """An operation's name, without the name of the renamed module that a class stands in."""
        for path, name in self.names.items():
            dotted = path.removesuffix(".py").replace("/", ".")
            for module in _suffixes(dotted):
                if op.startswith(f"{module}."):
                    return f"{name}\0{op.removeprefix(f'{module}.')}"
        return op


SAME_NAMES = RunFiles()
"""Of runs whose files have the same names."""


@dataclass(frozen=True)
class Correspondence:
    """Which files of run A are which of run B.

    Attributes:
        a: The names of A's files.
        b: The names of B's files.
        edited: Files that both have, in different versions.
    """

    a: RunFiles = SAME_NAMES
    b: RunFiles = SAME_NAMES
    edited: tuple[Edited, ...] = ()

    def edited_at(self, path: str) -> Edited | None:
        """The edited file that a path of either run names; None where it is none of them."""
        return next(
            (
                edited
                for edited in self.edited
                if any(base_name(path) == base_name(own) for own in edited.paths)
            ),
            None,
        )


def correspondence(a: Trace, b: Trace) -> Correspondence:
    """Pair the source files that two manifests list."""
    files_a, files_b = _digests(a), _digests(b)
    pairs = list(_pairs(files_a, files_b, _script(a), _script(b)))
    names: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for pair in pairs:
        called = [base_name(path) for path in pair]
        if called[0] != called[1]:
            for side, path in enumerate(pair):
                names[side][path] = "\0".join(called)
    edited = sorted(
        (Edited(pair) for pair in pairs if files_a[pair[0]] != files_b[pair[1]]),
        key=lambda one: one.name,
    )
    return Correspondence(
        RunFiles(a.manifest.cwd, names[0]), RunFiles(b.manifest.cwd, names[1]), tuple(edited)
    )


def _pairs(
    a: Mapping[str, str], b: Mapping[str, str], script_a: str | None, script_b: str | None
) -> Iterator[tuple[str, str]]:
    """Pairs of paths that correspond, the surest first; each path is in one pair at most."""
    left, right = dict(a), dict(b)

    def pair(one: str, other: str) -> tuple[str, str]:
        del left[one], right[other]
        return one, other

    def are_scripts() -> bool:
        return script_a in left and script_b in right

    if are_scripts() and left[script_a or ""] == right[script_b or ""]:
        yield pair(script_a or "", script_b or "")
    # Equal content: the path that ends most alike first, since copies of one text may be many.
    alike = defaultdict(list)
    for path, digest in right.items():
        alike[digest].append(path)
    candidates = [
        (-_common_end(one, other), one, other)
        for one, digest in left.items()
        for other in (alike.get(digest, ()) if digest else ())
        if len(alike[digest]) <= _MOST_COPIES or base_name(one) == base_name(other)
    ]
    for _, one, other in sorted(candidates):
        if one in left and other in right:
            yield pair(one, other)
    if are_scripts():
        yield pair(script_a or "", script_b or "")
    by_name = defaultdict(list)
    for path in right:
        by_name[base_name(path)].append(path)
    candidates = [
        (-_common_end(one, other), one, other)
        for one in left
        for other in by_name.get(base_name(one), ())
    ]
    for _, one, other in sorted(candidates):
        if one in left and other in right:
            yield pair(one, other)


def _digests(trace: Trace) -> dict[str, str]:
    """Path → digest of what the file held."""
    files = [*trace.manifest.code]
    if trace.manifest.script:
        files.append(trace.manifest.script)
    return {_plain(str(file["path"])): str(file["sha256"]) for file in files}


def _script(trace: Trace) -> str | None:
    script = trace.manifest.script
    return _plain(str(script["path"])) if script else None


def _plain(path: str) -> str:
    """A path with one kind of slash, and no step that leads nowhere."""
    parts: list[str] = []
    for part in re.split(r"[/\\]+", path):
        if part == ".." and parts and parts[-1] not in ("", ".."):
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _common_end(one: str, other: str) -> int:
    """How many names, from the end, two paths share."""
    count = 0
    for mine, theirs in zip(one.split("/")[::-1], other.split("/")[::-1], strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _suffixes(dotted: str) -> Iterator[str]:
    """Names that a module may be imported by, the longest first."""
    parts = [part for part in dotted.split(".") if part]
    for start in range(len(parts)):
        yield ".".join(parts[start:])
