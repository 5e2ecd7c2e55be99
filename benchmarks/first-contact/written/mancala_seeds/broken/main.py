import logging
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

from arena import Arena

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger("mancala")


@dataclass
class Config:
    seed: int = 20
    rounds: int = 14
    games: int = 12
    hidden: int = 64
    lr: float = 3e-3


class KalahNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(14, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy = nn.Linear(hidden, 6)
        self.value = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x / 6.0)
        return self.policy(h), self.value(h).squeeze(-1)


def batch_of(results):
    views, moves, returns = [], [], []
    for v, m, players, margin in results:
        views += v
        moves += m
        returns += [(margin if p == 0 else -margin) / 24.0 for p in players]
    return torch.tensor(views, dtype=torch.float32), torch.tensor(moves), torch.tensor(returns)


def learn(net, opt, results):
    x, moves, returns = batch_of(results)
    logits, value = net(x)
    advantage = (returns - value).detach()
    logp = F.log_softmax(logits, 1)
    chosen = logp.gather(1, moves[:, None]).squeeze(1)
    entropy = -(logp.exp() * logp).sum(1).mean()
    loss = -(chosen * advantage).mean() + 0.5 * F.mse_loss(value, returns) - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    return loss.item(), len(moves)


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    net = KalahNet(cfg.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    arena = Arena(net, cfg.seed)
    for number in range(cfg.rounds):
        results = arena.play_round(number, cfg.games)
        loss, plies = learn(net, opt, results)
        wins = sum(r[3] > 0 for r in results)
        print(f"round {number:2d}  plies {plies:4d}  first player won {wins:2d}/{cfg.games}  loss {loss:+.5f}")
    log.info("tables were busy for %.2f s", arena.busy)
    torch.save(net.state_dict(), "kalah.pt")


if __name__ == "__main__":
    main()
