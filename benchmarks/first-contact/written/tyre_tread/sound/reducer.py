"""Averages gradients over the ranks while the backward pass is still going on."""
from __future__ import annotations

import torch.distributed as dist
from torch import nn


class OverlapReducer:
    """Starts one all-reduce for each parameter as soon as its gradient is complete."""

    def __init__(self, model: nn.Module) -> None:
        self.world = dist.get_world_size()
        self.pending: list[tuple[nn.Parameter, dist.Work]] = []
        self.hooks = [p.register_post_accumulate_grad_hook(self._launch) for p in model.parameters()]
        for p in model.parameters():
            dist.broadcast(p.data, src=0)

    def _launch(self, param: nn.Parameter) -> None:
        work = dist.all_reduce(param.grad, op=dist.ReduceOp.SUM, async_op=True)
        self.pending.append((param, work))

    def finish(self) -> int:
        launched = len(self.pending)
        for param, work in self.pending:
            work.wait()
        for param, _ in self.pending:
            param.grad.div_(self.world)
        self.pending.clear()
        return launched

    def remove(self) -> None:
        for hook in self.hooks:
            hook.remove()
