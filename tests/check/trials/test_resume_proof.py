"""A killed and resumed run against a straight one, and what was not restored."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.report.model import build_report
from samebits.check.trials import recordings, resume_proof, written_files
from samebits.check.trials.resume_proof import prove_resume
from samebits.check.trials.runner import Runner
from samebits.check.trials.written_files import FolderState
from samebits.errors import RecordError, UsageError

from .light_scripts import WITHOUT_DYNAMO

START = """
import random, sys, torch
from torch import nn
"""
TRAINING = """
torch.manual_seed(0)
random.seed(0)
inputs = torch.randn(60, 4)
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)
parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
begin, lost = 0, sys.argv[1:]
if lost:
    state = torch.load("last.pt", weights_only=False)
    for name, part in parts.items():
        if name not in lost:
            part.load_state_dict(state[name])
    if "torch" not in lost:
        torch.set_rng_state(state["torch"])
    if "random" not in lost:
        random.setstate(state["random"])
    begin = 0 if "position" in lost else state["step"]
for step in range(begin, begin + 12 if "position" in lost else 12):
    optimizer.zero_grad()
    rows = slice(step * 3, step * 3 + 3)
    loss = model(inputs[rows] * random.random()).square().mean()  # draws
    loss.backward()
    optimizer.step()  # steps
    scheduler.step()
    state = {name: part.state_dict() for name, part in parts.items()}
    state.update(step=step + 1, torch=torch.get_rng_state(), random=random.getstate())
    torch.save(state, "last.pt")
