"""PPO for a lift controller: several actor processes, one learner."""
import csv
import logging
import multiprocessing as mp
import threading
import time

import torch

from lifts.actor import run_actor
from lifts.building import Building
from lifts.config import Config
from lifts.learner import Learner

log = logging.getLogger("lifts")


def heartbeat(state, stop):
    while not stop.wait(1.0):
        log.info("round %d after %.1fs", state["round"], time.monotonic() - state["start"])


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    cfg = Config()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)

    ctx = mp.get_context("fork")
    rollouts = ctx.Queue()
    inboxes = [ctx.Queue() for _ in range(cfg.actors)]
    actors = [
        ctx.Process(target=run_actor, args=(i, cfg, inboxes[i], rollouts), daemon=True)
        for i in range(cfg.actors)
    ]
    for process in actors:
        process.start()

    state = {"round": 0, "start": time.monotonic()}
    stop = threading.Event()
    threading.Thread(target=heartbeat, args=(state, stop), daemon=True).start()

    learner = Learner(cfg, Building(cfg, None).size, Building.ACTIONS)
    curve = []
    for r in range(cfg.rounds):
        state["round"] = r
        weights = learner.weights()
        for inbox in inboxes:
            inbox.put(weights)
        batch, score = learner.collect(rollouts)
        loss = learner.update(batch)
        curve.append((r, score, loss))
        if (r + 1) % 8 == 0:
            print(f"round {r + 1:3d}  score {score:8.4f}  loss {loss:9.5f}")

    for inbox in inboxes:
        inbox.put(None)
    for process in actors:
        process.join()
    stop.set()

    with open(cfg.curve_file, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["round", "score", "loss"])
        writer.writerows(curve)
    torch.save(learner.net.state_dict(), cfg.policy_file)
    print(f"wrote {cfg.policy_file} and {cfg.curve_file}")


if __name__ == "__main__":
    main()
