"""A soft kite on a winch: steer left, hold, or steer right to stay in the power zone."""
import gymnasium as gym
import numpy as np


class KiteEnv(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, gust=0.25):
        self.gust = gust
        self.observation_space = gym.spaces.Box(-10.0, 10.0, shape=(4,), dtype=np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.state = np.zeros(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        azimuth = self.np_random.uniform(-0.4, 0.4)
        wind = self.np_random.uniform(0.8, 1.4)
        self.state = np.array([azimuth, 0.0, 1.0, wind])
        return self.state.astype(np.float32), {}

    def step(self, action):
        azimuth, rate, tether, wind = self.state
        steer = float(action) - 1.0
        wind = float(np.clip(wind + self.gust * 0.1 * self.np_random.normal(), 0.3, 2.0))
        rate = 0.94 * rate + 0.09 * steer * wind + 0.035 * np.sin(3.0 * azimuth)
        azimuth = azimuth + 0.1 * rate
        tether = tether + 0.01 * wind * np.cos(azimuth)
        self.state = np.array([azimuth, rate, tether, wind])
        reward = wind * np.cos(azimuth) ** 2 - 0.05 * abs(steer)
        crashed = bool(abs(azimuth) > 1.1)
        if crashed:
            reward -= 5.0
        return self.state.astype(np.float32), float(reward), crashed, False, {}


gym.register(id="Kite-v0", entry_point=KiteEnv, max_episode_steps=120)
