"""Learn to run the sluice gates of two basins."""

import csv
import json
import random
import time
from pathlib import Path

import numpy as np
import torch

from agent import Agent
from basin import TwoBasins
from replay import Replay

HERE = Path(__file__).resolve().parent
SEED = 2024
STEPS = 1000
WARMUP = 240


def seed_everything(seed, env):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    env.action_space.seed(seed)
    return env.reset(seed=seed)[0]


def evaluate(agent, episodes=3):
    env = TwoBasins()
    returns = []
    for episode in range(episodes):
        obs, _ = env.reset(seed=9000 + episode)
        total, done = 0.0, False
        while not done:
            obs, reward, terminated, truncated, _ = env.step(agent.act(obs))
            total += reward
            done = terminated or truncated
        returns.append(total)
    return float(np.mean(returns))


def main():
    torch.set_num_threads(1)
    env = TwoBasins()
    obs = seed_everything(SEED, env)
    agent = Agent(env.observation_space.shape[0], env.action_space.shape[0])
    replay = Replay(4000, env.observation_space.shape[0], env.action_space.shape[0], seed=SEED)

    began = time.perf_counter()
    episodes, total, losses = [], 0.0, []
    for step in range(STEPS):
        if step < WARMUP:
            action = env.action_space.sample()
        else:
            action = agent.act(obs, noise=0.15)
        following, reward, terminated, truncated, _ = env.step(action)
        replay.add(obs, action, reward, following)
        total += reward
        obs = following
        if terminated or truncated:
            episodes.append((len(episodes), step + 1, round(total, 6)))
            if len(episodes) % 5 == 0:
                speed = (step + 1) / (time.perf_counter() - began)
                print(f"episode {len(episodes):3d}  return {total:8.3f}  ({speed:.0f} steps/s)")
            obs, _ = env.reset()
            total = 0.0
        if step >= WARMUP and step % 2 == 0:
            losses.append(agent.update(*replay.sample(64)))

    score = evaluate(agent)
    print(f"evaluation return {score:.3f}")
    torch.save({"actor": agent.actor.state_dict(), "critic": agent.critic.state_dict()},
               HERE / "gates.pt")
    with open(HERE / "episodes.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["episode", "step", "return"])
        writer.writerows(episodes)
    (HERE / "evaluation.json").write_text(json.dumps({
        "return": score,
        "last_critic_loss": float(np.mean(losses[-50:])),
        "seconds": round(time.perf_counter() - began, 2),
    }, indent=2))


if __name__ == "__main__":
    main()
