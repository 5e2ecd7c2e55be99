"""Scripts with a known verdict: what each expects, how it is checked, and what came out.

The first comment lines of a script say what is expected, as words of a shell:

    # samebits-test: verdict=different cause=unseeded-rng detail=python
    #   args="--layers 2"

A line that begins anew with `samebits-test:` is a further expectation of the same script. Lines
that end in `# culprit` may be blamed; with `at=NAME`, those that end in `# culprit NAME`.

| key | meaning |
|---|---|
| `verdict` | what a check must come to |
| `cause` | code of the first cause; `a|b` where both are right |
| `detail` | its detail |
| `finding` | code of what is found within the run, at a line that may be blamed; else nothing is |
| `vary` | the check varies this one thing; without it, the script must be the same |
| `via=diff` | two recorded runs, with `args` and with `args-b`, are compared |
| `ledger` | the source that the two ledgers must part at |
| `args` | arguments of the script |
| `env` | `NAME=value` in its environment |
| `aslr=off` | started with fixed addresses |
| `needs` | a module that it imports and that `make setup-frameworks` installs |
| `folder=memory` | its working folder lies in memory, where listings keep the order of creation |
| `batch-flag` | the option by which the script takes another batch size |
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from samebits.training.control.address_space import disable_address_randomization

TESTS = Path(__file__).parents[1]
KINDS = ("broken", "latent", "sound", "found", "programs")
MEMORY = Path("/dev/shm")
MARK = "# samebits-test:"
LIMIT_S = 1800
KEYS = {
    *("verdict", "cause", "detail", "vary", "via", "ledger", "args", "args-b", "env", "aslr"),
    *("folder", "needs", "batch-flag", "at", "finding"),
}


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """One script and what a check of it must say.

    Attributes:
        script: The file.
        number: Which of the script's expectations, from 0.
        verdict: "same" or "different".
        causes: Codes of which the first cause must have one; empty where there must be none.
        settings: Everything that its first lines say.
        culprits: Lines that may be blamed; empty where none is asked for.
    """

    script: Path
    number: int
    verdict: str
    causes: tuple[str, ...]
    settings: dict[str, str]
    culprits: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its path below tests/, and its number where there are several."""
        path = self.script.relative_to(TESTS).with_suffix("").as_posix()
        return path if self.number == 0 else f"{path}#{self.number + 1}"

    @property
    def kind(self) -> str:
        """The folder below tests/, one of `KINDS`."""
        return self.script.relative_to(TESTS).parts[0]

    def cannot_run(self) -> str | None:
        """Why it cannot be checked on this machine; None when it can."""
        if self.settings.get("folder") == "memory" and not _is_memory(MEMORY):
            return f"{MEMORY} is no file system in memory; elsewhere listings have a fixed order"
        needed = self.settings.get("needs")
        if needed is not None and importlib.util.find_spec(needed) is None:
            return f"needs {needed}: make setup-frameworks"
        return None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a check said.

    Attributes:
        verdict: Its verdict; "error" when there was no verdict file.
        code: Code of the first cause, "" when there was none.
        detail: Its detail.
        line: The line it blames, when that lies in the script.
        confidence: "proved", "likely" or "".
        others: Codes of the further causes.
        seconds: Wall time.
        findings: Code and line of what was found within the run.
        unable: Why the variation could not be applied here, "" when it could.
        text: The verdict file, or what was printed in its place.
    """

    verdict: str
    code: str
    detail: str
    line: int | None
    confidence: str
    others: tuple[str, ...]
    seconds: float
    unable: str
    text: str
    findings: tuple[tuple[str, int | None], ...] = ()


Aspect = Literal["verdict", "cause", "detail", "line"]


def expectations(*kinds: str) -> list[Expectation]:
    """Those of every script in these folders, or in all of them, ordered by path."""
    paths = [p for kind in kinds or KINDS for p in sorted((TESTS / kind).rglob("*.py"))]
    return [expectation for path in paths for expectation in read(path)]


def read(script: Path) -> Iterator[Expectation]:
    """The expectations in a script's first comment lines.

    Raises:
        ValueError: There is none, or it has a key that means nothing.
    """
    lines = script.read_text(encoding="utf-8").splitlines()
    texts: list[str] = []
    for line in lines:
        if line.startswith(MARK):
            texts.append(line.removeprefix(MARK))
        elif line.startswith("#   ") and texts:
            texts[-1] += line[1:]
        else:
            break
    if not texts:
        raise ValueError(f"{script} does not begin with '{MARK}'")
    for number, text in enumerate(texts):
        settings = dict(word.split("=", 1) for word in shlex.split(text))
        if unknown := settings.keys() - KEYS:
            raise ValueError(f"{script}: no key {', '.join(sorted(unknown))}")
        tag = settings.get("at", "")
        mark = re.compile(rf"# culprit {re.escape(tag)}$" if tag else "# culprit$")
        causes = settings.get("cause", "")
        yield Expectation(
            script=script,
            number=number,
            verdict=settings.get("verdict", "different"),
            causes=tuple(causes.split("|")) if causes else (),
            settings=settings,
            culprits=tuple(n for n, line in enumerate(lines, 1) if mark.search(line)),
        )


def check(expectation: Expectation, *options: str) -> Outcome:
    """Check the script in a fresh process, in a working folder of its own.

    Args:
        expectation: The script, and how it is to be started.
        *options: Further options of `samebits check`.
    """
    settings = expectation.settings
    base = MEMORY if settings.get("folder") == "memory" else None
    folder = Path(tempfile.mkdtemp(prefix="samebits-verdict-", dir=base))
    try:
        work = folder / "work"
        work.mkdir()
        started = time.monotonic()
        if settings.get("via") == "diff":
            verdict, printed = _diffed(expectation, folder, work)
        else:
            target = [str(expectation.script), *shlex.split(settings.get("args", ""))]
            asked = list(options)
            if vary := settings.get("vary"):
                asked += ["--vary", vary]
            if flag := settings.get("batch-flag"):
                asked += ["--batch-flag", flag]
            recorded = ["--out", str(folder / "runs"), "--json", str(folder / "verdict.json")]
            printed = _samebits(["check", "--quiet", *recorded, *asked, *target], settings, work)
            verdict = _verdict_file(folder / "verdict.json")
        return _outcome(expectation, verdict, printed, time.monotonic() - started)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def misses(expectation: Expectation, outcome: Outcome) -> dict[Aspect, str]:
    """What is not as expected: for each aspect that is wrong, a sentence that says how."""
    wrong: dict[Aspect, str] = {}
    if outcome.verdict != expectation.verdict:
        wrong["verdict"] = f"the verdict is {outcome.verdict}, not {expectation.verdict}"
        if outcome.verdict == "error" and (printed := outcome.text.strip()):
            wrong["verdict"] += f": {printed.splitlines()[-1]}"
    if expectation.causes and outcome.code not in expectation.causes:
        wanted = " or ".join(expectation.causes)
        wrong["cause"] = f"the cause is {outcome.code or 'missing'}, not {wanted}"
    if expectation.verdict == "same" and outcome.code:
        wrong["cause"] = f"a cause is named: {outcome.code}"
    if expectation.verdict == "same" and (told := _wrongly_found(expectation, outcome)):
        wrong["cause"] = told
    detail = expectation.settings.get("detail")
    if detail and outcome.detail != detail:
        wrong["detail"] = f"the detail is {outcome.detail!r}, not {detail!r}"
    if expectation.culprits and expectation.verdict != "same":
        lines = expectation.culprits
        if outcome.line not in lines:
            wanted = " or ".join(map(str, lines))
            wrong["line"] = f"the line is {outcome.line}, not {wanted}"
    return wrong


def _wrongly_found(expectation: Expectation, outcome: Outcome) -> str | None:
    """What was found within the run and should not be, or the reverse; None where all is right."""
    wanted = expectation.settings.get("finding")
    for code, line in outcome.findings:
        if code != wanted:
            return f"a finding is told: {code}"
        if line not in expectation.culprits:
            return f"the finding {code} is told at line {line}"
    return f"the finding {wanted} is missing" if wanted and not outcome.findings else None


def _diffed(expectation: Expectation, folder: Path, work: Path) -> tuple[Any, str]:
    settings = expectation.settings
    printed = ""
    runs = []
    for key in ("args", "args-b"):
        runs.append(str(folder / f"run-{key}"))
        target = [str(expectation.script), *shlex.split(settings.get(key, ""))]
        printed += _samebits(["run", "--no-control", "--out", runs[-1], *target], settings, work)
    file = folder / "verdict.json"
    printed += _samebits(["diff", "--json", str(file), *runs], settings, work)
    return _verdict_file(file), printed


def _samebits(arguments: Sequence[str], settings: dict[str, str], work: Path) -> str:
    """Run samebits and return what it printed."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONHASHSEED"}
    environment |= {"NO_COLOR": "1", "COLUMNS": "100"}
    if variable := settings.get("env"):
        name, _, value = variable.partition("=")
        environment[name] = value
    try:
        done = subprocess.run(
            [sys.executable, "-m", "samebits", *arguments],
            cwd=work,
            env=environment,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
            preexec_fn=disable_address_randomization if settings.get("aslr") == "off" else None,
        )
    except subprocess.TimeoutExpired:
        return f"samebits did not end within {LIMIT_S} s"  # one more wrong answer
    return done.stdout


