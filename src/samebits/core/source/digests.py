"""Digests that a source file takes of names and of the texts of objects."""

from __future__ import annotations

import ast

from samebits.core.source.statement import Statement, called, statements_in

_DIGESTS = frozenset(
    {"adler32", "blake2b", "blake2s", "crc32", "md5", "sha1", "sha224", "sha256", "sha384"}
    | {"sha512", "sha3_256", "xxh32", "xxh64", "xxh3_64", "xxh128"}
)
"""Functions of zlib, binascii, hashlib and xxhash that make a number, or digits, of bytes."""
_AS_BYTES = frozenset({"as_posix", "bytes", "encode", "fsencode", "fspath", "str"})
_OF_CONTENT = frozenset(
    {"dump", "dumps", "getvalue", "read", "read_bytes", "read_text", "state_dict", "tobytes"}
)
"""Calls after which it is content that a digest is taken of, and no name."""


def lines_that_digest_names(file: str | None) -> tuple[int, ...]:
    """The lines that call a digest with a name or a path that is turned into bytes there, in order.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    calls = (
        node
        for statement in statements_in(file)
        for node in statement.expressions()
        if isinstance(node, ast.Call) and called(node) in _DIGESTS
    )
    return tuple(sorted({call.lineno for call in calls if _is_of_a_name(call)}))


def _is_of_a_name(call: ast.Call) -> bool:
    inside = {called(node) for given in call.args for node in ast.walk(given)}
    return bool(inside & _AS_BYTES) and not inside & _OF_CONTENT


def digests_texts_of_objects(file: str | None) -> bool:
    """Whether a digest is taken of the text of an object, as `crc32(repr(self).encode())` does.

    Such a text may hold an address, or things in the order of a set.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    return any(map(digests_text_of_object, statements_in(file)))


def digests_text_of_object(statement: Statement) -> bool:
    """Whether one statement does that."""
    return any(
        isinstance(node, ast.Call)
        and called(node) in _DIGESTS
        and any(_is_a_text_of_an_object(part) for given in node.args for part in ast.walk(given))
        for node in statement.expressions()
    )


def makes_text_of_object(statement: Statement) -> bool:
    """Whether a statement makes the text of an object, as `f"{item!r}"` and `repr(item)` do."""
    return any(map(_is_a_text_of_an_object, statement.expressions()))


def _is_a_text_of_an_object(node: ast.AST) -> bool:
    if isinstance(node, ast.FormattedValue):
        return node.conversion == ord("r")
    return isinstance(node, ast.Call) and called(node) in ("repr", "pformat")


def shows_its_fields(statement: Statement) -> bool:
    """Whether the class around a statement has a text of its own, and not that of an address."""
    line = statement.node.lineno
    for kind in statement.parsed.nodes(ast.ClassDef):
        if isinstance(kind, ast.ClassDef) and kind.lineno <= line <= (kind.end_lineno or 0):
            names = {part.name for part in kind.body if isinstance(part, ast.FunctionDef)}
            marks = {called(one) or ast.unparse(one) for one in kind.decorator_list}
            if "__repr__" in names or any(mark.endswith("dataclass") for mark in marks):
                return True
    return False
