"""What a name stands for: `np.random.rand` under `import numpy as np` is `numpy.random.rand`."""

from __future__ import annotations

import ast
import builtins

from samebits.core.source.tree import Scope, Tree

_BUILTINS = frozenset(dir(builtins))

# The same object under several dotted names: the left one is written, the right one is meant.
_CANONICAL_PREFIXES = (
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.utils.data.sampler.", "torch.utils.data."),
    ("torch.utils.data.distributed.", "torch.utils.data."),
    ("torch.random.", "torch."),
    ("torch.cuda.random.", "torch.cuda."),
    ("pytorch_lightning.", "lightning.pytorch."),
    ("lightning.fabric.utilities.seed.", "lightning."),
    ("lightning.pytorch.utilities.seed.", "lightning."),
    ("torch.cuda.amp.grad_scaler.", "torch.cuda.amp."),
    ("multiprocess.", "multiprocessing."),
    ("torch.multiprocessing.", "multiprocessing."),
    ("numpy.random.mtrand.", "numpy.random."),
)


class Names:
    """Resolves expressions of one file to dotted names.

    Args:
        tree: The walked file.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def qualified(self, node: ast.AST, scope: Scope | None = None) -> str | None:
        """The dotted name of what a name or an attribute chain stands for.

        Args:
            node: Any expression.
            scope: Where it stands, when the caller knows.

        Returns:
            A name that begins with an imported module ("torch.rand", ".utils.seed_all" for a
            relative import) or with "builtins."; None when it is anything else, such as a method
            of a local object.
        """
        attributes: list[str] = []
        current = node
        while isinstance(current, ast.Attribute):
            attributes.append(current.attr)
            current = current.value
        if not isinstance(current, ast.Name):
            return None
        root = self._root(current, scope or self.tree.scope_of(node))
        if root is None:
            return None
        return canonical(".".join([root, *reversed(attributes)]))

    def value(self, node: ast.expr) -> ast.expr:
        """What a name was assigned, when there is just one assignment of it; else the node."""
        if isinstance(node, ast.Name):
            found = self._assigned(node.id, self.tree.scope_of(node))
            if found is not None:
                return found
        return node

    def called(self, node: ast.AST) -> str | None:
        """The dotted name of what a call calls; None for anything that is no call."""
        return self.qualified(node.func) if isinstance(node, ast.Call) else None

    def _root(self, node: ast.Name, scope: Scope) -> str | None:
        name = node.id
        for around in _visible(scope):
            if name in around.imports:
                # `try: import x / except ImportError: x = None` leaves the import in charge.
                others = around.others.get(name, 0)
                values = around.assigned.get(name, [])
                only_none = len(values) == others and all(_is_none(value) for value in values)
                return around.imports[name] if only_none else None
            if name in around.others:
                values = around.assigned.get(name, [])
                if len(values) == 1 == around.others[name] and _is_chain(values[0]):
                    # rng = np.random: one step, so that `x = x.y` cannot go round.
                    return self._alias(values[0], around, name)
                return None
        return f"builtins.{name}" if name in _BUILTINS else None

    def _alias(self, value: ast.expr, scope: Scope, name: str) -> str | None:
        attributes: list[str] = []
        current = value
        while isinstance(current, ast.Attribute):
            attributes.append(current.attr)
            current = current.value
        if not isinstance(current, ast.Name) or current.id == name:
            return None
        for around in _visible(scope):
            if current.id in around.imports and current.id not in around.others:
                return ".".join([around.imports[current.id], *reversed(attributes)])
            if current.id in around.others:
                return None
        return None

    def _assigned(self, name: str, scope: Scope) -> ast.expr | None:
        for around in _visible(scope):
            if name in around.imports:
                return None
            if name in around.others:
                values = around.assigned.get(name, [])
                return values[0] if len(values) == 1 == around.others[name] else None
        return None


def canonical(name: str) -> str:
    """One spelling for what libraries export under several."""
    for written, meant in _CANONICAL_PREFIXES:
        if name.startswith(written):
            return meant + name[len(written) :]
    return name


def _visible(scope: Scope) -> list[Scope]:
    """The scopes that a name is looked up in: its own, then the functions and module around."""
    found = [scope]
    parent = scope.parent
    while parent is not None:
        if not parent.is_class:
            found.append(parent)
        parent = parent.parent
    return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_chain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
