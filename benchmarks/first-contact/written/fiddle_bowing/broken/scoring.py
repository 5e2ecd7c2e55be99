"""Scores and stores each epoch's weights beside the training, which does not wait for it."""
import copy
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.func import functional_call
from torch.nn import functional as F
from torch.utils.data import DataLoader


class EpochScorer:
    def __init__(self, net, notes, folder):
        self.net = copy.deepcopy(net).eval()
        self.batches = list(DataLoader(notes, batch_size=40))
        self.folder = folder
        self.pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="scorer")
        self.pending = []

    def submit(self, epoch, net):
        weights = {name: value.detach().cpu() for name, value in net.state_dict().items()}
        self.pending.append(self.pool.submit(self._score, epoch, weights))

    @torch.no_grad()
    def _score(self, epoch, weights):
        loss, right, count = 0.0, 0, 0
        for x, y in self.batches:
            out = functional_call(self.net, weights, (x,))
            loss += F.cross_entropy(out, y, reduction="sum").item()
            right += int((out.argmax(1) == y).sum())
            count += len(y)
        path = self.folder / f"epoch{epoch:02d}.pt"
        torch.save(weights, path)
        print(f"   scored epoch {epoch}: loss {loss / count:.4f}, {right / count:.1%} right")
        return {"epoch": epoch, "loss": loss / count, "right": right / count, "path": path}

    def results(self):
        self.pool.shutdown(wait=True)
        return [future.result() for future in self.pending]


def average(paths):
    """Weights averaged over several stored epochs."""
    states = [torch.load(path) for path in paths]
    return {
        name: torch.stack([state[name] for state in states]).mean(0) if value.is_floating_point() else value
        for name, value in states[0].items()
    }
