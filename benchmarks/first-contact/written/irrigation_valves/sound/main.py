"""Learn when to open the valve of a drip line: a double DQN on a simulated plot."""
import csv
import json
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch

from agent import Agent
from memory import Memory
from plot_env import PlotEnv

logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("valves")


@dataclass
class Config:
    seed: int = 11
    episodes: int = 45
    days: int = 60
    warmup: int = 400
    memory: int = 5000
    batch_size: int = 64
    gamma: float = 0.97
    lr: float = 1e-3
    epsilon_end: float = 0.05
    epsilon_decay: float = 0.93
    sync_every: int = 100
    eval_episodes: int = 10


def make_env(cfg):
    env = gym.wrappers.TimeLimit(PlotEnv(), max_episode_steps=cfg.days)
    return gym.wrappers.RecordEpisodeStatistics(env)


def evaluate(agent, cfg):
    env = make_env(cfg)
    returns = []
    for episode in range(cfg.eval_episodes):
        state, _ = env.reset(seed=10_000 + episode)
        done = False
        while not done:
            state, _, terminated, truncated, info = env.step(agent.greedy(state))
            done = terminated or truncated
        returns.append(float(info["episode"]["r"]))
    return returns


def main():
    cfg = Config()
    torch.set_num_threads(1)  # the network is too small to share
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    env = make_env(cfg)
    env.action_space.seed(cfg.seed)
    agent = Agent(env.observation_space.shape[0], int(env.action_space.n), cfg)
    memory = Memory(cfg.memory, env.observation_space.shape[0], cfg.seed)
    folder = Path("logs") / f"dqn-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    folder.mkdir(parents=True)

    state, _ = env.reset(seed=cfg.seed)
    epsilon, steps, rows = 1.0, 0, []
    started = time.perf_counter()
    for episode in range(cfg.episodes):
        done, losses = False, []
        while not done:
            if steps < cfg.warmup or np.random.rand() < epsilon:
                action = int(env.action_space.sample())
            else:
                action = agent.greedy(state)
            following, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            memory.add(state, action, reward, following, terminated)
            state = following
            steps += 1
            if steps >= cfg.warmup:
                losses.append(agent.learn(memory.batch(cfg.batch_size)))
                if steps % cfg.sync_every == 0:
                    agent.sync()
        epsilon = max(cfg.epsilon_end, epsilon * cfg.epsilon_decay)
        rows.append((episode, round(float(info["episode"]["r"]), 4), round(float(np.mean(losses or [0])), 6)))
        if episode % 10 == 9:
            log.info("episode %d: return %.2f, epsilon %.2f, %.0f steps/s",
                     episode + 1, rows[-1][1], epsilon, steps / (time.perf_counter() - started))
        state, _ = env.reset()

    returns = evaluate(agent, cfg)
    with open(folder / "episodes.csv", "w", newline="") as file:
        csv.writer(file).writerows([("episode", "return", "loss"), *rows])
    torch.save(agent.online.state_dict(), folder / "policy.pt")
    result = {"steps": steps, "mean_return": float(np.mean(returns)), "worst_return": min(returns)}
    (folder / "result.json").write_text(json.dumps(result, indent=2))
    print(f"after {steps} steps: mean return {result['mean_return']:.3f}, worst {result['worst_return']:.3f}")


if __name__ == "__main__":
    main()
