"""First contact: what samebits says at its first run on programs that nobody wrote for it.

    python benchmarks/first-contact/measure.py ROUND [--plain 6] [--plain-runs FILE] [NAME ...]

For each program: six plain runs, observed without samebits (weights after each step, printed text,
written files), then one `samebits check`, the first there ever was on it, between two plain runs
that nothing observes, for what a plain run costs. All are a row of rounds/ROUND.json, written after
each program. A program that has a row is not run again: a first run cannot be repeated. What a
person has to judge (whether the cause is right, whether the fix works) goes into
rounds/ROUND.judged.json; `table.py` makes the table of both.

Programs are the folders of written/, each with sound/ and broken/, and those of public.toml that
were fetched to the folder FIRST_CONTACT_PUBLIC.

Plain runs do not depend on samebits. `--only-plain --plain-runs FILE` makes them beforehand, and a
round that is given this FILE takes them from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_LIMIT_S = 900.0
_DIFFER = ("samebits: DIFFERENT", "samebits: runs 1 and 2 differ")
"""What is said first of runs that differ; the second where a third one is still to be made."""
_TIMES = re.compile(
    rb"\d+([.:]\d+)*\s*(s|sec|secs|seconds|ms|us|min|it/s|s/it|tok/s|samples/s|/s)\b"
    rb"|\d{4}-\d\d-\d\d|\d\d?:\d\d(:\d\d)?([.,]\d+)?|\d{8,}"
)


@dataclass(frozen=True)
class Program:
    """One program: a folder that is copied for each run, and how it is started in it."""

    name: str
    folder: Path
    arguments: tuple[str, ...]
    expected: str


def programs(public: Path | None) -> list[Program]:
    """All that can be run here, sorted by name."""
    found = []
    for main in sorted(HERE.glob("written/*/*/main.py")):
        arguments = main.with_name("args")
        given = shlex.split(arguments.read_text()) if arguments.exists() else []
        kind = main.parent.name
        name = f"{main.parent.parent.name}/{kind}"
        found.append(Program(name, main.parent, ("main.py", *given), kind))
    if public is not None:
        for settings in sorted(public.glob("*/first-contact.json")):
            given = json.loads(settings.read_text())
            command = tuple(shlex.split(given["command"]))
            found.append(Program(f"public/{settings.parent.name}", settings.parent, command, ""))
    return found


@dataclass(frozen=True)
class Plain:
    """What a plain run came to."""

    cpu: float
    seconds: float
    exit_code: int
    seen: dict[str, str]


def plain_run(program: Program, *, observed: bool = True) -> Plain:
    """One run without samebits, observed or not."""
    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as notes:
        folder = Path(work, "w")
        shutil.copytree(program.folder, folder)
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
        environment = dict(os.environ)
        if observed:
            paths = [str(HERE / "observer"), environment.get("PYTHONPATH", "")]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
            environment["FIRST_CONTACT_NOTES"] = notes
        with Path(work, "out").open("wb") as out:
            cpu, seconds, code = timed(
                [sys.executable, *program.arguments], folder, environment, out, subprocess.STDOUT
            )
        trained = sorted(Path(note).read_text() for note in Path(notes).glob("*.json"))
        seen = {
            "exit": str(code),
            "weights": digest("\n".join(trained).encode()),
            "printed": digest(b"\n".join(sorted(_plain_text(Path(work, "out").read_bytes())))),
        }
        for path in sorted(folder.rglob("*")):
            changed = path.is_file() and before.get(path) != path.stat().st_mtime_ns
            if changed and "__pycache__" not in path.parts:
                seen[f"file {_TIMES.sub(b'#', str(path.relative_to(folder)).encode())!r}"] = (
                    file_digest(path)
                )
    return Plain(cpu, seconds, code, seen)


def _plain_text(text: bytes) -> list[bytes]:
    return [_TIMES.sub(b"#", line) for line in text.splitlines()]


def digest(content: bytes) -> str:
    """A short name for content."""
    return hashlib.sha256(content).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """Of an archive of torch or NumPy what it holds; of anything else the bytes without times."""
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        held = [
            (name.partition("/")[2] or name, digest(archive.read(name)))
            for name in archive.namelist()
            if not name.endswith("serialization_id")
        ]
        return digest(repr(sorted(held)).encode())
    # No archive, or one that was written while another thread changed what it holds.
    return digest(b"\n".join(_plain_text(path.read_bytes())))


def timed(
    command: list[str], folder: Path, environment: dict[str, str], out: Any, err: Any
) -> tuple[float, float, int]:
    """Processor seconds of it and its children, seconds, exit code."""
    started = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err
    )
    timer = threading.Timer(_LIMIT_S, process.terminate)
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started, process.returncode


def first_check(program: Program) -> dict[str, Any]:
    """What `samebits check` says, and when."""
    samebits = [str(Path(sys.executable).with_name("samebits")), "check", "--json", "../verdict"]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work, "w")
        shutil.copytree(program.folder, folder)
        read, write = os.pipe()
        first_word: list[float] = []
        lines: list[str] = []
        started = time.monotonic()

        def listen() -> None:
            with os.fdopen(read, "r", errors="replace") as stream:
                for line in stream:
                    lines.append(line)
                    if line.startswith(_DIFFER) and not first_word:
                        first_word.append(time.monotonic() - started)

        listener = threading.Thread(target=listen)
        listener.start()
        with Path(work, "out").open("wb") as out, os.fdopen(write, "wb") as err:
            command = [*samebits, "--out", "../runs", *program.arguments]
            cpu, seconds, code = timed(command, folder, dict(os.environ), out, err)
        listener.join()
        verdict: dict[str, Any] = {}
        if Path(work, "verdict").exists():
            verdict = json.loads(Path(work, "verdict").read_text())
        panel = Path(work, "out").read_text(errors="replace")
    kept = ("code", "detail", "file", "line", "evidence", "fix", "confidence")
    return {
        "verdict": verdict.get("verdict", "none"),
        "exit_code": code,
        "causes": [
            {key: cause[key] for key in kept if key in cause} for cause in verdict.get("causes", [])
        ],
        "divergence": verdict.get("first_divergence"),
        "not_compared": verdict.get("not_compared", []),
        "notes": verdict.get("notes", []),
        "runs": len({run for o in verdict.get("observations", []) for run in o["runs"]}),
        "cpu": cpu,
        "seconds": seconds,
        "first_word": first_word[0] if first_word else None,
        "panel": panel[-6000:],
        "stderr": "".join(lines)[-2000:] if code == 2 else "",
    }


def plain_runs(program: Program, count: int) -> dict[str, Any]:
    """In what plain runs of one program differ."""
    runs = [plain_run(program) for _ in range(count)]
    names = sorted({name for run in runs for name in run.seen})
    differing = [name for name in names if len({run.seen.get(name) for run in runs}) > 1]
    return {"runs": count, "differing": differing, "exit_code": runs[0].exit_code}


def row(program: Program, plain: dict[str, Any]) -> dict[str, Any]:
    """Everything about one program.

    Args:
        program: What is checked.
        plain: What `plain_runs` has said of it.
    """
    # One before and one after: the machine may be slower or faster by the time of the check.
    before = plain_run(program, observed=False)
    check = first_check(program)
    costs = [before, plain_run(program, observed=False)]
    return {
        "name": program.name,
        "expected": program.expected,
        "plain": {
            **plain,
            "cpu": statistics.mean(run.cpu for run in costs),
            "seconds": statistics.mean(run.seconds for run in costs),
        },
        "check": check,
    }


def _without_places(text: str) -> str:
    """Without the paths of this machine."""
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/tmp\w+/(?:w/)?", "", text)
    for path, name in ((sys.prefix, "ENV"), (sys.base_prefix, "PYTHON"), (Path.home(), "HOME")):
        text = text.replace(str(path), name)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("round")
    parser.add_argument("names", nargs="*", help="parts of names; all programs unless given")
    parser.add_argument("--plain", type=int, default=6)
    parser.add_argument("--plain-runs", type=Path, help="a file that holds plain runs")
    parser.add_argument("--only-plain", action="store_true", help="make those that FILE lacks")
    given = parser.parse_intermixed_args()
    if given.only_plain and given.plain_runs is None:
        parser.error("--only-plain needs --plain-runs FILE, to keep them in")
    made_before = {}
    if given.plain_runs is not None and given.plain_runs.exists():
        made_before = json.loads(given.plain_runs.read_text())
    folder = os.environ.get("FIRST_CONTACT_PUBLIC")
    earlier = {
        row["name"]
        for path in (HERE / "rounds").glob("*.json")
        if not path.name.endswith(".judged.json")
        for row in json.loads(path.read_text())["programs"]
    }
    (HERE / "rounds").mkdir(exist_ok=True)
    target = HERE / "rounds" / f"{given.round}.json"
    result: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "samebits": "" if given.only_plain else _version(),
        "torch": metadata.version("torch"),
        "processors": os.cpu_count(),
        "programs": [],
    }
    if target.exists():
        result = json.loads(target.read_text())
    for program in programs(Path(folder) if folder else None):
        wanted = not given.names or any(name in program.name for name in given.names)
        if not wanted or program.name in earlier:
            continue
        plain = made_before.get(program.name) or plain_runs(program, given.plain)
        if given.only_plain:
            made_before[program.name] = plain
            given.plain_runs.write_text(json.dumps(made_before, indent=1) + "\n")
            print(f"{program.name:40} {','.join(plain['differing']) or 'agree'}", flush=True)
            continue
        made = json.loads(_without_places(json.dumps(row(program, plain))))
        result["programs"].append(made)
        target.write_text(json.dumps(result, indent=1) + "\n")
        check = made["check"]
        causes = ", ".join(f"{c['code']}:{c['line']} {c['confidence']}" for c in check["causes"])
        print(
            f"{program.name:40} plain: {','.join(made['plain']['differing']) or 'agree'} "
            f"{made['plain']['cpu']:.1f} s; {check['verdict']} {causes}; "
            f"{check['cpu'] / made['plain']['cpu']:.1f} plain runs",
            flush=True,
        )


def _version() -> str:
    commit = subprocess.run(
        ["git", "-C", str(HERE), "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    return f"{metadata.version('samebits')} {commit}".strip()


if __name__ == "__main__":
    main()
