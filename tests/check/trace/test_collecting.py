"""Parts of a run that several machines recorded, made one run."""

from __future__ import annotations

import json

import pytest
from tests.check.process_entries import process_entry

from samebits.check.agreement.findings import findings
from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.collecting import collect_parts
from samebits.check.trace.fetched_folders import fetch_folder, is_url
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trace.run_parts import open_part
from samebits.check.trace.writer import TraceWriter
from samebits.errors import TraceError

SCRIPT = {"path": "/a/train.py", "sha256": "ab" * 32}
LEDGER_ROW = LedgerRow(source="clock", event="read", detail="time.time", site=None, process=1)


def process(name, rank, **facts):
    return process_entry(name, rank=rank, **{"world": "2", "rows": 1, "starter": "0", **facts})


def write_rank(folder, parameters, script=SCRIPT):
    writer = TraceWriter(folder, Manifest(script=script))
    writer.append_sites([("/a/train.py", 7, "main", "")])
    for step, digest in enumerate(parameters):
        writer.append_steps([{"step": step, "site": 0, "parameters": digest}])
    wrapped = {"place": ["/a/train.py", 5], "buffers": True, "tensors": []}
    noted = [{"step": n, "tensors": {"0:module.w": str(own)}} for n, own in enumerate(parameters)]
    writer.close(replicas={"modules": [wrapped], "samplers": [], "steps": noted})


@pytest.fixture
def part(tmp_path):
    """Records a part whose ranks have these digests of parameters after each step."""

    def make(name, ranks, *, world=2, script=SCRIPT, **facts):
        folder = tmp_path / name
        writer = TraceWriter(folder, Manifest(argv=["/bin/torchrun"]))
        entries = [
            process(f"0.{n}", rank, world=str(world) if world else "")
            for n, rank in enumerate(ranks, 2)
        ]
        for entry, parameters in zip(entries, ranks.values(), strict=True):
            write_rank(process_folder(folder, entry["name"]), parameters, script)
        end = {"code": 0, "signal": None, "reason": "finished"}
        writer.close(**{"processes": entries, "exit": end, **facts})
        claim = write_ledger(folder, [LEDGER_ROW])
        manifest = writer.manifest
        seals = {**manifest.seals, "ledger.arrow": claim}
        manifest.replaced({"seals": seals}).write(folder / "manifest.json")
        return folder

    return make


def collected(out, *folders):
    collect_parts([open_part(folder.name, folder) for folder in folders], out)
    return Trace.open(out)


def test_two_parts_are_one_run_that_agrees_with_itself(part, tmp_path):
    parts = part("b", {1: [5, 6]}), part("a", {0: [5, 6]})
    run = collected(tmp_path / "out", *parts)
    names = [(one["name"], one["rank"], one["starter"]) for one in run.manifest.processes]
    of_a = [("0.1", "", "0"), ("0.1.2", "0", "0.1")]
    assert names == [*of_a, ("0.2", "", "0"), ("0.2.2", "1", "0.2")]
    assert run.manifest.extra["parts"] == [
        {"folder": "a", "ranks": [0]},
        {"folder": "b", "ranks": [1]},
    ]
    verdict = compare_traces(run, Trace.open(tmp_path / "out"))
    assert verdict.verdict == "same"
    assert [one.name for one in verdict.runs[0].processes] == ["rank 0", "rank 1"]
    assert [row.process for row in run.ledger()] == [2, 4]


def test_a_collected_run_is_the_run_of_one_machine(part, tmp_path):
    whole = Trace.open(part("whole", {0: [5, 6], 1: [5, 7]}))
    parts = part("a", {0: [5, 6]}), part("b", {1: [5, 7]})
    assert compare_traces(whole, collected(tmp_path / "out", *parts)).verdict == "same"


def test_ranks_of_different_parts_are_compared(part, tmp_path):
    run = collected(tmp_path / "out", part("a", {0: [5, 6]}), part("b", {1: [5, 7]}))
    (found,) = findings(run)
    assert found.code == "replicas-disagree"
    assert found.detail == "after step 1 the parameters of ranks 0 and 1 differ (w)"
    assert (found.file, found.line) == ("/a/train.py", 7)


