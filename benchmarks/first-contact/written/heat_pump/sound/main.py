"""Learn to run a heat pump on a flat tariff, then carry on from the checkpoint with an evening peak."""

import json
import logging
import time
import uuid
from pathlib import Path

import torch

from agent import Agent
from house import EVENING, FLAT, House

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("heat_pump")

OUT = Path("out")
SEED = 1207


def run_episodes(agent, house, episodes):
    history = []
    for episode in range(episodes):
        began = time.perf_counter()
        seen, done, total = house.reset(), False, 0.0
        while not done:
            action = agent.act(seen)
            then, reward, done = house.step(action)
            agent.replay.add(seen, action, reward, then, done)
            seen, total = then, total + reward
            if agent.replay.filled >= 200:
                agent.learn()
        history.append(total)
        if episode % 5 == 4:
            took = time.perf_counter() - began
            log.info("%-12s episode %2d return %8.3f (%.0f ms)", house.tariff.name, episode + 1, total, 1000 * took)
    return history


def evaluate(agent, tariff, days=8):
    house, totals = House(tariff, seed=SEED + 99), []
    for _ in range(days):
        seen, done, total = house.reset(), False, 0.0
        while not done:
            seen, reward, done = house.step(agent.greedy(seen))
            total += reward
        totals.append(total)
    return sum(totals) / days


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    OUT.mkdir(exist_ok=True)
    checkpoint = OUT / "winter.ckpt"
    run = uuid.uuid4().hex[:8]
    log.info("run %s", run)

    agent = Agent(seed=SEED)
    history = {"flat": run_episodes(agent, House(FLAT, SEED + 1), 25)}
    agent.save(checkpoint)
    log.info("flat tariff: mean return %.4f, saved %s", evaluate(agent, FLAT), checkpoint)

    agent = Agent()
    agent.load(checkpoint)
    history["evening"] = run_episodes(agent, House(EVENING, SEED + 2), 25)
    score = evaluate(agent, EVENING)
    log.info("evening peak: mean return %.4f", score)

    torch.save(agent.online.state_dict(), OUT / "model.pt")
    (OUT / "results.json").write_text(json.dumps({"run": run, "score": score, "history": history}, indent=1))


if __name__ == "__main__":
    main()
