"""A fix keeps what the line is for: pasted, two runs agree, and what was distinct still is."""

from __future__ import annotations

import random
import textwrap

import numpy as np
import pytest
import torch
from tests.check.causes.made_up import entry

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.fix import fix

from .fix_cases import CASES


@pytest.fixture(autouse=True)
def generators_as_before():
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])
    torch.set_rng_state(states[2])


def pasted(text, line, written):
    """A program with what a fix says in place of a line, and its first lines where they belong."""
    start, place = [], []
    for one in written.splitlines():
        goes_first = "# at the start" in one or "# at the top" in one
        (start if goes_first else place).append(one)
    lines = text.splitlines()
    old = lines[line - 1]
    indent = old[: len(old) - len(old.lstrip())]
    lines[line - 1 : line] = textwrap.indent("\n".join(place), indent).splitlines()
    # After the imports that every program begins with.
    last = max(n for n, one in enumerate(lines) if one.startswith("import "))
    lines[last + 1 : last + 1] = [one for one in start if "import" not in one]
    return "\n".join([*(one for one in start if "import" in one), *lines]) + "\n"


def one_run(program, case):
    """What every process of a run draws: of a loader's workers in two epochs, or of two ranks."""
    drawn = []
    for rank in (0, 1) if case.ranks else (0,):
        # Nothing is seeded when a script begins.
        random.seed()
        np.random.seed()
        torch.seed()
        space = {"WORKER": rank}
        exec(compile(program, "<pasted>", "exec"), space)
        if not case.in_worker:
            drawn.append(space["draws"]())
            continue
        for _epoch in range(2):
            base = torch.empty((), dtype=torch.int64).random_().item()
            for worker in range(3):
                drawn.append(in_worker(space, base, worker))
    return drawn


def in_worker(space, base, worker):
    """As torch begins a worker of a DataLoader."""
    outside = torch.get_rng_state()
    seed = base + worker
    random.seed(seed)
    torch.manual_seed(seed)
    np.random.seed(seed % 2**32)
    space.update(WORKER=worker, worker_id=worker)
    try:
        return space["draws"]()
    finally:
        torch.set_rng_state(outside)


@pytest.mark.parametrize("name", CASES)
def test_pasted_runs_agree_and_numbers_stay_distinct(name, tmp_path):
    case = CASES[name]
    program = case.program.replace("{}", case.line)
    line = program[: program.index(case.line)].count("\n") + 1
    script = tmp_path / "script.py"
    script.write_text(program)
    assert one_run(program.replace("worker_id", "WORKER"), case)  # it runs as it is
    row = {"calls": case.calls, "seeded": 0, "worker": 0 if case.in_worker else -1}
    what = entry(case.source, case.event, line, **row, detail=case.detail)
    place = Culprit(file=str(script), line=line, detail=case.source, entry=what)
    written = fix(case.code, place, frozenset({"seeds"}))
    mended = pasted(program, line, written)
    first, second = one_run(mended, case), one_run(mended, case)
    assert first == second, written
    numbers = [number for process in first for number in process]
    assert len(set(numbers)) == len(numbers), written
