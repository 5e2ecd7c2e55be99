"""The generated pages are those of the rules as they are now."""

from __future__ import annotations

from pathlib import Path

from samebits.check.report.rule_pages import rule_pages

FOLDER = Path(__file__).parents[2] / "docs" / "rules"


def test_the_pages_show_the_rules_as_they_are():
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert kept == rule_pages(), "run: python -m samebits.check.report.rule_pages docs/rules"
