"""What a difference between two environments can do: the table effects.toml, looked up."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EffectCode = Literal["changes", "may", "harmless"]

EFFECTS: tuple[EffectCode, ...] = ("changes", "may", "harmless")
"""From the gravest to the mildest."""

# They neither compute nor draw what a script computes with.
_TOOLS = frozenset(
    {
        "black",
        "build",
        "cmake",
        "coverage",
        "flake8",
        "hypothesis",
        "iniconfig",
        "ipykernel",
        "ipython",
        "isort",
        "jupyter",
        "jupyterlab",
        "librt",
        "libcst",
        "markdown-it-py",
        "mdurl",
        "mypy",
        "mypy-extensions",
        "nanobind",
        "ninja",
        "notebook",
        "packaging",
        "pathspec",
        "pip",
        "pluggy",
        "pre-commit",
        "pygments",
        "pytest",
        "pyyaml",
        "pyyaml-ft",
        "rich",
        "ruff",
        "scikit-build-core",
        "setuptools",
        "shellingham",
        "samebits",
        "tox",
        "tqdm",
        "typer",
        "typing-extensions",
        "uv",
        "virtualenv",
        "wheel",
    }
)


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One entry of effects.toml, which explains the fields."""

    fact: str
    effect: EffectCode
    reason: str
    remedy: str

    def fits(self, path: Sequence[str]) -> bool:
        """Whether the entry is about the fact of this path."""
        parts = self.fact.split(".")
        return len(parts) == len(path) and all(
            part in ("*", own) for part, own in zip(parts, path, strict=True)
        )


_UNKNOWN = Effect(
    fact="*",
    effect="may",
    reason="Nothing is known of what this does to results.",
    remedy="Make the two equal.",
)
_TOOL = Effect(
    fact="packages.*.version",
    effect="harmless",
    reason="It is a tool that computes nothing for the script.",
    remedy="Nothing.",
)


@functools.cache
def effects() -> tuple[Effect, ...]:
    """Every entry of effects.toml, in its order."""
    text = resources.files(__package__).joinpath("effects.toml").read_text(encoding="utf-8")
    found = tuple(Effect(**entry) for entry in tomllib.loads(text)["effect"])
    assert all(entry.effect in EFFECTS for entry in found)
    return found


def effect_of(path: Sequence[str]) -> Effect:
    """What a difference in the fact of this path can do."""
    if path[0] == "packages" and path[1] in _TOOLS:
        return _TOOL
    return next((entry for entry in effects() if entry.fits(path)), _UNKNOWN)
