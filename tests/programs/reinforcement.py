# samebits-test: vary=threads cause=thread-count
"""Policy gradients on many small worlds at once: only the number of threads moves the result."""

from __future__ import annotations

import torch
from torch import nn


class Corridors:
    """Walkers in corridors; the goal is at the right end, and each step costs a little."""

    def __init__(self, n: int, length: int, generator: torch.Generator) -> None:
        self.n, self.length, self.generator = n, length, generator

    def reset(self) -> torch.Tensor:
        self.place = torch.randint(self.length // 2, (self.n,), generator=self.generator)
        return self.observe()

    def observe(self) -> torch.Tensor:
        x = self.place / self.length
        return torch.stack([x, 1 - x, (6 * x).sin()], dim=1)

    def step(self, action: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.place = (self.place + 2 * action - 1).clamp(0, self.length - 1)
        goal = self.place == self.length - 1
        return self.observe(), torch.where(goal, 1.0, -0.01)


def rollout(
    worlds: Corridors, policy: nn.Module, steps: int, generator: torch.Generator
) -> tuple[torch.Tensor, ...]:
    seen, acted, earned = [], [], []
    observation = worlds.reset()
    for _ in range(steps):
        with torch.no_grad():
            chances = policy(observation).softmax(dim=1)
        action = torch.multinomial(chances, 1, generator=generator).squeeze(1)
        seen.append(observation)
        acted.append(action)
        observation, reward = worlds.step(action)
        earned.append(reward)
    return torch.stack(seen), torch.stack(acted), torch.stack(earned)


def returns(rewards: torch.Tensor, gamma: float = 0.97) -> torch.Tensor:
    total, result = torch.zeros_like(rewards[0]), []
    for reward in rewards.flip(0):
        total = reward + gamma * total
        result.append(total)
    result = torch.stack(result[::-1])
    centre = result.mean()  # culprit
    return (result - centre) / (result - centre).square().mean().sqrt()  # culprit


def main() -> None:
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    worlds = Corridors(n=4096, length=12, generator=generator)
    policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    for update in range(4):
        seen, acted, earned = rollout(worlds, policy, steps=16, generator=generator)
        advantage = returns(earned)
        chances = policy(seen).log_softmax(dim=2).gather(2, acted.unsqueeze(2)).squeeze(2)
        loss = -(advantage * chances).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"update {update} reward {earned.double().mean().item():.5f}")


if __name__ == "__main__":
    main()
