"""One file through the rules: read, parse, walk once, dispatch, suppress."""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.core.source.edits import Text
from samebits.core.source.files import UnreadableError
from samebits.lint import facts as file_facts
from samebits.lint.facts import FileFacts
from samebits.lint.finding import Finding, cropped
from samebits.lint.module import Module
from samebits.lint.registry import NO_REASON, UNKNOWN_CODE, UNREADABLE, all_rules
from samebits.lint.requirements import is_requirements, lint_requirements
from samebits.lint.rule import Objection, Rule
from samebits.lint.source import Source, read_source
from samebits.lint.suppression import Suppression, suppressions

Raw = tuple[Rule, Objection]


@dataclass(frozen=True, kw_only=True)
class FileResult:
    """What linting one file gave.

    Attributes:
        findings: Sorted; those with `when` or `unless` still depend on the program.
        facts: What the file contributes to its program; None when it could not be read.
        path: The file, resolved: its key in a `Project`.
    """

    findings: tuple[Finding, ...]
    facts: FileFacts | None
    path: str


def lint_file(
    path: Path, shown_as: str, codes: frozenset[str], roots: tuple[Path, ...] = ()
) -> FileResult:
    """Lint one file.

    Args:
        path: The file, resolved.
        shown_as: What findings call it.
        codes: The rules to apply.
        roots: Folders in which absolute imports may lie, besides the file's own.

    Returns:
        The findings, of which some hold only if the program says nothing to the contrary. A file
        that cannot be read or parsed is a finding as well.
    """
    try:
        source = read_source(path, shown_as)
    except UnreadableError as error:
        return FileResult(
            findings=_unreadable(shown_as, None, error, codes), facts=None, path=str(path)
        )
    return lint_source(source, path, codes, roots)


def lint_source(
    source: Source, path: Path, codes: frozenset[str], roots: tuple[Path, ...] = ()
) -> FileResult:
    """Lint a text that has been read; as `lint_file`."""
    if is_requirements(path):
        raw = [(all_rules()[r], report) for r, report in lint_requirements(source) if r in codes]
        return FileResult(findings=_finish(source, raw, codes), facts=None, path=str(path))
    unparsed: list[Finding] = []
    try:
        module = Module(source, path)
    except UnreadableError as error:
        unparsed = list(_unreadable(source.path, source, error, codes))
        rest = _without_broken_cells(source) if source.is_notebook else None
        if rest is None:
            return FileResult(findings=tuple(unparsed), facts=None, path=str(path))
        source = rest
        module = Module(source, path)
    try:
        raw = [(rule, _where_it_stands(module, report)) for rule, report in _apply(module, codes)]
        facts = file_facts.gather(module, roots)
    except RecursionError:
        deep = UnreadableError("is nested too deeply to be looked at")
        return FileResult(
            findings=_unreadable(source.path, source, deep, codes), facts=None, path=str(path)
        )
    found = [*unparsed, *_finish(source, raw, codes)]
    return FileResult(
        findings=tuple(sorted(found, key=lambda f: f.order)), facts=facts, path=str(path)
    )


def _apply(module: Module, codes: frozenset[str]) -> Iterator[Raw]:
    """Hand each node to the rules that asked for its kind."""
    by_call: dict[str, list[Rule]] = defaultdict(list)
    by_method: dict[str, list[Rule]] = defaultdict(list)
    by_node: dict[type[ast.AST], list[Rule]] = defaultdict(list)
    for rule in all_rules().values():
        if rule.code not in codes:
            continue
        for call in rule.calls:
            by_call[call].append(rule)
        for method in rule.methods:
            by_method[method].append(rule)
        for kind in rule.nodes:
            by_node[kind].append(rule)
    for node, name in module.calls:
        rules = by_call.get(name, []) if name else []
        for rule in rules:
            yield from ((rule, report) for report in rule.check(module, node, name))
        if isinstance(node.func, ast.Attribute):
            for rule in by_method.get(node.func.attr, ()):
                if rule not in rules:
                    yield from ((rule, report) for report in rule.check(module, node, name))
    for kind, rules in by_node.items():
        for other in module.nodes(kind):
            for rule in rules:
                yield from ((rule, report) for report in rule.check(module, other, ""))


def _where_it_stands(module: Module, report: Objection) -> Objection:
    """The report without its fix, where a wrong place would be rewritten."""
    node = report.node
    if not report.fix or isinstance(node, tuple):
        return report
    around = [part for part in module.tree.ancestors(node) if isinstance(part, ast.JoinedStr)]
    if not around or not isinstance(node, ast.expr) or Text(module.source.text).holds(node):
        return report
    return replace(report, fix=())


