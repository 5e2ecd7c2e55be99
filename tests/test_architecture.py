"""The parts of samebits stand on each other in one direction, and nothing imports upward."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import samebits

PACKAGE = Path(samebits.__file__).parent

LAYERS = (
    {"errors"},
    {"core"},
    {"training/control", "environment", "lint"},
    {"training/data", "training/checkpoint", "arithmetic"},
    {"check/trace", "check/hooks"},
    {"check/record"},
    {"check/diff"},
    {"check/agreement"},
    {"check/causes"},
    {"check/trials"},
    {"check/report"},
    {"cli", "integrations"},
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
HOUSES = {"check", "training"}
"""Packages whose own packages are parts; the packages themselves hold nothing."""

# The public names re-export whatever they like, as long as they do so lazily.
FREE = {"__init__.py", "__main__.py"}


def part_of(names: Sequence[str]) -> str:
    """The part that a module belongs to, told by the names that lead to it below samebits."""
    return "/".join(names[: 2 if names[0] in HOUSES else 1])


def imported_names(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and full name of what a module imports, inside functions and for type checkers included.

    Args:
        source: The module's source.
        package: Dotted name of the package that the module lies in, for relative imports.
    """
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base]).strip(".")
            names = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and node.args:
            function = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            first = node.args[0]
            if function == "import_module" and isinstance(first, ast.Constant):
                names = [str(first.value)]
        yield from ((node.lineno, name) for name in names)


def imported_parts(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and part of every samebits import in a module; arguments as for `imported_names`."""
    for line, name in imported_names(source, package):
        root, _, rest = name.partition(".")
        if root == "samebits" and rest:
            yield line, part_of(rest.split("."))


def violations(source: str, path: Path) -> list[str]:
    """The imports of one module that point upward or sideways, each as "file:line: why".

    Args:
        source: The module's source.
        path: Its path below the package, such as Path("check/trace/reader.py").
    """
    own = part_of(path.with_suffix("").parts)
    package = ".".join(["samebits", *path.parts[:-1]])
    found = []
    for line, part in imported_parts(source, package):
        if part not in LEVEL:
            # `from samebits import seed_everything`: a public name may come from any layer.
            found.append(f"{path}:{line}: {own} imports {part}, which is in no layer")
        elif part != own and LEVEL[part] >= LEVEL[own]:
            found.append(f"{path}:{line}: {own} imports {part}, which does not lie below it")
    return found


def modules() -> list[Path]:
    return sorted(
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in FREE | {f"{house}/__init__.py" for house in HOUSES}
    )


@pytest.mark.parametrize("path", modules(), ids=str)
def test_nothing_imports_upward(path):
    own = part_of(path.with_suffix("").parts)
    assert own in LEVEL, f"{path} is in no layer: add it to LAYERS"
    assert violations((PACKAGE / path).read_text(encoding="utf-8"), path) == []


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle; none where there is no circle."""
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle():
    named = {".".join(["samebits", *path.with_suffix("").parts]): path for path in modules()}
    imports: dict[str, set[str]] = {}
    for name, path in named.items():
        package = name.rpartition(".")[0]
        found = imported_names((PACKAGE / path).read_text(encoding="utf-8"), package)
        asked = {part for _, one in found for part in (one, one.rpartition(".")[0])}
        imports[name] = (asked & named.keys()) - {name}
    assert circle(imports) == []


def test_no_two_classes_have_one_name():
    homes: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_a_circle_is_caught():
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}


@pytest.mark.parametrize(
    "source",
    [
        "from samebits.cli.app import main",
        "import samebits.check.report.text",
        "from samebits import compare",
        "def f():\n    from samebits.check.record.launcher import run_script",
        "from ..record import launcher",
        "from .. import record",
        "import importlib\nimportlib.import_module('samebits.cli.app')",
        "from samebits.check import record",
        "from samebits.check.diff import rows",
        "from samebits import seed_everything",
    ],
)
def test_an_import_upward_or_sideways_is_caught(source):
    assert len(violations(source, Path("check/trace/reader.py"))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from samebits.errors import TraceError",
        "from samebits.core import _native",
        "from samebits.core.names import printable",
        "from . import seal",
        "from .names import printable",
        "from ... import errors",
        "from samebits.training.control import audit",
        "import numpy, samebits_other.cli",
        "from samebits_plugin.cli import app",
    ],
)
def test_an_import_downward_is_fine(source):
    assert violations(source, Path("check/trace/reader.py")) == []
