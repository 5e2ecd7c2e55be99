"""What is noted of the processes that a script starts, and that they are none the wiser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.check.record.processes.journal import (
    Journal,
    has_lost_events,
    journal_path,
    parse_journal,
)
from samebits.check.record.processes.origin import leaves_environment_alone, program_name
from samebits.check.record.processes.summary import rest_of_output
from samebits.check.trace.manifest import Manifest


def manifest_of(result) -> Manifest:
    return Manifest.read(result.folder / "manifest.json")


def captured(scripts, source: str, **options):
    """The manifest of a run whose output is kept from the terminal, as `check` makes it."""
    from samebits.check.record.run import Target

    target = Target(script=scripts.write(source))
    result = scripts.run(target, capture_output=True, **options)
    assert result.failure is None
    assert result.exit_code == 0, result.stderr_tail
    return manifest_of(result)


STARTS = """
    import multiprocessing, os, random, signal, subprocess, sys

    def work(number):
        print("child", number)
        open(f"of-{number}.txt", "w").write(f"took 3.{os.getpid()}s, loss 0.5")

    if __name__ == "__main__":
        python = sys.executable
        subprocess.run([python, "-c", "import sys; print('printed'); sys.exit(3)"])
        subprocess.run([python, "-c", "print('read by the script')"], capture_output=True)
        subprocess.run([python, "-c", "print('elsewhere')"], env={"A": "b"})
        kill = "import os; print('killed', flush=True); os.kill(os.getpid(), 9)"
        subprocess.run([python, "-c", kill])
        subprocess.run([python, "-I", "-c", "print('alone')"])
        os.system(f"{python} -c \\"print('by a shell')\\"; echo echoed")
        if os.fork() == 0:
            print("forked", flush=True)
            os._exit(5)
        os.wait()
        for method in ("spawn", "forkserver"):
            process = multiprocessing.get_context(method).Process(target=work, args=(method,))
            process.start()
            process.join()
    """


@pytest.fixture
def started(scripts):
    return captured(scripts, STARTS)


def test_each_process_is_noted_with_its_line_output_and_end(started):
    found = {p["printed"]["text"].strip(): p for p in started.processes if p["printed"]["text"]}
    assert set(found) == {
        *("printed", "elsewhere", "killed", "by a shell", "forked", "child spawn"),
        "child forkserver",
    }
    places = {text: (Path(p["file"]).name, p["line"]) for text, p in found.items()}
    lines = (Path(started.cwd) / "script.py").read_text().split("\n")
    for text, call in (
        ("printed", "sys.exit(3)"),
        ("forked", "os.fork()"),
        ("child spawn", "start()"),
    ):
        assert places[text][0] == "script.py"
        assert call in lines[places[text][1] - 1]
    ends = {text: tuple(p["exit"].values()) for text, p in found.items()}
    assert ends["printed"] == (3, None)
    assert ends["killed"] == (None, 9)
    assert ends["forked"] == (5, None)
    assert ends["child spawn"] == (0, None)
    assert {p["torch"] for p in started.processes} == {"no"}
    # What the script reads itself is its data; -I keeps the watcher out.
    assert [p["kind"] for p in started.processes if not p["watched"]] == ["python-alone", "shell"]
    assert set(started.other_output["lines"]) == {"alone", "echoed"}


def test_files_of_processes_are_digested_without_times_and_the_like(started):
    files = {Path(file["path"]).name: file for file in started.process_files}
    assert files["of-spawn.txt"]["kind"] == "text"
    assert files["of-spawn.txt"]["digest"] == files["of-forkserver.txt"]["digest"]


def test_processes_see_the_environment_that_they_would_see_without(scripts, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["elsewhere", "there"]))
    source = """
        import json, os, subprocess, sys
        show = (
            "import json, os, sys;"
            "print(json.dumps([dict(os.environ), sys.path, sys.argv, sys.flags.isolated]))"
        )
        for env in (None, {**os.environ, "ADDED": "1"}, {"HOME": "/"}):
            subprocess.run([sys.executable, "-c", show], env=env)
        subprocess.run(["sh", "-c", f"exec {sys.executable} -c '{show}'"])
        print(json.dumps(dict(os.environ)))
        """
    plain, recorded, _ = scripts.both(source)
    assert recorded.stdout.splitlines() == plain.stdout.splitlines()
    assert recorded.code == plain.code == 0


def test_a_program_beside_a_process_keeps_its_own_modules(scripts):
    (scripts.folder / "queue.py").write_text("MINE = True\n")
    (scripts.folder / "child.py").write_text("import queue; print(queue.MINE)\n")
    plain, recorded, _ = scripts.both(
        """
        import subprocess, sys
        subprocess.run([sys.executable, "child.py"], check=True)
        """
    )
    assert recorded.stdout == plain.stdout == b"True\n"


def test_workers_of_a_loader_are_not_noted(scripts):
    manifest = captured(
        scripts,
        """
        import torch
        from torch.utils.data import DataLoader

        class Rows(torch.utils.data.Dataset):
            def __len__(self):
                return 4
            def __getitem__(self, index):
                print("row", index)
                return torch.ones(2) * index

        if __name__ == "__main__":
            for method in ("fork", "spawn"):
                for batch in DataLoader(Rows(), num_workers=1, multiprocessing_context=method):
                    batch.sum()
        """,
    )
    assert not manifest.processes


def test_a_constructor_that_does_several_operations_may_be_the_first(scripts):
    """As in torch.distributed.all_gather_object: torch looks the second one up in Python."""
    manifest = captured(
        scripts,
        """
        import multiprocessing as mp, torch

        def work():
            bytes_of_it = torch.ByteStorage._from_buffer(b"abc")
            assert torch.ByteTensor(bytes_of_it).tolist() == [97, 98, 99]
            assert torch.ones(1) + 1 == 2
            assert not torch._C._len_torch_dispatch_stack()

        if __name__ == "__main__":
            process = mp.get_context("spawn").Process(target=work)
            process.start()
            process.join()
            assert process.exitcode == 0
        """,
        level="step",
    )
    assert [p["torch"] for p in manifest.processes] == ["computed"]


def test_whether_a_process_computes_is_told_by_its_first_operation(scripts):
    manifest = captured(
        scripts,
        """
        import sys, torch
        import torch.multiprocessing as mp

        def work(rank):
            mine = torch._C._len_torch_dispatch_stack()
            if rank:
                torch.save(torch.ones(2) + 1, "ones.pt")
                assert torch._C._len_torch_dispatch_stack() == mine - 1
            else:
                " ".join(sorted("c b a".split()))

        if __name__ == "__main__":
            for rank in range(2):
                process = mp.get_context("fork").Process(target=work, args=(rank,))
                process.start()
                process.join()
                assert process.exitcode == 0
        """,
        level="step",
    )
    assert [p["torch"] for p in manifest.processes] == ["idle", "computed"]
    (file,) = manifest.process_files
    assert (Path(file["path"]).name, file["kind"]) == ("ones.pt", "tensors")


def test_a_name_that_the_script_has_drawn_is_its_own_in_every_process(scripts):
    source = """
        import secrets
        import multiprocessing as mp

        def work(name):
            with open("results.json", "w") as file:
                file.write('{"run": "%s", "score": 3}' % name)

        if __name__ == "__main__":
            process = mp.get_context("fork").Process(target=work, args=(secrets.token_hex(4),))
            process.start()
            process.join()
        """
    runs = [captured(scripts, source) for _ in range(2)]
    first, second = (run.process_files[0] for run in runs)
    assert first["digest"] != second["digest"]
    assert first["anonymous"] == second["anonymous"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_times_that_a_process_saves_beside_tensors_do_not_count(scripts, method):
    source = f"""
        import os, time, torch
        import multiprocessing as mp

        def work(path):
            part = path + ".part"
            weights = torch.ones(2) * 2
            torch.save({{"weights": weights, "written": time.time(), "step": 3}}, part)
            os.replace(part, path)

        if __name__ == "__main__":
            torch.save({{"weights": torch.ones(2), "seed": 1}}, "first.pt")
            process = mp.get_context("{method}").Process(target=work, args=("last.pt",))
            process.start()
            process.join()
        """
    runs = [captured(scripts, source) for _ in range(2)]
    first, second = ({Path(f["path"]).name: f for f in run.process_files} for run in runs)
    assert first["last.pt"]["beside"] != second["last.pt"]["beside"]
    assert first["last.pt"]["values"] == second["last.pt"]["values"]
    values = [Path(file["path"]).name for file in runs[0].files if file["kind"] == "values"]
    assert values == ["first.pt"]


def test_a_journal_survives_that_its_descriptor_is_taken(tmp_path):
    journal = Journal(journal_path(str(tmp_path), "0.1"))
    journal.note("out", "first\tline\n\\\n \udc80")
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    os.dup2(other, journal._descriptor.number)  # the script got the number for a file of its own
    os.close(other)
    journal.note("out", "second")
    assert (tmp_path / "other").read_bytes() == b""
    content = Path(journal_path(str(tmp_path), "0.1")).read_bytes()
    assert parse_journal(content) == [["out", "first\tline\n\\\n \udc80"], ["out", "second"]]
    assert parse_journal(content[:-3]) == parse_journal(content)[:1]


def test_commands_are_called_by_what_does_not_vary():
    python = sys.executable
    assert program_name([python, "-c", "print(1)", "/tmp/x"]) == "python -c"
    assert program_name([python, "-u", "-X", "dev", "tools/a.py", "--seed=3"]) == "python a.py"
    assert program_name([b"python3", "-m", "pkg.tool"]) == "python -m pkg.tool"
    assert program_name(["/usr/bin/git", "rev-parse"]) == "git"
    assert leaves_environment_alone([python, "-I", "-c", ""])
    assert leaves_environment_alone([python, "-sE", "a.py"])
    assert not leaves_environment_alone([python, "a.py", "-I"])
    assert not leaves_environment_alone([python, "-W", "ignore", "-c", ""])


def test_what_nobody_noted_is_what_is_left():
    assert rest_of_output("a\nb\na\n\nc\n", ["a\n", "c\n"]) == ["b", "a"]


def test_a_journal_that_finds_no_room_says_so(tmp_path):
    path = Path(journal_path(str(tmp_path), "0.1"))
    code = f"""
