"""Q-learning for a pinball table: the next games are played while the net learns from the earlier ones."""
import argparse
import copy
import time

import numpy as np
import torch
from torch import nn

from player import Player, Replay


def learn(net, target, opt, replay, rng, updates, batch=64, discount=0.95):
    total = 0.0
    for _ in range(updates):
        s, a, r, n, done = replay.sample(batch, rng)
        with torch.no_grad():
            goal = r + discount * (1 - done) * target(n).max(1).values
        loss = nn.functional.smooth_l1_loss(net(s).gather(1, a[:, None]).squeeze(1), goal)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total / updates


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=12)
    ap.add_argument("--steps", type=int, default=400)
    ap.add_argument("--updates", type=int, default=50)
    ap.add_argument("--seed", type=int, default=8)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    started = time.perf_counter()

    net = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))
    target = copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    replay = Replay()
    player = Player(replay, args.seed)
    rng = np.random.default_rng(args.seed)

    player.finish(player.start(net, args.steps, explore=1.0))
    for number in range(args.rounds):
        game = player.start(net, args.steps, explore=max(0.1, 0.8 - 0.08 * number))
        loss = learn(net, target, opt, replay, rng, args.updates)
        score = player.finish(game)
        if number % 2:
            target.load_state_dict(net.state_dict())
        print(f"round {number:2d}  loss {loss:.6f}  score {score:.2f}  memory {len(replay)}")
    player.pool.shutdown()
    print(f"{args.rounds * args.steps / (time.perf_counter() - started):.0f} moves per second")
    print(f"weights {sum(p.double().abs().sum().item() for p in net.parameters()):.10f}")


if __name__ == "__main__":
    main()
