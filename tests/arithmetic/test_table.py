"""The table against torch, the kernels and the page: nothing dead, misspelt or left unsaid."""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.arithmetic.bits import same_bits
from tests.arithmetic.test_reference_bits import FUNCTIONS

import samebits
from samebits.arithmetic import reference, reference_functions, registry
from samebits.arithmetic.forms import computed_by, functional_form
from samebits.arithmetic.kernels import NUMBERS, elementwise
from samebits.arithmetic.operations import all as _all  # noqa: F401  fills the table
from samebits.arithmetic.operations.elementwise import ROWS

ROOT = Path(__file__).parents[2]
PACKAGE = Path(samebits.__file__).parent / "arithmetic"
PATH = ROOT / "docs" / "arithmetic.md"
PAGE = PATH.read_text(encoding="utf-8")
POINTS = np.array([-2.5, -0.25, 0.3, 0.75, 1.0, 40.0], np.float32)


def overload(name: str) -> Any:
    """torch's overload of a name such as "aten.add.Tensor"; None if there is none."""
    namespace, packet, *own = name.split(".")
    family = getattr(getattr(torch.ops, namespace), packet, None)
    wanted = own[0] if own else "default"
    known = family is not None and wanted in family.overloads()
    return getattr(family, wanted) if known else None


def test_every_name_is_an_operation_of_torch():
    names = [*registry.ENTRIES, *registry.COMPLEX_ENTRIES, *registry.SAFE]
    assert [name for name in names if overload(name) is None] == []


@pytest.mark.parametrize("name", ["aten.trace.whole", "aten.tahn", "aten.add.Tensors"])
def test_a_name_that_torch_does_not_have_is_noticed(name):
    assert overload(name) is None


def test_no_name_has_two_rows():
    for enter in (registry.kernel("aten.exp"), registry.kernel("aten.cat")):
        with pytest.raises(AssertionError, match="twice"):
            enter(print)
    for name in ("aten.exp", "aten.cat"):
        with pytest.raises(AssertionError, match="twice"):
            registry.safe([name])


