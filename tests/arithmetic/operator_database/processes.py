"""One process for each capability of this processor, and their answers held against each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).parents[3]

CAPABILITIES = {"DEFAULT": "plain", "AVX2": "avx2", "AVX512": "avx512"}
"""Builds of torch's kernels, plainest first, each with the build of ours that runs beside it."""


def capabilities() -> list[str]:
    """Those that this processor can run."""
    names = list(CAPABILITIES)
    best = torch.backends.cpu.get_cpu_capability()
    return names[: names.index(best) + 1] if best in names else [best]


class Worker:
    """A process that computes.

    Args:
        capability: Which kernels it runs.
    """

    def __init__(self, capability: str) -> None:
        self.capability = capability
        build = CAPABILITIES.get(capability)
        # torch's samples come in the order of sets of words.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        environment["ATEN_CPU_CAPABILITY"] = capability.lower()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.arithmetic.operator_database.worker"],
            cwd=ROOT,
            env={**environment, **({"SAMEBITS_ISA": build} if build else {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, request: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        """The next line that it writes; None if it is gone."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def close(self) -> int:
        """End it; return its exit status."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
        return self._process.wait()


class Workers:
    """A process for each capability.

    Args:
        folder: Where the samples' values are handed on.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workers = [Worker(name) for name in capabilities()]
        hellos = [self._hello(worker) for worker in self._workers]
        self.dtypes: dict[str, list[str]] = hellos[0]["dtypes"]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: Any) -> None:
        for worker in self._workers:
            worker.close()

    def judged(self, entry: str, dtype: str) -> list[dict[str, Any]]:
        """What all samples of an entry have come to, in the words of `judgement.Judged`."""
        request = {"entry": entry, "dtype": dtype, "file": str(self._folder / "values")}
        self._workers[0].ask({**request, "do": "write"})
        structure = self._workers[0].answer()
        for worker in self._workers:
            worker.ask({**request, "do": "compute", "structure": structure})
        answers = [worker.answer() for worker in self._workers]
        for place, one in enumerate(answers):
            if one is None:
                return [self._gone(place)]
        first, *others = answers
        for worker, answer in zip(self._workers[1:], others, strict=True):
            for mine, other in zip(first, answer, strict=True):
                _hold_against(mine, other, worker.capability)
        return first  # type: ignore[no-any-return]

    def _gone(self, place: int) -> dict[str, Any]:
        """Say how a process has ended, and start another one."""
        old = self._workers[place]
        self._workers[place] = new = Worker(old.capability)
        self._hello(new)
        text = f"the process with {old.capability} ended with status {old.close()}"
        return {
            "forward": "wrong",
            "backward": "nothing",
            "refused_ways": [],
            "why": [],
            "problems": [text],
        }

    @staticmethod
    def _hello(worker: Worker) -> Any:
        hello = worker.answer()
        assert hello is not None, f"the process with {worker.capability} does not start"
        assert hello["capability"] in (worker.capability, f"{worker.capability} "), hello
        return hello


def _hold_against(mine: dict[str, Any], other: dict[str, Any], capability: str) -> None:
    """Add to the problems of a sample what is different with another capability."""
    for text in other["problems"]:
        if text not in mine["problems"]:
            mine["problems"].append(f"{text} ({capability})")
    for what in ("forward", "backward", "why", "refused_ways", "bits"):
        if mine[what] != other[what]:
            mine["problems"].append(f"{what}: another with {capability}: {other[what]}")
