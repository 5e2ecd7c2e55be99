"""Refusing an operation: what it is, where it stands in the user's code, what to do instead."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from pathlib import Path
from types import FrameType

from samebits.errors import NotExactError

_OWN = f"{Path(__file__).resolve().parents[1]}{os.sep}"
_option = False


def advise_option() -> None:
    """Name the command line's `--allow` from now on: no block stands in the script."""
    global _option
    _option = True


def not_exact(operation: str, why: str, *, way_out: str | None = None) -> NotExactError:
    """The error for an operation that has no exact form, or none for these arguments.

    Args:
        operation: Name as torch shows it, such as "aten.special_bessel_j0".
        why: What is missing, as the rest of a sentence.
        way_out: What to do; the default names `allow`.
    """
    name = operation.removesuffix(".default")
    place = user_line()
    where = f", called at {place}" if place else ""
    allow = f"--allow {name}" if _option else f'samebits.exact(allow={{"{name}"}})'
    hint = way_out or (
        f"{allow} lets it through as torch computes it; the result may then differ between "
        "machines, thread counts and batch sizes."
    )
    return NotExactError(f"{name} is not exact: {why}{where}.", hint=hint, why=why)


def placed(error: NotExactError, place: str | None) -> NotExactError:
    """The same refusal of an operation that stands in another line than the stack says.

    Args:
        error: Made by `not_exact`.
        place: The line, as "file:line"; None leaves the error as it is.
    """
    what, is_not, _ = error.message.partition(" is not exact: ")
    if place is None or not is_not:
        return error
    message = f"{what}{is_not}{error.why}, called at {place}."
    return NotExactError(message, hint=error.hint, why=error.why)


def user_line() -> str | None:
    """The innermost line on the stack of code that is not installed, as "file:line".

    Where everything is installed (a program that `-m` runs) it is the innermost one that is
    neither torch's nor samebits'.
    """
    torch = sys.modules.get("torch")
    foreign = f"{Path(str(getattr(torch, '__file__', None))).parent}{os.sep}"
    installed = _installed()
    nearest = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_OWN, foreign, "<frozen")):
            nearest = nearest or f"{name}:{frame.f_lineno}"
            if not name.startswith(installed):
                return f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return nearest


@functools.cache
def _installed() -> tuple[str, ...]:
    """The folders below which Python's own and installed packages lie."""
    parts = ("stdlib", "purelib", "platlib")
    return tuple(f"{sysconfig.get_path(part)}{os.sep}" for part in parts)
