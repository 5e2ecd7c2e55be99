"""Actor-learner training of a curling skip. Rank 0 learns, the others throw stones."""
import logging
import os
import tempfile
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

import rink

SEED = 7
ACTORS = 2
ROUNDS = 40
STONES = 12

os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")


class Skip(nn.Module):
    """From the ice (its spin and a target) to the mean of speed and angle."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
        self.log_std = nn.Parameter(torch.tensor([-1.5, -3.5]))

    def forward(self, ice):
        mean = self.net(ice) * torch.tensor([0.5, 0.05]) + torch.tensor([2.6, 0.0])
        return torch.distributions.Normal(mean, self.log_std.exp())


def build():
    torch.manual_seed(SEED)
    return Skip()


def learner(log):
    model = build()
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    size = parameters_to_vector(model.parameters()).numel()
    message = torch.empty(size + 1)
    rewards = []
    start = time.time()
    for update in range(ROUNDS * ACTORS):
        actor = dist.recv(message)
        rewards.append(message[-1].item())
        offset = 0
        for p in model.parameters():
            p.grad = message[offset : offset + p.numel()].view_as(p).clone()
            offset += p.numel()
        opt.step()
        dist.send(parameters_to_vector(model.parameters()).detach(), dst=actor)
        if update % 20 == 19:
            print(f"{update + 1:3d} updates, reward {np.mean(rewards[-20:]):.5f}", flush=True)
    log.info("%.1f updates a second", len(rewards) / (time.time() - start))
    torch.save(model.state_dict(), "skip.pt")


def actor(rank):
    model = build()
    torch.manual_seed(SEED + rank)
    rng = np.random.default_rng(SEED + rank)
    baseline = 0.0
    for _ in range(ROUNDS):
        ice = torch.from_numpy(rng.uniform(-1, 1, (STONES, 2))).float()
        policy = model(ice)
        shots = policy.sample()
        reward = np.array([
            rink.score(rink.throw(max(speed, 0.5), angle, spin, rng))
            for (speed, angle), spin in zip(shots.tolist(), ice[:, 0].tolist())
        ])
        advantage = torch.from_numpy(reward - baseline).float()
        baseline = 0.8 * baseline + 0.2 * reward.mean()
        loss = -(policy.log_prob(shots).sum(1) * advantage).mean()
        grads = torch.autograd.grad(loss, list(model.parameters()))
        message = torch.cat([g.reshape(-1) for g in grads] + [torch.tensor([reward.mean()], dtype=torch.float32)])
        dist.send(message, dst=0)
        weights = torch.empty(message.numel() - 1)
        dist.recv(weights, src=0)
        vector_to_parameters(weights, model.parameters())


def run(rank, store):
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ACTORS + 1)
    if rank == 0:
        learner(logging.getLogger("learner"))
    else:
        actor(rank)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="curling-") as folder:
        mp.start_processes(run, (os.path.join(folder, "store"),), nprocs=ACTORS + 1, start_method="fork")
