"""Damage anywhere in a run folder: a correct read, or a `TraceError`, and nothing else."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samebits.check.trace import seal
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.reader import Trace
from samebits.errors import TraceError

EXAMPLES = 1000

_POSITION = st.floats(0, 1, exclude_max=True)
_CONTENT = st.one_of(
    st.binary(min_size=1, max_size=8),
    st.sampled_from(
        [b"\xff" * 8, b"\x00" * 8, (1 << 40).to_bytes(8, "little"), b"\xff\xff\xff\x7f"]
    ),
)
_EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("overwrite"), _POSITION, _CONTENT),
        st.tuples(st.just("insert"), _POSITION, _CONTENT),
        st.tuples(st.just("delete"), _POSITION, st.integers(1, 64)),
        st.tuples(st.just("flip"), _POSITION, st.integers(0, 7)),
        st.tuples(st.just("truncate"), _POSITION, st.none()),
    ),
    min_size=1,
    max_size=3,
)
_FILES = ("ops.arrow", "steps.arrow", "sites.arrow", "seals.txt", "output.log", "manifest.json")


def edited(content: bytes, edits: list[tuple[str, float, Any]]) -> bytes:
    data = bytearray(content)
    for kind, where, value in edits:
        at = int(where * len(data))
        if kind == "overwrite":
            data[at : at + len(value)] = value
        elif kind == "insert":
            data[at:at] = value
        elif kind == "delete":
            del data[at : at + value]
        elif kind == "truncate":
            del data[at:]
        elif data:
            data[at] ^= 1 << value
    return bytes(data)


def everything(folder: Path) -> dict[str, list[Any]]:
    trace = Trace.open(folder)
    ops = trace.ops()
    content: dict[str, list[Any]] = {"sites": trace.sites()}
    for name, values in ops.columns.items():
        table = ops.names.get(name)
        content[name] = values.tolist() if table is None else [table[code] for code in values]
    for name, values in trace.steps().items():
        content[f"steps.{name}"] = [repr(value) for value in values.tolist()]
    content["output"] = list(trace.output())
    return content


@pytest.fixture(scope="module", params=[True, False], ids=["complete", "cut"])
def original(request, tmp_path_factory, run_writer):
    folder = tmp_path_factory.mktemp("original") / "run"
    run_writer(folder, close=request.param)
    return folder, request.param, everything(folder)


@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(name=st.sampled_from(_FILES), edits=_EDITS)
def test_damage_is_found_or_harmless(original, name, edits):
    folder, complete, expected = original
    path = folder / name
    content = path.read_bytes()
    try:
        path.write_bytes(edited(content, edits))
        try:
            found = everything(folder)
        except TraceError:
            return
        if name == "output.log" and not complete:
            found["output"] = expected["output"]  # Plain text: a cut run has no digest of it.
        if complete and Manifest.read(folder / "manifest.json").complete:
            assert found == expected
        else:  # Cut runs may read shorter, never otherwise.
            assert all(expected[key][: len(found[key])] == found[key] for key in expected)
    finally:
        path.write_bytes(content)


@settings(
    max_examples=EXAMPLES // 2,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(name=st.sampled_from(_FILES[:3]), edits=_EDITS)
def test_forged_seals_gain_nothing(original, name, edits):
    """Seals are no signature: who forges a batch can forge its seal; Arrow then has to hold."""
    folder, _, _ = original
    forged = folder.with_name("forged")
    shutil.rmtree(forged, ignore_errors=True)
    shutil.copytree(folder, forged)
    content = edited((forged / name).read_bytes(), edits)
    (forged / name).write_bytes(content)
    lines, seals = [seal.HEADER], {}
    for file, frames in seal.read_seals(folder / "seals.txt").items():
        data = (forged / file).read_bytes()
        start, digest, rows = 0, b"", 0
        for index, frame in enumerate(frames):
            end = len(data) if index == len(frames) - 1 else min(frame.end, len(data))
            if end > start:
                digest = seal.chain(digest, end, frame.rows, data[start:end])
                lines.append(f"{file} {end} {frame.rows} {digest.hex()}")
                start, rows = end, rows + frame.rows
        seals[file] = {"bytes": start, "rows": rows, "digest": digest.hex()}
    (forged / "seals.txt").write_text("\n".join(lines) + "\n")
    manifest = Manifest.read(forged / "manifest.json").replaced({"seals": seals})
    (forged / "manifest.json").write_text(json.dumps(manifest.to_json()))
    with contextlib.suppress(TraceError):
        everything(forged)
