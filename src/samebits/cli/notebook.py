"""A notebook as a script: its code cells in order, with what only IPython understands told apart.

What a magic or a shell line does is either done as well by plain Python, or left out where it
cannot reach a result, or refused with its cell and line. Nothing is dropped in silence.
"""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.check.report.printable import printable_text
from samebits.check.report.source import CELL_MARK, NOTEBOOK_HEADER
from samebits.cli.magics import Converted, Magics
from samebits.errors import UsageError

SUFFIX = ".ipynb"
_FOLDER = Path("runs", "notebooks")
_CONVERT = "or write a script yourself: jupyter nbconvert --to script {name}"


@dataclass
class NotebookScript:
    """What became of a notebook.

    Attributes:
        text: The script.
        cells: How many code cells it has.
        left_out: Lines that were left out, such as "%matplotlib (cell 1)".
    """

    text: str
    cells: int
    left_out: list[str] = field(default_factory=list)


def write_script(notebook: Path) -> tuple[Path, NotebookScript]:
    """Write a notebook's code cells as a script, to where the next command finds it again.

    Args:
        notebook: The notebook.

    Returns:
        The script, below runs/notebooks, and what became of the cells.

    Raises:
        UsageError: It is no notebook of Python, a line in it has no counterpart in a script, or the
            script cannot be written.
    """
    found = script_of(notebook)
    # Two notebooks of one name must not take turns in one file.
    mark = hashlib.sha256(str(notebook.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    path = _FOLDER / f"{notebook.stem}-{mark[:4]}{SUFFIX}.py"
    try:
        _FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text(found.text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {path}, the script made of {notebook}: {error.strerror or error}",
            hint="start samebits in a folder that can be written",
        ) from error
    return path, found


def script_of(notebook: Path) -> NotebookScript:
    """A notebook's code cells as the text of a script, each after a line with its number.

    Raises:
        UsageError: As `write_script`.
    """
    name = printable_text(notebook.name)
    cells = _code_cells(notebook)
    magics = Magics(name)
    found = NotebookScript(text="", cells=len(cells))
    body: list[str] = []
    futures: list[str] = []
    trees: list[ast.Module] = []
    for number, source in cells:
        converted = magics.convert(number, source)
        found.left_out += [f"{what} (cell {number})" for what in converted.left_out]
        tree = _parsed(name, number, converted)
        lines = list(converted.lines)
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                futures.append(ast.unparse(statement))
                for at in range(statement.lineno - 1, statement.end_lineno or statement.lineno):
                    lines[at] = ""
        trees.append(tree)
        body += [CELL_MARK.format(number=number, name=name), *lines]
    folder = str(notebook.resolve().parent)
    header = [NOTEBOOK_HEADER.format(name=name), *dict.fromkeys(futures)]
    header.append(f"__import__('sys').path.insert(0, {folder!r})  # as in Jupyter")
    if _shows(trees):
        header.append("display = print")
    found.text = "\n".join([*header, *body]) + "\n"
    return found


def _code_cells(notebook: Path) -> list[tuple[int, str]]:
    """The numbers, counted from 1 over all cells, and sources of the code cells."""
    shown = printable_text(str(notebook))
    try:
        content: Any = json.loads(notebook.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{shown} is no notebook: it is not JSON") from error
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise UsageError(
            f"{shown} is no notebook of format 4: it has no list of cells",
            hint=f"convert it: jupyter nbconvert --to notebook --nbformat 4 {shown}",
        )
    metadata = content.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    if isinstance(language, str) and language.lower() != "python":
        raise UsageError(f"{shown} is a notebook of {printable_text(language)}, not of Python")
    found = [
        (number, _source(cell))
        for number, cell in enumerate(cells, start=1)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    if not any(source.strip() for _, source in found):
        raise UsageError(f"{shown} has no code cell")
    return found


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    text = source.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parsed(name: str, number: int, converted: Converted) -> ast.Module:
    text = "\n".join(converted.lines)
    try:
        compile(text, name, "exec", dont_inherit=True)
        return ast.parse(text)
    except SyntaxError as error:
        line = "" if error.lineno is None else f", line {error.lineno}"
        raise UsageError(
            f"{name}, cell {number}{line} has a syntax error: {printable_text(error.msg)}",
            hint="a script has no top-level await: write asyncio.run(...)"
            if "await" in str(error.msg)
            else f"mend the cell, {_CONVERT.format(name=name)}",
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{name}, cell {number} is no Python source: {error}") from error


def _shows(trees: list[ast.Module]) -> bool:
    """Whether `display` is used as Jupyter gives it, and not defined or imported."""
    names = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)]
    used = any(node.id == "display" and isinstance(node.ctx, ast.Load) for node in names)
    bound = any(node.id == "display" and isinstance(node.ctx, ast.Store) for node in names) or any(
        getattr(node, "name", None) == "display" or getattr(node, "asname", None) == "display"
        for tree in trees
        for node in ast.walk(tree)
    )
    return used and not bound
