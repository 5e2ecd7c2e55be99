"""Validation beside the training: a thread scores the weights of one epoch while the next is being trained."""

import copy
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.func import functional_call

from molecules import NUCLEI, SCALE, take


def snapshot(model):
    """The weights as they are now, off the device."""
    return {name: tensor.detach().cpu() for name, tensor in model.state_dict().items()}


@torch.no_grad()
def errors(net, weights, parts):
    """Mean absolute error in ppm of each nucleus."""
    total = {nucleus: 0.0 for nucleus in NUCLEI}
    count = {nucleus: 0 for nucleus in NUCLEI}
    for part in parts:
        predicted = functional_call(net, weights, (part.kinds, part.links))
        error = (predicted - part.target).abs()
        for nucleus, kind in NUCLEI.items():
            atoms = (part.kinds == kind) & (part.measured > 0)
            total[nucleus] += error[atoms].sum().item() * SCALE[kind]
            count[nucleus] += int(atoms.sum())
    return {nucleus: float(total[nucleus] / max(1, count[nucleus])) for nucleus in NUCLEI}


class BackgroundValidator:
    def __init__(self, model, molecules, batch_size=16):
        self.net = copy.deepcopy(model).eval()
        rows = torch.arange(len(molecules.kinds)).split(batch_size)
        self.parts = [take(molecules, part) for part in rows]
        self.seconds = 0.0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="validate")

    def _score(self, weights):
        began = time.perf_counter()
        result = errors(self.net, weights, self.parts)
        self.seconds += time.perf_counter() - began
        return result

    def submit(self, weights):
        """Starts to score `weights`; the future's result is a dictionary of errors."""
        return self._pool.submit(self._score, weights)

    def close(self):
        self._pool.shutdown()
