"""`check` where runs end differently, leave nothing behind, or differ past what print shows."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from samebits.check.diff.verdict import Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.endings import notes_of_endings
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits
from samebits.errors import RecordError

Check = Callable[..., Verdict]

# `turn` is 1 in the first run, 2 in the second, …
TURN = """
import os, pathlib
marks = pathlib.Path("marks")
with marks.open("a") as file:
    file.write(".")
turn = marks.stat().st_size
"""


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.chdir(tmp_path)

    def run(source: str, *, turns: bool = True, **options: object) -> Verdict:
        start = TURN if turns else ""
        (tmp_path / "script.py").write_text(start + textwrap.dedent(source))
        given = RunPlan(capture_output=True, **options)
        return check(
            Target(script=Path("script.py")),
            plan=given,
            out=tmp_path / "out",
            limits=Limits(runs=0),
        )

    return run


def test_a_run_that_is_killed_beside_one_that_ends_well_differs(checked: Check) -> None:
    verdict = checked(
        """
        import torch
        if turn == 2:
            os.kill(os.getpid(), 9)
        torch.ones(3) + 1
        """
    )
    assert verdict.verdict == "different"
    assert verdict.first_divergence is not None
    assert verdict.first_divergence.kind == "exit"
    assert "signal 9" in verdict.first_divergence.detail


def test_nothing_recorded_is_an_error_and_not_the_same(checked: Check) -> None:
    with pytest.raises(RecordError, match="nothing was recorded"):
        checked(
            """
            import sys
            if "again" not in sys.argv:
                os.execv(sys.executable, [sys.executable, sys.argv[0], "again"])
            """
        )


@pytest.mark.parametrize(
    "line", ["sys.stdout.buffer.write(os.urandom(9))", "os.write(1, os.urandom(9))"]
)
def test_bytes_that_come_past_print_count_without_torch(checked: Check, line: str) -> None:
    verdict = checked(f"import os, sys\n{line}", turns=False)
    assert verdict.verdict == "different"
    assert "standard output" in verdict.first_divergence.detail


def test_a_file_counts_under_the_name_that_it_is_given_last(checked: Check) -> None:
    verdict = checked(
        """
        import os
        with open("results.tmp", "w") as file:
            file.write(os.urandom(9).hex())
        os.replace("results.tmp", "results.txt")
        """,
        turns=False,
    )
    assert verdict.verdict == "different"
    assert "results.txt" in verdict.first_divergence.detail


def test_every_save_of_a_file_counts(checked: Check) -> None:
    verdict = checked(
        """
        import torch
        for value in (turn, 0):
            torch.save({"value": value}, "checkpoint.pt")
        """
    )
    assert verdict.verdict == "different"
    assert verdict.first_divergence.kind == "saved"


def test_the_last_printed_line_that_differs_is_looked_behind_too(checked: Check) -> None:
    verdict = checked(
        """
        import torch
        torch.manual_seed(0)
        net = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for step in range(4):
            net(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            print("at", turn)
        other = torch.Generator().manual_seed(turn)
        print(torch.rand(1, generator=other).item())
        """
    )
    assert verdict.verdict == "different"
    assert verdict.first_divergence.op == "aten.rand.generator"


def test_a_dtype_that_cannot_be_saved_leaves_the_finding(checked: Check) -> None:
    verdict = checked(
        """
        import torch
        torch.manual_seed(turn)
        torch.rand(3, dtype=torch.complex128)
        """
    )
    assert verdict.verdict == "different"
    assert verdict.first_divergence.op == "aten.rand"
    assert verdict.first_divergence.max_abs is None


def test_a_run_that_the_timeout_ends_beside_one_that_fails_is_no_difference(checked: Check) -> None:
    """Had it been given more time, it would have failed as well, or not: nobody knows."""
    verdict = checked(
        """
        import sys, time
        import torch
        torch.ones(3) + 1
        if turn == 2:
            time.sleep(600)
        sys.exit(3)
        """,
        timeout=10.0,
    )
    assert (verdict.verdict, verdict.exit_code) == ("failed", 3)
    assert verdict.first_divergence is None
    assert any("still running at script.py:12 when the time was up" in n for n in verdict.notes)


def test_what_a_launcher_has_noted_of_a_failure_is_no_file_of_the_scripts(checked: Check) -> None:
    verdict = checked(
        """
        import torch, torch.multiprocessing as mp
        def work(rank):
            torch.ones(3) + 1
            raise ValueError(f"rank {rank}: bad loss")
        if __name__ == "__main__":
            mp.spawn(work, (), 1)
        """,
        turns=False,
    )
    assert verdict.verdict == "failed"
    assert verdict.first_divergence is None
    told = "in each run the process started at script.py:7 (mp.spawn) failed first: it raised"
    assert f"{told} ValueError at script.py:5: rank 0: bad loss" in verdict.notes


ENDED = """
W1129 10:13:30 28085 torch/distributed/run.py:803] Setting OMP_NUM_THREADS environment variable for
W1129 10:13:30 28085 torch/distributed/run.py:803] *****************************************
{0}
Traceback (most recent call last):
  File "run.py", line 1, in run
    time.sleep(monitor_interval)
torch.distributed.elastic.multiprocessing.api.SignalException: Process 28085 got signal: 15
"""


def words(text):
    """What is said of a run that the timeout has ended."""
    result = SimpleNamespace(timed_out=True, exit_code=None, seconds=9.0, stderr_tail=text)
    return notes_of_endings([result])[1:]


def test_a_launcher_that_is_ended_by_the_timeout_has_made_no_error() -> None:
    assert words(ENDED.format("loss is nan")) == ["loss is nan"]
    cut = ENDED.format("").partition("last):\n")[2]
    assert words(cut) == []
    own = 'Traceback (most recent call last):\n  File "a.py"\nValueError: shapes'
    assert words(ENDED.format(own)) == own.split("\n")
    assert words(own) == own.split("\n")


def test_what_torchrun_says_of_itself_is_no_ending_of_the_script():
    text = """W1129 14:41:24.570000 24767 torch/distributed/run.py:874]
W1129 14:42:01.311000 24767 torch/distributed/elastic/agent/server/api.py:753] Received 15 death \
signal, shutting down workers
W1129 14:42:01.312000 24767 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process \
24789 closing signal SIGTERM
W1129 14:42:01.400000 24789 train.py:3] the learning rate is 0
"""
    result = SimpleNamespace(timed_out=True, exit_code=None, seconds=9.0, stderr_tail=text)
    notes = notes_of_endings([result])
    assert [note for note in notes if "W1129" in note] == [text.splitlines()[-1]]


def test_what_was_drawn_is_told_of_the_pair_whose_operations_are_shown(checked: Check) -> None:
    """Runs 2 and 3 do more: the second of the check, and the first of the closer look."""
    verdict = checked(
        """
        import torch
        torch.manual_seed(0)
        weight = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for step in range(4):
            if step == 2 and turn in (2, 3):
                torch.randint(9, (1,))
            (weight * torch.randn(2)).sum().backward()
            optimizer.step()
        """,
        level="auto",
    )
    found = verdict.first_divergence
    assert found is not None
    assert found.kind == "inserted"
    assert verdict.closer
    (extra,) = [one for one in verdict.ledger if "randint" in one["detail"]]
    assert "only run A does" in found.detail
    assert extra["calls"] == (1, 0)
