"""What the ranks of a training should agree in, and what they should not, noted by each of them.

Parameters and optimizers are digested at each step in any case. Noted here is which modules are
replicas, what their tensors hold after some of the steps, by name, with the samples that were read
for those steps, and in which epoch each sampler has dealt out its order.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, ref

from samebits.check.record.batch_samples import added, digests_of, summed
from samebits.check.record.epoch_samples import EpochSamples
from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.group_lifetime import keep_group_of
from samebits.core import _native
from samebits.core.interposition import UserLines
from samebits.core.on_import import when_imported

_EVERY_STEP = 10
"""So many steps at the beginning are noted tensor by tensor; from then on ever fewer."""
_APART = 1.1
_SHARDS = "torch.distributed.fsdp._fully_shard._fsdp_param_group"
_LOADER = "torch.utils.data.dataloader"
_MOST_TENSORS = 2_000
_MOST_MODULES = 16
_MOST_SAMPLERS = 64
_MOST_EPOCHS = 1_000


class Replicas:
    """Listens to `DistributedDataParallel`, `fully_shard` and `DistributedSampler`.

    Args:
        native: The process's recorder.
        is_user: Tells the user's own files.
    """

    def __init__(self, native: _native.Recorder, is_user: Callable[[str], bool]) -> None:
        self._native = native
        self._lines = UserLines(is_user)
        self._modules: list[tuple[dict[str, Any], ref[Any]]] = []
        self._sharded: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        self._of_sampler: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
        self._steps: list[dict[str, Any]] = []
        self._next = 0
        self._taken = 0
        self._batches: tuple[int, int] | None = (0, 0)
        self._epochs = EpochSamples()

    def install(self) -> None:
        """Put the hooks in place, now or when torch imports what they are put on."""
        for module, owner, name, after in (
            ("torch.nn.parallel.distributed", "DistributedDataParallel", "__init__", self._wrapped),
            (_SHARDS, "FSDPParamGroup", "__init__", self._was_sharded),
            (_LOADER, "_BaseDataLoaderIter", "__next__", self._received),
            ("torch.utils.data.distributed", "DistributedSampler", "__iter__", self._dealt_out),
        ):
            when_imported(module, functools.partial(self._hook, module, owner, name, after))

    @property
    def reduces(self) -> bool:
        """Whether there is a `DistributedDataParallel` that all-reduces its gradients just now."""
        modules = (known() for _, known in self._modules)
        return any(getattr(module, "require_backward_grad_sync", False) for module in modules)

    def stepped(self, step: int) -> None:
        """Note what the replicas hold, if it is this step's turn.

        Args:
            step: The step that was just made, counted from 0.
        """
        self._taken = step + 1
        if not self._modules or step < self._next:
            return
        together = step - self._modules[0][0]["step"]
        apart = 1 if together < _EVERY_STEP else int(together * (_APART - 1)) + 1
        self._next = step + apart
        digests: dict[str, int] = {}
        pending: list[tuple[str, Any]] = []
        for number, (_, known) in enumerate(self._modules):
            module = known()
            if module is not None:
                for name, tensor in (*module.named_parameters(), *module.named_buffers()):
                    if len(digests) < _MOST_TENSORS:
                        key = f"{number}:{name}"
                        digests[key] = self._native.digest(tensor.detach())
                        later = self._native.take_digests_elsewhere()
                        pending += [(key, one) for _, one in later]
        if pending:
            from samebits.check.record.pending import resolve_digests

            resolve_digests(digests, pending)
        tensors = {name: f"{digest:016x}" for name, digest in digests.items()}
        noted: dict[str, Any] = {"step": step, "tensors": tensors}
        if self._batches is not None and self._batches[0]:
            count, digest = self._batches
            noted["samples"] = [count, f"{digest:016x}"]
        self._batches = (0, 0)
        self._steps.append(noted)

    def to_json(self) -> dict[str, Any]:
        """What the manifest keeps; empty where there are no replicas."""
        if not self._modules and not self._samplers and not self._sharded:
            return {}
        return {
            "modules": [facts for facts, _ in self._modules],
            "sharded": self._sharded,
            "samplers": self._samplers,
            "steps": self._steps,
            "epochs": self._epochs.to_json(),
        }

    def _hook(self, module: str, owner: str, name: str, after: Any) -> None:
        found = getattr(sys.modules[module], owner, None)
        if found is not None and name in vars(found):
            hook_function(self._native, found, name, CALL, after)

    def _wrapped(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        module = args[0]
        keep_group_of(module)
        if len(self._modules) < _MOST_MODULES:
            facts = {
                "place": self._place(),
                "step": self._taken,
                "group": _ranks_in(module.process_group),
                "buffers": bool(module.broadcast_buffers),
                "tensors": [name for name, _ in module.named_buffers()][:_MOST_TENSORS],
            }
            self._modules.append((facts, ref(module)))

    def _was_sharded(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if len(self._sharded) < _MOST_MODULES:
            mesh = kwargs.get("mesh_info", args[3] if len(args) > 3 else None)
            group = _ranks_in(getattr(mesh, "shard_process_group", None))
            self._sharded.append({"place": self._place(), "step": self._taken, "group": group})

    def _dealt_out(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        sampler = args[0]
        facts = self._of_sampler.get(sampler)
        if facts is None:
            if len(self._samplers) >= _MOST_SAMPLERS:
                return
            facts = self._of_sampler[sampler] = {
                "place": self._place(),
                "shuffle": bool(sampler.shuffle),
                "drop_last": bool(sampler.drop_last),
                "samples": len(sampler.dataset),
                "ranks": int(sampler.num_replicas),
                "epochs": [],
                "steps": [],
            }
            self._samplers.append(facts)
        if len(facts["epochs"]) < _MOST_EPOCHS:
            facts["epochs"].append(int(sampler.epoch))
            facts["steps"].append(self._taken)

    def _received(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """A loader has given a batch: one of its epoch, and of its step where that is noted."""
        if not self._modules:
            return
        digests = functools.cache(functools.partial(digests_of, result))

        def read() -> tuple[int, int] | None:
            return summed(digests())

        if self._taken >= self._next:
            self._batches = added(self._batches, read())
        self._epochs.received(args[0], read, self._taken, self._place, digests)

    def _place(self) -> list[Any]:
        """File and line of the user's code."""
        return list(self._lines.current() or ("", 0))


def _ranks_in(group: Any) -> list[int]:
    """The ranks of a process group; empty where torch does not say."""
    if group is None:
        return []
    try:
        return list(sys.modules["torch.distributed"].get_process_group_ranks(group))
    except Exception:
        return []