"""
SCRIPT = START + WITHOUT_DYNAMO + TRAINING


def line_of(mark: str) -> int:
    return next(n for n, line in enumerate(SCRIPT.splitlines(), 1) if line.endswith(f"# {mark}"))


@pytest.fixture
def prove(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)

    def go(*lost: str, kill_at_step: int = 5):
        script = Path("train.py")
        return prove_resume(
            Target(script=script),
            Target(script=script, args=lost),
            kill_at_step=kill_at_step,
            plan=RunPlan(capture_output=True),
            out=tmp_path / "runs",
        )

    return go


def test_what_was_not_brought_back_is_named_with_its_line(prove, tmp_path):
    verdict = prove("torch")
    assert verdict.verdict == "different"
    assert verdict.first_divergence.step == 4  # saved after step 4, killed in step 5's save
    (cause,) = verdict.causes
    assert (cause.code, cause.detail) == ("resume-state", "torch-cpu")
    assert cause.line == line_of("draws")
    assert (tmp_path / "last.pt").exists()
    assert (tmp_path / "runs" / "files-of-straight" / "last.pt").exists()


@pytest.mark.slow
def test_a_whole_resume_is_the_same(prove):
    verdict = prove("nothing")
    assert verdict.verdict == "same"
    assert [run.steps for run in verdict.runs] == [12, 5, 8]
    assert [run.exit_code for run in verdict.runs] == [0, -9, 0]
    assert "resumed at step 4: all 8 steps from there to the end agree" in verdict.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "detail", "mark"),
    [
        ("model", "parameters.0", "steps"),
        ("optimizer", "optimizer.state.0.step", "steps"),
        ("scheduler", "optimizer.param_groups.0.lr", "steps"),
        ("random", "python", None),
    ],
)
def test_each_part_is_named(prove, lost, detail, mark):
    (cause,) = prove(lost).causes
    assert (cause.code, cause.detail) == ("resume-state", detail)
    assert mark is None or cause.line == line_of(mark)


@pytest.mark.slow
def test_a_script_that_ends_earlier_is_told_so(prove):
    with pytest.raises(UsageError, match="takes 12 optimizer steps") as caught:
        prove("nothing", kill_at_step=12)
    assert "start in a folder without any" in caught.value.hint


def test_what_is_saved_at_the_end_counts(prove, tmp_path):
    script = SCRIPT.replace("parts = {", "average = torch.zeros(8, 4)\nparts = {").replace(
        "    scheduler.step()\n",
        "    scheduler.step()\n    average.lerp_(model[0].weight.detach(), 0.1)\n",
    )
    end = "torch.save(average, 'average.pt')\nprint('average', float(average.sum()))\n"
    (tmp_path / "train.py").write_text(script + end)
    verdict = prove("nothing")
    assert verdict.verdict == "different"
    assert verdict.first_divergence.detail == "the tensors in average.pt differ"
    assert (verdict.causes[0].code, verdict.causes[0].detail) == ("resume-state", "saved tensors")
    assert "all 8 steps from there to the end agree" in verdict.notes[0]


def test_what_is_saved_as_a_run_begins_does_not_count(prove, tmp_path):
    start = "torch.save(model.state_dict(), 'start.pt')\nfor step in range("
    (tmp_path / "train.py").write_text(SCRIPT.replace("for step in range(", start))
    assert prove("nothing").verdict == "same"


def test_numbers_that_are_saved_at_the_end_are_noted_and_printed_times_are_not(prove, tmp_path):
    end = (
        "import json, time\n"
        "json.dump({'score': time.time() % 1, 'seconds': 3}, open('log.json', 'w'))\n"
        "print('done after', time.time())\n"
    )
    (tmp_path / "train.py").write_text(SCRIPT + end)
    verdict = prove("nothing")
    assert verdict.verdict == "same"
    assert any("log.json differ" in note for note in verdict.notes)
    assert not any("printed" in note for note in verdict.notes)
    assert not (tmp_path / "runs" / "closer").exists()


def test_a_printed_average_that_was_not_saved_is_a_difference(prove, tmp_path):
    script = SCRIPT.replace("parts = {", "total = count = 0\nparts = {").replace(
        "    scheduler.step()\n",
        "    scheduler.step()\n"
        "    total, count = total + loss.item(), count + 1\n"
        "    print('step', step, 'mean', total / count)\n",
    )
    (tmp_path / "train.py").write_text(script + "print('done')\n")
    verdict = prove("nothing")
    assert verdict.verdict == "different"
    found, (cause,) = verdict.first_divergence, verdict.causes
    assert (found.kind, found.step) == ("printed", 5)
    assert found.detail.startswith("printed line 5 differs: 'step 4 mean ")
    assert (cause.code, cause.detail) == ("resume-state", "printed numbers")
    assert "all 8 steps from there to the end agree" in verdict.notes[0]
    assert (tmp_path / "last.pt").exists()  # the resumed run's, put back
    assert (tmp_path / "runs" / "files-of-closer" / "last.pt").exists()


def test_a_run_that_begins_anew_has_resumed_nothing(prove, tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT.replace("lost = 0, sys.argv[1:]", "lost = 0, []"))
    verdict = prove("nothing")
    assert verdict.verdict == "different"
    assert verdict.causes[0].detail == "nothing was restored"
    assert "a larger --kill-at-step" in verdict.causes[0].fix


def test_a_run_that_goes_on_too_long_began_where_its_steps_agree(prove, tmp_path):
    longer = SCRIPT.replace('begin + 12 if "position" in lost else 12', "begin + 12")
    (tmp_path / "train.py").write_text(longer)
    verdict = prove("nothing")
    assert verdict.causes[0].detail == "number of steps"
    assert "resumed at step 4 of 12" in verdict.notes[0]
    assert "run.epochs(n)" in verdict.causes[0].fix


@pytest.mark.slow
def test_a_resume_that_fails_is_told_as_such(prove, tmp_path):
    (tmp_path / "broken.py").write_text("import torch\nraise SystemExit('no checkpoint')\n")
    verdict = prove_resume(
        Target(script=Path("train.py")),
        Target(script=Path("broken.py")),
        kill_at_step=5,
        plan=RunPlan(capture_output=True),
        out=tmp_path / "runs",
    )
    assert verdict.verdict == "failed"
    assert verdict.notes[0] == "the resumed run fails"
    assert build_report(verdict).headline == "the script failed on its own (exit code 1)"
    assert "no checkpoint" in verdict.notes


def test_files_of_others_stay_where_they_are(prove, tmp_path, monkeypatch):
    """Another process writes while the straight run goes on; the person had an empty folder."""
    (tmp_path / "kept").mkdir()
    script = SCRIPT.replace("last.pt", "kept/last.pt")
    (tmp_path / "train.py").write_text(script)

    def beside_a_writer(target, folder, *more):
        result = run_script(target, folder, *more)
        if folder.name == "straight":
            (tmp_path / "kept" / "theirs.pt").write_text("of another process")
            (tmp_path / "notes.txt").write_text("of another process")
        return result

    monkeypatch.setattr(recordings, "run_script", beside_a_writer)
    verdict = prove("nothing")
    assert verdict.verdict == "same"
    assert (tmp_path / "kept" / "theirs.pt").exists()
    assert (tmp_path / "notes.txt").exists()
    moved = tmp_path / "runs" / "files-of-straight"
    assert [path.name for path in moved.rglob("*") if path.is_file()] == ["last.pt"]
    assert any("not seen to make" in note and "kept/theirs.pt" in note for note in verdict.notes)


def test_a_folder_with_too_many_files_is_left_alone(prove, tmp_path, monkeypatch):
    monkeypatch.setattr(written_files, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / name).write_text(name)
    with pytest.raises(UsageError, match="cannot be told") as caught:
        prove("nothing")
    assert "another folder" in caught.value.hint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c", "train.py"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RecordError])
def test_an_interrupted_closer_look_puts_everything_back(tmp_path, monkeypatch, error):
    before = FolderState.take(tmp_path, tmp_path / "runs")
    (tmp_path / "ckpt").mkdir()
    (tmp_path / "ckpt" / "last.pt").write_text("of the resumed run")
    (tmp_path / "theirs").write_text("of another process")

    def interrupted(*_):
        assert not (tmp_path / "ckpt").exists()
        assert (tmp_path / "theirs").exists()
        raise error("now")

    monkeypatch.setattr(recordings, "run_script", interrupted)
    target, plan = Target(script=Path("train.py")), RunPlan(capture_output=True)
    runner = Runner(recordings.Recordings(target, tmp_path / "runs"), plan)
    proof = resume_proof._Proof(runner, runner, 5, None, tmp_path / "runs")
    made = [["folder", str(tmp_path / "ckpt")], ["saved", str(tmp_path / "ckpt" / "last.pt")]]
    with pytest.raises(error):
        proof._straight_again(before, made, plan)
    assert (tmp_path / "ckpt" / "last.pt").read_text() == "of the resumed run"
    assert proof.left_aside == []
    moves = (tmp_path / "runs" / written_files.MOVED_FILE).read_text().splitlines()
    assert len(moves) == 2  # there and back
