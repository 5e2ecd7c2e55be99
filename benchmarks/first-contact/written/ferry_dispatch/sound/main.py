"""Train a dispatcher for a two-lane car ferry with advantage actor-critic."""
import argparse
import json
import logging
import os
import random
import time

import numpy as np
import torch

from harbour.envs import make_fleet
from harbour.learn.agent import Dispatcher
from harbour.learn.loop import evaluate, train

log = logging.getLogger("ferry")


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--updates", type=int, default=20)
    p.add_argument("--horizon", type=int, default=20)
    p.add_argument("--ferries", type=int, default=4)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--gamma", type=float, default=0.96)
    p.add_argument("--entropy", type=float, default=0.01)
    p.add_argument("--seed", type=int, default=1907)
    p.add_argument("--threads", type=int, default=1)
    return p.parse_args()


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    torch.set_num_threads(args.threads)
    seed_all(args.seed)
    log.info("pid %d, torch %s", os.getpid(), torch.__version__)

    fleet = make_fleet(args.ferries, seed=args.seed, trip_limit=30)
    agent = Dispatcher(fleet[0].observation_size, fleet[0].n_actions)
    started = time.perf_counter()
    curve = train(agent, fleet, args)
    wall = time.perf_counter() - started
    log.info("trained %d updates in %.2fs (%.0f transitions/s)", args.updates, wall,
             args.updates * args.horizon * args.ferries / wall)

    report = evaluate(agent, make_fleet(1, seed=args.seed + 999, trip_limit=30)[0], episodes=6)
    report["curve"] = curve
    torch.save(agent.state_dict(), "dispatcher.pt")
    with open("report.json", "w") as handle:
        json.dump(report, handle, indent=1)
    log.info("mean waiting cost %.3f over %d evaluation episodes", report["mean_cost"], report["episodes"])


if __name__ == "__main__":
    main()
