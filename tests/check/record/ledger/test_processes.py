"""The ledger of a run: its children, its end by force, and what its manifest tells."""

from __future__ import annotations

import struct

import pytest

from samebits.check.record.ledger.process_table import parse_table
from samebits.check.trace.reader import Trace


def ledger(result):
    return Trace.open(result.folder).ledger()


def test_children_count_in_the_same_ledger(scripts):
    script = scripts.write(
        """
        import os, random
        random.random()
        for _ in range(2):
            if os.fork() == 0:
                random.random()
                os._exit(0)
            os.wait()
        if os.fork() == 0:
            if os.fork() == 0:
                random.random()
                os._exit(0)
            os.wait()
            os._exit(0)
        os.wait()
        """
    )
    ended, result = scripts.recorded(script)
    assert ended.code == 0
    rows = [row for row in ledger(result) if row.event == "draw"]
    assert [(row.process, row.site.line) for row in rows] == [(0, 3), (1, 6), (2, 6), (4, 11)]
    # Python gives its generator a new seed in every child.
    assert {row.seeded for row in rows} == {0}


def test_a_killed_process_leaves_its_ledger(scripts):
    script = scripts.write(
        """
        import os, random, signal
        for _ in range(1000):
            random.random()
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    ended, result = scripts.recorded(script)
    assert ended.code == -9
    trace = Trace.open(result.folder)
    assert trace.cut
    (row,) = (row for row in trace.ledger() if row.source == "python")
    assert row.calls == 1000


def test_a_hard_exit_ends_the_run_in_order(scripts):
    plain, recorded, result = scripts.both(
        """
        import os, random
        random.seed(3)
        print(random.random(), flush=True)
        os._exit(7)
        """
    )
    assert (recorded.code, recorded.stdout) == (plain.code, plain.stdout) == (7, plain.stdout)
    trace = Trace.open(result.folder)
    assert not trace.cut
    assert [row.source for row in trace.ledger()] == ["python", "python"]


def test_files_have_the_size_and_digest_of_their_content(scripts):
    (scripts.folder / "data.txt").write_text("one\n")
    script = scripts.write(
        """
        import os
        open("data.txt").read()
        open("own.txt", "w").write("x")
        open("own.txt").read()
        if os.fork() == 0:
            open(__file__).read()
            open("data.txt").read()
            os._exit(0)
        os.wait()
        """
    )
    digests = []
    for content in ("one\n", "one\n", "two\n"):
        (scripts.folder / "data.txt").write_text(content)
        _, result = scripts.recorded(script)
        rows = [row for row in ledger(result) if row.source == "file"]
        assert [(row.process, row.amount) for row in rows] == [(0, 4), (1, 4)]
        assert rows[0].detail == str(scripts.folder / "data.txt")
        assert rows[0].digest == rows[1].digest
        digests.append(rows[0].digest)
    assert digests[0] == digests[1] != digests[2]


def test_a_file_that_is_not_there_is_not_read(scripts):
    script = scripts.write(
        """
        import os
        for _ in range(2):
            try:
                open("made.txt").read()
            except OSError:
                print("none")
        try:
            os.open("made.txt", os.O_RDONLY)
        except OSError:
            pass
        open("made.txt", "w").write("x")
        """
    )
    _, first = scripts.recorded(script)
    assert [row for row in ledger(first) if row.source == "file"] == []
    assert Trace.open(first.folder).manifest.inputs == []
    _, second = scripts.recorded(script)
    rows = [row for row in ledger(second) if row.source == "file"]
    assert [row.detail for row in rows] == [str(scripts.folder / "made.txt")] * 2


def test_what_other_recorded_processes_read_is_in_their_ledgers(scripts):
    (scripts.folder / "data.txt").write_text("one\n")
    script = scripts.write(
        """
        import torch, torch.multiprocessing
        def work(index):
            torch.tensor([float(len(open("data.txt").read()))]) + 1
            open("own.txt", "w").write("x")
            open("own.txt").read()
        if __name__ == "__main__":
            torch.multiprocessing.spawn(work, nprocs=1)
        """
    )
    _, result = scripts.recorded(script)
    trace = Trace.open(result.folder)
    (own,) = (trace.process(p["name"]) for p in trace.manifest.processes if p["recorded"])
    rows = {row.detail: row for row in own.ledger() if row.source == "file"}
    data, written = (str(scripts.folder / name) for name in ("data.txt", "own.txt"))
    assert rows[data].amount == 4
    assert rows[data].digest != 0
    # What was in it when it was read is gone.
    assert (rows[written].amount, rows[written].digest) == (0, 0)


def test_the_manifest_tells_what_was_not_recorded(scripts):
    script = scripts.write(
        """
        import multiprocessing, subprocess, sys, threading
        if __name__ == "__main__":
            thread = threading.Thread(target=print)
            thread.start()
            thread.join()
            subprocess.run([sys.executable, "-S", "-c", ""])
            child = multiprocessing.get_context("spawn").Process(target=int)
            child.start()
            child.join()
        """
    )
    _, result = scripts.recorded(script)
    trace = Trace.open(result.folder)
    assert trace.manifest.notes == []  # a thread that computes nothing is not worth a word
    alone = next(p for p in trace.manifest.processes if p["line"] == 7)
    assert not alone["watched"]


def test_what_a_module_draws_when_it_is_imported_says_so(scripts):
    scripts.write("import random\nrandom.seed(3)\n", "helper.py")
    script = scripts.write("import uuid\nimport helper\nuuid.uuid4()\n")
    _, result = scripts.recorded(script)
    seed, drawn = ledger(result)
    assert (seed.event, seed.site.file) == ("seed", str(scripts.folder / "helper.py"))
    assert (drawn.source, drawn.site.line) == ("uuid", 3)


def test_loader_workers_have_their_numbers_and_seeds(scripts):
    script = scripts.write(
        """
        import random
        import numpy as np, torch
        from torch.utils.data import DataLoader, Dataset
        class Noise(Dataset):
            def __len__(self):
                return 8
            def __getitem__(self, index):
                return random.random() + np.random.rand() + torch.rand(1)
        torch.manual_seed(0)
        for _ in range(2):
            for batch in DataLoader(Noise(), batch_size=2, num_workers=2):
                pass
        """
    )
    runs = []
    for _ in range(2):
        _, result = scripts.recorded(script)
        runs.append([row for row in ledger(result) if row.worker >= 0])
    drawn = [
        (row.process, row.worker, row.source, row.calls, row.seeded)
        for row in runs[0]
        if row.event == "draw" and row.site is not None and row.site.line == 9
    ]
    assert drawn == [
        (process, worker, source, 4, 1)
        for process, worker in ((1, 0), (2, 1), (3, 0), (4, 1))
        for source in ("python", "numpy", "torch-cpu")
    ]
    summaries = [[row for row in run if row.source == "worker"] for run in runs]
    digests = [[row.digest for row in rows] for rows in summaries]
    assert len(set(digests[0])) == 4
    assert digests[0] == digests[1]
    assert all("torch-cpu" in row.detail and row.seeded == 1 for row in summaries[0])


@pytest.mark.parametrize("length", range(0, 300, 7))
def test_half_a_table_reads_as_what_is_whole(length):
    header = struct.pack("<8sIIIIIi32x", b"sbledger", 1, 72, 3, 0, 0, -1)
    entry = struct.pack("<QQQQQIiIIIIBBB5x", 1, 2, 3, 4, 5, 6, 7, 0, 1, 1, 0xFFFFFFFF, 0, 0, 1)
    texts = struct.pack("<I", 4) + b"a.py" + struct.pack("<I", 1) + b"f"
    table = parse_table((header + 3 * entry)[:length], texts)
    assert len(table.rows) == max(0, (length - 64) // 72)
    assert all((row.site.file, row.detail, row.calls) == ("a.py", "f", 2) for row in table.rows)
    assert parse_table(header + entry, texts[:length]).rows in (
        (),
        table.rows[:1],
        parse_table(header + entry, texts).rows,
    )


def test_a_table_of_another_kind_is_empty():
    assert parse_table(b"\xff" * 400, b"").rows == ()
    assert parse_table(b"", b"").rows == ()
