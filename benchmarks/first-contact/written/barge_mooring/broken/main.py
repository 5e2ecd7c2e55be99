"""Learn to moor a barge: deep Q-learning in a small gymnasium environment."""
import json
import random
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from gymnasium.wrappers import RecordEpisodeStatistics

from agent import Pilot
from berth import BargeBerth

SEED = 17
EPISODES = 70
gym.register("BargeBerth-v0", entry_point=BargeBerth)


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def make_env(seed):
    env = RecordEpisodeStatistics(gym.make("BargeBerth-v0"))
    env.reset(seed=seed)
    return env


def evaluate(pilot, seed, episodes=8):
    env = make_env(seed)
    returns = []
    for _ in range(episodes):
        state, _ = env.reset()
        over = False
        while not over:
            state, _, moored, late, info = env.step(pilot.best(state))
            over = moored or late
        returns.append(float(info["episode"]["r"]))
    return sum(returns) / len(returns)


def main():
    seed_everything(SEED)
    env = make_env(SEED)
    pilot = Pilot(env, SEED)
    started, steps, losses, history = time.perf_counter(), 0, [], []
    for episode in range(EPISODES):
        state, _ = env.reset()
        epsilon = max(0.05, 1 - 1.3 * episode / EPISODES)
        over = False
        while not over:
            action = pilot.act(state, epsilon)
            following, reward, moored, late, info = env.step(action)
            pilot.memory.add(state, action, reward, following, float(moored))
            state, over = following, moored or late
            steps += 1
            if len(pilot.memory) >= 256 and steps % 2 == 0:
                losses.append(pilot.learn())
            if steps % 200 == 0:
                pilot.refresh_target()
        if (episode + 1) % 10 == 0:
            mean_loss = sum(losses) / max(1, len(losses))
            score = evaluate(pilot, seed=1000)
            history.append({"episode": episode + 1, "loss": mean_loss, "return": score})
            print(f"episode {episode + 1:3d}  steps {steps:5d}  loss {mean_loss:.6f}  "
                  f"return {score:8.4f}  ({time.perf_counter() - started:.1f} s)")
            losses.clear()

    torch.save(pilot.online.state_dict(), "weights.pt")
    Path("result.json").write_text(json.dumps(history, indent=2))


if __name__ == "__main__":
    main()
