"""Scores the greedy policy beside the training."""
import time
from concurrent.futures import ThreadPoolExecutor

from tank import BallastEnv


def score(net, episodes, seed):
    began = time.perf_counter()
    net.eval()
    env, total = BallastEnv(), 0.0
    for episode in range(episodes):
        obs, _ = env.reset(seed=seed + episode)
        done = False
        while not done:
            obs, reward, _, done, _ = env.step(net.act(obs))
            total += reward
    return total / episodes, time.perf_counter() - began


class Evaluator:
    def __init__(self, episodes=6, seed=9000):
        self.episodes, self.seed = episodes, seed
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="evaluator")
        self.pending = []

    def submit(self, step, net):
        self.pending.append((step, self.pool.submit(score, net, self.episodes, self.seed)))

    def finish(self):
        self.pool.shutdown()
        return [(step, *future.result()) for step, future in self.pending]
