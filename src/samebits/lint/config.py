"""`[tool.samebits.lint]` in pyproject.toml, with the keys that people know from Ruff.

[tool.samebits.lint]
select = ["ALL"]
ignore = ["SB602"]
exclude = ["vendored/**"]

[tool.samebits.lint.per-file-ignores]
"tests/**" = ["SB1"]
"""

from __future__ import annotations

import fnmatch
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.errors import UsageError
from samebits.lint.registry import chosen_codes, normal_selector

_KEYS = ("select", "ignore", "extend-select", "extend-ignore", "exclude", "per-file-ignores")
_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, kw_only=True)
class LintConfig:
    """What to look for, and where not.

    Attributes:
        select: Selectors of rules: codes, beginnings of codes, "ALL".
        ignore: Selectors of rules to leave out; the longer selector wins.
        exclude: Patterns of files not to look at, relative to `root`.
        per_file_ignores: Pattern and selectors to leave out in files that match it.
        root: Folder of the pyproject.toml, which the patterns start from.
    """

    select: tuple[str, ...] = ("ALL",)
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    root: Path = Path()

    def codes_for(self, path: Path) -> frozenset[str]:
        """The rules that apply to a file, given its resolved path.

        Raises:
            UsageError: A selector matches no rule.
        """
        codes = chosen_codes(self.select, self.ignore)
        for pattern, selectors in self.per_file_ignores:
            if self._matches(path, pattern):
                left_out = tuple(normal_selector(s) for s in selectors)
                codes = frozenset(c for c in codes if not c.startswith(left_out))
        return codes

    def excludes(self, path: Path) -> bool:
        """Whether a file, given its resolved path, is not to be looked at."""
        return any(self._matches(path, pattern) for pattern in self.exclude)

    def _matches(self, path: Path, pattern: str) -> bool:
        try:
            relative = path.relative_to(self.root).as_posix()
        except ValueError:
            relative = path.as_posix()
        bare = pattern.rstrip("/")
        candidates = (pattern, f"{bare}/*", f"*/{bare}/*")
        if any(fnmatch.fnmatchcase(relative, p) for p in candidates):
            return True
        # As in Ruff, a pattern without a slash speaks of names anywhere.
        return "/" not in pattern and any(
            fnmatch.fnmatchcase(part, pattern) for part in Path(relative).parts
        )


def load_config(start: Path) -> LintConfig:
    """The configuration in force for a file or a folder: that of the nearest pyproject.toml.

    Raises:
        UsageError: The file is no TOML, or a key is unknown or has the wrong type.
    """
    folder = start if start.is_dir() else start.parent
    for candidate in (folder, *folder.parents):
        file = candidate / "pyproject.toml"
        if file.is_file():
            return read_config(file)
    return LintConfig(root=folder)


def read_config(file: Path) -> LintConfig:
    """Read one pyproject.toml; as `load_config`."""
    table: Any = _toml(file)
    for key in ("tool", "samebits", "lint"):
        if not isinstance(table, dict):
            raise _wrong(file, "tool.samebits.lint", "a table")
        table = table.get(key, {})
    if not isinstance(table, dict):
        raise _wrong(file, "tool.samebits.lint", "a table")
    unknown = sorted(str(key) for key in table.keys() - set(_KEYS))
    if unknown:
        raise UsageError(
            f"{file}: [tool.samebits.lint] has no key {', '.join(map(repr, unknown))}",
            hint=f"its keys are {', '.join(_KEYS)}",
        )
    ignores = table.get("per-file-ignores", {})
    if not isinstance(ignores, dict):
        raise _wrong(file, "per-file-ignores", "a table of patterns with lists of codes")
    config = LintConfig(
        select=_strings(file, table, "select", ("ALL",)) + _strings(file, table, "extend-select"),
        ignore=_strings(file, table, "ignore") + _strings(file, table, "extend-ignore"),
        exclude=_strings(file, table, "exclude"),
        per_file_ignores=tuple((p, _strings(file, ignores, p)) for p in ignores),
        root=file.parent.resolve(),
    )
    try:
        chosen_codes(config.select, config.ignore)
        for _, selectors in config.per_file_ignores:
            chosen_codes(selectors, ())
    except UsageError as error:
        raise UsageError(f"{file}: {error.message}", hint=error.hint) from error
    return config


def _toml(file: Path) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise UsageError(f"{file} is larger than {_MAX_BYTES // 2**20} MiB and is not read")
        return tomllib.loads(file.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is no valid TOML: {error}") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from error


def _strings(
    file: Path, table: dict[str, Any], key: str, default: tuple[str, ...] = ()
) -> tuple[str, ...]:
    value = table.get(key)
    if value is None:
        return default
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(file, key, "a list of strings")
    return tuple(value)


def _wrong(file: Path, key: str, expected: str) -> UsageError:
    return UsageError(
        f"{file}: {key} must be {expected}",
        hint='for example: [tool.samebits.lint] with ignore = ["SB602"]',
    )
