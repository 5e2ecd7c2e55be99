"""A pinball table with two flippers."""
import gymnasium as gym
import numpy as np


class PinballTable(gym.Env):
    """The ball falls; a flipper hit at the right height sends it up again."""

    observation_space = gym.spaces.Box(-4.0, 4.0, (4,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball = np.array([self.np_random.uniform(-0.8, 0.8), 1.0, self.np_random.normal(0, 0.3), 0.0])
        self.age = 0
        return self.ball.astype(np.float32), {}

    def step(self, action):
        x, y, vx, vy = self.ball
        vy -= 0.12
        reward = 0.02
        side = -1 if action == 1 else 1
        if action and y < 0.25:
            if x * side > 0:
                vy, vx = 0.7, -0.5 * x + self.np_random.normal(0, 0.1)
                reward = 1.0
            else:
                reward = -0.2
        x += 0.2 * vx
        y += 0.2 * vy
        if abs(x) > 1:
            x, vx = np.sign(x), -0.8 * vx
        self.age += 1
        self.ball = np.array([x, min(y, 1.2), vx, vy])
        return np.clip(self.ball, -4, 4).astype(np.float32), reward, bool(y < 0), self.age >= 60, {}