import resource, signal, sys
from samebits.check.record.processes.journal import Journal
journal = Journal({str(path)!r})
journal.note("out", "first")
resource.setrlimit(resource.RLIMIT_FSIZE, (15, resource.RLIM_INFINITY))
journal.note("out", "second")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.note("out", "third")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    # Half a line would have made the next one unreadable.
    assert parse_journal(path.read_bytes()) == [["out", "first"], ["out", "third"]]
    assert has_lost_events(path)


def test_a_journal_with_all_its_events_lacks_none(tmp_path):
    journal = Journal(journal_path(str(tmp_path), "0.1"))
    journal.note("out", "first")
    assert not has_lost_events(Path(journal_path(str(tmp_path), "0.1")))


CONTAINERS = """
    import os, subprocess

    os.mkdir("bin")
    for name in ("docker", "singularity"):
        with open(f"bin/{name}", "w") as program:
            program.write("#!/bin/sh\\n")
        os.chmod(f"bin/{name}", 0o755)
    os.environ["PATH"] = f"{os.getcwd()}/bin:{os.environ['PATH']}"
    subprocess.run(["docker", "run", "--rm", "image", "python", "train.py"])
    subprocess.run(["docker", "ps"])
    subprocess.run("cd . && singularity exec image.sif python train.py", shell=True)
    subprocess.run(["nice", "-n", "1", "docker", "compose", "up"])
    os.system("docker start trainer")
    os.system("docker 'run")
    subprocess.run("echo 'docker run'", shell=True)
    """


def test_commands_that_start_something_in_a_container_are_known(scripts):
    manifest = captured(scripts, CONTAINERS)
    found = [(one["kind"], one["program"]) for one in manifest.processes]
    assert found == [
        ("container", "docker run"),
        ("program", "docker"),
        ("container", "singularity exec"),
        ("container", "docker up"),
        ("container", "docker start"),
        ("shell", "sh"),
        ("shell", "sh"),
    ]
