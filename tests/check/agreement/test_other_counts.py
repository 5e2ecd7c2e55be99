"""Runs with other numbers of ranks: what is compared, and what is not called a difference."""

from __future__ import annotations

import pytest
from tests.check.process_entries import process_entry

from samebits.check.agreement.other_counts import compare_other_counts, have_other_counts
from samebits.check.trace.process_folders import process_folder
from samebits.check.trace.reader import Trace

WRAPPED = {"place": ["/a/train.py", 20], "buffers": True, "tensors": []}


@pytest.fixture
def run(make_run, tmp_path):
    """A run of some ranks that hold the same after each step, and read these samples for it."""

    def make(name, ranks, parameters=(5, 6), samples=(), apart=(), **facts):
        entries = [process_entry(f"0.{rank + 1}", rank=rank) for rank in range(ranks)]
        made = make_run([], processes=entries, folder=tmp_path / name, **facts)
        for rank, entry in enumerate(entries):
            steps = [
                {
                    "kind": "step",
                    "step": number,
                    "ops_end": 1,
                    "site": 0,
                    "parameters": digest + (rank if number in apart else 0),
                    "optimizer": 1,
                }
                for number, digest in enumerate(parameters)
            ]
            noted = [
                {"step": number, "tensors": {"0:module.w": str(digest)}}
                for number, digest in enumerate(parameters)
            ]
            for one, read in zip(noted, samples, strict=False):
                own = read[rank::ranks]
                one["samples"] = [len(own), f"{sum(own):016x}"]
            replicas = {"modules": [WRAPPED], "samplers": [], "steps": noted}
            folder = process_folder(made.folder, entry["name"])
            make_run([LINE], steps=steps, folder=folder, replicas=replicas)
        return Trace.open(made.folder)

    return make


LINE = {"site": ("train.py", 9, "main", "")}
READ = ([1, 2, 3, 4], [5, 6, 7, 8])


def test_what_replicas_hold_and_read_together_is_compared(run):
    a, b = run("a", 2, samples=READ), run("b", 4, samples=READ)
    assert have_other_counts(a, b)
    assert not have_other_counts(a, a)
    verdict = compare_other_counts(a, b)
    assert verdict.first_divergence is None
    # Never "same": the operations of a rank were compared with nothing.
    assert verdict.verdict == "incomplete"
    assert [one.name for one in verdict.not_compared] == ["what a single rank computes"]
    assert verdict.notes[0].endswith(
        "after 2 steps (parameters and optimizer), and which samples all ranks read together for "
        "2 steps"
    )


def test_the_step_after_which_parameters_differ_is_named_with_its_line(run):
    a, b = run("a", 2, samples=READ), run("b", 4, (5, 7), samples=READ)
    verdict = compare_other_counts(a, b)
    found = verdict.first_divergence
    assert verdict.verdict == "different"
    assert (found.step, found.op, found.file, found.line) == (1, "parameters", "train.py", 9)
    assert found.detail == "the parameters that all ranks of a run share (w) differ after step 1"
    assert verdict.causes[0].evidence == "The ranks of both runs read the same samples together."


def test_other_samples_come_before_other_parameters(run):
    other = ([1, 2, 3, 4], [5, 6, 7, 9])
    verdict = compare_other_counts(run("a", 2, samples=READ), run("b", 4, (5, 7), samples=other))
    found = verdict.first_divergence
    assert (found.step, found.op, found.phase, found.data) == (1, "batch", "data", True)


def test_more_samples_in_a_step_are_no_difference_by_themselves(run):
    more = ([1, 2, 3, 4, 5, 6, 7, 8], [1] * 8)
    verdict = compare_other_counts(run("a", 2, samples=READ), run("b", 4, samples=more))
    assert verdict.verdict == "incomplete"
    assert verdict.not_compared[0].why == (
        "all ranks of run A read 4 samples for step 0, those of run B 8"
    )
    verdict = compare_other_counts(run("c", 2, samples=READ), run("d", 4, (5, 7), samples=more))
    assert verdict.causes[0].evidence == (
        "All ranks of run A read 4 samples for step 0, those of run B 8."
    )


def test_another_number_of_steps_is_said(run):
    verdict = compare_other_counts(run("a", 2, (5, 6, 7)), run("b", 1, (5, 6)))
    assert verdict.verdict == "incomplete"
    first = verdict.not_compared[0]
    assert (first.name, first.why) == ("steps from 2 on", "run A takes 3 steps, run B 2 steps")


def test_nothing_is_compared_where_ranks_of_a_run_do_not_agree(run):
    verdict = compare_other_counts(run("a", 2, (5, 6), apart=(1,)), run("b", 4, (5, 9)))
    assert verdict.first_divergence is None
    assert verdict.not_compared[0].why == "the ranks of run A do not hold the same after step 1"


def test_samples_that_a_damaged_manifest_tells_do_not_count(run, make_run, tmp_path):
    a, b = run("a", 1, samples=READ), run("b", 2, samples=READ)
    for wrong in ("x", [1], [True, "0" * 16], [1, "-1"], [1, 7]):
        noted = a.process("0.1").manifest.extra["replicas"]["steps"]
        noted[0]["samples"] = noted[1]["samples"] = wrong
        replicas = {"modules": [WRAPPED], "samplers": [], "steps": noted}
        path = process_folder(a.folder, "0.1") / "manifest.json"
        a.process("0.1").manifest.replaced({"replicas": replicas}).write(path)
        names = [one.name for one in compare_other_counts(a, b).not_compared]
        assert "the samples of each step" in names
