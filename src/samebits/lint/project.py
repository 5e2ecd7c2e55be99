"""Programs: files joined by imports, and which facts hold in the program that a file is part of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from samebits.core.source.generators import ALL, SEEDER_NAME
from samebits.lint.facts import FileFacts
from samebits.lint.finding import Finding


class Project:
    """All files that are known, by path.

    Args:
        files: Their facts.
    """

    def __init__(self, files: Iterable[FileFacts]) -> None:
        self.files = {file.path: file for file in files}
        self.imports = {
            path: [target for target in file.imports if target in self.files]
            for path, file in self.files.items()
        }
        self.importers: dict[str, list[str]] = {path: [] for path in self.files}
        for path, targets in self.imports.items():
            for target in targets:
                self.importers[target].append(path)
        self._facts: dict[str, frozenset[str]] = {}

    def facts(self, path: str) -> frozenset[str]:
        """What holds in the program that a file is part of.

        A file that a person starts is a program together with what it imports. Any other file
        belongs to all the programs that reach it, and what one of them sets counts: better a
        mistake missed than a right file accused. Tests do not vouch for what they test.
        """
        if path not in self._facts:
            self._facts[path] = self._program_facts(self.program(path))
        return self._facts[path]

    def holds(self, finding: Finding, path: str) -> bool:
        """Whether a finding in the file at a resolved path holds in its program."""
        if not finding.when and not finding.unless:
            return True
        facts = self.facts(path)
        return finding.when <= facts and finding.unless.isdisjoint(facts)

    def program(self, path: str) -> set[str]:
        """The files of the program, or of all the programs, that a file is part of."""
        own = self.files.get(path)
        if own is None:
            return set()
        starts = {path}
        if not own.is_entry or self.importers[path]:
            starts = _reached([path], self.importers)
            if not own.is_test:
                starts = {p for p in starts if p == path or not self.files[p].is_test}
        return _reached(starts, self.imports)

    def _program_facts(self, program: set[str]) -> frozenset[str]:
        files = [self.files[path] for path in program]
        called = set().union(*(file.calls for file in files))
        defined = set().union(*(file.defines for file in files))
        facts: set[str] = set()
        for file in files:
            facts |= file.facts
            facts |= {fact for function, fact in file.when_called if function in called}
        # A seeding function of some library that is not in the tables.
        if any(SEEDER_NAME.search(name) for name in called - defined):
            facts |= {f"{fact}:{stream}" for stream in ALL for fact in ("seeds", "rooted")}
            facts.add("seeds:any")
        return frozenset(facts)


def _reached(starts: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Everything that can be reached from some files, themselves included."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for target in edges[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found
