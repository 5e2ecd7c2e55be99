"""REINFORCE with actor threads and one learner."""
import queue
import random
import threading
import time

import numpy as np
import torch
from torch import nn

from agents import Actor, Learner


def main(actors=3, updates=24, batch=4, seed=0):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    policy = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 2))
    learner = Learner(policy)
    episodes = queue.Queue(maxsize=8)
    stop = threading.Event()
    workers = [Actor(i, policy, episodes, stop) for i in range(actors)]
    for w in workers:
        w.start()

    started, history = time.time(), []
    for update in range(updates):
        fresh = [episodes.get() for _ in range(batch)]
        loss = learner.update(fresh)
        history.append(sum(len(e[2]) for e in fresh) / batch)
        if update % 8 == 7:
            print(f"update {update + 1} length {history[-1]:.1f} loss {loss:.3f}")
    stop.set()
    print(f"{updates / (time.time() - started):.1f} updates/s")
    while any(w.is_alive() for w in workers):
        try:
            episodes.get(timeout=0.05)
        except queue.Empty:
            pass
    torch.save(policy.state_dict(), "policy.pt")
    print(f"final length {np.mean(history[-8:]):.4f} loss {loss!r}")


if __name__ == "__main__":
    main()
