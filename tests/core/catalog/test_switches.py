from __future__ import annotations

import re

import pytest

from samebits.core.catalog.switches import switches
from samebits.training.control.switches.table import NAMES, SWITCHES

CATALOG = {entry.name: entry for entry in switches()}


def test_the_catalog_names_the_switches_that_control_sets():
    assert {entry.name for entry in switches() if entry.controlled} == set(NAMES)
    assert len(CATALOG) == len(switches())


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda switch: switch.name)
def test_what_to_write_does_not_contradict_what_control_does(switch):
    wanted = re.sub(r"\bn\b", "1", switch.setting)
    assert re.sub(r"\bn\b", "1", CATALOG[switch.name].write) in wanted


@pytest.mark.parametrize("entry", switches(), ids=lambda entry: entry.name)
def test_every_entry_is_complete(entry):
    assert all((entry.write, entry.does, entry.when, entry.costs, entry.also))
    assert all(text.endswith(".") for text in (entry.does, entry.when, entry.costs))


def test_where_recommendations_for_nccl_conflict_it_says_so():
    assert "Tree" in CATALOG["nccl-algorithm"].conflicts
