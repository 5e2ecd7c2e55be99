"""Training, with a thread of its own for the validation of each round."""
import copy
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from stager import validate

TAIL = 5                # the result is the mean of the last rounds' weights


class Validator:
    """Scores snapshots in the background; says when nothing has improved for a while."""

    def __init__(self, x, y, patience):
        self.x, self.y, self.patience = x, y, patience
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.best, self.since = float("inf"), 0
        self.pending = []

    def submit(self, net):
        self.pending.append(self.pool.submit(self._score, copy.deepcopy(net)))

    def _score(self, net):
        loss = validate(net, self.x, self.y)
        self.since = 0 if loss < self.best else self.since + 1
        self.best = min(self.best, loss)
        return loss, self.since >= self.patience

    def stale(self):
        """Whether the rounds scored up to now have stopped improving."""
        return any(job.result()[1] for job in self.pending if job.done())

    def close(self):
        self.pool.shutdown(wait=True)
        return [{"round": i, "loss": job.result()[0]} for i, job in enumerate(self.pending)]


def one_round(net, opt, x, y, batch=64):
    net.train()
    for idx in torch.randperm(len(x)).split(batch):
        loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()


def mean_state(states):
    return {k: torch.stack([s[k] for s in states]).mean(0) for k in states[0]}


def train(net, fit_set, val_set, rounds, patience):
    validator = Validator(*val_set, patience)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    states = []
    for _ in range(rounds):
        one_round(net, opt, *fit_set)
        states.append(copy.deepcopy(net.state_dict()))
        validator.submit(net)
        if validator.stale():
            break
    log = validator.close()
    net.load_state_dict(mean_state(states[-TAIL:]))
    return net, log
