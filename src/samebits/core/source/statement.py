"""One statement of the user's, with one expression in it replaced; the rest stays as it stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import decode_source

from samebits.core.source.edits import Text, end_of, replacing, text_of
from samebits.core.source.expressions import called as called
from samebits.core.source.expressions import root as root
from samebits.core.source.files import UnreadableError, read_source
from samebits.core.source.parsed import ParsedSource, parsed_source

Better = Callable[[ast.expr], "str | None"]
"""What to write in place of an expression; None to leave it."""


@dataclass(frozen=True)
class Statement:
    """A statement in a file.

    Attributes:
        node: Its syntax tree.
        source: The text that it stands in: the whole file.
    """

    node: ast.stmt
    source: str

    @property
    def parsed(self) -> ParsedSource:
        """The file that it stands in."""
        return parsed_source(self.source)

    def name_of(self, node: ast.expr) -> str:
        """What a dotted name stands for by the file's imports; else the name as it is written."""
        return self.parsed.names.qualified(node) or ast.unparse(node)

    def text_of(self, node: ast.AST) -> str:
        """The source text of a part of it."""
        return text_of(self.source).of(node) if isinstance(node, ast.expr | ast.stmt) else ""

    def expressions(self) -> Iterator[ast.expr]:
        """Its expressions, outer ones before those inside; of a block only its head's."""
        stack = self.parts()[::-1]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.expr):
                yield node
            stack += reversed(list(ast.iter_child_nodes(node)))

    def parts(self) -> list[ast.AST]:
        """What it is made of; of a block only its head's parts."""
        bodies = {id(part) for name in _BODIES for part in getattr(self.node, name, ())}
        return [part for part in ast.iter_child_nodes(self.node) if id(part) not in bodies]

    def rewritten(self, better: Better) -> str | None:
        """The statement with the first expression replaced for which there is something better.

        Of a block only the head is given. None when there is nothing to replace.
        """
        for node in self.expressions():
            text = better(node)
            if text is not None:
                return self.replaced([(node, text)])
        return None

    def replaced(self, parts: Sequence[tuple[ast.expr, str]]) -> str:
        """The statement with some expressions replaced, of which none lies inside another.

        Args:
            parts: Each expression with what to write in its place.
        """
        text = text_of(self.source)
        decorators = getattr(self.node, "decorator_list", ())
        first_line = min([self.node.lineno, *(one.lineno for one in decorators)])
        begin = text.offset((first_line, self.node.col_offset))
        edits = [replacing(node, written) for node, written in parts]
        return self._shifted(text.edited(edits, begin=begin, end=self._end(text)).rstrip())

    def _shifted(self, text: str) -> str:
        """The text with its further lines as far to the left as its first one has come."""
        if any(
            isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != end_of(node)[0]
            for node in self.expressions()
        ):
            return text  # a line inside a string is no indentation
        indented = "\n" + " " * self.node.col_offset
        return text.replace(indented, "\n")

    def _end(self, text: Text) -> int:
        """Where the statement ends, or its head, where it has a body."""
        if not getattr(self.node, "body", None):
            return text.offset(end_of(self.node))
        begin = text.offset(max(map(end_of, self.expressions())))
        # Brackets and comments may follow, which may hold colons, then the colon of the head.
        colon = _COLON.match(text.content, begin)
        return begin if colon is None else colon.end()


_COLON = re.compile(rb"(?:[^:#]|#[^\n]*\n)*:")
_BRANCHING = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Assert, ast.Try, ast.Match)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_REPEATING = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def statement_at(file: str | None, line: int | None) -> Statement | None:
    """The innermost statement that covers a line; None when the file cannot be read."""
    found = _covering(file, line)
    return found[-1] if found else None


def statements_in(file: str | None) -> Iterator[Statement]:
    """All statements of a file, also those inside of others; none where it cannot be read."""
    read = _parsed(file)
    nodes = () if read is None else ast.walk(read.tree.root)
    for node in nodes:
        if isinstance(node, ast.stmt) and read is not None:
            yield Statement(node, read.text)


