"""A run is read while it is written: everything once, in order, and nothing half."""

from __future__ import annotations

import numpy as np
import pytest

from samebits.check.trace import schema
from samebits.check.trace.growing_process import OPS_COLUMNS, GrowingProcess
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow, OpsBatch
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError


class Recording:
    """A run that goes on as a test says."""

    def __init__(self, folder):
        self.folder = folder
        self.writer = TraceWriter(folder, Manifest(level="op"))
        self._rows = 0
        self._steps = 0

    def operations(self, count, *, names=1):
        """Rows with so many names that are new; each row has a site of its own."""
        number = np.arange(self._rows, self._rows + count, dtype=np.uint64)
        self.writer.append_sites([("train.py", int(n), "main", f"layer{n}") for n in number])
        zero = np.zeros(count)
        columns = dict.fromkeys(schema.OPS_DTYPES, zero) | {
            "op": np.minimum(number, self._rows + names - 1),
            "signature": zero,
            "step": np.full(count, self._steps),
            "site": number,
            "outputs": number + np.uint64(1),
            "flags": number % 2,
        }
        fresh = [f"aten.op{n}" for n in range(self._rows, self._rows + count)]
        signatures = ["float32[1]"] if self._rows == 0 else []
        self.writer.append_ops(columns, new_ops=fresh, new_signatures=signatures)
        self._rows += count

    def step(self):
        digests = dict.fromkeys(schema.STEP_DIGESTS, self._steps + 1)
        self.writer.append_steps([{"step": self._steps, "ops_end": self._rows, **digests}])
        self._steps += 1


@pytest.fixture
def recording(tmp_path):
    return Recording(tmp_path / "run")


def read(growing, most=1000):
    """What is new: ([operation, outputs, line] of each row, the numbers of steps)."""
    ops, steps = [], []
    for rows in growing.new(most):
        if isinstance(rows, OpsBatch):
            columns = (rows.columns[name].tolist() for name in ("op", "outputs", "site"))
            ops += [
                [rows.names["op"][op], outputs, growing.sites[site].line]
                for op, outputs, site in zip(*columns, strict=True)
            ]
        else:
            steps += [row["step"] for row in rows]
    return ops, steps


def test_each_row_is_read_once_as_soon_as_it_is_flushed(recording):
    growing = GrowingProcess(recording.folder)
    assert read(growing) == ([], [])
    found = []
    for count in (1, 3, 7):
        recording.operations(count, names=count)
        assert read(growing) == ([], [])  # still in the writer's memory
        recording.step()
        recording.writer.flush()
        ops, steps = read(growing)
        found += ops
        assert (len(ops), len(steps)) == (count, 1)
        assert read(growing) == ([], [])
    recording.writer.close()
    assert read(growing) == ([], [])
    trace = Trace.open(recording.folder)
    rows = trace.rows(range(11))
    assert found == [[row.op, row.outputs, row.site.line] for row in rows]


def test_more_names_than_a_dictionary_holds(recording):
    growing = GrowingProcess(recording.folder)
    found = []
    for count in (1, 2999, 3000, 3000):  # the first says nothing of how large the others are
        recording.operations(count, names=count)
        recording.writer.flush()
        found += read(growing)[0]
    assert [op for op, _, _ in found] == [f"aten.op{n}" for n in range(9000)]


def test_a_long_run_is_read_part_by_part(recording):
    for _ in range(5):
        recording.operations(2)
        recording.writer.flush()
    growing = GrowingProcess(recording.folder)
    counts = []
    while True:
        counts.append(len(read(growing, most=2)[0]))
        if not growing.is_behind:
            break
    assert counts == [2] * 5  # each batch has its sites before it


def test_the_manifest_is_read_again_when_it_has_changed(recording, tmp_path):
    empty = GrowingProcess(tmp_path)
    assert read(empty) == ([], [])
    assert empty.manifest is None
    growing = GrowingProcess(recording.folder)
    read(growing)
    assert not growing.manifest.complete
    recording.operations(1)
    recording.writer.close(seconds=2.0)
    write_ledger(recording.folder, [LedgerRow(source="python", event="draw", detail="", site=None)])
    assert len(read(growing)[0]) == 1
    assert growing.manifest.complete
    assert growing.manifest.seconds == 2.0
    assert growing.has_ledger


def test_half_a_line_of_seals_waits_for_its_other_half(recording):
    recording.operations(2)
    recording.writer.flush()
    seals = recording.folder / "seals.txt"
    whole = seals.read_bytes()
    seals.write_bytes(whole[:-10])
    growing = GrowingProcess(recording.folder)
    assert read(growing)[0] == []
    seals.write_bytes(whole)
    assert len(read(growing)[0]) == 2


def test_columns_that_nobody_shows_are_not_read(recording):
    recording.operations(2)
    recording.writer.flush()
    batch = next(rows for rows in GrowingProcess(recording.folder).new(10))
    assert tuple(batch.columns) == OPS_COLUMNS


def test_the_age_is_that_of_the_last_seal(recording):
    growing = GrowingProcess(recording.folder)
    written = (recording.folder / "seals.txt").stat().st_mtime
    assert growing.age(written + 3) == 3
    assert growing.age(written - 3) == 0
    assert GrowingProcess(recording.folder / "nowhere").age(1.0) == 0


def flip(content):
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def a_row_too_many(content):
    head, _, tail = content.partition(b"ops.arrow ")
    end, _, digest = tail.partition(b" 2 ")
    return b"%sops.arrow %s 3 %s" % (head, end, digest)


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("ops.arrow", flip),
        ("steps.arrow", flip),
        ("ops.arrow", lambda content: content[:-5]),
        ("seals.txt", a_row_too_many),
        ("seals.txt", lambda content: content + content.splitlines(True)[-1]),
        ("seals.txt", lambda content: b"something else\n" + content),
        ("seals.txt", lambda content: content + b"ops.arrow ten 1 00\n"),
        ("manifest.json", lambda content: b"{}"),
    ],
)
def test_damage_is_told(recording, file, damage):
    recording.operations(2)
    recording.step()
    recording.writer.close()
    path = recording.folder / file
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(TraceError) as caught:
        read(GrowingProcess(recording.folder))
    assert ("ops.arrow" if damage is a_row_too_many else file) in caught.value.message


@pytest.mark.parametrize(("rows", "batches"), [(2, 0), (1, 2), (3, 2)])
def test_a_frame_that_is_not_one_batch_is_damage(recording, rows, batches):
    """Seals that fit what somebody has made up: no batch in a frame, or two."""
    from samebits.check.trace import seal

    recording.operations(2)
    recording.writer.flush()
    path = recording.folder / "sites.arrow"
    content = path.read_bytes() if batches else path.read_bytes()[:8]
    line = f"sites.arrow {len(content)} {rows} {seal.chain(b'', len(content), rows, content).hex()}"
    path.write_bytes(content)
    (recording.folder / "seals.txt").write_text(f"{seal.HEADER}\n{line}\n")
    with pytest.raises(TraceError, match=r"sites\.arrow"):
        read(GrowingProcess(recording.folder))