def _verdict_file(path: Path) -> Any:
    return json.loads(path.read_text(encoding="ascii")) if path.exists() else None


def _outcome(expectation: Expectation, verdict: Any, printed: str, seconds: float) -> Outcome:
    if verdict is None:
        verdict = {"verdict": "error", "causes": []}
        text = printed
    else:
        text = json.dumps(verdict, indent=1) + "\n" + printed
    causes = verdict["causes"] or [{}]
    first = causes[0]
    vary = expectation.settings.get("vary")
    varied = next((v for v in verdict.get("variations", ()) if v.get("name") == vary), None)
    name, line = expectation.script.name, first.get("line")
    if Path(first.get("file") or name).name != name:
        line = None
    if source := expectation.settings.get("ledger"):
        entries = [e for e in verdict.get("ledger", ()) if e.get("source") == source]
        line = next((e["line"] for e in entries if e.get("line") in expectation.culprits), None)
    return Outcome(
        verdict=verdict["verdict"],
        code=first.get("code", ""),
        detail=first.get("detail", ""),
        line=line,
        confidence=first.get("confidence", ""),
        others=tuple(cause["code"] for cause in causes[1:]),
        seconds=seconds,
        unable=_unable(varied),
        text=text,
        findings=tuple((one["code"], one["line"]) for one in verdict.get("findings", ())),
    )


def _unable(varied: dict[str, Any] | None) -> str:
    if varied is None or varied.get("verdict") in ("same", "different", "failed"):
        return ""
    return str(varied.get("reason") or varied)


def _is_memory(folder: Path) -> bool:
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    kinds = {line.split()[1]: line.split()[2] for line in mounts}
    return kinds.get(str(folder)) == "tmpfs" and os.access(folder, os.W_OK)
