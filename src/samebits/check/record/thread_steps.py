"""Optimizer steps on other threads than the recorded one.

Which of several threads steps first is a matter of timing, so that such steps are no rows of the
run: what each optimizer has made of its parameters, step after step, is one digest, and the digests
of all optimizers are compared without an order.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

from samebits.check.record.optimizer_order import OptimizerOrder
from samebits.core.fingerprint.tree import fingerprint
from samebits.core.interposition import UserLines
from samebits.errors import SamebitsError

_MOST_OPTIMIZERS = 10_000


@dataclass
class _ThreadTraining:
    file: str
    line: int
    steps: int = 0
    digest: bytes = b""


class ThreadSteps:
    """Digests the parameters of each optimizer after each of its steps.

    Args:
        lines: Finds the user's line that steps.
        order: Knows in which order an optimizer's parameters are digested.
    """

    def __init__(self, lines: UserLines, order: OptimizerOrder) -> None:
        self._lines = lines
        self._order = order
        self._trainings: list[_ThreadTraining] = []
        self._of_optimizer: WeakKeyDictionary[Any, _ThreadTraining] = WeakKeyDictionary()

    def stepped(self, optimizer: Any) -> None:
        """Note a step that this thread has just made."""
        training = self._of_optimizer.get(optimizer)
        if training is None:
            if len(self._trainings) >= _MOST_OPTIMIZERS:
                return
            file, line = self._lines.current() or ("", 0)
            training = self._of_optimizer[optimizer] = _ThreadTraining(file, line)
            self._trainings.append(training)
        parameters = [p.detach() for p in self._order.parameters(optimizer)]
        try:
            digest = fingerprint(parameters)
        except SamebitsError:
            digest = ""  # of a kind of tensor that has no fingerprint
        training.steps += 1
        training.digest = blake2b(training.digest + digest.encode(), digest_size=16).digest()

    def to_json(self) -> list[dict[str, Any]]:
        """An entry for each optimizer, in an order that no timing decides."""
        entries = [
            {"file": one.file, "line": one.line, "steps": one.steps, "digest": one.digest.hex()}
            for one in self._trainings
        ]
        return sorted(entries, key=lambda entry: tuple(entry.values()))
