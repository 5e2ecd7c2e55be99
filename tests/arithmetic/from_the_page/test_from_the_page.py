"""docs/arithmetic.md is enough to get every bit: another implementation, in C, is compared.

The C files beside this test were written from the page alone, by someone who had not seen the code
of samebits: neither its kernels nor its reference. They share nothing with it and must stay so.
Where a comparison fails, read the page again. Either it says what samebits computes, and the C file
is wrong; or it does not, and then the page is mended first, and the C file after it. What the page
leaves open is a mistake in the page.

`page.py` compiles the files with the C compiler of the machine. Correctly rounded functions come
from a format of 113 bits (`long double` or `__float128`); where a compiler has none, this is
skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.arithmetic.from_the_page import (
    cases_further,
    cases_layers,
    cases_networks,
    cases_reading,
    cases_training,
    cases_values,
)
from tests.arithmetic.from_the_page.page import Libraries, compiled, different

MODULES = (cases_values, cases_layers, cases_networks, cases_training, cases_further, cases_reading)
FAMILIES = {name: family for module in MODULES for name, family in module.FAMILIES.items()}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    found = compiled(Path(tmp_path_factory.mktemp("page")))
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_the_page_is_enough(family, libraries):
    found = {name: different(ours, theirs) for name, ours, theirs in FAMILIES[family](libraries)}
    assert found
    assert {name: count for name, count in found.items() if count} == {}
