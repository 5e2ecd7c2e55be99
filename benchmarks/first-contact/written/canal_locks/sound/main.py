"""Learn to work a canal lock and compare with the keeper's rule of thumb."""
import csv
import json
import random
import secrets
import time
from pathlib import Path

import numpy as np
import torch

from agent import Keeper, Replay
from env import DOWN, UP, WAIT, CanalLock

SETTINGS = json.loads((Path(__file__).parent / "settings.json").read_text())


def rule_of_thumb(obs) -> int:
    below, above = obs[0] * 8, obs[1] * 8
    if max(below, above) < 2:
        return WAIT
    return UP if below >= above else DOWN


def rate(policy, env: CanalLock, days: int, seed: int) -> tuple[float, float]:
    total, passed = 0.0, 0
    for day in range(days):
        obs, _ = env.reset(seed=seed + day)
        done = False
        while not done:
            obs, reward, _, done, info = env.step(policy(obs))
            total += reward
        passed += info["passed"]
    return total / days, passed / days


def train(keeper: Keeper, replay: Replay, env: CanalLock, log) -> int:
    steps = 0
    obs, _ = env.reset(seed=SETTINGS["seed"])
    for day in range(SETTINGS["days"]):
        began, returned, losses, done = time.perf_counter(), 0.0, [], False
        explore = max(0.05, 1.0 - day / (0.6 * SETTINGS["days"]))
        while not done:
            if random.random() < explore:
                action = int(env.action_space.sample())
            else:
                action = keeper.act(obs)
            next_obs, reward, _, done, info = env.step(action)
            replay.add(obs, action, reward, next_obs)
            obs = next_obs
            returned += reward
            steps += 1
            if replay.filled >= SETTINGS["warmup"] and steps % 2 == 0:
                losses.append(keeper.learn(replay.sample(SETTINGS["batch"])))
                keeper.sync()
        pace = SETTINGS["day_length"] / (time.perf_counter() - began)
        loss = float(np.mean(losses)) if losses else float("nan")
        log.writerow([day, f"{returned:.4f}", f"{loss:.6f}", info["passed"], f"{pace:.0f}"])
        if (day + 1) % 10 == 0:
            print(f"day {day + 1:3d}  return {returned:8.3f}  loss {loss:.5f}  [{pace:.0f} steps/s]")
        obs, _ = env.reset()
    return steps


def main():
    started = time.perf_counter()
    run_id = secrets.token_hex(4)
    random.seed(SETTINGS["seed"])
    np.random.seed(SETTINGS["seed"])
    torch.manual_seed(SETTINGS["seed"])

    env = CanalLock(day_length=SETTINGS["day_length"])
    env.action_space.seed(SETTINGS["seed"])
    keeper = Keeper(env.observation_space.shape[0], env.action_space.n)
    replay = Replay(SETTINGS["memory"], env.observation_space.shape[0], SETTINGS["seed"])

    out = Path("results")
    out.mkdir(exist_ok=True)
    with open(out / "days.csv", "w", newline="") as handle:
        log = csv.writer(handle)
        log.writerow(["day", "return", "loss", "passed", "steps_per_second"])
        steps = train(keeper, replay, env, log)

    trial = CanalLock(day_length=SETTINGS["day_length"])
    scores = {}
    for name, policy in (("rule", rule_of_thumb), ("learned", keeper.act)):
        mean, passed = rate(policy, trial, 12, seed=9000)
        scores[name] = {"return": round(mean, 5), "boats": round(passed, 3)}
        print(f"{name:>8}: return {mean:.3f}, {passed:.2f} boats a day")
    torch.save(keeper.net.state_dict(), out / "keeper.pt")
    summary = {"run": run_id, "steps": steps, "scores": scores, "wall": time.perf_counter() - started}
    (out / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"run {run_id} took {summary['wall']:.1f} s")


if __name__ == "__main__":
    main()
