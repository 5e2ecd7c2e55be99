"""The pages in docs/rules: each rule as its own file describes it, one page a category.

python -m samebits.check.report.rule_pages docs/rules
"""

from __future__ import annotations

import sys
from pathlib import Path

from samebits.lint.registry import all_rules
from samebits.lint.rule import CATEGORIES, Rule


def rule_pages() -> dict[str, str]:
    """File name and Markdown of each page."""
    pages = {}
    for prefix, category in CATEGORIES.items():
        rules = [rule for rule in all_rules().values() if rule.code.startswith(prefix)]
        table = "".join(
            f"| [{rule.code}](#{_anchor(rule)}) | {rule.summary} | {_yes(rule.fixes)} |\n"
            for rule in rules
        )
        sections = "\n".join(_section(rule) for rule in rules)
        pages[page_name(prefix)] = (
            f"# {prefix}xx: {category}\n\n"
            "Generated from the rules; `samebits lint --explain CODE` prints the same.\n\n"
            f"| rule | what it finds | `--fix` |\n|---|---|---|\n{table}\n{sections}"
        )
    return pages


def _yes(value: bool) -> str:
    return "yes" if value else ""


def page_name(prefix: str) -> str:
    """File name of a category's page, such as "sb1-randomness.md"."""
    words = CATEGORIES[prefix].lower().split()
    return "-".join([prefix.lower(), *words]) + ".md"


def _section(rule: Rule) -> str:
    language = "python" if rule.file_name.endswith(".py") else "text"
    return (
        f"## {rule.code}: {rule.name}\n\n{rule.explanation.strip()}\n\n"
        f"Bad:\n\n```{language}\n{rule.bad_source}```\n\nGood:\n\n```{language}\n{rule.good}```\n"
    )


def _anchor(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}".lower()


def main() -> None:
    """Write the pages into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in rule_pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
