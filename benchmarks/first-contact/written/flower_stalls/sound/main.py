"""Double DQN for the morning order of a flower stall."""
import argparse
import csv

import torch

from agent import Memory, QAgent
from market import FlowerStall


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=None, help="leave out for a fresh run each time")
    p.add_argument("--episodes", type=int, default=110)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--warmup", type=int, default=300)
    p.add_argument("--log", default="episodes.csv")
    return p.parse_args()


def evaluate(agent, seeds):
    env = FlowerStall()
    totals, wilted = [], 0.0
    for seed in seeds:
        state, _ = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            state, reward, _, done, info = env.step(agent.act(state, 0.0))
            total += reward
            wilted += info["wilted"]
        totals.append(total)
    return sum(totals) / len(totals), wilted / len(totals)


def main():
    args = parse()
    if args.seed is not None:
        torch.manual_seed(args.seed)
    env = FlowerStall()
    agent = QAgent(env.observation_space.shape[0], int(env.action_space.n), seed=args.seed)
    memory = Memory(4000, seed=args.seed)

    rows, steps, loss = [], 0, float("nan")
    for episode in range(args.episodes):
        state, _ = env.reset(seed=args.seed if episode == 0 else None)
        epsilon = max(0.05, 1.0 - episode / 40)
        total, done = 0.0, False
        while not done:
            action = agent.act(state, epsilon)
            after, reward, _, done, _ = env.step(action)
            memory.push(state, action, reward, after, done)
            state, total, steps = after, total + reward, steps + 1
            if len(memory) >= args.warmup:
                loss = agent.learn(memory.sample(args.batch))
            if steps % 200 == 0:
                agent.sync()
        rows.append((episode, f"{total:.4f}", f"{loss:.6f}"))
        if episode % 10 == 9:
            print(f"episode {episode + 1:3d}  profit {10 * total:7.1f}  loss {loss:.6f}")

    with open(args.log, "w", newline="") as handle:
        csv.writer(handle).writerows([("episode", "return", "loss"), *rows])
    profit, wilted = evaluate(agent, range(5000, 5010))
    print(f"greedy policy: profit {10 * profit:.2f} a month, {wilted:.2f} bunches wilted")
    torch.save(agent.online.state_dict(), "policy.pt")


if __name__ == "__main__":
    main()
