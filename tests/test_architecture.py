"""The parts of samebits stand on each other in one direction, and nothing imports upward."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import samebits

PACKAGE = Path(samebits.__file__).parent

LAYERS = (
    {"errors", "_native", "_exact", "callable_package"},
    {"fingerprint", "control", "trace", "catalog"},
    {"record", "compare", "lint", "environment", "resume", "data", "exact"},
    {"report"},
    {"cli", "integrations"},
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# Parts of one layer stand side by side, but for these.
SIDEWAYS = {
    ("compare", "record"),
    ("compare", "environment"),
    ("record", "environment"),
    ("record", "exact"),
}

# The public names re-export whatever they like, as long as they do so lazily.
FREE = {"__init__.py", "__main__.py"}


def imported_parts(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and part of every samebits import in a module, those inside functions included.

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
            names = [base] if base.count(".") else [f"{base}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Call) and node.args:
            function = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            first = node.args[0]
            if function == "import_module" and isinstance(first, ast.Constant):
                names = [str(first.value)]
        for name in names:
            root, _, rest = name.partition(".")
            if root == "samebits" and rest:
                yield node.lineno, rest.split(".")[0]


def violations(source: str, path: Path) -> list[str]:
    """The imports of one module that point upward or sideways, each as "file:line: why".

    Args:
        source: The module's source.
        path: Its path below the package, such as Path("trace/reader.py").
    """
    own = path.parts[0].removesuffix(".py")
    package = ".".join(["samebits", *path.parts[:-1]])
    found = []
    for line, part in imported_parts(source, package):
        if part not in LEVEL:
            # `from samebits import seed_everything`: a public name may come from any layer.
            found.append(f"{path}:{line}: {own} imports {part}, which is in no layer")
        elif part != own and (own, part) not in SIDEWAYS and LEVEL[part] >= LEVEL[own]:
            found.append(f"{path}:{line}: {own} imports {part}, which does not lie below it")
    return found


def modules() -> list[Path]:
    return sorted(
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in FREE
    )


@pytest.mark.parametrize("path", modules(), ids=str)
def test_nothing_imports_upward(path):
    assert path.parts[0].removesuffix(".py") in LEVEL, f"{path} is in no layer: add it to LAYERS"
    assert violations((PACKAGE / path).read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize(
    "source",
    [
        "from samebits.cli.app import main",
        "import samebits.report.text",
        "from samebits import compare",
        "def f():\n    from samebits.record.launcher import run_script",
        "from ..record import launcher",
        "from .. import record",
        "import importlib\nimportlib.import_module('samebits.cli.app')",
        "from samebits.control import audit",
        "from samebits import seed_everything",
    ],
)
def test_an_import_upward_or_sideways_is_caught(source):
    assert len(violations(source, Path("trace/reader.py"))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from samebits.errors import TraceError",
        "from samebits import _native",
        "from samebits.trace.names import printable",
        "from . import seal",
        "from .names import printable",
        "from .. import errors",
        "import numpy, samebits_other.cli",
        "from samebits_plugin.cli import app",
    ],
)
def test_an_import_downward_is_fine(source):
    assert violations(source, Path("trace/reader.py")) == []
