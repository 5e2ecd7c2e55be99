"""IPython's own lines, `%magic`, `!command` and `name?`, as plain Python."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, field

from samebits.check.report.printable import printable_text
from samebits.errors import UsageError

_LINE = re.compile(r"^(?P<indent>\s*)(?P<mark>%|!!|!)(?P<rest>.*)$")
_ASSIGNED = re.compile(r"^\s*[\w.\[\], ]+=\s*[%!]\S")
_HELP = re.compile(r"^(?P<indent>\s*)(\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
_FILLED_IN = re.compile(r"[{]|\$[A-Za-z_{]")

# They change what is shown or how a session feels, and no value of the program.
_FOR_THE_SCREEN = frozenset(
    [
        *("matplotlib", "config", "load_ext", "reload_ext", "unload_ext", "autoreload", "aimport"),
        *("autosave", "tensorboard", "precision", "who", "whos", "who_ls", "history", "hist"),
        *("pinfo", "pinfo2", "pdoc", "psource", "lsmagic", "quickref", "automagic", "colors"),
        *("xmode", "pprint", "pdb", "debug", "tb", "gui", "notebook", "ls", "ll", "pwd"),
    ]
)
# What is installed is for a person to see to, once, before a check.
_INSTALLERS = frozenset(["pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get", "npm", "brew"])
_SHOWN_CELLS = frozenset(["html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG"])
_RUN_AS_IT_IS = frozenset({"time", "prun"})


@dataclass
class Converted:
    """A cell as plain Python, as many lines as it had.

    Attributes:
        lines: The lines.
        left_out: What was left out, as it is written: "%matplotlib".
    """

    lines: list[str]
    left_out: list[str] = field(default_factory=list)


class Magics:
    """Converts the cells of one notebook.

    Args:
        name: The notebook, as messages call it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, number: int, source: str) -> Converted:
        """A cell's lines with IPython's own ones replaced, line for line.

        Args:
            number: Number of the cell, for messages.
            source: Its text.

        Raises:
            UsageError: A line does what no script does; the message has its cell and line.
        """
        lines = source.split("\n")
        if _parses(source):
            return Converted(lines)  # a % at the start of a line is an operator here, or text
        first = next((at for at, line in enumerate(lines) if line.strip()), 0)
        if lines[first].startswith("%%"):
            return self._cell(number, first, lines)
        return self._lines(number, lines)

    def _cell(self, number: int, first: int, lines: list[str]) -> Converted:
        magic, _, argument = lines[first][2:].strip().partition(" ")
        argument = argument.strip()
        rest = [*[""] * (first + 1), *lines[first + 1 :]]
        body = "\n".join(lines[first + 1 :])
        if magic in _RUN_AS_IT_IS or (magic == "capture" and not argument):
            return self._lines(number, rest)
        if magic in _SHOWN_CELLS:
            return Converted([""] * len(lines), [f"%%{magic}"])
        if magic in ("bash", "sh") and not argument:
            run = (
                f"__import__('subprocess').run([{magic!r}], input={body!r}, text=True, check=True)"
            )
            return Converted(_in_place(run, first, len(lines)))
        if magic == "writefile" and argument and not argument.startswith("-"):
            text = body if body.endswith("\n") else f"{body}\n"
            path = argument.strip("'\"")
            return Converted(
                _in_place(
                    f"__import__('pathlib').Path({path!r}).write_text({text!r})", first, len(lines)
                )
            )
        raise self._refused(number, first, f"%%{magic}", _WHY.get(magic, ""))

    def _lines(self, number: int, lines: list[str]) -> Converted:
        found = Converted([])
        at = 0
        while at < len(lines):
            line, end = lines[at], at + 1
            match = _LINE.match(line)
            special = match or _HELP.match(line) or _ASSIGNED.match(line)
            if special and not _is_inside(found.lines):
                if match is None and not _HELP.match(line):
                    raise self._refused(
                        number, at, line.strip()[:60], "its value is an object of IPython's"
                    )
                while lines[end - 1].endswith("\\") and end < len(lines):
                    end += 1
                whole = " ".join(part.rstrip("\\").strip() for part in lines[at:end])
                python = "pass" if match is None else self._line(number, at, whole, found)
                indent = line[: len(line) - len(line.lstrip())]
                found.lines += [indent + python, *[""] * (end - at - 1)]
            else:
                found.lines.append(line)
            at = end
        return found

    def _line(self, number: int, at: int, whole: str, found: Converted) -> str:
        """One magic or one shell command, as a statement."""
        if whole.startswith("!"):
            return self._command(number, at, whole.lstrip("!").strip(), found)
        magic, _, argument = whole[1:].strip().partition(" ")
        argument = argument.strip()
        if magic in _FOR_THE_SCREEN or magic in _INSTALLERS:
            found.left_out.append(f"%{magic}")
            return "pass"
        if magic in _RUN_AS_IT_IS and argument:
            return argument
        act = _ACTS.get(magic)
        if act is not None and not _FILLED_IN.search(argument):
            return act(argument)
        raise self._refused(number, at, f"%{magic}", _WHY.get(magic, ""))

    def _command(self, number: int, at: int, command: str, found: Converted) -> str:
        words = command.split()
        if not words:
            return "pass"
        asked = words[1:] if words[0] == "sudo" else words
        if (asked[:1] and asked[0] in _INSTALLERS) or words[:3] == ["python", "-m", "pip"]:
            found.left_out.append(f"!{words[0]}")
            return "pass"
        if _FILLED_IN.search(command):
            raise self._refused(
                number, at, f"!{command[:60]}", "IPython fills in values of Python's variables"
            )
        return f"__import__('subprocess').run({command!r}, shell=True)"

    def _refused(self, number: int, at: int, what: str, why: str) -> UsageError:
        place = f"{self.name}, cell {number}, line {at + 1}"
        reason = f": {why}" if why else ""
        return UsageError(
            f"{place}: {printable_text(what)} has no counterpart in a script{reason}",
            hint="write it in Python, or take the line out; or convert the notebook yourself: "
            f"jupyter nbconvert --to script {self.name}",
        )


_WHY = {
    "timeit": "it repeats as often as a clock says",
    "run": "it takes over the names of another script",
    "pylab": "it imports names that are not written here",
    "capture": "it keeps the output in an object of IPython's",
}


def _changed_folder(argument: str) -> str:
    folder = argument.strip("'\"") or "~"
    return f"__import__('os').chdir(__import__('os').path.expanduser({folder!r}))"


def _set_variable(argument: str) -> str:
    name, _, value = re.sub(r"[ =]", "=", argument, count=1).partition("=")
    if not value:
        return "pass"  # it shows one
    return f"__import__('os').environ[{name!r}] = {value.strip()!r}"


_ACTS: dict[str, Callable[[str], str]] = {
    "cd": _changed_folder,
    "env": _set_variable,
    "set_env": _set_variable,
}


def _in_place(statement: str, at: int, count: int) -> list[str]:
    return [*[""] * at, statement, *[""] * (count - at - 1)]


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_inside(lines: list[str]) -> bool:
    """Whether what follows some lines belongs to a bracket or a text that they leave open."""
    try:
        for _ in tokenize.generate_tokens(io.StringIO("\n".join([*lines, ""])).readline):
            pass
    except tokenize.TokenError:
        return True
    except (SyntaxError, ValueError):
        return False
    return bool(lines) and lines[-1].endswith("\\")
