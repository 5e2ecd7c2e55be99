"""Two environments: where they differ, what that can do to results, and what to do about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from samebits.environment.effects import EFFECTS, EffectCode, effect_of
from samebits.environment.facts import Environment, Fact

SCHEMA = "samebits.environment-diff/1"

GROUPS: Mapping[str, tuple[str, ...]] = {
    "hardware": ("processor", "gpus"),
    "system": ("system",),
    "python": ("python",),
    "torch": ("torch",),
    "threads": ("threads",),
    "packages": ("packages",),
    "variables": ("variables",),
    "code": ("code",),
    "files": ("files",),
}
"""What `--only` takes → the sections that it means."""

_FOLLOWS = {
    # A difference in the first says nothing new once the second differs.
    ("torch", "git"): ("torch", "version"),
    ("packages", "torch", "version"): ("torch", "version"),
    ("packages", "torch", "files"): ("torch", "version"),
    ("threads", "torch"): ("variables", "OMP_NUM_THREADS"),
    ("processor", "features"): ("processor", "model"),
}


@dataclass(frozen=True, kw_only=True)
class FactDifference:
    """One fact that is not the same in both.

    Attributes:
        fact: Path of the fact, joined by dots, such as "packages.numpy.version".
        a: Its value in A; None where A does not have it.
        b: Its value in B.
        effect: "changes", "may" or "harmless".
        reason: Why it has that effect.
        remedy: What to do to B to make it like A.
    """

    fact: str
    a: Fact
    b: Fact
    effect: EffectCode
    reason: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All differences, the gravest first."""

    differences: tuple[FactDifference, ...]

    @property
    def bits_can_change(self) -> bool:
        """Whether any difference is more than harmless."""
        return any(difference.effect != "harmless" for difference in self.differences)

    def with_effect(self, effect: EffectCode) -> tuple[FactDifference, ...]:
        """The differences of one kind."""
        return tuple(d for d in self.differences if d.effect == effect)

    def to_json(self) -> dict[str, Any]:
        """Plain data, schema `samebits.environment-diff/1`."""
        return {
            "schema": SCHEMA,
            "bits_can_change": self.bits_can_change,
            "differences": [asdict(difference) for difference in self.differences],
        }


def compare_environments(
    a: Environment, b: Environment, *, only: Collection[str] = ()
) -> Comparison:
    """Compare two environments fact by fact.

    A section that one of them lacks altogether is not compared: a run that never imported torch
    says nothing about it. A GPU, a package or a variable that only one has is a difference.

    Args:
        a: The environment to get back to.
        b: The one to change.
        only: Keys of `GROUPS`; all of them unless given.
    """
    wanted = {section for group in (only or GROUPS) for section in GROUPS[group]}
    facts_a, facts_b = dict(a.flat()), dict(b.flat())
    found: dict[tuple[str, ...], FactDifference] = {}
    for path in sorted({*facts_a, *facts_b}):
        if path[0] not in wanted or not (_tells(a, path[0]) and _tells(b, path[0])):
            continue
        if facts_a.get(path) == facts_b.get(path) or _one_does_not_know(path, facts_a, facts_b):
            continue
        found[path] = _difference(path, facts_a.get(path), facts_b.get(path))
    kept = [
        difference
        for path, difference in found.items()
        if not (path[-1] in ("files", "size") and _says_it_already(path, found))
        and _FOLLOWS.get(path) not in found
    ]
    kept.sort(key=lambda difference: (EFFECTS.index(difference.effect), difference.fact))
    return Comparison(differences=tuple(kept))


def _tells(environment: Environment, section: str) -> bool:
    """Whether an environment says anything about a section; having no GPU says something."""
    if section == "gpus":
        section = "torch"
    return section == "variables" or bool(environment.section(section))


def _one_does_not_know(
    path: tuple[str, ...], a: Mapping[tuple[str, ...], Fact], b: Mapping[tuple[str, ...], Fact]
) -> bool:
    """Whether the fact is one that either side could not find out, rather than one it lacks."""
    if path[0] in ("packages", "files", "variables", "gpus"):
        # A digest or a driver's version may be missing where the thing itself is there.
        either_lacks = a.get(path) is None or b.get(path) is None
        return path[-1] in ("files", "driver") and either_lacks
    return a.get(path) is None or b.get(path) is None


def _says_it_already(
    path: tuple[str, ...], found: Mapping[tuple[str, ...], FactDifference]
) -> bool:
    """Whether the version, or the digest, of the same thing differs as well."""
    beside = "version" if path[-1] == "files" else "sha256"
    return (*path[:-1], beside) in found


def _difference(path: tuple[str, ...], a: Fact, b: Fact) -> FactDifference:
    effect = effect_of(path)
    name = path[1] if len(path) > 1 else path[0]
    remedy = effect.remedy.format(a=a, b=b, name=name)
    if a is None:
        remedy = _without(path, name, effect.effect, remedy)
    return FactDifference(
        fact=".".join(path),
        a=a,
        b=b,
        effect=effect.effect,
        reason=effect.reason,
        remedy=remedy,
    )


def _without(path: tuple[str, ...], name: str, effect: EffectCode, otherwise: str) -> str:
    """The remedy where A does not have what B has."""
    if effect == "harmless":
        return otherwise
    if path[0] == "variables":
        return f"unset {name}"
    if path[0] == "packages":
        return f"pip uninstall {name}, unless the script does without it"
    if path[0] == "gpus":
        return "CUDA_VISIBLE_DEVICES= (empty), to compute without it"
    if path[0] == "files":
        return f"{name} was not among the files that A names"
    return otherwise
