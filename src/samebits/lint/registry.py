"""All rules, found by the names of their files: `rules/sb101_unseeded_random.py` holds SB101."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Iterable

from samebits.errors import UsageError
from samebits.lint import rules as rules_package
from samebits.lint.rule import Rule

UNREADABLE = "SB001"
NO_REASON = "SB002"
UNKNOWN_CODE = "SB003"

_MODULE = re.compile(r"sb\d{3}_\w+")
_SELECTOR = re.compile(r"SB\d{0,3}|ALL")


@functools.cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in the order of the codes."""
    names = sorted(m.name for m in pkgutil.iter_modules(rules_package.__path__))
    found: dict[str, Rule] = {}
    for name in names:
        if _MODULE.fullmatch(name):
            rule: Rule = importlib.import_module(f"{rules_package.__name__}.{name}").RULE
            assert rule.code.lower() == name[:5], f"{name} holds {rule.code}"
            found[rule.code] = rule
    return found


def find_rule(name: str) -> Rule:
    """The rule with a code or a name, in whatever case.

    Raises:
        UsageError: There is none; the message names the nearest.
    """
    wanted = name.strip().lower()
    for rule in all_rules().values():
        if wanted in (rule.code.lower(), rule.name):
            return rule
    import difflib

    known = [n for rule in all_rules().values() for n in (rule.code.lower(), rule.name)]
    near = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    nearest = ", ".join(n.upper() if n.startswith("sb") else n for n in near)
    raise UsageError(
        f"there is no rule {name!r}",
        hint=f"did you mean {nearest}?" if near else "docs/rules/ lists them",
    )


def chosen_codes(select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """The codes that selectors choose.

    A selector is a code, the beginning of codes ("SB1"), or "ALL"; the longer one wins, as in
    Ruff, and between equals the one that ignores.

    Raises:
        UsageError: A selector is none, or matches no rule.
    """
    weights = dict.fromkeys(all_rules(), 0)
    chosen = dict.fromkeys(weights, False)
    ordered = [(s, True) for s in select] + [(s, False) for s in ignore]
    for selector, wanted in ordered:
        prefix = normal_selector(selector)
        matched = [code for code in weights if code.startswith(prefix)]
        if not matched:
            raise UsageError(
                f"{selector!r} selects no rule", hint="docs/rules/ lists the codes that there are"
            )
        for code in matched:
            if len(prefix) + 1 >= weights[code]:
                weights[code], chosen[code] = len(prefix) + 1, wanted
    return frozenset(code for code, wanted in chosen.items() if wanted)


def normal_selector(selector: str) -> str:
    """A selector as the beginning of codes.

    Raises:
        UsageError: It has not the form of one.
    """
    text = selector.strip().upper()
    if not _SELECTOR.fullmatch(text):
        raise UsageError(
            f"{selector!r} is no rule code",
            hint="write a code such as SB101, SB1 for all of a kind, or ALL",
        )
    return "" if text == "ALL" else text
