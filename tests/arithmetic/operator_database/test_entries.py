"""torch's whole operator database inside `exact()`: equal bits in every way, or refused.

`-k NAME` chooses entries. `UPDATE_DOCS=1` writes the lines of those that are run into
docs/operator-database.txt, each at once; `UPDATE_DOCS=missing` tries only those that have no line
there, and so goes on where another run was cut short.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch
from tests.arithmetic.operator_database import table
from tests.arithmetic.operator_database.entries import database
from tests.arithmetic.operator_database.processes import Workers

UPDATE = os.environ.get("UPDATE_DOCS", "")
KNOWN = table.read()


def names() -> list[str]:
    """The entries to try. The database takes seconds to import, so that the table names them."""
    if not UPDATE:
        return sorted(KNOWN)
    return sorted(set(database()) - (set(KNOWN) if UPDATE == "missing" else set()))


SAMPLE = """
add.Tensor
""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(tmp_path_factory.mktemp("values")) as running:
        yield running


def problems_of(name: str, workers: Workers) -> list[str]:
    """Compute an entry in all dtypes; return what must not be, and what the table does not say."""
    found = {dtype: workers.judged(name, dtype) for dtype in workers.dtypes[name]}
    problems = [
        f"{dtype}, sample {place}: {text}"
        for dtype, samples in found.items()
        for place, one in enumerate(samples)
        for text in one["problems"]
    ]
    lines = table.described(name, found)
    known = table.read()
    if UPDATE:
        table.write({**known, name: lines}, torch.__version__.split("+")[0])
    elif table.version() == torch.__version__.split("+")[0] and known.get(name) != lines:
        problems.append(f"the table says {known.get(name)}, UPDATE_DOCS=1 writes {lines}")
    return problems


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_an_entry_has_equal_bits_in_every_way_or_is_refused(name, workers):
    problems = problems_of(name, workers)
    if problems:
        pytest.fail("\n".join([f"{name}: {len(problems)} problems", *problems[:12]]), pytrace=False)
