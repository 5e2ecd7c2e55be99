"""A file as the rules see it: its tree, what its calls call, and questions rules share."""

from __future__ import annotations

import ast
from functools import cached_property
from pathlib import Path

from samebits.core.source.parsed import ParsedSource
from samebits.lint.source import Source

_NUMERIC = frozenset(
    [
        "torch",
        "torchvision",
        "torchaudio",
        "numpy",
        "scipy",
        "pandas",
        "sklearn",
        "jax",
        "flax",
        "tensorflow",
        "keras",
        "lightning",
        "pytorch_lightning",
        "transformers",
        "datasets",
        "accelerate",
        "xgboost",
        "lightgbm",
        "cupy",
    ]
)


class Module(ParsedSource):
    """One parsed file.

    Args:
        source: Its text.
        path: Where it lies, to find what it imports; the text is not read again.

    Raises:
        UnreadableError: It does not parse.
    """

    def __init__(self, source: Source, path: Path) -> None:
        super().__init__(source.text)
        self.source = source
        self.path = path

    @cached_property
    def imported(self) -> frozenset[str]:
        """Top-level names of the packages that the file imports anywhere."""
        found: set[str] = set()
        for scope in self.tree.scopes.values():
            found.update(name.partition(".")[0] for name in scope.imports.values())
        return frozenset(found)

    @property
    def is_numeric(self) -> bool:
        """Whether the file works with numbers at all: tokens and passwords should be random."""
        return not _NUMERIC.isdisjoint(self.imported)

    @cached_property
    def has_main_guard(self) -> bool:
        """Whether the file has an `if __name__ == "__main__"` of its own."""
        return any(
            isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
            for node in self.tree.root.body
            if isinstance(node, ast.If) and isinstance(node.test, ast.Compare)
        )

    @cached_property
    def is_test(self) -> bool:
        """Whether the file's name says that it is a test."""
        stem = self.path.stem
        return stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"

    @cached_property
    def in_package(self) -> bool:
        """Whether the file is a package's module."""
        return (self.path.parent / "__init__.py").exists()

    @cached_property
    def uses_cuda(self) -> bool:
        """Whether the file's text speaks of CUDA devices."""
        return "cuda" in self.source.text
