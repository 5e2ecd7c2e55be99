from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from samebits.check.trace import schema
from samebits.check.trace.reader import Trace
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError


def test_what_is_written_is_read_back(tmp_path, manifest, make_columns):
    rows = schema.MAX_BATCH_ROWS + 10
    columns = make_columns(rows, names=3, seed=1)
    writer = TraceWriter(tmp_path / "run", manifest)
    writer.append_sites([(f"f{i}.py", i, "main", "") for i in range(4)])
    writer.append_ops(columns, new_ops=["a", "b", "c"], new_signatures=["x", "y", "z"])
    writer.close(exit={"code": 0, "signal": None, "reason": "finished"}, made_by_a_test=True)

    trace = Trace.open(tmp_path / "run")
    assert not trace.cut
    assert trace.manifest.extra == {"made_by_a_test": True}
    read = trace.ops()
    for name in set(columns) - set(schema.CODED_OPS_COLUMNS):
        np.testing.assert_array_equal(read.columns[name], columns[name])
    for name, texts in (("op", "abc"), ("signature", "xyz"), ("phase", schema.PHASES)):
        was = [texts[code] for code in columns[name]]
        assert [read.names[name][code] for code in read.columns[name]] == was


def test_other_arrow_readers_open_it(tmp_path, run_writer):
    run_writer(tmp_path / "run", close=True)
    table = pa.ipc.open_stream(tmp_path / "run" / "ops.arrow").read_all()
    table.validate(full=True)
    assert table.num_rows == 60
    ours = Trace.open(tmp_path / "run").ops(["op"])
    assert table["op"].to_pylist() == [ours.names["op"][code] for code in ours.columns["op"]]


def test_a_dictionary_that_outgrows_its_limit_starts_anew(tmp_path, manifest, make_columns):
    writer = TraceWriter(tmp_path / "run", manifest)
    writer.append_sites([("f.py", 1, "main", "")] * 4)
    names: list[str] = []
    expected: list[str] = []
    for batch in range(6):
        new = [f"op{batch}_{i}" for i in range(1500)]
        names += new
        columns = make_columns(2000, names=len(names), seed=batch)
        columns["signature"][:] = 0
        expected += [names[code] for code in columns["op"]]
        writer.append_ops(columns, new_ops=new, new_signatures=["x"] if batch == 0 else [])
        writer.flush()
    writer.close()
    read = Trace.open(tmp_path / "run").ops(["op"])
    assert [read.names["op"][code] for code in read.columns["op"]] == expected


def test_a_killed_run_is_readable_up_to_its_last_flush(tmp_path, run_writer, make_columns):
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[2])\n"
        "from conftest import ops_columns, write_run\n"
        "from samebits.check.trace import writer\n"
        "import conftest; from pathlib import Path\n"
        "conftest.write_run(Path(sys.argv[1]), close=False)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    folder = tmp_path / "run"
    done = subprocess.run([sys.executable, "-c", script, folder, Path(__file__).parent])
    assert done.returncode == -9
    trace = Trace.open(folder)
    assert trace.cut
    assert len(trace.ops(["outputs"])) == 60
    assert len(trace.steps()["step"]) == 3
    assert trace.output() == "step 0\nstep 1\nstep 2\n"


def test_bytes_after_the_last_seal_are_ignored(tmp_path, run_writer):
    run_writer(tmp_path / "run", close=False)
    with (tmp_path / "run" / "ops.arrow").open("ab") as file:
        file.write(b"half a batch")
    with (tmp_path / "run" / "seals.txt").open("ab") as file:
        file.write(b"ops.arrow 99")
    assert len(Trace.open(tmp_path / "run").ops(["op"])) == 60


def test_a_forked_copy_does_nothing(tmp_path, manifest, monkeypatch, make_columns):
    writer = TraceWriter(tmp_path / "run", manifest)
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: -1)
        writer.append_sites([("f.py", 1, "main", "")])
        writer.append_output("from the child")
        writer.close()
    writer.close()
    trace = Trace.open(tmp_path / "run")
    assert trace.sites() == []
    assert trace.output() == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("name", ["ops.arrow", "seals.txt", "output.log"])
def test_a_full_disk_is_said_and_what_was_flushed_stays(tmp_path, manifest, name, make_columns):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / name).symlink_to("/dev/full")
    columns = make_columns(3, names=1, seed=0)

    def record():
        writer = TraceWriter(folder, manifest)
        writer.append_output("hello")
        writer.append_ops(columns, new_ops=["a"], new_signatures=["x"])
        writer.flush()

    with pytest.raises(TraceError, match=name) as caught:
        record()
    assert "No space left" in str(caught.value)
    assert "Make room" in str(caught.value)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_every_call_after_a_failed_write_says_so_again(tmp_path, manifest):
    writer = TraceWriter(tmp_path / "run", manifest)
    full = os.open("/dev/full", os.O_WRONLY)
    output = writer._files["output.log"]
    os.dup2(full, output.number)
    found = os.fstat(full)
    output._file = (found.st_dev, found.st_ino)  # as if it had been opened there
    os.close(full)
    for _ in range(2):
        with pytest.raises(TraceError, match=r"output\.log"):
            writer.append_output("hello")
    with pytest.raises(TraceError, match=r"output\.log"):
        writer.close()
    assert Trace.open(tmp_path / "run").cut


