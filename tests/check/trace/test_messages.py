"""Messages are measured before Arrow unpacks them: a small file does not become gigabytes."""

from __future__ import annotations

import io
import random

import numpy as np
import pyarrow as pa
import pytest

from samebits.check.trace import messages, reader, schema
from samebits.check.trace.frame_stream import FrameStream
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.messages import BoundedMessages
from samebits.check.trace.reader import Trace
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError

COLUMNS = pa.schema([("name", pa.dictionary(pa.int32(), pa.utf8())), ("number", pa.int64())])


def stream(rows, *, text="x", compression="zstd"):
    names = pa.array([text] * rows).dictionary_encode()
    batch = pa.record_batch([names, pa.array(np.zeros(rows, np.int64))], schema=COLUMNS)
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, COLUMNS, options=options) as writer:
        writer.write_batch(batch)
        writer.write_batch(batch)
    return sink.getvalue()


def read(content, rows=1 << 40):
    bounded = BoundedMessages(io.BytesIO(content), len(content), rows)
    return pa.ipc.open_stream(pa.PythonFile(bounded, "r")).read_all()


@pytest.mark.parametrize("compression", ["zstd", "lz4", None])
def test_what_fits_passes_unchanged(compression):
    content = stream(1000, text="ü" * 50, compression=compression)
    assert read(content).equals(pa.ipc.open_stream(content).read_all())


@pytest.mark.parametrize("kind", ["number", "name"])
def test_a_message_that_unpacks_to_too_much_is_never_unpacked(monkeypatch, kind):
    """The limit is that of the declared sizes: Arrow is not even asked."""
    monkeypatch.setattr(messages, "MAX_MESSAGE_BYTES", 2**20)
    content = stream(50_000, text="a") if kind == "number" else stream(5, text="a" * 2**21)
    monkeypatch.setattr(messages, "MAX_MESSAGE_BYTES", 2**18)
    assert len(content) < 10_000
    before = pa.total_allocated_bytes()
    with pytest.raises(ValueError, match="unpacks to"):
        read(content)
    assert pa.total_allocated_bytes() - before < 2**18


def test_a_file_unpacks_to_a_multiple_of_its_size(monkeypatch):
    monkeypatch.setattr(messages, "FREE_BYTES", 0)
    with pytest.raises(ValueError, match="unpacks to"):
        read(stream(65_536))


def test_more_rows_than_the_seals_say_are_not_read():
    with pytest.raises(ValueError, match="rows"):
        read(stream(1000), rows=1999)


def test_damage_is_an_error_and_nothing_else():
    content = stream(100)
    chance = random.Random(0)
    for _ in range(300):
        broken = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        bounded = BoundedMessages(io.BytesIO(bytes(broken)), len(broken), 1 << 40)
        try:
            assert len(bounded.read()) <= len(broken)
        except ValueError:
            continue


def forged(folder, content, rows):
    """A run folder whose sites.arrow is `content`, with seals that vouch for it."""
    writer = TraceWriter(folder, Manifest())
    writer.close()
    manifest = Manifest.read(folder / schema.MANIFEST_FILE)
    frame = FrameStream(schema.SITES_FILE, schema.SITES_SCHEMA)
    line = frame.sealed(content, rows)
    seals = folder / schema.SEALS_FILE
    kept = [one for one in seals.read_text().splitlines() if not one.startswith("sites.arrow")]
    seals.write_text("\n".join([*kept, line]) + "\n")
    (folder / schema.SITES_FILE).write_bytes(content)
    manifest = manifest.replaced({"seals": {**manifest.seals, schema.SITES_FILE: frame.claim}})
    manifest.write(folder / schema.MANIFEST_FILE)
    return Trace.open(folder)


def bomb(rows, text):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, schema.SITES_SCHEMA, options=options) as writer:
        texts, lines = pa.array([text] * rows), pa.array(np.zeros(rows, np.int32))
        writer.write_batch(
            pa.record_batch([texts, lines, texts, texts], schema=schema.SITES_SCHEMA)
        )
    return sink.getvalue()


def test_a_small_sites_file_does_not_take_gigabytes(tmp_path):
    content = bomb(30, "s" * 2**20)
    assert len(content) < 50_000  # and 90 MiB within
    with pytest.raises(TraceError, match="unpacks to"):
        forged(tmp_path / "run", content, 30).sites()


def test_sites_beyond_number_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MAX_OBJECT_ROWS", 99)
    with pytest.raises(TraceError, match="more than 99 are not read"):
        forged(tmp_path / "run", bomb(100, ""), 100).sites()
