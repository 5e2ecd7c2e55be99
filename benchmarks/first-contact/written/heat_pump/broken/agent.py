import torch
from torch import nn
import torch.nn.functional as F

from house import LEVELS
from memory import Explorer, Replay

OBSERVED = 5


def q_network(width=48):
    return nn.Sequential(
        nn.Linear(OBSERVED, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, len(LEVELS))
    )


class Agent:
    PARTS = ("online", "target", "optimizer", "replay")

    def __init__(self, seed=None, gamma=0.95, rate=1e-3, sync=150):
        self.online, self.target = q_network(), q_network()
        self.target.load_state_dict(self.online.state_dict())
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=rate)
        self.replay = Replay(4000, OBSERVED)
        self.explorer = Explorer(len(LEVELS), seed)
        self.gamma, self.sync, self.steps = gamma, sync, 0

    @torch.no_grad()
    def greedy(self, seen):
        return int(self.online(torch.tensor(seen)).argmax())

    def act(self, seen):
        self.steps += 1
        return self.explorer.choose(lambda: self.greedy(seen), self.steps)

    def learn(self, batch=48):
        seen, then, action, reward, done = self.replay.sample(batch)
        with torch.no_grad():
            best = self.online(then).argmax(dim=1, keepdim=True)
            goal = reward + self.gamma * (1 - done) * self.target(then).gather(1, best).squeeze(1)
        value = self.online(seen).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(value, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if self.steps % self.sync == 0:
            self.target.load_state_dict(self.online.state_dict())
        return loss.item()

    def save(self, path):
        state = {part: getattr(self, part).state_dict() for part in self.PARTS}
        torch.save({"steps": self.steps, **state}, path)

    def load(self, path):
        state = torch.load(path, weights_only=False)
        self.steps = state["steps"]
        for part in self.PARTS:
            getattr(self, part).load_state_dict(state[part])
