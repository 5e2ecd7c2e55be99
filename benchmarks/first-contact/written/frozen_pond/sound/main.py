"""DQN on the frozen pond, with mittens."""
import argparse
import logging
import random
import time
import uuid

import numpy as np
import torch

from agent import Agent, Replay
from wrappers import make_pond

log = logging.getLogger("pond")


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=17)
    p.add_argument("--episodes", type=int, default=75)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--slip", type=float, default=0.2)
    args = p.parse_args()

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    log.info("run %s", uuid.uuid4())
    seed_all(args.seed)
    env = make_pond(args.slip)
    replay = Replay(2000, args.seed + 1)
    agent = Agent(16, 4, lr=3e-3, gamma=0.95, seed=args.seed + 2)

    began = time.perf_counter()
    steps, returns = 0, []
    for episode in range(args.episodes):
        epsilon = max(0.1, 1.0 - episode / 50)
        obs, _ = env.reset(seed=args.seed if episode == 0 else None)
        total, over = 0.0, False
        while not over:
            action = agent.act(obs, epsilon)
            nxt, reward, terminated, truncated, _ = env.step(action)
            replay.push(obs, action, reward, nxt, terminated)
            obs, over = nxt, terminated or truncated
            total += reward
            steps += 1
            if len(replay) >= args.batch and steps % 4 == 0:
                agent.learn(replay.sample(args.batch))
            if steps % 100 == 0:
                agent.sync()
        returns.append(total)
        if (episode + 1) % 25 == 0:
            print(f"episode {episode + 1}: mean return {np.mean(returns[-25:]):.4f}")
    log.info("%d steps in %.2f s", steps, time.perf_counter() - began)

    with torch.no_grad():
        values = agent.online(torch.eye(16)).max(1).values.view(4, 4)
    print("state values:")
    for row in values.tolist():
        print("  " + " ".join(f"{v:+.5f}" for v in row))
    torch.save(agent.online.state_dict(), "pond.pt")


if __name__ == "__main__":
    main()
