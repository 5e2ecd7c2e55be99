"""Started by test_distributed.py: forks ranks that train, save and resume together.

    python ranks.py FOLDER WORLD_SIZE [resize]

Prints a line of JSON for each thing that was tried.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # what the first optimizer would import, in every rank anew
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import samebits
from samebits.errors import CheckpointError
from samebits.training.checkpoint import distributed
from samebits.training.checkpoint.folder import CheckpointFolder

warnings.simplefilter("ignore")
FOLDER, SIZE = Path(sys.argv[1]), int(sys.argv[2])


class Training:
    """A model on all ranks, each with data and dropout of its own."""

    def __init__(self, kind: str, folder: Path) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(32, 64), nn.Dropout(0.3), nn.Linear(64, 30))
        if kind == "sharded":
            fully_shard(self.model, mesh=init_device_mesh("cpu", (SIZE,)))
        torch.manual_seed(100 + dist.get_rank())
        self.kind = kind
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.run = samebits.Checkpoint(folder, keep=9, model=self.model, optimizer=self.optimizer)

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.optimizer.zero_grad()
            self.model(torch.randn(4, 32)).square().mean().backward()
            if self.kind == "replicated":
                for p in self.model.parameters():
                    dist.all_reduce(p.grad)
            self.optimizer.step()
            self.run.save()

    def whole(self) -> list[str]:
        """Digests of all parameters, put together from their shards."""
        parts = self.model.state_dict().values()
        return [
            samebits.fingerprint(p.full_tensor() if hasattr(p, "full_tensor") else p) for p in parts
        ]

    def bits(self) -> list[Any]:
        mine = samebits.fingerprint([torch.get_rng_state(), self.whole(), self.momenta()])
        return gathered(mine)

    def momenta(self) -> list[str]:
        entries = (self.optimizer.state[p]["exp_avg"] for p in self.model.parameters())
        return [
            samebits.fingerprint(e.full_tensor() if hasattr(e, "full_tensor") else e)
            for e in entries
        ]


def gathered(value: Any) -> list[Any]:
    told: list[Any] = [None] * SIZE
    dist.all_gather_object(told, value)
    return told


def tell(what: str, **facts: Any) -> None:
    if dist.get_rank() == 0:
        print(json.dumps({"what": what, **facts}), flush=True)


def resumes(kind: str) -> None:
    straight = Training(kind, FOLDER / f"{kind}-straight")
    straight.steps(5)
    tell(f"{kind} straight", bits=straight.bits())
    Training(kind, FOLDER / kind).steps(3)
    resumed = Training(kind, FOLDER / kind)
    step = resumed.run.restore().step
    resumed.run._folder.path = FOLDER / f"{kind}-more"  # the checkpoints are looked at later
    resumed.steps(2)
    tell(f"{kind} resumed", bits=resumed.bits(), step=step)
    copy = FOLDER / f"{kind}-damaged"
    if dist.get_rank() == 0:
        shutil.copytree(FOLDER / kind, copy)
        name = "shards/shards-1.safetensors" if kind == "sharded" else "rank-1/tensors.safetensors"
        file = copy / "step-00000003" / name
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)
    dist.barrier()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        step = Training(kind, copy).run.restore().step
    tell(f"{kind} damaged", step=step, warned=" ".join(str(w.message) for w in caught))


def one_rank_refuses() -> None:
    run = Training("replicated", FOLDER / "replicated").run
    if dist.get_rank() == 1:

        class Refusing:
            def state_dict(self) -> dict[str, Any]:
                return {}

            def load_state_dict(self, state: Any) -> None: ...

        run.register("mine", Refusing())
    raised = ""
    try:
        run.restore()
    except CheckpointError as error:
        raised = str(error).replace("was given now, and is not", "1 is not")
    tell("one rank refuses", raised=raised if all(gathered(raised)) else "")


class Rank1Fails:
    """An object of the person's own whose code fails on rank 1 alone."""

    def __init__(self, where: str) -> None:
        self.where = where

    def fail(self, where: str) -> None:
        if where == self.where and dist.get_rank() == 1:
            raise KeyError(f"lost in {where}")

    def state_dict(self) -> dict[str, Any]:
        self.fail("state_dict")
        return {"a": 1}

    def load_state_dict(self, state: Any) -> None:
        self.fail("load_state_dict")


