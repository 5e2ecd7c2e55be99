"""requirements.txt beside a script: another day's install is another program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from samebits.lint.rule import Objection
from samebits.lint.source import Source

CODE = "SB603"

_NAME = re.compile(r"(requirements.*|.*-requirements)\.txt", re.IGNORECASE)
_NOT_THE_PROGRAMS = re.compile(r"(^|[-_.])(dev|tests?|docs?|lint|ci|build)([-_.]|$)", re.IGNORECASE)
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)\s*(\[[^\]]*\])?\s*(?P<version>[^;#]*)")
_COMMENT = re.compile(r"(^|\s)#.*$")
_COMMIT = re.compile(r"@[0-9a-f]{7,40}\b")


def is_requirements(path: Path) -> bool:
    """Whether a file's name says that it lists what a program needs to run."""
    return _NAME.fullmatch(path.name) is not None and not _NOT_THE_PROGRAMS.search(path.name)


def lint_requirements(source: Source) -> Iterator[tuple[str, Objection]]:
    """Lines that leave the version open, as (code, report)."""
    # With hashes, pip itself refuses whatever is not pinned.
    hashed = "--hash=" in source.text
    continued = False
    for number, line in enumerate(source.lines, start=1):
        text = _COMMENT.sub("", line).strip()
        skip = continued or not text or text.startswith("-") or hashed
        continued = text.endswith("\\")
        if skip or _is_pinned(text):
            continue
        match = _REQUIREMENT.match(text)
        if match is None:
            continue
        start = len(line) - len(line.lstrip()) + 1
        span = (number, start, number, start + len(text.partition(";")[0].rstrip()))
        yield (
            CODE,
            Objection(
                node=span,
                message=f"{match['name']} is not pinned: another day installs another version",
                remedy=f"write {match['name']}==VERSION with the version you ran with",
            ),
        )


def _is_pinned(text: str) -> bool:
    requirement = text.partition(";")[0]
    if "://" in requirement or "@" in requirement:
        return _COMMIT.search(requirement) is not None or requirement.endswith(
            (".whl", ".tar.gz", ".zip")
        )
    if requirement.startswith((".", "/")):
        return True
    exact = re.search(r"={2,3}\s*([^,\s]+)", requirement)
    return exact is not None and "*" not in exact[1]
