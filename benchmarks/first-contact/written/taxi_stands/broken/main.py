"""Where should a free taxi wait? Actor and critic on a ring of stands, with a memory of recent shifts."""
import argparse
import random
import zlib

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from memory import Memory, Shift, Step
from watch import Watch


class TaxiStands(gym.Env):
    """A ring of stands with queues of passengers; move on, move back, or wait."""

    def __init__(self, stands: int = 8, length: int = 24):
        self.stands, self.length = stands, length
        self.observation_space = gym.spaces.Box(-1, 9, (2 * stands,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clock = 0
        self.place = int(self.np_random.integers(self.stands))
        self.queue = self.np_random.poisson(0.6, self.stands)
        return self.view(), {}

    def view(self):
        here = np.zeros(self.stands, np.float32)
        here[self.place] = 1
        return np.concatenate([here, self.queue.astype(np.float32)])

    def step(self, action):
        self.place = (self.place + (0, 1, -1)[action]) % self.stands
        fares = min(int(self.queue[self.place]), 2)
        self.queue[self.place] -= fares
        self.queue = np.minimum(self.queue + self.np_random.poisson(0.12, self.stands), 9)
        self.clock += 1
        return self.view(), fares - 0.1 * (action != 0), False, self.clock >= self.length, {}


class Agent(nn.Module):
    def __init__(self, width: int = 32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, width), nn.Tanh())
        self.actor, self.critic = nn.Linear(width, 3), nn.Linear(width, 1)

    def forward(self, obs):
        hidden = self.body(obs)
        return self.actor(hidden), self.critic(hidden).squeeze(-1)


def drive(env, agent, number, seed=None) -> Shift:
    shift = Shift(number)
    obs, _ = env.reset(seed=seed)
    done = False
    while not done:
        with torch.no_grad():
            logits, _ = agent(torch.from_numpy(obs))
        action = int(torch.multinomial(logits.softmax(-1), 1))
        following, reward, _, done, _ = env.step(action)
        shift.steps.append(Step(shift, obs, action, reward))
        obs = following
    return shift


def learn(agent, optimizer, shifts, discount=0.95):
    steps = [step for shift in shifts for step in shift.steps]
    obs = torch.from_numpy(np.stack([step.obs for step in steps]))
    actions = torch.tensor([step.action for step in steps])
    returns = torch.tensor([step.gain(discount) for step in steps])
    logits, value = agent(obs)
    advantage = returns - value
    loss = F.cross_entropy(logits, actions, reduction="none") * advantage.detach()
    loss = (loss + 0.5 * advantage ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--shifts", type=int, default=260)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env, agent = TaxiStands(), Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
    memory = Memory(16, random.Random(args.seed))
    income, loss = [], 0.0
    with Watch() as watch:
        for number in range(args.shifts):
            watch.stage = f"shift {number}"
            shift = drive(env, agent, number, seed=args.seed if number == 0 else None)
            income.append(sum(step.reward for step in shift.steps))
            memory.add(shift)
            loss = learn(agent, optimizer, [shift] + memory.sample(3))
            if number % 65 == 64:
                print(f"shift {number + 1}: income {np.mean(income[-65:]):.4f}, loss {loss:.6f}")
    print(watch.summary())
    weights = b"".join(value.numpy().tobytes() for value in agent.state_dict().values())
    print(f"income {np.mean(income):.6f}  loss {loss:.8f}  weights {zlib.crc32(weights):08x}")


if __name__ == "__main__":
    main()