def test_what_another_part_did_otherwise_is_told_of_its_rank(part, tmp_path):
    one = collected(tmp_path / "one", part("a", {0: [5, 6]}), part("b", {1: [5, 6]}))
    other = collected(tmp_path / "other", part("c", {0: [5, 6]}), part("d", {1: [5, 9]}))
    found = compare_traces(one, other).first_divergence
    assert (found.process, found.step, found.op, found.line) == ("rank 1", 1, "parameters", 7)
    assert found.processes == ("0.2.2", "0.2.2")


def test_a_missing_rank_is_a_note_and_never_same(part, tmp_path):
    whole = collected(tmp_path / "whole", part("a", {0: [5]}), part("b", {1: [5]}))
    half = collected(tmp_path / "half", part("c", {0: [5]}))
    assert half.manifest.notes == ["rank 1 is in none of the parts: nothing of it is recorded"]
    for pair in ((whole, half), (half, whole), (half, half)):
        verdict = compare_traces(*pair)
        assert verdict.verdict == "incomplete"
        assert {entry.name for entry in verdict.not_compared} == {"rank 1"}


def test_a_part_whose_script_failed_decides_the_exit_code(part, tmp_path):
    failed = {"code": 1, "signal": None, "reason": "exception"}
    run = collected(tmp_path / "out", part("a", {0: [5]}), part("b", {1: [5]}, exit=failed))
    assert run.manifest.exit == failed


def test_a_script_that_is_a_rank_itself_is_one_of_the_whole(tmp_path):
    for rank in (0, 1):
        folder = tmp_path / str(rank)
        writer = TraceWriter(folder, Manifest(script=SCRIPT, argv=["train.py"]))
        writer.append_sites([("/a/train.py", 7, "main", "")])
        writer.append_steps([{"step": 0, "site": 0, "parameters": rank + 1}])
        end = {"code": 0, "signal": None, "reason": "finished"}
        counts = {"ops": 0, "steps": 1}
        writer.close(distributed={"rank": rank, "world": 2}, counts=counts, exit=end)
    run = collected(tmp_path / "out", tmp_path / "0", tmp_path / "1")
    assert [(one["rank"], one["recorded"]) for one in run.manifest.processes] == [
        ("0", True),
        ("1", True),
    ]
    assert compare_traces(run, run).verdict == "same"


def refused(tmp_path, *folders):
    with pytest.raises(TraceError) as error:
        collected(tmp_path / "out", *folders)
    assert not (tmp_path / "out").exists()
    return error.value.message


def test_parts_that_do_not_belong_together_are_refused(part, tmp_path):
    first = part("a", {0: [5]})
    assert refused(tmp_path, first, first) == "rank 0 is in both a and a"
    assert refused(tmp_path, first, part("b", {1: [5]}, world=4)) == (
        "b is part of a run of 4 ranks, a of one of 2"
    )
    other = {"path": "/a/train.py", "sha256": "cd" * 32}
    assert refused(tmp_path, first, part("c", {1: [5]}, script=other)).startswith(
        "the ranks in c ran another script than those in a"
    )
    assert refused(tmp_path, part("d", {})) == "d holds no rank of a training"


def test_a_part_of_an_older_version_knows_no_number_of_ranks(part, tmp_path):
    run = collected(tmp_path / "out", part("a", {0: [5]}, world=0), part("b", {2: [5]}))
    assert run.manifest.extra["missing_ranks"] == [1]


def test_links_in_a_part_are_not_followed(part, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    folder = part("a", {0: [5], 1: [5]})
    (folder / "more").symlink_to(secret)
    run = collected(tmp_path / "out", folder)
    assert not (run.folder / "processes" / "0.1" / "more").exists()


def test_a_part_is_fetched_by_a_url(part, tmp_path):
    folder = part("a", {0: [5], 1: [5]})
    fetched = fetch_folder(folder.as_uri(), tmp_path / "here")
    assert open_part("a", fetched).ranks == {0: 2, 1: 2}
    assert json.loads((fetched / "manifest.json").read_text())["argv"] == ["/bin/torchrun"]


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("nope://bucket/run", "cannot read nope://bucket/run: "),
        ("file:///nowhere/at/all", "file:///nowhere/at/all holds no file"),
    ],
)
def test_a_url_that_cannot_be_read_is_told(tmp_path, url, what):
    with pytest.raises(TraceError) as error:
        fetch_folder(url, tmp_path / "here")
    assert error.value.message.startswith(what)


def test_what_is_a_url(tmp_path):
    assert is_url("s3://bucket/run")
    assert is_url("zip://run::/tmp/parts.zip")
    assert not is_url(str(tmp_path))
    assert not is_url("runs/part:1")
