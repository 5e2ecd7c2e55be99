"""Q-learning of the flap control of a hydrofoil with three actor processes."""
import copy
import json
import time
import uuid
from datetime import datetime
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from actors import Fleet
from foil import ACTIONS, STATE
from replay import Replay

SEED = 23
ACTORS = 3
CHUNK = 200
ROUNDS = 40
UPDATES = 12
BATCH = 64
GAMMA = 0.97
OUT = Path(__file__).resolve().parent / "out"


def say(text):
    print(f"[{datetime.now():%H:%M:%S}] {text}", flush=True)


class Learner:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(STATE, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(),
                               nn.Linear(48, len(ACTIONS)))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def weights(self):
        return [(layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
                for layer in self.q if isinstance(layer, nn.Linear)]

    def update(self, batch):
        obs, action, reward, nxt, crashed = batch
        with torch.no_grad():
            goal = reward + GAMMA * (1 - crashed) * self.target(nxt).max(1).values
        value = self.q(obs).gather(1, action.long().unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(value, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.q.parameters()):
                slow.lerp_(fast, 0.02)
        return loss.item()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    run = uuid.uuid4().hex[:8]
    say(f"run {run}: {ACTORS} actors")
    fleet = Fleet(ACTORS, SEED, CHUNK)
    learner = Learner()
    replay = Replay(6000, STATE, SEED)
    log, began = [], time.perf_counter()
    for number in range(ROUNDS):
        epsilon = max(0.05, 1.0 - number / (0.6 * ROUNDS))
        chunks = fleet.play(learner.weights(), epsilon)
        for chunk in chunks:
            replay.add(chunk)
        losses = [learner.update(replay.sample(BATCH)) for _ in range(UPDATES)]
        reward = sum(float(c[2].mean()) for c in chunks) / len(chunks)
        log.append({"round": number, "reward": reward, "loss": sum(losses) / len(losses)})
        if number % 10 == 9:
            say(f"round {number + 1}: reward {reward:.4f} loss {log[-1]['loss']:.5f}")
    fleet.close()
    say(f"trained in {time.perf_counter() - began:.1f} s")

    OUT.mkdir(exist_ok=True)
    torch.save(learner.q.state_dict(), OUT / "q.pt")
    (OUT / "results.json").write_text(json.dumps({"run": run, "rounds": log}, indent=1))


if __name__ == "__main__":
    main()
