"""The guide's commands print what it shows, and its Python runs; links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(
    [*(ROOT / "docs").rglob("*.md"), *(ROOT / f"{n}.md" for n in ("README", "CONTRIBUTING"))]
)

# Links in Markdown, without those of code blocks and those that lead to other sites.
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+://)([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


@pytest.mark.parametrize(
    "name", ["getting-started", "recording", "variations", "environment", "before-you-run"]
)
def test_every_command_prints_what_the_guide_shows(
    name: str, check_commands: Callable[[Path], None]
) -> None:
    check_commands(GUIDE / f"{name}.md")


@pytest.mark.parametrize("name", ["getting-started", "recording", "python-api"])
def test_every_python_block_runs(name: str, run_blocks: Callable[[Path], str]) -> None:
    run_blocks(GUIDE / f"{name}.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    broken = [link for link in _LINK.findall(_CODE.sub("", text)) if not _leads(page, link)]
    assert broken == []


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = ROOT / "docs" / "README.md"
    text = contents.read_text(encoding="utf-8")
    linked = {(contents.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(text)}
    pages = [page for page in PAGES if page.is_relative_to(contents.parent) and page != contents]
    assert [str(page) for page in pages if page.resolve() not in linked] == []


def _leads(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page if not path else (page.parent / path)
    if not target.exists():
        return False
    return not anchor or anchor in map(_anchor, _HEADING.findall(target.read_text("utf-8")))


def _anchor(heading: str) -> str:
    """The name that a heading gets on a page: lower case, hyphens, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