def unpacks(statement: Statement) -> bool:
    """Whether a statement gives the elements of something to several names: `for a, b in pairs`."""
    node = statement.node
    targets = list(node.targets) if isinstance(node, ast.Assign) else []
    targets += [node.target] if isinstance(node, ast.For) else []
    targets += [part.target for part in ast.walk(node) if isinstance(part, ast.comprehension)]
    return any(isinstance(target, ast.Tuple | ast.List) for target in targets)


def enclosing_statements(file: str | None, line: int | None) -> list[Statement]:
    """The statements that cover a line within its function or module, outermost first."""
    around = _covering(file, line)
    inner = [n for n, one in enumerate(around[:-1]) if isinstance(one.node, _SCOPES)]
    return around[inner[-1] + 1 :] if inner else around


def statements_on(file: str | None, line: int | None) -> list[Statement]:
    """The statements of which a part stands on a line, of blocks their heads; outermost first."""
    return [
        statement
        for statement in _covering(file, line)
        if line is not None and _stands_on(statement, line)
    ]


def _stands_on(statement: Statement, line: int) -> bool:
    if not getattr(statement.node, "body", None):
        return True
    return any(
        part.lineno <= line <= (part.end_lineno or part.lineno)
        for part in statement.parts()
        if isinstance(part, ast.expr)
    )


def names_at(file: str | None, line: int | None) -> set[str]:
    """The plain names in the statement that covers a line; of a block, in its head."""
    statement = statement_at(file, line)
    if statement is None:
        return set()
    return {node.id for node in statement.expressions() if isinstance(node, ast.Name)}


def branch_at(file: str | None, line: int | None) -> int | None:
    """The line of the condition or loop that decides what comes after a line.

    That is the line's own statement, where it branches, else the innermost loop with a condition
    around it: a signal or another thread may end it from anywhere inside.
    """
    around = _covering(file, line)
    if around and isinstance(around[-1].node, _BRANCHING):
        return around[-1].node.lineno
    for statement in reversed(around):
        if isinstance(statement.node, _SCOPES):
            return None
        if isinstance(statement.node, ast.While):
            return statement.node.lineno
    return None


def stands_after(file: str | None, line: int | None, other: int | None) -> bool:
    """Whether a line comes after another one of its function, and no loop around both leads back.

    Args:
        file: The file that both stand in.
        line: The line.
        other: The other one.
    """
    found, found_other = scope_around(file, line), scope_around(file, other)
    if line is None or other is None or line <= other or found is None or found_other is None:
        return False
    if found[0] is not found_other[0] or found[1].node is found_other[1].node:
        return False
    around_other = {id(one.node) for one in enclosing_statements(file, other)}
    loops = (ast.For, ast.AsyncFor, ast.While)
    return not any(
        id(one.node) in around_other and isinstance(one.node, loops)
        for one in enclosing_statements(file, line)
    )


