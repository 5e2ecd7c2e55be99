"""What is exported is what the run holds, with names in place of codes."""

from __future__ import annotations

import csv

import pyarrow.parquet
import pytest

from samebits.check.trace.exporting import export
from samebits.check.trace.schema import NO_SITE, STEP_DIGESTS
from samebits.errors import UsageError

ROWS = [
    {"op": "aten.relu", "outputs": 2**64 - 1, "site": ("a,b.py", 3, "f", 'say "fc"')},
    {"op": "aten.mul", "outputs": 7, "phase": "backward", "step": 4},
]


@pytest.fixture
def run(make_run):
    step = dict.fromkeys(STEP_DIGESTS, 5)
    step |= {"kind": "step", "step": 0, "site": NO_SITE, "ops_end": 2, "loss_value": 0.5}
    return make_run(ROWS, steps=[step], flush_every=1)


def test_operations_as_parquet(run, tmp_path):
    assert export(run, "ops", tmp_path / "ops.parquet") == 2
    rows = pyarrow.parquet.read_table(tmp_path / "ops.parquet").to_pylist()
    assert [row["op"] for row in rows] == ["aten.relu", "aten.mul"]
    assert [row["outputs"] for row in rows] == [2**64 - 1, 7]
    assert [row["phase"] for row in rows] == ["forward", "backward"]
    assert (rows[0]["file"], rows[0]["line"], rows[0]["module"]) == ("a,b.py", 3, 'say "fc"')


def test_operations_as_csv(run, tmp_path):
    export(run, "ops", tmp_path / "ops.csv")
    with open(tmp_path / "ops.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["outputs"] == str(2**64 - 1)
    assert rows[0]["module"] == 'say "fc"'


def test_steps(run, tmp_path):
    assert export(run, "steps", tmp_path / "steps.parquet") == 1
    (row,) = pyarrow.parquet.read_table(tmp_path / "steps.parquet").to_pylist()
    assert (row["kind"], row["loss"], row["loss_value"], row["file"]) == ("step", 5, 0.5, "")


@pytest.mark.parametrize("table", ["ops", "steps", "ledger"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_an_empty_table_has_its_columns(make_run, tmp_path, table, ending):
    target = tmp_path / f"rows.{ending}"
    assert export(make_run(), table, target) == 0
    assert target.stat().st_size > 0


def test_what_is_not_known_is_refused(run, tmp_path):
    with pytest.raises(UsageError, match="no table"):
        export(run, "sites", tmp_path / "x.csv")
    with pytest.raises(UsageError, match="ending"):
        export(run, "ops", tmp_path / "x.xlsx")


def test_a_file_that_cannot_be_written_leaves_nothing(run, tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        export(run, "ops", tmp_path / "nowhere" / "x.csv")
    assert list(tmp_path.glob("**/*.part")) == []
