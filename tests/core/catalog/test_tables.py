from __future__ import annotations

import subprocess
import sys

import pytest

from samebits.core.catalog.tables import read_table


@pytest.mark.parametrize("name", ["operation", "switch"])
def test_a_table_lies_beside_the_module(name):
    assert read_table(name)


def test_reading_the_catalog_does_not_import_torch():
    code = (
        "import sys\n"
        "from samebits.core.catalog import cuda_outlook, operations, switches\n"
        "assert operations.operations() and switches.switches()\n"
        "sys.exit('torch' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