def enclosing_function(file: str | None, line: int | None) -> str | None:
    """Name of the innermost function around a line; None at the module's own level."""
    for statement in reversed(_covering(file, line)):
        if isinstance(statement.node, ast.FunctionDef | ast.AsyncFunctionDef):
            return statement.node.name
    return None


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes and all that stands in them, without what functions and classes inside of them hold.

    Args:
        nodes: Such as the body of a function.
    """
    left = [*nodes]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            left.extend(ast.iter_child_nodes(node))


def scope_around(file: str | None, line: int | None) -> tuple[ast.AST, Statement] | None:
    """The function or module that a line stands in, and the innermost statement that covers it."""
    around, parsed = _covering(file, line), _parsed(file)
    if not around or parsed is None:
        return None
    scopes = [one.node for one in around[:-1] if isinstance(one.node, _SCOPES)]
    return (scopes[-1] if scopes else parsed.tree.root), around[-1]


def containers_walked_at(file: str | None, line: int | None) -> Iterator[tuple[str, ast.stmt]]:
    """The plain names that a line walks, and what last filled each in the same function.

    Args:
        file: The source file.
        line: A line with a `for` or a comprehension over a name, such as `[r[0] for r in rows]`.
    """
    found = scope_around(file, line)
    if found is None or line is None:
        return
    scope, walking = found
    loops = [walking.node] if isinstance(walking.node, ast.For) else []
    walked = [loop.iter for loop in loops]
    walked += [
        part.iter
        for node in walking.expressions()
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        for part in node.generators
    ]
    for name in [node.id for node in walked if isinstance(node, ast.Name)]:
        filled = [
            node
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign)
            and node.lineno < walking.node.lineno
            and any(isinstance(part, ast.Name) and part.id == name for part in node.targets)
        ]
        if filled:
            yield name, max(filled, key=lambda node: node.lineno)


def stored_by_a_call(file: str | None, line: int | None) -> int | None:
    """The line that stores an attribute of `self` which a line reads; None unless it is one alone.

    Args:
        file: The source file.
        line: The line that reads it.

    Returns:
        Only a line that calls something for it, as `self.table = load(path)` does, and where the
        line reads no other attribute. What is called, as `self.model(x)`, is not read.
    """
    reads, around = statement_at(file, line), class_around(file, line)
    if reads is None or around is None:
        return None
    functions = {id(node.func) for node in reads.expressions() if isinstance(node, ast.Call)}
    names = {
        ast.unparse(node)
        for node in reads.expressions()
        if isinstance(node, ast.Attribute) and id(node) not in functions
    }
    names = {name for name in names if name.startswith("self.") and name.count(".") == 1}
    stores = [(node, value) for name in names for node, value in stored_in(around, name)]
    if len(names) != 1 or len(stores) != 1:
        return None
    node, value = stores[0]
    made = value is not None and any(isinstance(part, ast.Call) for part in ast.walk(value))
    return node.lineno if made else None


def stored_in(scope: ast.AST, name: str) -> Iterator[tuple[ast.stmt, ast.expr | None]]:
    """Each statement that stores a name, and the value; `scope` is a class or function.

    Args:
        scope: Where to look.
        name: As it is written: "self.seed".
    """
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        else:
            continue
        if any(ast.unparse(part) == name for target in targets for part in ast.walk(target)):
            yield node, node.value


def class_around(file: str | None, line: int | None) -> ast.ClassDef | None:
    """The innermost class that a line stands in."""
    around = (one.node for one in reversed(_covering(file, line)))
    return next((node for node in around if isinstance(node, ast.ClassDef)), None)


def in_a_loop(file: str | None, line: int | None) -> bool:
    """Whether a line stands in a loop of its own function, or in a lambda or a comprehension."""
    around = _covering(file, line)
    for statement in reversed(around[:-1]):
        if isinstance(statement.node, _SCOPES):
            break
        if isinstance(statement.node, ast.For | ast.AsyncFor | ast.While):
            return True
    return bool(around) and any(
        isinstance(node, _REPEATING) and node.lineno <= (line or 0) <= (node.end_lineno or 0)
        for node in around[-1].expressions()
    )


def loop_around(file: str | None, line: int | None) -> int | None:
    """The line of the innermost `for` around a line, in the same function."""
    for statement in reversed(_covering(file, line)[:-1]):
        if isinstance(statement.node, ast.For):
            return statement.node.lineno
        if isinstance(statement.node, _SCOPES):
            return None
    return None


def words_of(file: str | None) -> str:
    """A file's text; "" when it cannot be read."""
    read = _parsed(file)
    return "" if read is None else read.text


def imported_at(file: str | None, line: int | None) -> set[str] | None:
    """Names that imports have made known at a line; None when the file cannot be read.

    These are the imports of the module and of the functions around the line.
    """
    read = _parsed(file)
    if read is None or line is None:
        return None
    return {
        name
        for node, scope in read.tree.scopes.items()
        if not isinstance(node, ast.stmt) or _covers(node, line)
        for name in scope.imports
    }


def _parsed(file: str | None) -> ParsedSource | None:
    """A file with its syntax tree; None when it cannot be read."""
    content = None if file is None else read_source(file)
    if content is None:
        return None
    try:
        return parsed_source(decode_source(content))
    except (UnreadableError, SyntaxError, ValueError):
        return None


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _covering(file: str | None, line: int | None) -> list[Statement]:
    """The statements that cover a line, outermost first; none when the file cannot be read."""
    read = _parsed(file)
    if read is None or line is None:
        return []
    tree = read.tree.root
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and _covers(node, line)]
    # ast.walk goes level by level: what covers the line comes in the order in which it nests.
    return [Statement(node, read.text) for node in found]
