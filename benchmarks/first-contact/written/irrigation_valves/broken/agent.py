import copy

import torch
import torch.nn.functional as F
from torch import nn


class Agent:
    def __init__(self, inputs, actions, cfg):
        self.gamma = cfg.gamma
        self.online = nn.Sequential(
            nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, actions)
        )
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=cfg.lr)

    @torch.no_grad()
    def greedy(self, state):
        return int(self.online(torch.from_numpy(state)).argmax())

    def learn(self, batch):
        states, actions, rewards, followings, ends = batch
        with torch.no_grad():
            best = self.online(followings).argmax(dim=1, keepdim=True)
            value = self.target(followings).gather(1, best).squeeze(1)
            goal = rewards + self.gamma * (1 - ends) * value
        guess = self.online(states).gather(1, actions.unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(guess, goal)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 5.0)
        self.optimizer.step()
        return loss.item()

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())
