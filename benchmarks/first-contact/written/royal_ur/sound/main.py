import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from learner import Replay, ValueNet, play_game, targets
from players import CasualPlayer, ValuePlayer


def evaluate(net, games, seed):
    agent = ValuePlayer(net)
    opponent = CasualPlayer(blunder=0.1, rng=random.Random(seed))
    dice = np.random.default_rng(seed)
    return sum(play_game(agent, opponent, dice)[1] for _ in range(games)) / games


def main():
    parser = argparse.ArgumentParser(description="learn the Royal Game of Ur from play")
    parser.add_argument("--games", type=int, default=240)
    parser.add_argument("--updates", type=int, default=4, help="gradient steps per game")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--out", default="ur_runs")
    args = parser.parse_args()

    torch.set_num_threads(1)      # the nets are tiny, more threads only get in the way
    torch.manual_seed(args.seed)
    net = ValueNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    dice = np.random.default_rng(args.seed)
    agent = ValuePlayer(net, epsilon=0.15, rng=random.Random(args.seed + 1))
    opponent = CasualPlayer(blunder=0.25, rng=random.Random(args.seed + 2))
    replay = Replay(8000, args.seed)

    wins, curve, t0 = [], [], time.perf_counter()
    for n in range(1, args.games + 1):
        visited, won = play_game(agent, opponent, dice)
        for state, value in zip(visited, targets(visited, won, net)):
            replay.add(state, value)
        for _ in range(args.updates):
            states, values = replay.sample(128)
            loss = F.binary_cross_entropy_with_logits(net(states), values)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        wins.append(won)
        agent.epsilon = max(0.02, agent.epsilon * 0.99)
        if n % 60 == 0:
            rate = evaluate(net, 25, args.seed + 100)
            curve.append({"games": n, "loss": loss.item(), "train_wins": sum(wins[-60:]) / 60, "eval_wins": rate})
            print(f"{n:4d} games  loss {loss.item():.4f}  wins {curve[-1]['train_wins']:.2f}"
                  f"  eval {rate:.2f}  ({n / (time.perf_counter() - t0):.0f} games/s)")

    out = Path(args.out) / f"ur-{int(time.time())}"
    out.mkdir(parents=True)
    torch.save(net.state_dict(), out / "value.pt")
    (out / "curve.json").write_text(json.dumps(curve, indent=2))
    print("saved", out)


if __name__ == "__main__":
    main()