def _finish(source: Source, raw: Iterable[Raw], codes: frozenset[str]) -> tuple[Finding, ...]:
    """Reports as findings: placed, counted, sorted, without what a person has answered for."""
    found: dict[tuple[object, ...], Finding] = {}
    once: dict[str, list[Finding]] = defaultdict(list)
    silencers = suppressions(source)
    by_line: dict[int, list[Suppression]] = defaultdict(list)
    for silencer in silencers:
        by_line[silencer.target].append(silencer)
    last_silenced = max(by_line, default=0)
    for rule, report in raw:
        line, column, end_line, end_column = span = _span(source, report)
        if silencers and any(
            silencer.covers(rule.code, line, end_line)
            for covered in range(line, min(end_line, last_silenced) + 1)
            for silencer in by_line.get(covered, ())
        ):
            continue
        finding = _placed(
            source,
            span,
            code=rule.code,
            name=rule.name,
            message=report.message,
            remedy=report.remedy,
            fix=report.fix,
        )
        finding = replace(finding, when=report.when, unless=report.unless)
        if rule.once:
            once[rule.code].append(finding)
        else:
            found[(rule.code, line, column, end_line, end_column)] = finding
    for findings in once.values():
        first, *others = sorted(findings, key=lambda f: f.order)
        if others:
            more = f"{first.message} (and {len(others)} more in this file)"
            first = replace(first, message=more)
        found[(first.code,)] = first
    answered = _about_suppressions(source, silencers, codes)
    return tuple(sorted([*found.values(), *answered], key=lambda f: f.order))


def _span(source: Source, report: Objection) -> tuple[int, int, int, int]:
    node = report.node
    if isinstance(node, tuple):
        return node
    line = getattr(node, "lineno", 1)
    end_line = getattr(node, "end_lineno", None) or line
    end = getattr(node, "end_col_offset", None) or 0
    return (
        line,
        source.character_column(line, getattr(node, "col_offset", 0)),
        end_line,
        source.character_column(end_line, end),
    )


def _placed(source: Source, span: tuple[int, int, int, int], **content: object) -> Finding:
    """A finding with its line quoted; in a notebook, with the lines of its cell."""
    line, column, end_line, end_column = span
    quote, quote_column = cropped(source.line(line), column)
    cell = source.cell_at(line)
    offset = cell.first_line - 1 if cell else 0
    return Finding(
        path=source.path,
        line=line - offset,
        column=column,
        end_line=end_line - offset,
        end_column=end_column,
        cell=cell.number if cell else None,
        quote=quote,
        quote_column=quote_column,
        **content,  # type: ignore[arg-type]
    )


def _about_suppressions(
    source: Source, silencers: Iterable[Suppression], codes: frozenset[str]
) -> Iterator[Finding]:
    rules = all_rules()
    for silencer in silencers:
        span = (silencer.line, silencer.column, silencer.line, silencer.end_column)
        if not silencer.reason and NO_REASON in codes:
            yield _placed(
                source,
                span,
                code=NO_REASON,
                name=rules[NO_REASON].name,
                message="this suppression gives no reason",
                remedy="say after the bracket why the code is right as it is",
            )
        unknown = sorted(code for code in silencer.codes if code not in rules)
        if unknown and UNKNOWN_CODE in codes:
            yield _placed(
                source,
                span,
                code=UNKNOWN_CODE,
                name=rules[UNKNOWN_CODE].name,
                message=f"there is no rule {', '.join(unknown)}",
                remedy="docs/rules/ lists the codes that there are",
            )


def _unreadable(
    shown_as: str, source: Source | None, error: UnreadableError, codes: frozenset[str]
) -> tuple[Finding, ...]:
    if UNREADABLE not in codes:
        return ()
    name = all_rules()[UNREADABLE].name
    if source is None:
        finding = Finding(
            path=shown_as,
            code=UNREADABLE,
            name=name,
            message=f"this file {error.message}",
            line=error.line,
            end_line=error.line,
        )
        return (finding,)
    line = min(error.line, len(source.lines))
    end = max(2, len(source.line(line)) + 1)
    text = f"this file {error.message}"
    return (_placed(source, (line, 1, line, end), code=UNREADABLE, name=name, message=text),)


def _without_broken_cells(source: Source) -> Source | None:
    """A notebook's text with the cells that do not parse left blank; None if none is to blame."""
    lines = list(source.lines)
    starts = [cell.first_line for cell in source.cells] + [len(lines) + 1]
    blanked = False
    for start, end in itertools.pairwise(starts):
        if not _parses("\n".join(lines[start - 1 : end - 1])):
            lines[start - 1 : end - 1] = [""] * (end - start)
            blanked = True
    text = "\n".join(lines)
    return replace(source, text=text) if blanked and _parses(text) else None


def _parses(text: str) -> bool:
    try:
        Module(Source(path="", text=text), Path())
    except UnreadableError:
        return False
    return True
