"""What happens in a worker process before its first sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from torch.utils.data import _utils

from samebits.training.data.orphans import end_with_parent

_SHARDING = ("id", "num_workers")


class BatchSource(Protocol):
    """What a worker fetches batches from."""

    dataset: Any

    def enter_worker(self, info: WorkerInfo) -> None:
        """Take note of the worker that this is."""


class WorkerInfo:
    """What `torch.utils.data.get_worker_info()` says in a worker, and whether it was asked.

    Args:
        info: torch's own answer.
        dataset: The person's dataset, in place of what carries it here.
        worker_id: The worker's number; differs from torch's where a stream was taken up in between.

    Attributes:
        dataset: As given.
        number: The worker's number, for those who ask for their own needs.
        workers: How many workers there are, likewise.
        asked: Whether the person's code asked for either.
        when_asked: Called at the next such question, before it is answered.
    """

    def __init__(self, info: Any, dataset: Any, worker_id: int) -> None:
        self._info = info
        self.dataset = dataset
        self.number = worker_id
        self.workers = int(info.num_workers)
        self.asked = False
        self.when_asked: Callable[[], None] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _SHARDING:
            self.asked = True
            called, self.when_asked = self.when_asked, None
            if called is not None:
                called()
        return self.number if name == "id" else getattr(self._info, name)

    def __repr__(self) -> str:
        return f"WorkerInfo(id={self.number}, num_workers={self.workers})"


class WorkerStart:
    """A `worker_init_fn` that tells the source where it is, and then calls the person's own.

    Args:
        init: The person's `worker_init_fn`.
        turn: The number of the worker whose batch comes first.
    """

    def __init__(self, init: Callable[[int], None] | None, turn: int = 0) -> None:
        self._init = init
        self._turn = turn

    def __call__(self, worker_id: int) -> None:
        """Prepare the worker with torch's number `worker_id`."""
        module: Any = _utils.worker
        end_with_parent(module)
        info = module.get_worker_info()
        source: BatchSource = info.dataset
        own_id = (worker_id + self._turn) % info.num_workers
        watched = WorkerInfo(info, source.dataset, own_id)
        # What people ask is torch's function, and this is where it looks.
        module._worker_info = watched
        source.enter_worker(watched)
        if self._init is not None:
            self._init(own_id)
