"""`samebits exact list`."""

from __future__ import annotations

import json

import pytest
import torch

from samebits.arithmetic import registry
from samebits.arithmetic.listing import MEANING, core_aten, every_overload, listed


def test_an_operation_is_listed_by_the_name_that_people_know(cli):
    result = cli("exact", "list", "softmax")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "aten._softmax                    kernel" in lines[0]
    assert any(line.split()[:2] == ["aten.softmax.int", "composed"] for line in lines)
    assert any(line.startswith("aten._softmax_backward_data ") for line in lines)


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("torch.nn.functional.gelu", "aten.gelu"),
        ("F.gelu", "aten.gelu"),
        ("aten.add.Tensor", "aten.add.Tensor"),
        ("aten::add.Tensor", "aten.add.Tensor"),
        ("torch.ops.aten.relu.default", "aten.relu"),
        ("Tensor.exp", "aten.exp"),
        ("torch.linalg.vector_norm", "aten.linalg_vector_norm"),
        ("torch.special.erf", "aten.erf"),
        ("cross_entropy", "aten.cross_entropy_loss"),
        ("max_pool2d*", "aten.max_pool2d_with_indices"),
    ],
)
def test_so_it_is_by_torchs_names_and_by_patterns(cli, name, operation):
    found = json.loads(cli("exact", "list", "--json", name).stdout)
    assert operation in [entry["operation"] for entry in found]


def test_a_name_in_full_means_nothing_else(cli):
    found = json.loads(cli("exact", "list", "--json", "aten.add.Tensor").stdout)
    (entry,) = found
    assert entry["how"] == "kernel"
    assert entry["covered"] is True
    assert entry["core"] is True
    assert {"bool", "int64", "bfloat16", "float64"} <= set(entry["dtypes"])


def test_without_a_name_core_aten_is_summarised(cli):
    text = cli("exact", "list").stdout
    assert text.startswith("Core ATen: ")
    counted = {
        words[1]: int(words[0])
        for words in map(str.split, text.splitlines())
        if words and words[0].isdecimal()
    }
    assert set(counted) <= set(MEANING)
    assert sum(counted.values()) == len(core_aten())


def test_only_what_is_missing_is_shown_if_that_is_asked_for(cli):
    everything = json.loads(cli("exact", "list", "--json", "*").stdout)
    missing = json.loads(cli("exact", "list", "--missing", "--json", "*").stdout)
    assert len(everything) == len(every_overload())
    assert missing == [entry for entry in everything if not entry["covered"]]
    assert all(entry["why"] for entry in missing)
    assert cli("exact", "list", "--missing", "relu").stdout == "Nothing of it is missing.\n"


def test_an_unknown_name_ends_with_suggestions(cli):
    result = cli("exact", "list", "relu", "softmux")
    assert result.exit_code == 2
    assert "torch has no operation 'softmux'" in result.stderr
    assert "Did you mean softmax" in result.stderr


def test_a_hostile_name_is_shown_as_it_is_spelled(cli):
    result = cli("exact", "list", "\x1b[2J[red]")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr


def test_every_row_of_the_table_is_listed_as_covered():
    by_name = {registry.name_of(op): listed(op) for op in every_overload()}
    rows = [name for name in (*registry.ENTRIES, *registry.SAFE) if name.startswith("aten.")]
    assert [name for name in rows if not by_name[name].covered] == []


def test_what_a_kernel_has_not_is_not_listed():
    found = listed(torch.ops.aten.special_airy_ai.default)
    assert (found.how, found.dtypes, bool(found.why)) == ("missing", (), True)
    for name in ("relu", "sqrt"):
        assert "float64" in listed(getattr(torch.ops.aten, name).default).dtypes
