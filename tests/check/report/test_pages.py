"""The pages in docs/catalog are what the catalog says now.

With UPDATE_DOCS=1 in the environment the tests write them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from samebits.check.report.catalog_pages import catalog_pages

FOLDER = Path(__file__).parents[3] / "docs" / "catalog"
PAGES = catalog_pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_up_to_date(name):
    path = FOLDER / name
    if os.environ.get("UPDATE_DOCS"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(PAGES[name], encoding="utf-8")
    assert path.read_text(encoding="utf-8") == PAGES[name], "UPDATE_DOCS=1 writes it anew"


def test_there_is_no_page_that_nothing_writes():
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


def test_text_is_not_taken_for_markup():
    assert "x\\[index\\]" in PAGES["operations.md"]
