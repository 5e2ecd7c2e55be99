"""Actor threads play a bandit-like grid game in rounds; one Q-network learns from all of them."""
import copy
import queue
import random
import threading
import time
from collections import deque

import torch
from torch import nn

SIZE, ACTORS, ROUNDS = 5, 3, 12
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def encode(cell):
    return cell[0] * SIZE + cell[1]


class Player(threading.Thread):
    """Plays with the snapshot it is sent; answers on its own queue."""

    def __init__(self, number):
        super().__init__(daemon=True)
        self.inbox, self.outbox = queue.Queue(), queue.Queue()
        self.rng = random.Random(f"player-{number}")
        self.goal = (SIZE - 1, SIZE - 1)

    def episode(self, table, epsilon):
        cell = (self.rng.randrange(SIZE), self.rng.randrange(SIZE))
        steps = []
        for _ in range(25):
            if self.rng.random() < epsilon:
                action = self.rng.randrange(4)
            else:
                action = int(table[encode(cell)].argmax())
            nxt = tuple(min(SIZE - 1, max(0, c + d)) for c, d in zip(cell, MOVES[action]))
            done = nxt == self.goal
            steps.append((encode(cell), action, 1.0 if done else -0.02, encode(nxt), done))
            cell = nxt
            if done:
                break
        return steps

    def run(self):
        while (message := self.inbox.get()) is not None:
            table, epsilon = message
            self.outbox.put([self.episode(table, epsilon) for _ in range(10)])


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(SIZE * SIZE, 16)
        self.head = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, s):
        return self.head(self.embed(s))


def main():
    torch.manual_seed(4)
    random.seed(4)
    net = QNet()
    target = copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    memory = deque(maxlen=2000)
    players = [Player(i) for i in range(ACTORS)]
    for p in players:
        p.start()
    begin = time.monotonic()
    for rnd in range(ROUNDS):
        with torch.no_grad():
            table = net(torch.arange(SIZE * SIZE)).clone()
        for p in players:
            p.inbox.put((table, max(0.1, 1 - rnd / ROUNDS)))
        for p in players:
            for episode in p.outbox.get():
                memory.extend(episode)
        for _ in range(25):
            s, a, r, n, d = zip(*random.sample(list(memory), 64))
            s, a, n = (torch.tensor(v) for v in (s, a, n))
            with torch.no_grad():
                best = torch.tensor(r) + 0.95 * target(n).max(1).values * ~torch.tensor(d)
            loss = nn.functional.smooth_l1_loss(net(s).gather(1, a[:, None]).squeeze(1), best)
            opt.zero_grad()
            loss.backward()
            opt.step()
        target.load_state_dict(net.state_dict())
        print(f"[{time.monotonic() - begin:6.2f} s] round {rnd} memory {len(memory)} loss {loss.item():.4f}")
    for p in players:
        p.inbox.put(None)
        p.join()
    values = net(torch.arange(SIZE * SIZE)).max(1).values.detach()
    torch.save({"net": net.state_dict(), "values": values}, "q.pt")
    print("final value", values.sum().item(), "loss", loss.item())


if __name__ == "__main__":
    main()
