"""Actor processes: play with the weights they are sent, send back chunks of experience."""
import multiprocessing as mp

import numpy as np

from foil import ACTIONS, Hydrofoil


def q_values(weights, obs):
    for w, b in weights[:-1]:
        obs = np.maximum(w @ obs + b, 0.0)
    w, b = weights[-1]
    return w @ obs + b


def actor_main(actor_id, seed, chunk, inbox, outbox):
    rng = np.random.default_rng([seed, actor_id])
    env = Hydrofoil(rng)
    obs = env.reset()
    while (order := inbox.get()) is not None:
        weights, epsilon = order
        rows = []
        for _ in range(chunk):
            if rng.random() < epsilon:
                action = int(rng.integers(len(ACTIONS)))
            else:
                action = int(q_values(weights, obs).argmax())
            nxt, reward, done, crashed = env.step(action)
            rows.append((obs, action, reward, nxt, float(crashed)))
            obs = env.reset() if done else nxt
        outbox.put([np.asarray(column, dtype=np.float32) for column in zip(*rows)])


class Fleet:
    def __init__(self, count, seed, chunk):
        ctx = mp.get_context("fork")
        self.inboxes = [ctx.Queue() for _ in range(count)]
        self.outboxes = [ctx.Queue()] * count
        self.actors = [
            ctx.Process(target=actor_main, args=(i, seed, chunk, inbox, outbox), daemon=True)
            for i, (inbox, outbox) in enumerate(zip(self.inboxes, self.outboxes))]
        for actor in self.actors:
            actor.start()

    def play(self, weights, epsilon):
        """One chunk from each actor, in the order of the actors."""
        for inbox in self.inboxes:
            inbox.put((weights, epsilon))
        return [outbox.get() for outbox in self.outboxes]

    def close(self):
        for inbox in self.inboxes:
            inbox.put(None)
        for actor in self.actors:
            actor.join()
