"""Averages gradients over the ranks while the backward pass still runs."""
import torch
import torch.distributed as dist
from torch import nn


class GradientReducer:
    def __init__(self, model: nn.Module):
        self.world = dist.get_world_size()
        self.launched = 0
        self.pending = []
        for parameter in model.parameters():
            dist.broadcast(parameter.data, src=0)
            parameter.register_post_accumulate_grad_hook(self._launch)

    def _launch(self, parameter: torch.Tensor):
        parameter.grad.div_(self.world)
        self.pending.append(dist.all_reduce(parameter.grad, async_op=True))
        self.launched += parameter.numel() * parameter.element_size()

    def finish(self):
        """To be called between backward() and step()."""
        for work in self.pending:
            work.wait()
        self.pending.clear()
