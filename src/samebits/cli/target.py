"""From what a person typed to what is run: a script or a module, checked before anything starts."""

from __future__ import annotations

import difflib
import importlib.util
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.check.report.printable import printable_source, printable_text
from samebits.cli.program import python_program
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.record.run import Target


def resolve_target(script: str, args: Sequence[str], *, is_module: bool) -> Target:
    """Find what to run. A notebook is written as a script first.

    Args:
        script: Path of the script, the name of a module, or a command that is a Python script.
        args: Arguments of the script.
        is_module: True for a module, as for `python -m`.

    Raises:
        UsageError: There is no such script, it is no file or not readable, or no such module; or a
            notebook has a line that no script can do.
    """
    program = None
    if is_module:
        _require_module(script)
    else:
        program = None if _is_path(script) else python_program(script)
        _require_script(program or Path(script))

    from samebits.check.record.run import Target

    if is_module:
        return Target(script=None, module=script, args=tuple(args))
    path = program or Path(script)
    if path.suffix == ".ipynb":
        path = _script_of_notebook(path)
    return Target(script=path, module=None, args=tuple(args))


def _script_of_notebook(notebook: Path) -> Path:
    """A script of the notebook's code cells, and a word on standard error of what was made."""
    from samebits.check.report.output_stream import write_text
    from samebits.cli.notebook import write_script

    path, found = write_script(notebook)
    lines = [f"{notebook}: its {found.cells} code cells run in order, as the script {path}"]
    if found.left_out:
        lines.append(
            f"left out, since it only shows or installs something: {', '.join(found.left_out)}"
        )
    if notebook.resolve().parent != Path.cwd():
        lines.append(f"it runs in {Path.cwd()}; Jupyter would run it in {notebook.parent}")
    text = "".join(f"samebits: {printable_text(line)}\n" for line in lines)
    write_text(text, sys.stderr)
    return path


def require_valid_syntax(path: Path) -> None:
    """Compile a script without running it.

    Raises:
        UsageError: It is no valid Python; the message shows the line and a caret.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        with warnings.catch_warnings():
            # The script's own run will show its warnings, once.
            warnings.simplefilter("ignore")
            compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise UsageError(_syntax_message(path, error)) from error
    except ValueError as error:
        raise UsageError(f"{path} is no Python source: {error}") from error
    except (RecursionError, MemoryError):
        return  # too deeply nested to judge here; the run will tell


def _is_path(script: str) -> bool:
    """Whether something is there under this name, or it can be no name at all."""
    try:
        return Path(script).exists()
    except (OSError, ValueError):
        return True


def _require_script(path: Path) -> None:
    try:
        if path.is_dir():
            raise UsageError(
                f"{path} is a directory, not a script",
                hint=f"name a script in it, or run it as a module: -m {path.name or 'MODULE'}",
            )
        if not path.exists():
            raise UsageError(f"there is no script {path}", hint=_hint_for_missing(path))
        if not path.is_file():
            raise UsageError(f"{path} is not a regular file", hint="name a Python script")
        with open(path, "rb"):
            pass
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"cannot read {path}: {reason}") from error


def _hint_for_missing(path: Path) -> str | None:
    """What the person may have meant: a script with a similar name, or an option too late."""
    if str(path).startswith("-"):
        return "options of samebits come before the script"
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix == ".py"]
    except OSError:
        return f"there is no directory {path.parent} either"
    similar = difflib.get_close_matches(path.name, names, n=1)
    if similar:
        return f"did you mean {path.parent / similar[0]}?"
    if not path.suffix and path.parent == Path() and "." in str(path):
        return f"for a module write -m {path}"
    return f"paths start from the current directory, {Path.cwd()}"


def _require_module(name: str) -> None:
    """Look a module up by its first part; looking further would run the user's packages."""
    top = name.split(".")[0]
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(
            f"{name!r} is no module name",
            hint="after -m comes a dotted name, such as package.train; for a file leave -m out",
        )
    search = list(sys.path)
    sys.path.insert(0, str(Path.cwd()))  # where python -m looks first
    try:
        found = importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        found = top in sys.modules
    finally:
        sys.path[:] = search
    if not found:
        raise UsageError(
            f"there is no module named {top}",
            hint=f"modules are looked up from the current directory, {Path.cwd()}, and in the "
            f"environment of {sys.executable}",
        )


def _syntax_message(path: Path, error: SyntaxError) -> str:
    """The error as Python shows it: place, reason, the line, and a caret under the spot."""
    place = f"{path}:{error.lineno}" if error.lineno else str(path)
    message = f"{place} has a syntax error: {printable_text(error.msg)}"
    if not error.text:
        return message
    line = error.text.rstrip("\r\n")
    message += f"\n    {printable_source(line).strip()}"
    if error.offset and error.offset > 0:
        margin = len(printable_source(line)) - len(printable_source(line).lstrip())
        column = len(printable_source(line[: error.offset - 1] + "|")) - 1 - margin
        message += f"\n    {' ' * max(column, 0)}^"
    return message
