"""Shakes recordings a little: gain, shift and hiss, from a stream of its own for each batch."""
import numpy as np
import torch


class Jitter:
    def __init__(self, rng):
        self.rng = rng
        self.gain = 0.05 + 0.1 * rng.random()

    @classmethod
    def fresh(cls, seed):
        return cls(np.random.default_rng(seed))

    def streams(self, n):
        return self.rng.spawn(n)

    def shake(self, x, stream):
        x = x.numpy() * (1 + self.gain * stream.standard_normal((len(x), 1, 1)))
        x = np.roll(x, int(stream.integers(-2, 3)), axis=-1)
        x = x + 0.05 * stream.standard_normal(x.shape)
        return torch.from_numpy(x.astype(np.float32))

    def state(self):
        seq = self.rng.bit_generator.seed_seq
        return {"rng": self.rng.bit_generator.state, "gain": self.gain,
                "entropy": seq.entropy, "spawned": seq.n_children_spawned}

    @classmethod
    def restored(cls, state):
        seq = np.random.SeedSequence(state["entropy"], n_children_spawned=state["spawned"])
        jitter = cls(np.random.default_rng(seq))
        jitter.rng.bit_generator.state = state["rng"]
        jitter.gain = state["gain"]
        return jitter
