"""Learns an ordering policy for platelets and writes the policy table."""
import csv
import json
import random
import time
from pathlib import Path

import numpy as np
import torch

from agent import Agent, Memory
from bank import PlateletBank

HERE = Path(__file__).resolve().parent
EPISODES = 22
SEED = 512


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def evaluate(agent, episodes):
    env = PlateletBank()
    rows = []
    for number in range(episodes):
        state, _ = env.reset(seed=9000 + number)
        total, expired, short, done = 0.0, 0, 0, False
        while not done:
            state, reward, _, done, info = env.step(agent.greedy(state))
            total += reward
            expired += info["expired"]
            short += info["short"]
        rows.append([number, round(total, 5), expired, short])
    return rows


def main():
    torch.set_num_threads(1)
    seed_all(SEED)
    tag = time.strftime("bank-%Y%m%d-%H%M%S")
    clock = time.perf_counter()
    env = PlateletBank()
    memory = Memory(1500, env.observation_space.shape[0], np.random.default_rng(SEED))
    agent = Agent(env, memory)
    curve, steps = [], 0
    for episode in range(EPISODES):
        state, _ = env.reset(seed=SEED if episode == 0 else None)
        epsilon = max(0.05, 1.0 - episode / 12)
        total, done = 0.0, False
        while not done:
            action = agent.act(state, epsilon)
            after, reward, _, done, _ = env.step(action)
            memory.add(state, action, reward, after)
            state = after
            total += reward
            steps += 1
            if memory.count >= 64:
                agent.learn()
            if steps % 100 == 0:
                agent.target.load_state_dict(agent.online.state_dict())
        curve.append(round(total, 5))
        if episode % 7 == 0:
            print(f"episode {episode:3d}  return {total:9.3f}  {time.perf_counter() - clock:5.2f} s")

    rows = evaluate(agent, 4)
    with open(HERE / "evaluation.csv", "w", newline="") as file:
        csv.writer(file).writerows([["episode", "return", "expired", "short"], *rows])
    (HERE / "training.json").write_text(json.dumps({"tag": tag, "returns": curve}))
    torch.save(agent.online.state_dict(), HERE / "policy.pt")
    print("mean evaluation return", round(sum(r[1] for r in rows) / len(rows), 4))


if __name__ == "__main__":
    main()
