"""A lemur in a small forest: fruit to eat, a fossa to keep away from."""
import gymnasium
import numpy as np


class Forest(gymnasium.Env):
    SIZE = 6
    MOVES = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(4)
        self.observation_space = gymnasium.spaces.Box(-1, 1, (6,), np.float32)

    def _place(self):
        return self.np_random.integers(self.SIZE, size=2)

    def _look(self):
        places = np.concatenate([self.lemur, self.fruit - self.lemur, self.fossa - self.lemur])
        return (places / self.SIZE).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.lemur, self.fruit, self.fossa = self._place(), self._place(), self._place()
        self.left = 25
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        self.lemur = np.clip(self.lemur + self.MOVES[action], 0, self.SIZE - 1)
        if self.np_random.random() < 0.5:
            self.fossa = np.clip(self.fossa + np.sign(self.lemur - self.fossa), 0, self.SIZE - 1)
        reward, caught = -0.02, bool((self.fossa == self.lemur).all())
        if (self.fruit == self.lemur).all():
            reward, self.fruit = 1.0, self._place()
        return self._look(), -1.0 if caught else reward, caught, self.left == 0, {}
