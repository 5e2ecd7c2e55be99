"""Learns to order goods for a stock room by actor-critic, and keeps the best agent."""
import copy
import json
import time
from pathlib import Path

import numpy as np
import torch

from agent import Buyer, returns_of
from evaluate import mean_return
from room import RoomSettings, StockRoom

HERE = Path(__file__).resolve().parent
SEED, ROOMS, UPDATES, HORIZON, CHECK_EVERY = 41, 12, 72, 10, 6


class Crew:
    """Several rooms side by side; a room that is done starts again."""

    def __init__(self, settings, count, seed):
        self.rooms = [StockRoom(settings) for _ in range(count)]
        self.views = np.stack([room.reset(seed=seed + i) for i, room in enumerate(self.rooms)])

    def step(self, actions):
        rewards, going = [], []
        for i, (room, action) in enumerate(zip(self.rooms, actions)):
            view, reward, done = room.step(action)
            self.views[i] = room.reset() if done else view
            rewards.append(reward)
            going.append(0.0 if done else 1.0)
        return torch.tensor(rewards), torch.tensor(going)


def update(agent, crew, optimizer):
    entropies, logs, values, rewards = [], [], [], []
    for _ in range(HORIZON):
        choice, value = agent(torch.tensor(crew.views))
        action = choice.sample()
        reward, going = crew.step(action.tolist())
        logs.append(choice.log_prob(action).sum(-1))
        entropies.append(choice.entropy().mean())
        values.append(value)
        rewards.append(reward / 40)
    with torch.no_grad():
        last = agent(torch.tensor(crew.views))[1] * going
    values = torch.stack(values)
    returns = returns_of(rewards, last)
    gain = (returns - values).detach()
    gain = (gain - gain.mean()) / (gain.std() + 1e-6)
    loss = (-(torch.stack(logs) * gain).mean() + 0.5 * (returns - values).pow(2).mean()
            - 0.01 * torch.stack(entropies).mean())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(agent.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def main():
    started = time.time()
    torch.manual_seed(SEED)
    settings = RoomSettings()
    crew = Crew(settings, ROOMS, SEED)
    agent = Buyer(crew.views.shape[1], settings.goods, len(StockRoom.lots))
    optimizer = torch.optim.Adam(agent.parameters(), lr=6e-3)
    best, kept, log = -float("inf"), None, []
    for number in range(1, UPDATES + 1):
        loss = update(agent, crew, optimizer)
        if number % CHECK_EVERY:
            continue
        score = mean_return(agent, settings, first_seed=SEED + 1000)
        mark = ""
        if score > best:
            best, kept, mark = score, copy.deepcopy(agent.state_dict()), " *"
        log.append({"update": number, "loss": loss, "score": score})
        print(f"update {number:3d} loss {loss:9.6f} score {score:8.4f}{mark}")
    print(f"best score {best:.4f} after {time.time() - started:.1f} s")
    torch.save(kept, HERE / "buyer.pt")
    (HERE / "log.json").write_text("\n".join(json.dumps(entry) for entry in log) + "\n")


if __name__ == "__main__":
    main()
