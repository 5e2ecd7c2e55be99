import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs_size, actions, hidden):
        super().__init__()
        self.body = nn.Linear(obs_size, hidden)
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = torch.tanh(self.body(obs))
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class Learner:
    def __init__(self, cfg, obs_size, actions):
        self.cfg = cfg
        self.net = ActorCritic(obs_size, actions, cfg.hidden)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)

    def weights(self):
        return {k: v.detach().numpy().copy() for k, v in self.net.state_dict().items()}

    def collect(self, rollouts):
        parts = [rollouts.get(timeout=60) for _ in range(self.cfg.actors)]
        parts.sort(key=lambda part: part[0])
        _, obs, act, logp, ret, score = zip(*parts)
        batch = [torch.from_numpy(np.concatenate(column)) for column in (obs, act, logp, ret)]
        return batch, float(np.mean(score))

    def update(self, batch):
        cfg = self.cfg
        obs, act, old_logp, ret = batch
        with torch.no_grad():
            advantage = ret - self.net(obs)[1]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
        for _ in range(cfg.epochs):
            for pick in torch.randperm(len(obs)).split(cfg.minibatch):
                dist, value = self.net(obs[pick])
                ratio = (dist.log_prob(act[pick]) - old_logp[pick]).exp()
                a = advantage[pick]
                surrogate = torch.min(ratio * a, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * a)
                loss = (
                    -surrogate.mean()
                    + 0.25 * (value - ret[pick]).pow(2).mean()
                    - 0.01 * dist.entropy().mean()
                )
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.optimizer.step()
        return loss.item()
