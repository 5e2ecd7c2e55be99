"""The picture of the procedure, and the file that reads like it, name the same functions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from samebits.check.trials.attribution import procedure

PAGE = Path(__file__).parents[4] / "docs" / "how-it-works" / "attribution.md"
SOURCE = Path(procedure.__file__)
_STEP = re.compile(r"^\| [^|]+ \| ((?:`\w+`(?:, )?)+) \|", re.MULTILINE)


def steps() -> list[str]:
    """The functions of the page's table, in its order."""
    table = PAGE.read_text().partition("| box | function")[2].partition("\n\n")[0]
    return [name for cell in _STEP.findall(table) for name in re.findall(r"\w+", cell)]


def called_in_order(name: str, functions: dict[str, ast.FunctionDef]) -> list[str]:
    """What a function calls, each followed by what that calls, in the order of the source."""
    found: list[str] = []
    for node in ast.walk(functions[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.append(node.func.id)
            if node.func.id in functions and node.func.id != name:
                found += called_in_order(node.func.id, functions)
    return found


def test_every_box_is_a_function_that_the_procedure_calls():
    tree = ast.parse(SOURCE.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    first, *rest = steps()
    assert len(rest) > 7
    assert first == "attribute"
    assert set(rest) <= set(called_in_order(first, functions))


def test_those_of_the_file_stand_in_the_order_of_the_picture():
    tree = ast.parse(SOURCE.read_text())
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    of_the_file = [name for name in steps() if name in defined]
    assert of_the_file == [name for name in defined if name in of_the_file]
    assert len(of_the_file) >= 6
