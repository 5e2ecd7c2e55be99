"""Names that come out of files, made safe to show."""

from __future__ import annotations

from collections.abc import Iterable


def printable(text: str, limit: int = 300) -> str:
    r"""A name from a file as it may be shown in a terminal.

    Control characters (ANSI sequences, newlines), direction overrides, zero-width characters,
    lone surrogates and unassigned code points become `\x1b`, `\u202e` and so on. Markup of the
    renderer (Rich, HTML) is the renderer's to escape.

    Args:
        text: Any text.
        limit: Characters shown at most; the rest becomes an ellipsis.
    """
    if len(text) > limit:
        text = text[: max(limit - 1, 0)] + "…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def storable(text: str) -> str:
    r"""Text that UTF-8 can hold: lone surrogates, as in undecodable file names, become `\udc80`."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def nearest(name: str, choices: Iterable[str]) -> str:
    """What somebody may have meant: the nearest name, and all of them."""
    import difflib  # Here: every process of a recorded run imports this module, and few need it.

    choices = tuple(choices)
    close = difflib.get_close_matches(name, choices, n=1)
    question = f"did you mean {close[0]}? " if close else ""
    return f"{question}choose from {', '.join(choices)}"
