"""Averages the parameters of all ranks while training goes on (delayed averaging)."""
import torch
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class DelayedAverage:
    """Every `period` steps a snapshot is reduced in the background and merged when it is there."""

    def __init__(self, model, period=6):
        self.model = model
        self.period = period
        self.steps = 0
        self.pending = None
        self.merged = 0

    def launch(self):
        own = parameters_to_vector(self.model.parameters()).detach().clone()
        total = own.clone()
        self.pending = (dist.all_reduce(total, async_op=True), own, total)

    @torch.no_grad()
    def merge(self):
        work, own, total = self.pending
        work.wait()
        now = parameters_to_vector(self.model.parameters())
        vector_to_parameters(now + total / dist.get_world_size() - own, self.model.parameters())
        self.pending = None
        self.merged += 1

    def step(self):
        self.steps += 1
        if self.pending is not None:
            if self.pending[0].is_completed():
                self.merge()
        if self.steps % self.period == 0:
            if self.pending is not None:
                self.merge()
            self.launch()

    @torch.no_grad()
    def finish(self):
        if self.pending is not None:
            self.merge()
        for parameter in self.model.parameters():
            dist.all_reduce(parameter.data)
            parameter.data /= dist.get_world_size()