def operands_of_kernels() -> dict[str, int]:
    source = (ROOT / "native" / "exact" / "operations.hpp").read_text(encoding="utf-8")
    return {name: int(count) for name, count in re.findall(r"X\((\w+), (\d), \w+\)", source)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
def test_a_row_names_arguments_of_torch_and_a_kernel_for_them(row):
    schema = {a.name: str(a.type) for a in overload(row.operation)._schema.arguments}
    assert [schema[name] for name in row.tensors.split()] == ["Tensor"] * len(row.tensors.split())
    assert {schema[name] for name in row.numbers.split()} <= {"number", "float", "bool"}
    assert operands_of_kernels()[row.kernel] == len(row.tensors.split())


def words_in(source: str) -> set[str]:
    """The strings of a module that are one word each."""
    constants = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


def test_every_kernel_is_used():
    files = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    used = set().union(*map(words_in, files))
    assert set(NUMBERS) == set(operands_of_kernels())
    assert set(NUMBERS) - used == set()


FORMS = {
    "aten.exp_": "aten.exp",
    "aten.exp.out": "aten.exp",
    "aten.tanh_backward.grad_input": "aten.tanh_backward",
    "aten.sum.IntList_out": "aten.sum.dim_IntList",
    "aten.cumsum_": "aten.cumsum",
    "aten.addmm_": "aten.addmm",
    "aten.pow.Tensor_Scalar_out": "aten.pow.Tensor_Scalar",
    "aten.clamp_.Tensor": "aten.clamp.Tensor",
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_found_by_its_schema(name):
    assert name not in registry.ENTRIES
    assert registry.name_of(functional_form(overload(name))) == FORMS[name]
    assert computed_by(overload(name)) is not None


@pytest.mark.parametrize("name", ["aten.special_bessel_j0", "aten.cat.out", "aten.uniform"])
def test_nothing_else_is_computed(name):
    assert computed_by(overload(name)) is None


def module_of(row: registry.ExactOperation) -> str:
    """The module in which the function of a row is written."""
    function: Any = row.function
    if isinstance(function, functools.partial):  # of a formula, or of a row of kernels
        function = getattr(function.args[0], "function", function.func)
    return str(function.__module__)


def section_of(module: str) -> str:
    """The section of the page that a module's docstring names."""
    (section,) = re.findall(
        r'\(docs/arithmetic\.md, "([^"]+)"\)', sys.modules[module].__doc__ or ""
    )
    return str(section)


def index_of_the_table() -> str:
    """The page's list of operations: by section, each once, however many forms it has."""
    found: dict[str, set[str]] = {}
    for name, row in (*registry.ENTRIES.items(), *registry.COMPLEX_ENTRIES.items()):
        packet = name.split(".")[1]
        if packet.startswith("_foreach_"):
            continue  # the operation itself, on each tensor of a list
        in_place = functional_form(overload(name)) is not None
        own = packet.removesuffix("_") if in_place else packet
        found.setdefault(section_of(module_of(row)), set()).add(own)
    lines = []
    for section in re.findall(r"^## (.+)$", PAGE, re.MULTILINE):
        if section in found:
            names = ", ".join(f"`{name}`" for name in sorted(found.pop(section)))
            lines += textwrap.wrap(
                f"**{section}**: {names}.", 124, initial_indent="- ", subsequent_indent="  "
            )
    assert not found, "sections that the page does not have"
    return "\n".join(lines)


def test_the_page_lists_the_operations_of_the_table_by_section():
    begin, end = PAGE.index("- **", PAGE.index("## Index")), PAGE.index("\n\n## Why")
    if os.environ.get("UPDATE_DOCS"):
        PATH.write_text(PAGE[:begin] + index_of_the_table() + PAGE[end:], encoding="utf-8")
    else:
        assert PAGE[begin:end] == index_of_the_table(), "UPDATE_DOCS=1 writes it; read the diff"


def test_the_page_names_the_functions_of_the_reference_and_the_table_has_a_row_for_each():
    paragraph = PAGE[PAGE.index("## Functions") :].split("\n\n")[1]
    said = set(re.findall(r"`(\w+)`", paragraph.split("**correctly rounded**")[0]))
    rows = {row.kernel for row in ROWS if row.operation == f"aten.{row.kernel}"}
    assert said <= rows
    for name in said:
        assert same_bits(
            elementwise(name, torch.from_numpy(POINTS)), reference.function(name, POINTS)
        )
    assert said == set(FUNCTIONS)


def vectors() -> list[tuple[str, list[str], str]]:
    """The page's test vectors: function, operands and result, as bits of either format."""
    table = PAGE[PAGE.index("*Test vectors*") : PAGE.index("## Element by element")]
    return [
        (line.split("|")[1].strip(), re.findall(r"`(\w{8,16})`", cell)[:-1], cell.split("`")[-2])
        for line in table.splitlines()
        if "→" in line and line.startswith("|")
        for cell in line.split("|")[2:5]
    ]


@pytest.mark.parametrize(("name", "operands", "result"), vectors())
def test_the_pages_vectors_hold_for_the_kernels_and_the_reference(name, operands, result):
    kinds = (np.uint64, np.float64) if len(result) == 16 else (np.uint32, np.float32)
    values = [np.array([int(bits, 16)], kinds[0]).view(kinds[1]) for bits in operands]
    wanted = np.array([int(result, 16)], kinds[0]).view(kinds[1])
    of_two = {"pow": reference_functions.power, "atan2": reference_functions.arc_tangent}
    specified = of_two[name](*values) if name in of_two else reference.function(name, values[0])
    assert same_bits(specified, wanted)
    with samebits.exact():
        assert same_bits(getattr(torch, name)(*map(torch.from_numpy, values)), wanted)