def test_a_folder_that_cannot_be_made(tmp_path, manifest):
    (tmp_path / "file").write_text("")
    with pytest.raises(TraceError, match="cannot write"):
        TraceWriter(tmp_path / "file" / "run", manifest)


def test_a_folder_with_a_run_is_not_overwritten(tmp_path, manifest):
    TraceWriter(tmp_path / "run", manifest).close()
    with pytest.raises(TraceError, match="holds a recorded run already"):
        TraceWriter(tmp_path / "run", manifest)


def test_printed_output_is_bounded(tmp_path, manifest):
    writer = TraceWriter(tmp_path / "run", manifest, output_cap=10)
    for _ in range(100):
        writer.append_output("12345678")
    writer.close()
    trace = Trace.open(tmp_path / "run")
    assert trace.output() == "1234567812"
    assert trace.manifest.stdout["bytes"] == 800
    assert trace.manifest.stdout["truncated"] is True


def test_wrong_columns_and_unknown_codes_are_refused(tmp_path, manifest, make_columns):
    writer = TraceWriter(tmp_path / "run", manifest)
    columns = make_columns(3, names=1, seed=0)
    with pytest.raises(ValueError, match="append_ops needs the columns"):
        writer.append_ops({"op": columns["op"]})
    writer.append_ops(columns, new_signatures=["x"])
    with pytest.raises(IndexError, match="0 known names"):
        writer.flush()


def test_a_rank_has_files_of_its_own(tmp_path, manifest, make_columns):
    for rank in (0, 1):
        writer = TraceWriter(tmp_path / "run", manifest.replaced({"rank": rank}))
        writer.append_sites([("f.py", rank + 1, "main", "")] * 4)
        columns = make_columns(rank + 3, names=1, seed=rank)
        writer.append_ops(columns, new_ops=["a"], new_signatures=["x"])
        writer.close()
    assert (tmp_path / "run" / "ops.1.arrow").is_file()
    trace = Trace.open(tmp_path / "run")
    assert trace.ranks == (0, 1)
    assert [trace.count_ops(rank) for rank in trace.ranks] == [3, 4]
    assert trace.sites(1)[0].line == 2


def test_undecodable_names_survive(tmp_path, manifest):
    writer = TraceWriter(tmp_path / "run", manifest.replaced({"cwd": "/tmp/\udcff"}))
    writer.append_sites([("caf\udce9.py", 1, "main", "")])
    writer.append_output("broken \udce9\n")
    writer.close()
    trace = Trace.open(tmp_path / "run")
    assert trace.manifest.cwd == "/tmp/\udcff"
    assert trace.sites()[0].file == "caf\\udce9.py"


def test_writing_loads_neither_pandas_nor_torch(tmp_path):
    """`pyarrow` would import pandas where it is installed, into the traced process."""
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("raise SystemExit('pandas was imported')")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.path.insert(0, sys.argv[2])\n"
        "import conftest; from pathlib import Path\n"
        "conftest.write_run(Path(sys.argv[1]) / 'run', close=True)\n"
        "from samebits.check.trace.reader import Trace\n"
        "trace = Trace.open(Path(sys.argv[1]) / 'run'); trace.ops(); trace.steps()\n"
        "assert not {'pandas', 'torch'} & sys.modules.keys()\n"
        "if sys.argv[3] == 'prove': import pyarrow; pyarrow.array(['x'])\n"
    )
    command = [sys.executable, "-c", script, tmp_path, Path(__file__).parent]
    assert subprocess.run([*command, "hold"]).returncode == 0
    # The trap works: what the writer avoids would have sprung it.
    (tmp_path / "run" / "manifest.json").unlink()
    proof = subprocess.run([*command, "prove"], capture_output=True, text=True)
    assert "pandas was imported" in proof.stderr


def test_the_manifest_is_replaced_whole(tmp_path, manifest):
    writer = TraceWriter(tmp_path / "run", manifest)
    path = tmp_path / "run" / "manifest.json"
    before = json.loads(path.read_text())
    assert (before["schema"], before["complete"]) == ("samebits.run/1", False)
    assert before["exit"] == {"code": None, "signal": None, "reason": "running"}
    writer.close(seconds=2.0)
    after = json.loads(path.read_text())
    assert (after["seconds"], after["complete"]) == (2.0, True)
    assert sorted(p.name for p in (tmp_path / "run").iterdir() if p.name.startswith(".")) == []
