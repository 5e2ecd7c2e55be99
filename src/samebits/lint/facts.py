"""What a file contributes to the program it belongs to: seeds set, switches set, files imported.

A finding may hold only as long as no file of its program says otherwise. Facts are short strings:
"entry" (a person starts this file), "seeds:torch", "rooted:torch" (seeded, and not by a number that
it drew itself), "draws:numpy", "deterministic", and so on.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from samebits.core.source.expressions import argument, is_constant, place
from samebits.core.source.generators import SEEDER_NAME, SEEDERS, STREAM_OF
from samebits.lint.imports import imported_files
from samebits.lint.module import Module
from samebits.lint.programs import is_program
from samebits.lint.seeding import drawn_seeds

CUDNN_BENCHMARK = "torch.backends.cudnn.benchmark"
CUBLAS_VARIABLE = "CUBLAS_WORKSPACE_CONFIG"
HASH_VARIABLE = "PYTHONHASHSEED"


@dataclass(frozen=True, kw_only=True)
class FileFacts:
    """A file's own part of what is known about a program.

    Attributes:
        path: The file, resolved.
        facts: What holds as soon as the file runs.
        when_called: Facts that hold once a function is called: (function's name, fact).
        defines: Names of functions defined here that look like seeding ones.
        calls: Last parts of the names called here, or handed on to be called.
        imports: Files that it imports, resolved.
        is_test: Whether its name says that it is a test.
        is_entry: Whether a person starts it.
    """

    path: str
    facts: frozenset[str]
    when_called: frozenset[tuple[str, str]]
    defines: frozenset[str]
    calls: frozenset[str]
    imports: tuple[str, ...]
    is_test: bool
    is_entry: bool


def gather(module: Module, roots: tuple[Path, ...] = ()) -> FileFacts:
    """The facts of one file.

    Args:
        module: The parsed file.
        roots: Further folders in which its absolute imports may lie.
    """
    facts = {f"draws:{STREAM_OF[name]}" for _, name in module.calls if name in STREAM_OF}
    when_called: set[tuple[str, str]] = set()
    for node, fact in _set_facts(module):
        for function in _callers(module, node):
            when_called.add((function, fact))
        if not module.in_function(node):
            facts.add(fact)
    if module.uses_cuda:
        facts.add("cuda")
    if "set_epoch" in module.tree.attributes:
        facts.add("set-epoch")
    is_entry = is_program(module)
    if is_entry:
        facts.add("entry")
    definitions = module.nodes(ast.FunctionDef, ast.AsyncFunctionDef)
    return FileFacts(
        path=str(module.path),
        facts=frozenset(facts),
        when_called=frozenset(when_called),
        defines=frozenset(
            d.name
            for d in definitions
            if isinstance(d, ast.FunctionDef | ast.AsyncFunctionDef) and SEEDER_NAME.search(d.name)
        ),
        calls=frozenset(_called_names(module)),
        imports=tuple(str(path) for path in imported_files(module, roots)),
        is_test=module.is_test,
        is_entry=is_entry,
    )


def _set_facts(module: Module) -> list[tuple[ast.AST, str]]:
    """Statements and calls that set something for the whole process, with the fact."""
    found: list[tuple[ast.AST, str]] = []
    for node, name in module.calls:
        streams = SEEDERS.get(name, frozenset())
        drawn_from = {STREAM_OF[drawn] for _, drawn in drawn_seeds(module, node, name)}
        for stream in streams:
            found += [(node, f"seeds:{stream}"), (node, "seeds:any")]
            if stream not in drawn_from:
                found.append((node, f"rooted:{stream}"))
        if name in ("torch.use_deterministic_algorithms", "torch.set_deterministic_debug_mode"):
            first = node.args[0] if node.args else argument(node, "mode")
            if not is_constant(first, False, 0, "default"):
                found.append((node, "deterministic"))
        elif name.startswith("samebits.deterministic"):
            found += [(node, "deterministic"), (node, CUBLAS_VARIABLE), (node, "benchmark-off")]
        elif is_constant(argument(node, "deterministic"), True):
            found += [(node, "deterministic"), (node, "benchmark-off")]
        if is_constant(argument(node, "benchmark"), True):
            found.append((node, "benchmark-on"))
        if any(is_constant(a, CUBLAS_VARIABLE) for a in node.args) or any(
            k.arg == CUBLAS_VARIABLE for k in node.keywords
        ):
            found.append((node, CUBLAS_VARIABLE))
    for assignment in module.nodes(ast.Assign):
        assert isinstance(assignment, ast.Assign)
        for target in assignment.targets:
            if isinstance(target, ast.Attribute):
                named = target.attr == "benchmark" and module.names.qualified(target)
                if named == CUDNN_BENCHMARK:
                    on = is_constant(assignment.value, True)
                    found.append((assignment, "benchmark-on" if on else "benchmark-off"))
            elif isinstance(target, ast.Subscript) and is_constant(target.slice, CUBLAS_VARIABLE):
                found.append((assignment, CUBLAS_VARIABLE))
    return found


def _callers(module: Module, node: ast.AST) -> list[str]:
    """Names by which the code around a node may be called; empty at module level."""
    names: list[str] = []
    inside: ast.AST | None = None
    for ancestor in module.tree.ancestors(node):
        if isinstance(ancestor, ast.FunctionDef | ast.AsyncFunctionDef):
            names.append(ancestor.name)
            if ancestor.decorator_list:
                names.append("")  # a decorator registers it somewhere: a command, a fixture
            inside = ancestor
        elif isinstance(ancestor, ast.ClassDef) and inside is not None:
            names.append(ancestor.name)
            if ancestor.bases:
                names.append("")  # a framework's hook, called by its base class
    return names


def _called_names(module: Module) -> set[str]:
    """Last parts of what is called, and of what is handed to something that may call it."""
    found = {""}
    for node, name in module.calls:
        function = node.func
        if name in SEEDERS and any(drawn_seeds(module, node, name)):
            pass  # a name like set_seed vouches for nothing where its seed is drawn
        elif isinstance(function, ast.Attribute):
            found.add(function.attr)
        elif isinstance(function, ast.Name):
            found.add(function.id)
        for value in node.args:
            if isinstance(value, ast.Name | ast.Attribute):
                found.add(place(value).rpartition(".")[2])
        for keyword in node.keywords:
            # A loader's workers call this one, each in a process of its own.
            if keyword.arg != "worker_init_fn" and isinstance(keyword.value, ast.Name):
                found.add(keyword.value.id)
    return found
