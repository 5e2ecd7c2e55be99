from __future__ import annotations

import json
import os

import numpy as np
import pytest

from samebits.check.trace import reader, schema
from samebits.check.trace.reader import Trace
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError


@pytest.fixture
def run(tmp_path, run_writer):
    run_writer(tmp_path / "run", close=True)
    return tmp_path / "run"


def read_all(folder):
    trace = Trace.open(folder)
    return trace.ops(), trace.steps()


def test_columns_are_read_alone(run):
    ops = Trace.open(run).ops(["outputs", "op"])
    assert set(ops.columns) == {"outputs", "op"}
    assert ops.columns["outputs"].dtype == np.uint64
    assert len(ops) == 60


def test_batches_count_on(run):
    starts = [(batch.start, len(batch)) for batch in Trace.open(run).iter_ops(["step"])]
    assert starts == [(0, 20), (20, 20), (40, 20)]


def test_a_row_has_its_names(run):
    trace = Trace.open(run)
    ops = trace.ops()
    row = trace.row(45)
    assert row.op == ops.names["op"][ops.columns["op"][45]]
    assert row.site == trace.sites()[ops.columns["site"][45]]
    assert isinstance(row.flags, schema.Flag)
    with pytest.raises(IndexError):
        trace.row(60)


def test_steps_and_their_end(run):
    steps = Trace.open(run).steps()
    assert steps["kind"].tolist() == [0, 0, 0, 1]
    assert steps["loss"].tolist() == [7, 7, 7, 0]
    assert steps["parameters"].tolist() == [0, 0, 0, 9]
    assert np.isnan(steps["loss_value"]).all()
    assert steps["site"].tolist() == [0, 1, 2, schema.NO_SITE]


def test_a_run_without_rows(tmp_path, manifest):
    TraceWriter(tmp_path / "run", manifest).close()
    trace = Trace.open(tmp_path / "run")
    assert len(trace.ops()) == 0
    assert trace.ops().names["phase"] == list(schema.PHASES)
    assert len(trace.steps()["step"]) == 0


def test_an_unknown_column_is_a_usage_error(run):
    with pytest.raises(ValueError, match="no such column: colour"):
        next(Trace.open(run).iter_ops(["colour"]))


@pytest.mark.parametrize("name", ["missing", "file"])
def test_no_folder(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(TraceError, match="is no folder"):
        Trace.open(tmp_path / name)


def test_a_foreign_folder(tmp_path):
    with pytest.raises(TraceError, match=r"manifest\.json: No such file"):
        Trace.open(tmp_path)


@pytest.mark.parametrize("found", ["samebits.run/2", None, 7])
def test_another_schema_version(run, found):
    content = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**content, "schema": found}))
    with pytest.raises(TraceError, match="this version reads"):
        Trace.open(run)


@pytest.mark.parametrize("name", ["ops.arrow", "steps.arrow", "sites.arrow", "seals.txt"])
def test_a_missing_file(run, name):
    (run / name).unlink()
    with pytest.raises(TraceError, match=name):
        read_all(run)


def test_a_truncated_complete_run_is_an_error(run):
    content = (run / "ops.arrow").read_bytes()
    (run / "ops.arrow").write_bytes(content[:-1])
    with pytest.raises(TraceError, match="ends after"):
        Trace.open(run).ops()


def test_seals_that_miss_a_batch_are_an_error(run):
    lines = (run / "seals.txt").read_text().splitlines(keepends=True)
    (run / "seals.txt").write_text("".join(lines[:-4]))
    with pytest.raises(TraceError, match="does not vouch"):
        Trace.open(run)


def test_printed_text_that_was_edited_is_an_error(run):
    (run / "output.log").write_text("something else\n")
    with pytest.raises(TraceError, match="is not what the run printed"):
        Trace.open(run).output()


def test_a_site_that_is_not_there(tmp_path, manifest, make_columns):
    writer = TraceWriter(tmp_path / "run", manifest)
    columns = make_columns(5, names=1, seed=0)
    columns["site"][:] = [schema.NO_SITE, 0, 0, 3, 0]
    writer.append_sites([("f.py", 1, "main", "")])
    writer.append_ops(columns, new_ops=["a"], new_signatures=["x"])
    writer.close()
    with pytest.raises(TraceError, match="row 3 names a site that is not there"):
        Trace.open(tmp_path / "run").ops(["site"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("name", ["manifest.json", "ops.arrow", "seals.txt"])
def test_a_pipe_in_place_of_a_file_does_not_hang(run, name):
    (run / name).unlink()
    os.mkfifo(run / name)
    with pytest.raises(TraceError, match="no regular file"):
        read_all(run)


def test_a_folder_in_place_of_a_file(run):
    (run / "ops.arrow").unlink()
    (run / "ops.arrow").mkdir()
    with pytest.raises(TraceError, match="no regular file"):
        read_all(run)


def test_an_output_beyond_the_limit_is_not_read(run, monkeypatch):
    monkeypatch.setattr(reader, "MAX_OUTPUT_BYTES", 5)
    with pytest.raises(TraceError, match="more than 5 are not read"):
        Trace.open(run).output()