def one_rank_fails() -> None:
    """In every place where something of the person's own, or of the system's, may fail."""
    folder = FOLDER / "failing"
    mine = Rank1Fails("")
    training = Training("replicated", folder)
    training.run.register("mine", mine)
    training.steps(1)
    before = training.bits()
    saved = gathered(sorted(p.name for p in folder.iterdir()))

    def said(action: Any) -> list[str]:
        try:
            action()
        except CheckpointError as error:
            return gathered(str(error).splitlines()[0])
        return gathered("nothing")

    mine.where = "state_dict"
    tell("fails in state_dict", said=said(training.run.save))
    training.run.step = 1
    mine.where = "load_state_dict"
    with torch.no_grad():
        training.model[0].weight.add_(1)
    changed = training.bits()
    tell("fails in load_state_dict", said=said(training.run.restore))
    unchanged = training.bits() == changed  # also on rank 0, where nothing failed
    mine.where = ""

    places = CheckpointFolder.places
    if dist.get_rank() == 0:

        def refuse(self: Any) -> Any:
            raise CheckpointError("cannot read the folder")

        CheckpointFolder.places = refuse
    tell("fails in looking", said=said(training.run.restore))
    tell("fails in looking elsewhere", said=said(lambda: training.run.restore(FOLDER / "none")))
    CheckpointFolder.places = places

    write, distributed.write_own_files = distributed.write_own_files, wrong_on_rank(0)
    tell("fails in writing", said=said(training.run.save))
    distributed.write_own_files = wrong_on_rank(1)
    tell("fails in writing on 1", said=said(training.run.save))
    distributed.write_own_files = write
    folder_write, CheckpointFolder._sweep = CheckpointFolder._sweep, wrong_on_rank(0)
    tell("fails before writing", said=said(training.run.save))
    CheckpointFolder._sweep = folder_write
    kept = gathered(sorted(p.name for p in folder.iterdir())) == saved
    training.run.restore()
    restored = training.bits() == before
    tell("after all that", unchanged=unchanged, kept=kept, restored=restored)


def wrong_on_rank(rank: int) -> Any:
    def wrong(*_: Any) -> None:
        if dist.get_rank() == rank:
            raise RuntimeError("no such thing")

    return wrong


def resizes(kind: str) -> None:
    training = Training(kind, FOLDER / kind)
    raised = ""
    try:
        training.run.restore()
    except CheckpointError as error:
        raised = str(error)
    tell(f"{kind} strict", raised=raised)
    training.run.restore(strict=False)
    tell(
        f"{kind} resized",
        whole=training.whole(),
        wanted=json.loads((FOLDER / f"{kind}.json").read_text()),
    )


def remember(kind: str) -> None:
    """Note the digests of the checkpoint of step 3, for the run of another size."""
    training = Training(kind, FOLDER / kind)
    training.run.restore()
    whole = training.whole()
    if dist.get_rank() == 0:
        (FOLDER / f"{kind}.json").write_text(json.dumps(whole))


def rank_main(rank: int) -> None:
    torch.set_num_threads(1)
    store = dist.FileStore(str(FOLDER / f"store-{SIZE}"), SIZE)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=SIZE)
    for kind in ("replicated", "sharded"):
        if "resize" in sys.argv:
            resizes(kind)
        else:
            resumes(kind)
            remember(kind)
    if "resize" not in sys.argv:
        one_rank_refuses()
        one_rank_fails()
    dist.barrier()
    dist.destroy_process_group()


def main() -> None:
    children = []
    for rank in range(SIZE):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                rank_main(rank)
                status = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        children.append(child)
    failed = [os.waitpid(child, 0)[1] for child in children]
    raise SystemExit(1 if any(failed) else 0)


if __name__ == "__main__":
    main()
